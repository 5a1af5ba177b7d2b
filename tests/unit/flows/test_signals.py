"""Signals end a command wherever it is: each case is a process of its own that waits for ever."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from flows.cli import signals
from flows.cli.signals import SENTENCES, ended_by_signals

pytestmark = pytest.mark.live  # each case waits for a second or more
ROOT = Path(__file__).resolve().parents[3]
COMMAND = """
import concurrent.futures, contextlib, ctypes, os, pathlib, sys, threading, time
from flows.cli import signals
signals.UNWIND_S, signals.THREADS_S = 0.5, {threads_s}
fifo = sys.argv[1]

def wait():
    print("waits", flush=True)
    time.sleep(100)

def command():
    {body}
    return 0

def main():
    with signals.ended_by_signals() as ending:
        try:
            return command()
        except KeyboardInterrupt:
            return ending.say()

sys.exit(main())
"""
# what the main thread does, and then for ever
PLACES = {
    "a sleep": "wait()",
    "an open of a FIFO": "print('waits', flush=True); open(fifo)",
    "a lock": "print('waits', flush=True); threading.Lock().acquire() and threading.Semaphore(0).acquire()",
    # no signal handler of Python runs before the call returns
    "a library": "lock = ctypes.create_string_buffer(64); libc = ctypes.CDLL(None); libc.pthread_mutex_lock(lock); "
    "print('waits', flush=True); libc.pthread_mutex_lock(lock)",
    "a thread that opens a FIFO": "threading.Thread(target=lambda: open(fifo)).start(); wait()",
    "a pool whose thread opens a FIFO": """
    with concurrent.futures.ThreadPoolExecutor() as pool:
        pool.submit(lambda: open(fifo))
        wait()""",
    "an interrupt that is caught": """
    while True:
        with contextlib.suppress(BaseException):
            wait()""",
    "a second process": """
    import multiprocessing
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        pool.submit(time.sleep, 100)
        wait()""",
}


def started(folder: Path, body: str, deaf: tuple[signal.Signals, ...] = ()) -> "subprocess.Popen[str]":
    """A command, as soon as it waits."""
    fifo = folder / "fifo"
    os.mkfifo(fifo)

    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in deaf:
            signal.signal(number, signal.SIG_IGN)

    process = subprocess.Popen(
        # a process that is ended takes its time on a busy machine; a thread that waits for ever never ends
        # and Python then warns of what the pool has left; whoever made one here was ended in time on a quiet machine
        [
            sys.executable,
            "-W",
            "ignore:resource_tracker",
            "-c",
            COMMAND.format(body=body, threads_s=10 if "ProcessPool" in body else 0.5),
            str(fifo),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=prepare,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "waits\n"
    return process


@pytest.mark.slow
@pytest.mark.parametrize("number", SENTENCES, ids=lambda number: number.name)
@pytest.mark.parametrize("place", PLACES)
def test_a_signal_ends_a_command_wherever_it_waits(tmp_path: Path, place: str, number: signal.Signals) -> None:
    process = started(tmp_path, PLACES[place])
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert said == f"bilderatlas: {SENTENCES[number]}\n"


@pytest.mark.parametrize("place", ["a sleep", "a library"])
def test_it_ends_too_where_nobody_reads_what_it_says(tmp_path: Path, place: str) -> None:
    """As in `command 2>&1 | tee log`, where Ctrl-C ends tee first."""
    with started(tmp_path, PLACES[place]) as process:
        assert process.stderr is not None
        process.stderr.close()
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(30) == 128 + signal.SIGINT
        finally:
            process.kill()


def test_one_who_presses_again_and_again_gets_one_sentence(tmp_path: Path) -> None:
    process = started(tmp_path, PLACES["a pool whose thread opens a FIFO"])
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
    assert process.communicate()[1] == f"bilderatlas: {SENTENCES[signal.SIGINT]}\n"


def test_a_command_stays_deaf_to_what_it_was_started_deaf_to(tmp_path: Path) -> None:
    """As `nohup` does, and a shell with what runs in the background."""
    process = started(tmp_path, PLACES["a sleep"], deaf=(signal.SIGINT,))
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGTERM


def test_a_command_that_ends_by_itself_leaves_all_signals_as_they_were() -> None:
    before = [signal.getsignal(number) for number in SENTENCES]
    files, threads = len(list(Path("/proc/self/fd").iterdir())), threading.active_count()
    with ended_by_signals() as ending:
        assert signal.getsignal(signal.SIGTERM) == ending.receive
    assert [signal.getsignal(number) for number in SENTENCES] == before
    for thread in threading.enumerate():
        if thread.name == "signals":
            thread.join(10)
    assert (len(list(Path("/proc/self/fd").iterdir())), threading.active_count()) == (files, threads)
    assert signal.set_wakeup_fd(-1) == -1


def test_outside_the_main_thread_it_does_nothing() -> None:
    found: list[object] = []

    def run() -> None:
        with ended_by_signals():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGTERM)]


def test_both_times_together_are_less_than_those_after_which_a_container_is_killed() -> None:
    assert signals.UNWIND_S + signals.THREADS_S < 10
