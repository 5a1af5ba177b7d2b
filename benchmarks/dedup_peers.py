"""The two that find copies, each as a process of its own: imagededup, and ours.

    python -m benchmarks.dedup_peers imagededup FOLDER --processes P
    python -m benchmarks.dedup_peers pairs FOLDER --within BITS BITS
    python -m benchmarks.dedup_peers ours FOLDER [--without-thumbnails]
    python -m benchmarks.dedup_peers verified FOLDER --store STORE

Each prints what it found as a line of JSON. The first two run in imagededup's environment, where nothing of ours is.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import time
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks import results
from benchmarks.results import ROOT

IMAGEDEDUP = "0.3.3.post2"
CORES = 2
SHOWN = ("imagededup", "numpy", "pillow", "scipy")
# What its hashes import. Its neural network would bring torch, 5 GB of it, which no hash uses
_NEEDED = ("numpy", "pillow", "scipy", "scikit-learn", "PyWavelets", "tqdm")


# --- imagededup


def installed() -> tuple[Path, dict[str, str]]:
    """The Python of an environment below build/ that has imagededup's hashes, and the versions in it."""
    folder = ROOT / "build" / f"imagededup-{IMAGEDEDUP}"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--no-deps", f"imagededup=={IMAGEDEDUP}"], check=True)
        subprocess.run([*pip, *_NEEDED], check=True)
        (folder / "ready").touch()
    script = (
        f"import importlib.metadata as m, json; print(json.dumps({{name: m.version(name) for name in {list(SHOWN)}}}))"
    )
    versions = subprocess.run([python, "-c", script], check=True, stdout=subprocess.PIPE, text=True).stdout
    return python, json.loads(versions)


def child(python: Path | str, *words: object) -> dict[str, Any]:
    """What a side prints when it runs alone."""
    return results.child("benchmarks.dedup_peers", python, *words)


def _cpu_s() -> float:
    """CPU seconds of this process and of all its children that have ended."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _hasher() -> Any:
    """imagededup's PHash, without the package's neural network."""
    import importlib.util

    found = importlib.util.find_spec("imagededup")
    assert found is not None
    assert found.submodule_search_locations is not None
    for name in ("methods", "utils"):
        # stands for a package whose own first lines import the network, and torch
        package = ModuleType(f"imagededup.{name}")
        package.__path__ = [f"{found.submodule_search_locations[0]}/{name}"]
        sys.modules[package.__name__] = package
    return importlib.import_module("imagededup.methods.hashing").PHash(verbose=False)


def hashed_by_imagededup(folder: str, processes: int) -> dict[str, Any]:
    """Seconds of `encode_images`: decode and hash a folder's images, its own processes started and ended."""
    hasher = _hasher()
    began_s, cpu_began_s = time.monotonic(), _cpu_s()
    found = hasher.encode_images(folder, num_enc_workers=processes)
    return {"work_s": time.monotonic() - began_s, "cpu_s": _cpu_s() - cpu_began_s, "images": len(found)}


def paired_by_imagededup(folder: str, within_bits: Sequence[int]) -> dict[str, Any]:
    """For each threshold the pairs of file names that `find_duplicates` calls duplicates, each pair once, sorted."""
    hasher = _hasher()
    hashes = hasher.encode_images(folder, num_enc_workers=CORES)
    return {
        "images": len(hashes),
        "pairs": {
            str(bits): _pairs(hasher.find_duplicates(encoding_map=hashes, max_distance_threshold=bits))
            for bits in within_bits
        },
    }


def _pairs(duplicates: dict[str, list[str]]) -> list[tuple[str, str]]:
    return sorted({(min(one, other), max(one, other)) for one, others in duplicates.items() for other in others})


# --- ours


def looked_at_by_us(folder: str, has_thumbnails: bool) -> dict[str, Any]:
    """Seconds of one pass over a folder's images as `fetch` takes it: decoded to the end, hashed, thumbnail encoded."""
    from concurrent.futures import ThreadPoolExecutor

    from tasks.io.images.inspection import inspect

    if not has_thumbnails:
        import simplejpeg  # type: ignore[import-untyped]

        simplejpeg.encode_jpeg = lambda *_, **__: b""
    paths = [path for path in sorted(Path(folder).iterdir()) if not path.name.startswith(".")]
    with ThreadPoolExecutor(CORES) as threads:
        began_s, cpu_began_s = time.monotonic(), _cpu_s()
        found = sum(threads.map(lambda path: bool(inspect(path.read_bytes(), 10**9)), paths))
        return {"work_s": time.monotonic() - began_s, "cpu_s": _cpu_s() - cpu_began_s, "images": found}


