"""Builds that are killed at any moment, also between a release's renaming and `latest`; then built again."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.hostile import builds
from benchmarks.hostile.cases import Family, Fault, Scene, Wrong, one_by_one
from benchmarks.hostile.commands import OFFLINE, run_here, wrong_ending
from benchmarks.hostile.damages import wrong_release
from benchmarks.results import ROOT
from tasks.io.store.releases import Release

_EVERY_SO_MANY = 20
"""One case in so many kills a command of its own, with Prefect's server."""
_LONGEST_S = 30.0
_STAGES = ("scrape", "figures", "fetch", "hash", "screen", "dedup", "detect", "sample", "split", "export")

Moment = Callable[[], bool]


def _names(folder: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return os.listdir(folder)  # noqa: PTH208 - the quickest, since it is asked again and again
    return []


def _moment(store: Path, chance: random.Random) -> tuple[str, Moment]:
    """A moment of a build by what it leaves in the store."""
    releases, before = store / "releases/museum", set(_names(store / "releases/museum"))
    kind = chance.choice(
        ("renamed", "renamed", "draft", "draft's manifest", "outcome", "decision", "detections", "blobs", "measures")
    )
    if kind == "renamed":
        return "a release has been renamed", lambda: bool(set(_names(releases)) - before - {"latest"})
    if kind.startswith("draft"):
        name = "manifest.json" if kind.endswith("manifest") else ""
        scratch = store / "tmp"
        return f"there is a {kind}", lambda: any(
            (scratch / draft / name).exists() for draft in _names(scratch) if draft.startswith("draft-")
        )
    folder = {
        "outcome": f"outcomes/{chance.choice(_STAGES)}",
        "decision": f"decisions/{chance.choice(('split', 'sample', 'dedup', 'publication'))}",
    }.get(kind, {"detections": "measures/detect", "blobs": "blobs", "measures": "measures"}.get(kind, "measures"))
    count = len(_names(store / folder)) + chance.choice((0, 0, 1, 3))
    return f"{folder} has more than {count} entries", lambda: len(_names(store / folder)) > count


def _case(number: int, chance: random.Random, scene: Scene) -> tuple[str, Wrong | None]:
    store = scene.folder / "store"
    is_first = chance.random() < 0.35
    museum, undamaged = (scene.museum, scene.built) if is_first else (scene.larger, scene.rebuilt)
    if not is_first:
        builds.cloned(scene.built, store)
    words = builds.museum_words(store, museum)
    is_command = number % _EVERY_SO_MANY == 0
    after_s = chance.uniform(2.0, 10.0) if is_command else chance.uniform(0.0, 3.0 if is_first else 0.9)
    what, is_now = f"after {after_s:.2f} s", None
    if not is_command and chance.random() < 0.7:
        what, is_now = _moment(store, chance)
    pause_s = chance.choice((0.0, 0.0, chance.uniform(0, 0.01)))
    was_killed = _killed(_command(words) if is_command else _forked(words), is_now, pause_s if is_now else after_s)
    what = f"{'the first' if is_first else 'a second'} build, {'killed' if was_killed else 'done before'}: {what}"
    if (wrong := _half_releases(store)) is not None:
        return what, wrong
    ended = run_here(words, 90)
    if (wrong := wrong_ending(ended, {0}, seconds=60)) is not None:
        return what, wrong
    return what, wrong_release(store, undamaged, Path(ended.out.strip().splitlines()[-1].removeprefix("release: ")))


def _forked(words: list[str]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            run_here(words, _LONGEST_S, waits_for_disk=True)
        finally:
            os._exit(0)
    return pid


def _command(words: list[str]) -> int:
    command = [sys.executable, "-m", "flows.cli", *words]
    nowhere = subprocess.DEVNULL
    environment = {**os.environ, **OFFLINE, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command, cwd=ROOT, stdout=nowhere, stderr=nowhere, env=environment, start_new_session=True
    ).pid


def _killed(pid: int, is_now: Moment | None, pause_s: float) -> bool:
    """Kill the process and all that it has started, when it is time; whether it was still running."""
    began, is_time = time.monotonic(), is_now is None
    while time.monotonic() - began < _LONGEST_S and not is_time:
        is_time = is_now is not None and is_now()
        if not is_time and os.waitpid(pid, os.WNOHANG)[0]:
            return False
    time.sleep(pause_s)
    ended, _ = os.waitpid(pid, os.WNOHANG)
    if ended:
        return False
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return True


def _half_releases(store: Path) -> Wrong | None:
    """What a reader would find between the kill and the next build: whole releases, or none."""
    releases = store / "releases/museum"
    for name in _names(releases):
        if name == "latest":
            version = (releases / "latest").read_text(encoding="utf-8").strip()
            if not (releases / version / "manifest.json").is_file():
                return Wrong(Fault.CHANGE, f"`latest` names {version!r}, which is no release")
        elif name != "latest.next" and not Release(str(releases / name)).is_intact():
            return Wrong(Fault.CHANGE, f"half a release at {name}")
    return None


FAMILY = Family(
    "kills", "builds killed at any moment, then built again", 100, 1, one_by_one("kills", _case), limit_s=150
)
