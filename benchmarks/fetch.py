"""Our downloader beside img2dataset and beside the bound: the same images from one local server, on the same two cores.

    python -m benchmarks.fetch [--images 600] [--rounds 4] [--grid-images 240]

First img2dataset's best settings are looked for, then all sides run alternately, each as a process of its own with an
empty folder. The bound is the work on bytes that no downloader can leave out (decode to the end, SHA-256, reduced
copy), out of memory, without network and disk. The server shares the cores; so does everything else that runs here.
"""

import argparse
import contextlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import fetch_peers, fetch_pictures
from benchmarks.fetch_peers import CORES, Grid
from benchmarks.results import ROOT, write

Run = dict[str, Any]
Side = Callable[[int, Path], Run]
DRAWN = 16
FEW = 8
"""Images of the runs that show what a start costs."""
FOUND, DOWNLOADER, PLAIN, BOUND, UNCOPIED = (
    "img2dataset",
    "bilderatlas",
    "bilderatlas, plain calls",
    "bound",
    "bound without the copy",
)


def main() -> int:
    """Measure, write benchmarks/results/fetch.json, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--grid-images", type=int, default=240)
    asked = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):  # what is started from here stays on these cores
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    command, versions = fetch_peers.installed()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "pictures"
        folder.mkdir()
        drawn = fetch_pictures.drawn(folder, DRAWN)
        image_bytes = statistics.fmean(path.stat().st_size for path in drawn)
        with _served(folder) as origin:
            grid = _best(command, origin, asked.grid_images, Path(scratch))
            sides = _sides(command, origin, folder, grid)
            runs = _runs(sides, origin, asked.images, asked.rounds, Path(scratch))
    settings = {
        FOUND: f"{_said(versions)}; {fetch_peers.settings_of(grid)}",
        DOWNLOADER: f"{_said(fetch_peers.our_versions())}; workers {CORES}, every other setting as it is",
    }
    rows = [_row(side, found, asked.images, image_bytes, settings.get(side, "")) for side, found in runs.items()]
    write("fetch", rows, {"images": asked.images, "rounds": asked.rounds, **_ratios(runs)})
    return 0


# --- sides


def _sides(command: Path, origin: str, pictures: Path, grid: Grid) -> dict[str, Side]:
    """What runs in each round, in the order of the first."""
    return {
        FOUND: lambda images, folder: fetch_peers.by_img2dataset(command, origin, images, folder, grid),
        DOWNLOADER: lambda images, folder: _child("ours", origin, str(images), str(folder)),
        PLAIN: lambda images, folder: _child("ours", origin, str(images), str(folder), "--plain"),
        BOUND: lambda images, _: _child("bound", str(pictures), str(images)),
        UNCOPIED: lambda images, _: _child("bound", str(pictures), str(images), "--without-copy"),
    }


def _child(*words: str) -> Run:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.fetch_peers", *words],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


@contextlib.contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The address of a server of the folder's pictures, in a process of its own."""
    server = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.fetch_server", str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{int(server.stdout.readline())}"
    finally:
        server.kill()
        server.communicate()


# --- runs


def _best(command: Path, origin: str, images: int, scratch: Path) -> Grid:
    """The fastest settings by img2dataset's own count: processes and threads first, the rest from the best of them."""

    def speed(grid: Grid) -> float:
        found = _measured(
            lambda count, folder: fetch_peers.by_img2dataset(command, origin, count, folder, grid),
            images,
            scratch,
            origin,
        )
        print(f"{images / found['work_s']:6.1f} images/s  {fetch_peers.settings_of(grid)}", flush=True)
        return float(images / found["work_s"])

    speeds = {
        grid: speed(grid) for grid in (Grid(processes, threads) for processes in (2, 3, 4) for threads in (16, 64))
    }
    best = max(speeds, key=speeds.__getitem__)
    for other in (replace(best, shards=3), replace(best, form="files"), replace(best, is_lean=False)):
        speeds[other] = speed(other)
    return max(speeds, key=speeds.__getitem__)