def verified_by_us(folder: str, store: str) -> dict[str, Any]:
    """Seconds of the second look at the very pairs that a build of the folder's images has looked at, and how many.

    The thumbnails are decoded to grey, then laid over each other. What is compiled is compiled before, and keypoints
    are there, as they are in a build.
    """
    import hashlib
    from concurrent.futures import ThreadPoolExecutor

    import pyarrow.parquet as pq

    from tasks.core.dedup import relate, views
    from tasks.dedup.local_pairs import keypoints_of
    from tasks.io.images import thumbnails
    from tasks.io.images.inspection import inspect

    tables = sorted(Path(store).glob("measures/relations/**/*.parquet"))
    pairs = [row for path in tables for row in pq.read_table(path, columns=["a", "b", "view"]).to_pylist()]
    needed = {pair[side] for pair in pairs for side in ("a", "b")}
    files = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in Path(folder).iterdir()}
    jpegs = {sha256: inspect(files[sha256].read_bytes(), 10**9).thumbnail for sha256 in sorted(needed)}

    def looked(pair: dict[str, Any]) -> Any:
        view = views.ALL_VIEWS[pair["view"]]
        one, other = pair["a"], pair["b"]
        if view.is_local:
            found = relate.measure_local_agreement(greys[one], greys[other], (keypoints[one], keypoints[other]))
        else:
            found = relate.measure_agreement(greys[one], greys[other], view)
        return relate.relation_of_agreement(found, view, has_equal_size=False)

    with ThreadPoolExecutor(CORES) as threads:
        greys = dict(zip(jpegs, map(thumbnails.grey, jpegs.values()), strict=True))
        keypoints = {sha256: keypoints_of(grey) for sha256, grey in greys.items()}
        list(map(looked, pairs[:1]))
        began_s, began_cpu_s = time.monotonic(), _cpu_s()
        greys = dict(zip(jpegs, threads.map(thumbnails.grey, jpegs.values()), strict=True))
        count = sum(1 for _ in threads.map(looked, pairs))
        return {"work_s": time.monotonic() - began_s, "cpu_s": _cpu_s() - began_cpu_s, "pairs": count}


@dataclass(frozen=True)
class Build:
    """A build that has ended well. stage_s: seconds of each stage, as its table says."""

    release: Path
    stage_s: dict[str, float]
    seconds: float
    peak_mb: float


def built(works: Path, scratch: Path, keys: Sequence[str], drops: Sequence[str]) -> Build:
    """A release of the folder's works.csv, in `scratch`/store, by the command that people type.

    In a store that has been built in, what was computed before is not computed again, and `stage_s` says little.
    """
    import yaml

    from benchmarks.campaign import release_of, watched

    scratch.mkdir(parents=True, exist_ok=True)
    path, store = scratch / "recipe.yaml", scratch / "store"
    path.write_text(yaml.safe_dump(recipe(keys, drops), sort_keys=False), encoding="utf-8")
    words = ["build", str(path), "--store", str(store), "--bind", f"images={works}", "--workers", str(CORES)]
    status, seconds, peak_mb, said = watched([sys.executable, "-m", "flows.cli", *words])
    (scratch / "build.log").write_text(said, encoding="utf-8")
    if status:
        raise SystemExit(f"expected a release, got status {status}: {said}")
    return Build(release_of(store, "copies"), stage_seconds(said), seconds, peak_mb)


def recipe(keys: Sequence[str], drops: Sequence[str]) -> dict[str, Any]:
    """Fetch, hash, drop copies, publish: for a table with the museum's columns."""
    columns = ("key", "image", "title", "artist", "style", "date_text", "year", "rights_uri", "rights_text")
    table = {"name": "works", "at": "images", "table": "works.csv", "columns": {name: name for name in columns}}
    return {
        "name": "copies",
        "bindings": {"images": "the folder of works.csv"},
        "max_loss_fraction": 1,  # the next build in this store may know more copies
        "sources": [{"table": table}],
        "stages": [
            {"fetch": {}},
            {"hash": {}},
            {"dedup": {"by": list(keys), "drop_relations": list(drops)}},
            {"split": {"ratios": {"train": 1}, "by": None, "order": None}},
            {"export": {"parquet": {"images": "none"}}},
        ],
    }


def stage_seconds(said: str) -> dict[str, float]:
    """Seconds by stage, from the lines that a build says of each.

    >>> stage_seconds("fetch: 9 kept, 1 dropped, 10 computed, 2.5 s\\nrelease: store/releases/x")
    {'fetch': 2.5}
    """
    found = re.findall(r"^([\w-]+): \d+ kept, \d+ dropped, \d+ computed, ([\d.]+) s$", said, re.MULTILINE)
    return {label: float(seconds) for label, seconds in found}


def main() -> None:
    """One side, once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sides = parser.add_subparsers(dest="side", required=True)
    for side in ("imagededup", "pairs", "ours", "verified"):
        sides.add_parser(side).add_argument("folder")
    sides.choices["imagededup"].add_argument("--processes", type=int, required=True)
    sides.choices["pairs"].add_argument("--within", type=int, nargs="+", required=True)
    sides.choices["ours"].add_argument("--without-thumbnails", action="store_true")
    sides.choices["verified"].add_argument("--store", required=True)
    asked = parser.parse_args()
    if asked.side == "imagededup":
        found = hashed_by_imagededup(asked.folder, asked.processes)
    elif asked.side == "pairs":
        found = paired_by_imagededup(asked.folder, asked.within)
    elif asked.side == "verified":
        found = verified_by_us(asked.folder, asked.store)
    else:
        found = looked_at_by_us(asked.folder, not asked.without_thumbnails)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
