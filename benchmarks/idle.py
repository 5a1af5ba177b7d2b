"""What a command costs that has nothing to do: `build` and `plan` of an unchanged museum, beside its first build.

    python -m benchmarks.idle [--rounds 5] [--museum FOLDER]

Whole processes, from the start of Python to its end; medians. The bound is what Python and the libraries take to be
imported, which is measured beside.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.release_growth import museum_of
from benchmarks.results import ROOT, write

MOST_BUILD_S, MOST_PLAN_S = 4.0, 3.0
_WEIGHTS = ROOT / "examples/museum/weights/figures.onnx"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--museum", type=Path, help="a museum of 2000 records that is painted already")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="idle-") as scratch:
        museum = museum_of(arguments.museum, Path(scratch))
        bound = ["--bind", f"images={museum}", "--bind", f"weights={_WEIGHTS}"]
        words = ["museum", "--store", f"{scratch}/store", *bound]
        first_s = _seconds("build", *words)
        again = [(_seconds("build", *words), _seconds("plan", *words)) for _ in range(arguments.rounds)]
        imports = [_timed([sys.executable, "-c", "import flows.build_dataset"]) for _ in range(arguments.rounds)]
    build_s, plan_s = (round(statistics.median(side), 2) for side in zip(*again, strict=True))
    rows = [
        {"command": "the first build", "seconds": round(first_s, 2)},
        {"command": "build, unchanged", "seconds": build_s},
        {"command": "plan, unchanged", "seconds": plan_s},
        {"command": "imports alone", "seconds": round(statistics.median(imports), 2)},
    ]
    write("idle", rows, {"nothing_new_s": build_s, "plan_s": plan_s})
    return 0 if build_s < MOST_BUILD_S and plan_s < MOST_PLAN_S else 1


def _seconds(*words: str) -> float:
    return _timed([sys.executable, "-m", "flows.cli", *words])


def _timed(words: list[str]) -> float:
    began_s = time.monotonic()
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        said = " ".join(words[1:4])
        raise SystemExit(f"expected that {said} ends well, got status {done.returncode}: {done.stderr[-2000:]}")
    return time.monotonic() - began_s


if __name__ == "__main__":
    sys.exit(main())
