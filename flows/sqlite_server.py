"""What a process that serves Prefect's API from SQLite needs to answer while several runs write.

Python collects garbage on whatever thread has made enough objects, mostly that of the event loop. A cursor in it, left
by a query that has failed, is reset, and waits for its connection, which may be waiting for another one's transaction;
and that one ends on the event loop. Nobody can go on, and the server answers nobody until SQLite gives the wait up,
after 60 seconds by Prefect's setting. On a thread that nobody waits for, it is no more than a late collection.
"""

import gc
import threading
import time

_EVERY_S = 1.0
_EVERYTHING_EACH = 30
"""All generations are collected after so many collections of the younger two."""


def collect_apart() -> None:
    """From now on, collect garbage on a thread of its own only."""
    gc.disable()
    threading.Thread(target=_collect, name="garbage", daemon=True).start()


def _collect() -> None:
    while True:
        for _ in range(_EVERYTHING_EACH):
            time.sleep(_EVERY_S)
            gc.collect(1)
        gc.collect()
