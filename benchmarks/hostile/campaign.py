"""The campaign as a whole: what all cases start from, all runs, and the table of what was found."""

import sys
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Fault, Scene, Verdict
from benchmarks.hostile.commands import run_here
from benchmarks.hostile.families import FAMILIES
from benchmarks.hostile.workers import Run, all_done, runs_of
from examples.museum.folder import write_museum

MUSEUM_SEED = 20_240
RECORDS, LARGER = 160, 176
_TELL_EVERY_S = 30.0
_COLUMNS = {
    Fault.TRACEBACK: "tracebacks",
    Fault.HANG: "hangs",
    Fault.UNTRUE: "untrue reasons",
    Fault.CHANGE: "silent changes",
    Fault.OTHER: "other endings",
}
Found = dict[str, list[Verdict]]


def scene_in(folder: Path, seed: int) -> Scene:
    """What all cases start from: museums painted, one of them built. Imports all that a case may need, and has run it
    once, so that a forked process begins at once.
    """
    museum, larger, built, rebuilt = (folder / name for name in ("museum", "larger", "built", "rebuilt"))
    write_museum(museum, RECORDS, MUSEUM_SEED, processes=1)
    write_museum(larger, LARGER, MUSEUM_SEED, processes=1)
    built_in(built, museum)
    return Scene(seed, folder, museum, larger, built, built_in(builds.cloned(built, rebuilt), larger))


def built_in(store: Path, museum: Path) -> Path:
    """The store, in which a museum has been built."""
    ended = run_here(builds.museum_words(store, museum), limit_s=300)
    if ended.status != 0:
        raise SystemExit(f"expected the museum to be built, got status {ended.status}: {ended.err[-2000:]}")
    return store


def run(scene: Scene, chosen: Mapping[str, Sequence[int]], workers: int) -> tuple[Found, dict[str, float]]:
    """Verdicts and seconds by family, for the numbers of each. Prints what is wrong as it is found."""
    if others := [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]:
        raise SystemExit(f"expected one thread, since processes are forked, got also {others}")
    runs: list[Run] = []
    for name, numbers in chosen.items():
        runs += runs_of(FAMILIES[name], numbers)
    runs.sort(key=lambda each: -each.family.limit_s)  # the longest first, so that no worker waits at the end
    found: Found = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    began, told = time.monotonic(), time.monotonic()
    for count, done in enumerate(all_done(runs, scene, workers), 1):
        if time.monotonic() - told > _TELL_EVERY_S:
            told = time.monotonic()
            print(f"{count} of {len(runs)} runs, {told - began:.0f} s", file=sys.stderr, flush=True)
        found[done.family.name] += done.verdicts
        seconds[done.family.name] += done.seconds
        for verdict in done.verdicts:
            if verdict.wrong is not None:
                print(sentence(done.family, verdict, scene.seed), flush=True)
    return {name: sorted(found[name]) for name in chosen}, seconds


def sentence(family: Family, verdict: Verdict, seed: int) -> str:
    """What is wrong with a case, and how it is repeated alone."""
    wrong = verdict.wrong
    assert wrong is not None
    return (
        f"{family.name}/{verdict.number}: {wrong.fault}: {verdict.what or 'see below'}: {wrong.came_out}\n"
        f"    python -m benchmarks.hostile --case {family.name}/{verdict.number} --seed {seed}"
    )


def row(name: str, verdicts: Sequence[Verdict], seconds: float) -> dict[str, Any]:
    """A family's row in the table."""
    faults = [verdict.wrong.fault for verdict in verdicts if verdict.wrong is not None]
    return {
        "family": name,
        "what": FAMILIES[name].about,
        "cases": len(verdicts),
        "right": len(verdicts) - len(faults),
        "wrong": len(faults),
        **{column: faults.count(fault) for fault, column in _COLUMNS.items()},
        "seconds": round(seconds, 1),
    }


def totals(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The sums of all rows."""
    return {
        name.replace(" ", "_"): sum(row[name] for row in rows)
        for name in ("cases", "right", "wrong", *_COLUMNS.values())
    }
