"""Command lines of ours, run in this process or in one of their own, and what is wrong with how they end."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from benchmarks.hostile.cases import Fault, Wrong
from benchmarks.results import ROOT

MOST_SECONDS = 20.0
MOST_LETTERS = 1000
_TRACEBACK = "Traceback (most recent call last)"
OFFLINE = {
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
    "AWS_CONFIG_FILE": "/nowhere",
    "AWS_SHARED_CREDENTIALS_FILE": "/nowhere",
    "AWS_MAX_ATTEMPTS": "1",
    "GCE_METADATA_HOST": "127.0.0.1:9",
    "NO_GCE_CHECK": "true",
}
"""What keeps clients of object stores on this machine."""


class Ended(NamedTuple):
    """How a command line has ended. status: None if an exception came out of it."""

    status: int | None
    out: str
    err: str
    seconds: float


class TookTooLong(BaseException):
    """A command line that did not end in time. Not an Exception, so that nothing takes it for a passing failure."""


def run_here(words: Sequence[str], limit_s: float = 60.0, *, waits_for_disk: bool = False) -> Ended:
    """Run a command line in this process: as `bilderatlas` does, but for Prefect's server and the waiting for a disk.

    Raises TookTooLong where it does not end; but nothing stops machine code that never comes back to Python.
    """
    from flows.cli import main

    began, status, problem = time.monotonic(), None, ""
    with _captured() as texts, _without_server(waits_for_disk), limited(limit_s):
        try:
            status = main(list(words))
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 1
        except (Exception, KeyboardInterrupt):
            problem = traceback.format_exc()
    out, err = texts()
    return Ended(status, out, err + problem, time.monotonic() - began)


def run_command(words: Sequence[str], limit_s: float = 120.0, **more: Any) -> Ended:
    """Run a command line in a process of its own. Raises TookTooLong where it does not end."""
    began = time.monotonic()
    # a message may hold what is no UTF-8, such as the name of a file
    process = subprocess.Popen(
        [sys.executable, "-m", "flows.cli", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, **OFFLINE, "PYTHONPATH": str(ROOT)},
        **more,
    )
    try:
        out, err = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired as problem:
        raise TookTooLong(f"more than {limit_s:.0f} s: {' '.join(words)[:200]}") from problem
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    texts = (out.decode(errors="replace"), err.decode(errors="replace"))
    return Ended(process.returncode, *texts, time.monotonic() - began)


def wrong_ending(
    ended: Ended, statuses: Collection[int], names: Collection[str] = (), seconds: float = MOST_SECONDS
) -> Wrong | None:
    """What is wrong with how a command has ended: it should end with one of these statuses, and where it did not work
    with one sentence.

    names: words of which a sentence with status 2 should have one, since they are what is wrong.
    """
    last = (ended.err.strip().splitlines() or [""])[-1]
    if ended.status is None or _TRACEBACK in ended.err or _TRACEBACK in ended.out:
        return Wrong(Fault.TRACEBACK, last[:300])
    if ended.seconds > seconds:
        return Wrong(Fault.HANG, f"{ended.seconds:.0f} s, then status {ended.status}: {last[:200]}")
    if ended.status not in statuses:
        return Wrong(Fault.OTHER, f"status {ended.status} for {sorted(statuses)}: {last[:300]}")
    return _wrong_sentence(ended.err, last, names if ended.status == 2 else ()) if ended.status else None


def _wrong_sentence(err: str, last: str, names: Collection[str]) -> Wrong | None:
    sentences = [line for line in err.splitlines() if line.startswith("bilderatlas")]
    if sentences != [last]:
        return Wrong(Fault.OTHER, f"{len(sentences)} sentences, and the last line is: {last[:200]!r}")
    if len(last) > MOST_LETTERS:
        return Wrong(Fault.OTHER, f"a sentence of {len(last)} characters: {last[:200]}")
    if not last.isprintable():
        return Wrong(Fault.OTHER, f"a sentence with control characters: {last[:200]!r}")
    if names and not any(name in last for name in names):
        return Wrong(Fault.UNTRUE, f"nothing of {sorted(names)[:6]} in: {last[:300]}")
    return None


@contextlib.contextmanager
def limited(limit_s: float) -> Iterator[None]:
    """A block that may take so long. Raises TookTooLong."""

    def end(*_: object) -> None:
        raise TookTooLong(f"more than {limit_s:.0f} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _captured() -> Iterator[Callable[[], tuple[str, str]]]:
    """What is written to stdout and stderr meanwhile, also by C libraries; to be asked for after the block."""
    texts: list[str] = []
    sys.stdout.flush()
    sys.stderr.flush()
    pipes, kept = (_Pipe(), _Pipe()), (os.dup(1), os.dup(2))
    streams = [open(os.dup(pipe.end), "w", encoding="utf-8", errors="backslashreplace") for pipe in pipes]  # noqa: PTH123, SIM115
    for number, pipe in zip((1, 2), pipes, strict=True):
        os.dup2(pipe.end, number)
    try:
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            yield lambda: (texts[0], texts[1])
    finally:
        for stream in streams:
            stream.close()
        for number, handle in zip((1, 2), kept, strict=True):
            os.dup2(handle, number)
            os.close(handle)
        texts.extend(pipe.close() for pipe in pipes)


class _Pipe:
    """A pipe that is read until it is closed. Unlike a file it has no length that a limit could be set to."""

    def __init__(self) -> None:
        self._from, self.end = os.pipe()
        self._mark, self._data = uuid.uuid4().bytes, bytearray()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        # not to its end: other processes that were started meanwhile may hold it open
        while self._mark not in self._data[-(1 << 17) :]:
            self._data += os.read(self._from, 1 << 16)

    def close(self) -> str:
        """All that was written."""
        os.write(self.end, self._mark)
        self._reader.join()
        os.close(self.end)
        os.close(self._from)
        return bytes(self._data).partition(self._mark)[0].decode(errors="replace")


class _PlainFlow:
    """A flow's function, with what a command asks of the flow."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = self.fn = function

    def __call__(self, *words: Any, **options: Any) -> Any:
        return self._function(*words, **options)

    def with_options(self, **_: Any) -> "_PlainFlow":
        return self


@contextlib.contextmanager
def _without_server(waits_for_disk: bool) -> Iterator[None]:
    """Flows as plain calls. What they do inside is the same, but parts run one by one and are not tried again."""
    from flows import build_dataset, prefect_flows, runner
    from tasks import train as training

    with contextlib.ExitStack() as patches:
        for module, name, value in (
            (build_dataset, "build_dataset", _PlainFlow(build_dataset.build_dataset.fn)),
            (prefect_flows, "evaluate_detector", prefect_flows.evaluate_detector.fn),
            (prefect_flows, "train_detector", prefect_flows.train_detector.fn),
            (training, "train", training.train.fn),
            (runner, "start_server", lambda: None),
            (runner, "shared_server", lambda _: contextlib.nullcontext()),
            (os, "fsync", os.fsync if waits_for_disk else lambda _: None),
        ):
            patches.enter_context(mock.patch.object(module, name, value))
        patches.enter_context(mock.patch.dict(os.environ, OFFLINE))
        yield


@contextlib.contextmanager
def as_nobody(*folders: Path) -> Iterator[None]:
    """A block in which file permissions hold, also for who is root. folders: are given to that user before."""
    if os.geteuid() != 0:
        yield
        return
    with _without_server(waits_for_disk=False):
        pass  # what it imports may lie where that user may not look
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, 65534, 65534, follow_symlinks=False)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
