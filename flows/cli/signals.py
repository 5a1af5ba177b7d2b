"""Ctrl-C and SIGTERM end a command within seconds, wherever it is.

Both raise KeyboardInterrupt in the main thread, so that what is open is closed and Prefect's server hears of the end.
But the main thread may be deep in a library, or wait for a thread that waits for ever, and then Python raises nothing.
So a second thread, which the system wakes, ends the process if the first has not done so in time. What is cut off then
is as safe as after `kill -9`: every file is written beside its place, and takes it when it is whole.
"""

import atexit
import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

SENTENCES = {
    signal.SIGINT: "interrupted: what was done is kept; run the same command again to continue",
    signal.SIGTERM: "terminated: what was done is kept; run the same command again to continue",
}
UNWIND_S, THREADS_S = 5.0, 2.0
"""For the main thread to end the command, then for all others: less than the 10 s after which `docker stop` kills."""


class Ending:
    """How a command ends by a signal."""

    def __init__(self) -> None:
        self.number: int | None = None
        """The first signal that came."""
        self._is_ending = self._is_said = False
        self._is_over, self._lock = threading.Event(), threading.Lock()

    def receive(self, number: int, _frame: FrameType | None) -> None:
        """Python's handler of both signals, in the main thread."""
        self.number = self.number or number
        # what is cut off may still log, into handlers that are closed by now: no word of it would help anybody
        logging.raiseExceptions = False
        logging.disable()
        if not self._is_ending:
            raise KeyboardInterrupt

    def say(self) -> int:
        """Print the sentence, once. The exit status is that which shells give: 128 and the number of the signal."""
        self._is_ending = True
        number = signal.Signals(self.number or signal.SIGINT)
        with self._lock:
            is_first, self._is_said = not self._is_said, True
            if is_first:
                # Ctrl-C ends `... 2>&1 | tee` first: then nobody reads, and the status alone says it
                with contextlib.suppress(OSError, ValueError):
                    print(f"bilderatlas: {SENTENCES[number]}", file=sys.stderr, flush=True)
        self._is_over.set()
        return 128 + number

    def finish(self) -> None:
        """The command has ended, by itself or by a signal: no signal that comes now does it again."""
        self._is_ending = True
        self._is_over.set()

    def skip_teardown(self) -> None:
        """At exit after a signal: end the process at once, since all that is left is to free memory, for seconds."""
        if self._is_said:
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
            os._exit(self.say())

    def watch(self, wakeup: int) -> None:
        """Wait for a signal, then for the end of the command and of its threads; end the process where that fails."""
        while (byte := os.read(wakeup, 1)) and byte[0] not in SENTENCES:
            pass
        if not byte:
            os.close(wakeup)
            return
        self.number = self.number or byte[0]
        if self._is_over.wait(UNWIND_S) and not self._is_said:
            return
        from multiprocessing import active_children

        status = self.say()
        for child in active_children():
            child.terminate()
        threading.Event().wait(THREADS_S)  # this thread ends with the process, if that ends by itself
        os._exit(status)


@contextlib.contextmanager
def ended_by_signals() -> Iterator[Ending]:
    """SIGINT and SIGTERM, unless the process was started deaf to them, end this block; only in the main thread."""
    ending = Ending()
    if threading.current_thread() is not threading.main_thread():
        yield ending
        return
    before = {number: signal.getsignal(number) for number in SENTENCES}
    heard = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    wakeup_before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    watcher = threading.Thread(target=ending.watch, args=(reader,), name="signals", daemon=True)
    watcher.start()
    atexit.register(ending.skip_teardown)  # called last: what libraries register later is called earlier
    for number in heard:
        signal.signal(number, ending.receive)
    try:
        yield ending
    finally:
        ending.finish()
        for number in heard:
            signal.signal(number, before[number] if ending.number is None else signal.SIG_IGN)
        if ending.number is None:
            atexit.unregister(ending.skip_teardown)
            atexit.unregister(_ignore_signals)
            atexit.register(_ignore_signals)  # called first: the command has done its work, and its status says so
        signal.set_wakeup_fd(wakeup_before)
        os.close(writer)
        if ending.number is None:
            watcher.join()  # it reads the end of the pipe: whoever forks after this has one thread less to fear for


def _ignore_signals() -> None:
    for number in SENTENCES:
        signal.signal(number, signal.SIG_IGN)
