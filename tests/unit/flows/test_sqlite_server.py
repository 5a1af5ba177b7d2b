"""Programs of their own that collect garbage with a cursor in it, and that write while others do: do they go on?"""

import os
import subprocess
import sys

import pytest

from flows.sqlite_server import collect_apart, write_in_turn

PROGRAM = """
import gc, importlib, sqlite3, sys, threading

if sys.argv[2] == "apart":
    importlib.import_module(sys.argv[3]).collect_apart()
first = sqlite3.connect(sys.argv[1], isolation_level=None)
first.execute("PRAGMA journal_mode = WAL")
first.execute("CREATE TABLE numbers (number)")

second = sqlite3.connect(sys.argv[1], isolation_level=None, check_same_thread=False, timeout=3)

class Cycle:
    def __init__(self, cursor):
        self.cursor, self.me = cursor, self

gc.collect()
gc.freeze()
garbage = [Cycle(second.execute("VALUES (1), (2)"))]
garbage[0].cursor.fetchone()
first.execute("BEGIN IMMEDIATE")
told, is_waiting = [], threading.Event()
second.set_trace_callback(lambda statement: is_waiting.set())

def insert():
    try:
        second.execute("INSERT INTO numbers VALUES (9)")
        told.append("inserted")
    except sqlite3.OperationalError as problem:
        told.append(str(problem))

thread = threading.Thread(target=insert)
thread.start()
is_waiting.wait()
garbage.clear()
kept = [[] for _ in range(200_000)]  # enough for all generations
first.execute("COMMIT")
thread.join()
print(*told)
"""


@pytest.mark.parametrize(("collector", "told"), [("apart", "inserted"), ("python's", "database is locked")])
def test_the_thread_of_the_main_program_waits_for_no_cursor(tmp_path, collector, told):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "numbers.db"), collector, collect_apart.__module__],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == (told, "")


TRANSACTIONS = """
import asyncio, importlib, sys

if sys.argv[1] == "in turn":
    importlib.import_module(sys.argv[2]).write_in_turn()

from prefect.server.database import provide_database_interface
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

database = provide_database_interface()

async def insert(number):
    async with database.session_context(begin_transaction=True) as session:
        await session.execute(text(f"INSERT INTO numbers VALUES ({number})"))

async def main():
    async with database.session_context(begin_transaction=True) as session:
        await session.execute(text("CREATE TABLE numbers (number)"))
    try:
        async with database.session_context(begin_transaction=True) as session:
            await session.execute(text("SELECT * FROM numbers"))
            other = asyncio.ensure_future(insert(2))
            await asyncio.wait([other], timeout=1)
            await session.execute(text("INSERT INTO numbers VALUES (1)"))
    except OperationalError as problem:
        print(problem.orig)
    await other
    async with database.session_context() as session:
        print(*(await session.execute(text("SELECT number FROM numbers"))).scalars())
    (await database.engine()).sync_engine.pool.dispose()

asyncio.run(main())
"""


@pytest.mark.parametrize(("way", "told"), [("in turn", "1 2\n"), ("prefect's", "database is locked\n2\n")])
def test_of_two_transactions_that_read_and_write_the_later_one_waits(tmp_path, way, told):
    settings = {
        "PREFECT_HOME": str(tmp_path),
        "PREFECT_SERVER_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{tmp_path}/numbers.db",
    }
    done = subprocess.run(
        [sys.executable, "-c", TRANSACTIONS, way, write_in_turn.__module__],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.returncode) == (told, 0), done.stderr
