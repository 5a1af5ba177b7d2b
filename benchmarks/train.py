"""A small detector of torchvision, trained from scratch on the museum by the product's own command, and once more with
a kill in its middle.

    python -m benchmarks.train [--works N] [--epochs N] [--kill-works N] [--device NAME]

It learns from works of several seeds and is examined on works of a seed that nothing was ever tuned on. Painting is not
counted.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.results import ROOT, write
from examples.museum.paint import paint
from examples.museum.prints import print_work
from examples.museum.truth import ImageTruth, coco_from_images

TRAINING_SEEDS = range(510_510, 510_518)
UNUSED_SEED = 61_007
EXAM_WORKS = 500
SETTINGS = {
    "batch": 16,
    "accumulate": 1,
    "optimizer": "adamw",
    "learning_rate": 3e-3,
    "weight_decay": 0.02,
    "schedule": "one_cycle",
    "precision": "bfloat16",
    "least_side_px": 160,
    "most_side_px": 160,
    "detect_scale": 1.3,
    "threads": 1,
    "augment.flip": 0.5,
    "augment.brightness_or_clahe": 0.4,
    "augment.shift_or_hue": 0.2,
    "augment.channel_shuffle": 0.3,
}
_PER_SEED = 3000

Train = Callable[..., list[str]]  # of the truth, the store, the epochs and more settings: the command


def main() -> None:
    arguments = _parsed()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
            exam = _museum(pool, folder / "exam", {UNUSED_SEED: EXAM_WORKS})
            seeds = dict.fromkeys(TRAINING_SEEDS[: -(-arguments.works // _PER_SEED)], _PER_SEED)
            truth = _museum(pool, folder / "train", seeds)
            few = _museum(pool, folder / "few", {TRAINING_SEEDS[0]: arguments.kill_works})
        train = partial(_command, exam, arguments.device)
        rows, ratios = _whole(train, truth, exam, folder / "store", arguments.epochs)
        print(json.dumps(ratios), flush=True)  # a quarter of an hour's work should not be lost to what comes after
        rows.append(_killed(train, few, folder, rows))
        write("train" if arguments.device == "cpu" else "train-gpu", rows, ratios)


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--works", type=int, default=18_000, help=f"to the next {_PER_SEED} (default: %(default)s)")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--kill-works", type=int, default=800)
    parser.add_argument("--device", default="cpu", help="cpu or cuda:0 (default: %(default)s)")
    return parser.parse_args()


def _museum(pool: ProcessPoolExecutor, folder: Path, works: dict[int, int]) -> Path:
    """The works of each seed as files, without copies, and their truth as a COCO file."""
    shown: list[ImageTruth] = []
    for seed, many in works.items():
        (folder / str(seed)).mkdir(parents=True, exist_ok=True)
        shown += pool.map(partial(_work, folder, seed), range(many), chunksize=100)
    path = folder / "truth.json"
    path.write_text(json.dumps(coco_from_images(shown, f"works of the seeds {list(works)}")), encoding="utf-8")
    return path


def _work(folder: Path, seed: int, row: int) -> ImageTruth:
    work = paint(seed, row)
    file = print_work(seed, row, work)
    name = f"{seed}/{row}{file.extension}"
    (folder / name).write_bytes(file.data)
    return ImageTruth(f"{seed}-{row}", name, file.width_px, file.height_px, work.figures)


def _command(exam: Path, device: str, truth: Path, store: Path, epochs: int, **more: Any) -> list[str]:
    words = [
        sys.executable,
        "-m",
        "flows.cli",
        "train",
        "detector",
        str(truth),
        "--evaluate-truth",
        str(exam),
        "--store",
        str(store),
        "--model",
        "fcos_small",
        "--device",
        device,
    ]
    for name, value in {**SETTINGS, "epochs": epochs, "evaluate_every": epochs, **more}.items():
        words += ["--set", f"{name}={value}"]
    return words


def _timed(words: list[str]) -> tuple[float, float]:
    """Seconds on the wall and of all cores that a command takes. Raises SystemExit if it fails."""
    before, began_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"expected the command to end well, got status {done.returncode}")
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return round(time.monotonic() - began_s, 1), round(cpu_s, 1)


def _whole(
    train: Train, truth: Path, exam: Path, store: Path, epochs: int
) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """The training, after each image has been looked at once, as any build of the same store would have done."""
    look = f"from benchmarks.train import look; look({str(truth)!r}, {str(exam)!r}, {str(store)!r})"
    looked_s, looked_cpu_s = _timed([sys.executable, "-c", look])
    wall_s, cpu_s = _timed(train(truth, store, epochs))
    metrics, _, curves = _content(store)
    scores = metrics["evaluations"][-1]
    loop_s = max(row["value"] for row in curves if row["name"] == "s")
    rows = [
        {
            "what": "look at all images",
            "images": metrics["images"],
            "wall_s": looked_s,
            "cpu_s": looked_cpu_s,
            "AP50": "",
            "AP": "",
        },
        {
            "what": f"train fcos_small, {metrics['steps']} steps of 16",
            "images": metrics["images"],
            "wall_s": wall_s,
            "cpu_s": cpu_s,
            "AP50": round(scores["AP50"], 3),
            "AP": round(scores["AP"], 3),
        },
    ]
    ratios = {"ap50": round(scores["AP50"], 4), "wall_s": wall_s, "cpu_s": cpu_s, "loop_s": round(loop_s, 1)}
    return rows, ratios


def look(truth: str, exam: str, store: str) -> None:
    from schemas.manifests import Context
    from tasks.subjects.truth import load_ground_truth

    for file in (truth, exam):
        load_ground_truth(file, None, Context(store=store, workers=2))


def _content(store: Path) -> tuple[dict[str, Any], bytes, list[dict[str, Any]]]:
    folder = next(path.parent for path in store.glob("trainings/*/metrics.json"))
    metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    return metrics, (folder / "model.safetensors").read_bytes(), pq.read_table(folder / "curves.parquet").to_pylist()


def _killed(train: Train, few: Path, folder: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A short training once straight and once killed (-9) after half of its steps and started again: is all that came
    of it equal?
    """
    straight, killed = folder / "straight", folder / "killed"
    _timed(train(few, straight, 2))
    words = train(few, killed, 2, checkpoint_every_steps=10)
    child = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True)
    half = _content(straight)[0]["steps"] // 2
    for _ in count():
        if child.poll() is not None:
            raise SystemExit("expected a training to kill, got one that had ended")
        if any(int(path.name[:9]) >= half for path in killed.glob("trainings/*/checkpoints/*")):
            break
        time.sleep(0.02)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    wall_s, cpu_s = _timed(words)
    (one, weights, _), (two, again, _) = _content(straight), _content(killed)
    if (one, weights) != (two, again):
        raise SystemExit("expected equal metrics and weights after a kill, got others")
    said = f"killed after {half} of {one['steps']} steps and resumed: metrics and weights equal, byte for byte"
    return {**dict.fromkeys(rows[0], ""), "what": said, "images": one["images"], "wall_s": wall_s, "cpu_s": cpu_s}


if __name__ == "__main__":
    main()
