"""The three that are compared, each as a process of its own: img2dataset, ours, and the bound that no downloader beats.

    python -m benchmarks.fetch_peers ours ORIGIN IMAGES STORE [--plain]
    python -m benchmarks.fetch_peers bound FOLDER IMAGES [--without-copy]

Each prints what it found as a line of JSON.
"""

import argparse
import hashlib
import importlib.metadata
import json
import os
import subprocess
import sys
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.results import ROOT

IMG2DATASET = "1.47.0"
SHOWN = ("img2dataset", "opencv-python-headless", "albumentations", "pyarrow", "numpy")
CORES = 2
SIDE_PX = 256
HOST = "images.example"


@dataclass(frozen=True)
class Grid:
    """The settings of img2dataset that decide how fast it is.

    shards: per process; its workers are replaced after 5, which costs seconds, and a shard's end is not shared.
    is_lean: without the SHA-256 and the EXIF table that it makes by default.
    """

    processes: int
    threads: int
    shards: int = 1
    is_lean: bool = True
    form: str = "webdataset"


# --- img2dataset


def installed() -> tuple[Path, dict[str, str]]:
    """The command of img2dataset in an environment of its own below build/, and the versions in it."""
    folder = ROOT / "build" / f"img2dataset-{IMG2DATASET}"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        wanted = [f"img2dataset=={IMG2DATASET}", "setuptools<81"]  # of which it needs pkg_resources
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
        (folder / "ready").touch()
    script = (
        f"import importlib.metadata as m, json; print(json.dumps({{name: m.version(name) for name in {list(SHOWN)}}}))"
    )
    versions = subprocess.run([python, "-c", script], check=True, stdout=subprocess.PIPE, text=True).stdout
    return folder / "bin" / "img2dataset", json.loads(versions)


