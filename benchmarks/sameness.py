"""Law 1, tried: the same content digest whatever the part size, the workers, and however often the build is killed.

    python -m benchmarks.sameness RECIPE --bind NAME=VALUE ... [--kills 10] [--seed 1]

Each build starts with an empty store. A killed one (SIGKILL, to the whole process group, after a random share of an
undisturbed build's time) is looked at for half releases, then run again to its end, and then once more.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.results import ROOT, write


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe")
    parser.add_argument("--bind", action="append", default=[])
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part-rows", type=int, nargs="*", default=[7, 100, 10_000])
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--name", default="sameness")
    arguments = parser.parse_args()
    command = [sys.executable, "-m", "flows.cli", "build", arguments.recipe]
    command += [word for pair in arguments.bind for word in ("--bind", pair)]
    rows = [_undisturbed(command, [])]
    for part_rows in arguments.part_rows:
        for workers in arguments.workers:
            rows.append(_undisturbed(command, ["--part-rows", str(part_rows), "--workers", str(workers)]))
            print(rows[-1], flush=True)
    chance, fastest_s, kills = random.Random(arguments.seed), min(row["seconds"] for row in rows), 0
    while kills < arguments.kills:
        rows.append(_killed(command, chance.uniform(0.0, fastest_s)))
        kills += rows[-1]["build"].startswith("killed")
        print(rows[-1], flush=True)
    digests = {row["content"] for row in rows}
    half = sum(row["half_releases"] for row in rows)
    write(arguments.name, rows, {"distinct_digests": len(digests), "half_releases": half, "builds": len(rows)})
    return 0 if len(digests) == 1 and not half else 1


def _undisturbed(command: list[str], options: list[str]) -> dict[str, Any]:
    with Scratch() as store:
        began = time.monotonic()
        subprocess.run([*command, "--store", store, *options], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        seconds = round(time.monotonic() - began, 1)
        return {
            "build": " ".join(options) or "undisturbed",
            "seconds": seconds,
            "killed_in": "",
            "half_releases": 0,
            **_latest(store),
        }


def _killed(command: list[str], after_s: float) -> dict[str, Any]:
    with Scratch() as store:
        build = subprocess.Popen(
            [*command, "--store", store],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(after_s)
        was_running = build.poll() is None
        if was_running:
            os.killpg(build.pid, signal.SIGKILL)
        build.wait()
        half, reached = _half_releases(Path(store)), _reached(Path(store))
        for _ in range(2):
            subprocess.run([*command, "--store", store], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        state = f"killed after {after_s:.1f} s, run again" if was_running else f"ended before {after_s:.1f} s"
        return {"build": state, "seconds": "", "killed_in": reached, "half_releases": half, **_latest(store)}


class Scratch:
    def __enter__(self) -> str:
        self.path = tempfile.mkdtemp(prefix="sameness-")
        return f"{self.path}/store"

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path)


def _half_releases(store: Path) -> int:
    """Folders where releases lie that a reader would take for one, and that are not whole."""
    found = 0
    for folder in store.glob("releases/*/*/"):
        try:
            files = json.loads((folder / "manifest.json").read_text())["files"]
            found += any((folder / path).stat().st_size != entry["bytes"] for path, entry in files.items())
        except (FileNotFoundError, json.JSONDecodeError):
            found += 1
    return found


def _reached(store: Path) -> str:
    """How far the build had come, by what lies in its store."""
    marks = [
        ("export", "releases"),
        ("export (writing)", "tmp/draft-*"),
        ("decisions", "decisions/split"),
        ("detect", "measures/detect"),
        ("hash", "measures/hash"),
        ("fetch", "blobs"),
        ("scrape", "retrievals"),
    ]
    return next((name for name, pattern in marks if any(store.glob(pattern))), "start")


def _latest(store: str) -> dict[str, str]:
    release = next(Path(store).glob("releases/*/latest"))
    manifest = json.loads((release.parent / release.read_text().strip() / "manifest.json").read_text())
    return {"content": manifest["content_sha256"][:16], "version": manifest["version"]}


if __name__ == "__main__":
    sys.exit(main())
