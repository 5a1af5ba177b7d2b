"""Programs of their own that collect garbage with a cursor in it: do they go on?"""

import subprocess
import sys

import pytest

from tasks.orchestration.prefect_innards import collect_apart

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
    except sqlite3.OperationalError:  # its words are now and then those of the other connection
        told.append("refused")

thread = threading.Thread(target=insert)
thread.start()
is_waiting.wait()
garbage.clear()
kept = [[] for _ in range(200_000)]  # enough for all generations
first.execute("COMMIT")
thread.join()
print(*told)
"""


@pytest.mark.parametrize(("collector", "told"), [("apart", "inserted"), ("python's", "refused")])
def test_the_thread_of_the_main_program_waits_for_no_cursor(tmp_path, collector, told):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "numbers.db"), collector, collect_apart.__module__],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == (told, "")