def by_img2dataset(command: Path, origin: str, images: int, folder: Path, grid: Grid) -> dict[str, Any]:
    """Seconds between its first shard's start and its last one's end, as it writes them down itself, and what came."""
    folder.mkdir(parents=True)
    urls, into = folder / "urls.txt", folder / "images"
    urls.write_text("".join(f"{origin}/{number}.jpg\n" for number in range(images)), encoding="utf-8")
    settings = {
        "url_list": urls,
        "output_folder": into,
        "output_format": grid.form,
        "image_size": SIDE_PX,
        "resize_mode": "keep_ratio_largest",
        "resize_only_if_bigger": True,
        "processes_count": grid.processes,
        "thread_count": grid.threads,
        "number_sample_per_shard": -(-images // (grid.processes * grid.shards)),
        "enable_wandb": False,
        "timeout": 60,
        **({"compute_hash": None, "extract_exif": False} if grid.is_lean else {}),
    }
    words = [f"--{name}={value}" for name, value in settings.items()]
    quiet = {**os.environ, "NO_ALBUMENTATIONS_UPDATE": "1"}
    subprocess.run([command, *words], check=True, env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    shards = [json.loads(path.read_text(encoding="utf-8")) for path in into.glob("*_stats.json")]
    return {
        "work_s": max(shard["end_time"] for shard in shards) - min(shard["start_time"] for shard in shards),
        "delivered": sum(shard["successes"] for shard in shards),
    }


# --- ours


def by_us(origin: str, images: int, store: str, is_plain: bool) -> dict[str, Any]:
    """Seconds of the stage `fetch` of a build into an empty store, from the first question to the last table, and what
    came.
    """
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    from prefect import flow

    from flows.runner import runner
    from schemas.manifests import Context, Predecessor
    from tasks.fetch import fetch
    from tasks.scrape import scrape

    folder = Path(store).parent / f"{Path(store).name}-table"
    recipe = _recipe(folder, images)
    context = Context(store=store, bindings={"table": str(folder), "origins": f"{HOST}={origin}"}, workers=CORES)

    def fetched() -> dict[str, Any]:
        state = scrape(recipe, context, Predecessor())
        began_s = time.monotonic()
        step = fetch(recipe.stages[0], state, recipe, context)
        return {"work_s": time.monotonic() - began_s, "delivered": step.kept, "dropped": step.dropped}

    if is_plain:
        return fetched()
    return dict(flow(name="fetch", task_runner=runner(None), persist_result=False)(fetched)())


def _recipe(folder: Path, images: int) -> Any:
    from schemas.recipe import Recipe

    folder.mkdir()
    lines = [f"{number},http://{HOST}/{number}.jpg" for number in range(images)]
    (folder / "works.csv").write_text("\n".join(["key,image", *lines, ""]), encoding="utf-8")
    table = {"name": "works", "at": "table", "table": "works.csv", "columns": {"key": "key", "image": "image"}}
    return Recipe.model_validate(
        {
            "name": "downloads",
            "bindings": {"table": "the table of addresses"},
            "manners": {"rate_per_s": 100_000, "connections": 64},
            "sources": [{"table": table}],
            "stages": [{"fetch": {}}, {"hash": {}}, {"split": {"ratios": {"train": 1}}}, {"export": {}}],
        }
    )


# --- the bound


def by_nobody(folder: str, images: int, has_copy: bool) -> dict[str, Any]:
    """Seconds of the work that each image needs, whoever downloads it, on as many threads as cores, out of memory.

    Decoded to the end at the least scale that leaves a copy, hashed; with `has_copy` reduced and encoded as well.
    """
    import numpy as np
    import simplejpeg  # type: ignore[import-untyped]
    from PIL import Image

    from benchmarks.fetch_pictures import SIZES_PX, image

    pictures = [path.read_bytes() for path in sorted(Path(folder).glob("*.jpg"))]
    everything = [image(number, pictures) for number in range(images)]

    def worked(number: int) -> int:
        data, size = everything[number], SIZES_PX[number % len(pictures) % len(SIZES_PX)]
        width_px, height_px = (-(-side * least_eighths(*size) // 8) for side in size)
        rgb = simplejpeg.decode_jpeg(data, "RGB", min_width=width_px, min_height=height_px, strict=True)
        hashlib.sha256(data).digest()
        if not has_copy:
            return 1
        small = Image.fromarray(rgb)
        if max(small.size) > SIDE_PX:
            small.thumbnail((SIDE_PX, SIDE_PX), Image.Resampling.HAMMING)
        simplejpeg.encode_jpeg(np.asarray(small), quality=85, colorsubsampling="420")
        return 1

    with ThreadPoolExecutor(CORES) as threads:
        began_s, cpu_began_s = time.monotonic(), time.process_time()
        delivered = sum(threads.map(worked, range(images)))
        work_s, work_cpu_s = time.monotonic() - began_s, time.process_time() - cpu_began_s
        return {"work_s": work_s, "work_cpu_s": work_cpu_s, "delivered": delivered}


def least_eighths(width_px: int, height_px: int) -> int:
    """The least of 1, 2, 4 and 8 eighths at which the longest side has 240 px left, as tasks/io/images/inspection.py
    decodes.

    >>> least_eighths(2048, 1536), least_eighths(1800, 1350), least_eighths(100, 80)
    (1, 2, 8)
    """
    return next((eighths for eighths in (1, 2, 4) if max(width_px, height_px) * eighths / 8 >= 240), 8)


def our_versions() -> dict[str, str]:
    """Versions of what our side's speed depends on, besides those that every result names."""
    return {name: importlib.metadata.version(name) for name in ("simplejpeg", "requests", "urllib3")}


def settings_of(grid: Grid) -> str:
    """The settings in a few words, for a table."""
    return ", ".join(f"{name} {value}" for name, value in asdict(grid).items())


def main() -> None:
    """One side, once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sides = parser.add_subparsers(dest="side", required=True)
    ours = sides.add_parser("ours")
    ours.add_argument("origin")
    ours.add_argument("images", type=int)
    ours.add_argument("store")
    ours.add_argument("--plain", action="store_true", help="without a flow: parts run one by one, no server is started")
    bound = sides.add_parser("bound")
    bound.add_argument("folder")
    bound.add_argument("images", type=int)
    bound.add_argument("--without-copy", action="store_true")
    asked = parser.parse_args()
    if asked.side == "ours":
        print(json.dumps(by_us(asked.origin, asked.images, asked.store, asked.plain)))
    else:
        print(json.dumps(by_nobody(asked.folder, asked.images, not asked.without_copy)))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
