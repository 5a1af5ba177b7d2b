"""Rebuilds after twelve images more, each in a fresh process and from the same store: none crashes, all are equal.

    python -m benchmarks.rebuilds [--rounds 200] [--museum FOLDER]

The museum's first 100 works are built, then all 112 again and again, each time on a copy of the first build's store.
The new images are compared in two parts at once, with each other and with those before; both come to the compiler first
in their process. One Prefect server serves all rebuilds, so that most of a rebuild is its own work. Ctrl-C ends the
campaign with the rebuilds that were done.
"""

import argparse
import contextlib
import csv
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.results import ROOT, write
from examples.museum.folder import write_museum
from flows.runner import start_server

WORKS, NEW = 100, 12
SEED = 3_400
_WEIGHTS = ROOT / "examples/museum/weights/figures.onnx"


class Rebuild(NamedTuple):
    """How one rebuild ended. release: the last line that it printed."""

    status: int
    seconds: float
    release: str
    problem: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--museum", type=Path, help=f"a museum of {WORKS + NEW} records that is painted already")
    arguments = parser.parse_args()
    os.environ["PREFECT_API_URL"] = start_server()
    with tempfile.TemporaryDirectory(prefix="rebuilds-") as scratch:
        whole = arguments.museum or Path(scratch) / "museum"
        if arguments.museum is None:
            write_museum(whole, WORKS + NEW, SEED, processes=1)
        first, store = _without_newest(whole, Path(scratch) / "first"), Path(scratch) / "store"
        if (began := _build(first, store)).status:
            raise SystemExit(f"expected that the first build ends well, got {began.problem}")
        rebuilds: list[Rebuild] = []
        with contextlib.suppress(KeyboardInterrupt):  # what was done until then is reported
            while len(rebuilds) < arguments.rounds:
                rebuilds.append(_rebuild(whole, store, Path(scratch) / f"copy-{len(rebuilds)}"))
    return _report(rebuilds)


def _without_newest(museum: Path, to: Path) -> Path:
    """The same museum, whose catalogue ends before the new works."""
    shutil.copytree(museum, to)
    with (museum / "works.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if len(rows) != 1 + WORKS + NEW:
        raise SystemExit(f"--museum: expected {WORKS + NEW} works, got {len(rows) - 1}")
    with (to / "works.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows[: 1 + WORKS])
    return to


def _rebuild(museum: Path, store: Path, copy: Path) -> Rebuild:
    shutil.copytree(store, copy)
    done = _build(museum, copy)
    shutil.rmtree(copy)
    print(f"{done.status} {done.seconds:.1f} s {done.release}", done.problem, file=sys.stderr, flush=True)
    return done


def _build(museum: Path, store: Path) -> Rebuild:
    bound = ["--bind", f"images={museum}", "--bind", f"weights={_WEIGHTS}"]
    words = ["build", "museum", "--store", str(store), *bound, "--workers", "2"]
    began_s = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "flows.cli", *words], cwd=ROOT, capture_output=True, text=True)
    lines = done.stdout.splitlines() or [""]
    problem = done.stderr[-2000:] if done.returncode else ""
    return Rebuild(done.returncode, time.monotonic() - began_s, lines[-1].rsplit("/", 1)[-1], problem)


def _report(rebuilds: list[Rebuild]) -> int:
    failed = [rebuild for rebuild in rebuilds if rebuild.status]
    releases = {rebuild.release for rebuild in rebuilds if not rebuild.status}
    seconds = [rebuild.seconds for rebuild in rebuilds]
    row = {
        "works": f"{WORKS} + {NEW}",
        "rebuilds": len(rebuilds),
        "crashed": len(failed),
        "different releases": len(releases),
        "median s": round(statistics.median(seconds), 1),
        "longest s": round(max(seconds), 1),
    }
    write("rebuilds", [row], {"crashed": len(failed), "releases": len(releases)})
    return 0 if not failed and len(releases) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
