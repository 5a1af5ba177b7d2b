"""What a process that serves Prefect's API from SQLite needs to answer while several runs write.

Python collects garbage on whatever thread has made enough objects, mostly that of the event loop. A cursor in it, left
by a query that has failed, is reset, and waits for its connection, which may be waiting for another one's transaction;
and that one ends on the event loop. Nobody can go on, and the server answers nobody until SQLite gives the wait up,
after 60 seconds by Prefect's setting. On a thread that nobody waits for, it is no more than a late collection.

Prefect's transactions begin to write where their first change is. SQLite refuses it at once where another transaction
has written since this one first read, and the page shows "Service Unavailable" for a click. A transaction that is to
write from its beginning waits for its turn.
"""

import gc
import threading
import time
from typing import Any

_EVERY_S = 1.0
_EVERYTHING_EACH = 30
"""All generations are collected after so many collections of the younger two."""


def answer_while_busy() -> None:
    """From now on, collect garbage apart, and let transactions take turns. Before the server begins."""
    collect_apart()
    write_in_turn()


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


def write_in_turn() -> None:
    """From now on, transactions with SQLite are for writing from their beginning; those with PostgreSQL stay."""
    from prefect.server.database.configurations import AioSqliteConfiguration
    from sqlalchemy.ext.asyncio import AsyncSession

    begin = AioSqliteConfiguration.begin_transaction

    def begin_to_write(self: AioSqliteConfiguration, session: AsyncSession, with_for_update: bool = True) -> Any:
        return begin(self, session, with_for_update=True)

    AioSqliteConfiguration.begin_transaction = begin_to_write  # type: ignore[method-assign]