def _runs(sides: dict[str, Side], origin: str, images: int, rounds: int, scratch: Path) -> dict[str, list[Run]]:
    """All runs of each side, every other round in the opposite order.

    `start_cpu_s` is the CPU of a run of FEW images.
    """
    starts = {name: _measured(side, FEW, scratch, origin)["cpu_s"] for name, side in sides.items()}
    runs: dict[str, list[Run]] = {name: [] for name in sides}
    for number in range(rounds):
        for name in list(sides)[:: -1 if number % 2 else 1]:
            found = _measured(sides[name], images, scratch, origin)
            runs[name].append({**found, "start_cpu_s": starts[name]})
            print(f"{images / found['work_s']:6.1f} images/s  {name}", flush=True)
    return runs


def _measured(side: Side, images: int, scratch: Path, origin: str) -> Run:
    """One run in an empty folder, its wall-clock and CPU seconds, and the server's.

    Everything must have been delivered.
    """
    folder = scratch / "run"
    server_began_s, began_s, cpu_began_s = _server_cpu_s(origin), time.monotonic(), _children_cpu_s()
    found = side(images, folder)
    found |= {"whole_s": time.monotonic() - began_s, "cpu_s": _children_cpu_s() - cpu_began_s}
    found["server_cpu_s"] = _server_cpu_s(origin) - server_began_s
    assert found["delivered"] == images, f"expected {images} images, got {found}"
    for left in scratch.glob("run*"):
        shutil.rmtree(left)
    if hasattr(os, "sync"):
        os.sync()  # what one side has left to write must not slow down the next
    return found


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _server_cpu_s(origin: str) -> float:
    with urllib.request.urlopen(f"{origin}/cpu") as answer:
        return float(answer.read())


# --- figures


def _row(side: str, runs: list[Run], images: int, image_bytes: float, settings: str) -> Run:
    """A side's row: medians over its runs, and the slowest and fastest of them."""
    speeds = [images / run["work_s"] for run in runs]
    cpu_ms = [_cpu_ms(run, images) for run in runs]
    return {
        "side": side,
        "images/s": round(statistics.median(speeds), 1),
        "slowest to fastest": f"{min(speeds):.1f} to {max(speeds):.1f}",
        "MB/s": round(statistics.median(speeds) * image_bytes / 1e6, 1),
        "CPU ms/image": round(statistics.median(cpu_ms), 2),
        "server's CPU ms/image": round(statistics.median(1000 * run["server_cpu_s"] / images for run in runs), 2),
        "images/s of the whole process": round(statistics.median(images / run["whole_s"] for run in runs), 1),
        "settings": settings,
    }


def _cpu_ms(run: Run, images: int) -> float:
    """CPU of one more image: of the work itself where the side has told it, else the whole process less its start."""
    if "work_cpu_s" in run:
        return float(1000 * run["work_cpu_s"] / images)
    return float(1000 * (run["cpu_s"] - run["start_cpu_s"]) / (images - FEW))


def _ratios(runs: dict[str, list[Run]]) -> dict[str, float]:
    """Medians of the ratios within each round, so that a round in which the machine was slow counts as any other."""

    def ratio(side: str, other: str, of: str = "work_s") -> float:
        """How many times as fast the side is as the other."""
        pairs = zip(runs[side], runs[other], strict=True)
        return round(statistics.median(float(theirs[of] / ours[of]) for ours, theirs in pairs), 3)

    return {
        "vs_img2dataset": ratio(DOWNLOADER, FOUND),
        "vs_img2dataset_whole_process": ratio(DOWNLOADER, FOUND, "whole_s"),
        "of_bound": ratio(DOWNLOADER, BOUND),
        "of_bound_without_copy": ratio(DOWNLOADER, UNCOPIED),
        "plain_of_bound": ratio(PLAIN, BOUND),
    }


def _said(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


if __name__ == "__main__":
    sys.exit(main())
