"""Runs of cases, each in a process of its own that can be ended: forked from one that has imported everything."""

import contextlib
import os
import pickle
import resource
import shutil
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.hostile.cases import Family, Fault, Scene, Verdict, Wrong
from benchmarks.hostile.commands import TookTooLong

_MOST_MEMORY_BYTES = 12 << 30
_LATE_S = 20.0
"""So much longer than its limit a run may take until it is killed: it should find out itself, and say more then."""


class Run(NamedTuple):
    """Cases that run together."""

    family: Family
    numbers: tuple[int, ...]


class Done(NamedTuple):
    """What a run has found, and how long it took."""

    family: Family
    verdicts: tuple[Verdict, ...]
    seconds: float


class _Child(NamedTuple):
    run: Run
    pid: int
    folder: Path
    began: float


def runs_of(family: Family, numbers: Sequence[int]) -> list[Run]:
    """The numbers in runs of as many as go together."""
    step = family.at_once
    return [Run(family, tuple(numbers[start : start + step])) for start in range(0, len(numbers), step)]


def all_done(runs: Sequence[Run], scene: Scene, workers: int) -> Iterator[Done]:
    """What each run finds, as they end. One that hangs or dies is run again in halves, until one case is left."""
    waiting, children, count = deque(runs), [], 0
    while waiting or children:
        while waiting and len(children) < workers:
            count += 1
            children.append(_started(waiting.popleft(), scene._replace(folder=scene.folder / f"run-{count}")))
        time.sleep(0.02)
        for child in [child for child in children if _has_ended(child)]:
            children.remove(child)
            found = _found(child)
            shutil.rmtree(child.folder, ignore_errors=True)
            if len(child.run.numbers) > 1 and len(found) < len(child.run.numbers):
                middle = len(child.run.numbers) // 2
                waiting.extendleft(
                    Run(child.run.family, half) for half in (child.run.numbers[middle:], child.run.numbers[:middle])
                )
            else:
                yield Done(child.run.family, found, time.monotonic() - child.began)


def _started(run: Run, scene: Scene) -> _Child:
    scene.folder.mkdir()
    scene.folder.chmod(0o755)
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        _work(run, scene)
    return _Child(run, pid, scene.folder, time.monotonic())


def _work(run: Run, scene: Scene) -> None:
    """The whole life of a child."""
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY_BYTES, _MOST_MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        log = os.open(scene.folder / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.chdir(scene.folder)
        verdicts = verdicts_of(run, scene)
        (scene.folder / "verdicts").write_bytes(pickle.dumps(verdicts))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def verdicts_of(run: Run, scene: Scene) -> tuple[Verdict, ...]:
    """What a run finds. Of a single case also that it hangs."""
    try:
        return tuple(run.family.judge(run.numbers, scene))
    except TookTooLong as problem:
        if len(run.numbers) > 1:
            raise
        return (Verdict(run.numbers[0], "", Wrong(Fault.HANG, str(problem))),)


def _has_ended(child: _Child) -> bool:
    ended, _ = os.waitpid(child.pid, os.WNOHANG)
    if not ended and time.monotonic() - child.began > child.run.family.limit_s + _LATE_S:
        _kill_group(child.pid)
        os.waitpid(child.pid, 0)
        return True
    if ended:
        _kill_group(child.pid)  # what it has started and left
    return bool(ended)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _found(child: _Child) -> tuple[Verdict, ...]:
    """Its verdicts; of a single case without any, that it hung or died; otherwise none."""
    with contextlib.suppress(FileNotFoundError):
        verdicts: tuple[Verdict, ...] = pickle.loads((child.folder / "verdicts").read_bytes())
        return verdicts
    if len(child.run.numbers) > 1:
        return ()
    has_hung = time.monotonic() - child.began > child.run.family.limit_s + _LATE_S
    with contextlib.suppress(FileNotFoundError):
        said = (child.folder / "log").read_text(encoding="utf-8", errors="replace").strip()[-1500:]
    wrong = Wrong(Fault.HANG if has_hung else Fault.TRACEBACK, said or "the process died without a word")
    return (Verdict(child.run.numbers[0], "", wrong),)
