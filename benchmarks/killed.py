"""A command that runs to its end, or is killed when it is time; its memory is watched, with all that it starts."""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.results import ROOT

_LOOK_EVERY_S = 0.05
_LAST_BYTES = 4000


class Ended(NamedTuple):
    """How a command ended. peak_mb: of the process and all those that it has started, together. said: its end."""

    status: int
    seconds: float
    peak_mb: float
    said: str

    @property
    def was_killed(self) -> bool:
        """Whether it was still running when it was time."""
        return self.status == -signal.SIGKILL


def run_until(words: list[str], is_now: Callable[[float], bool], pause_s: float = 0.01) -> Ended:
    """Run a command, ask every so many seconds whether it is time, and then kill it and all that it has started.

    is_now: asked with the seconds since the start.
    """
    with tempfile.TemporaryFile() as log:
        began_s, looked_s, peak_mb = time.monotonic(), 0.0, 0.0
        process = subprocess.Popen(words, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        while process.poll() is None:
            seconds = time.monotonic() - began_s
            if seconds >= looked_s + _LOOK_EVERY_S:
                looked_s, peak_mb = seconds, max(peak_mb, sum(map(_peak_mb, _tree(process.pid))))
            if is_now(seconds):
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(pause_s)
        seconds = time.monotonic() - began_s
        log.seek(max(0, log.seek(0, os.SEEK_END) - _LAST_BYTES))
        said = log.read().decode(errors="replace")
    return Ended(process.returncode, seconds, peak_mb, said)


def _tree(pid: int) -> Iterator[int]:
    """A process and all those that it has started."""
    yield pid
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _tree(int(child))


def _peak_mb(pid: int) -> float:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    return 0.0
