"""Rows of parts that were killed."""

import errno
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from tasks.io.store import journal
from tasks.io.store.journal import Journal, absorb
from tasks.io.store.store import Store

SCHEMA = pa.schema([("url", pa.string()), ("body", pa.binary()), ("at", pa.timestamp("us", "UTC")), ("n", pa.int64())])
FOLDER = "retrievals/a"


def row(number: int, body: bytes | None = b"\x00\n\xff") -> dict:
    at = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)
    return {"url": f"http://a/{number}\nü", "body": body, "at": at, "n": number}


@pytest.fixture
def store(tmp_path):
    return Store(str(tmp_path / "store"))


def kept(store):
    return sorted((found for _, table in store.tables(FOLDER) for found in table.to_pylist()), key=lambda row: row["n"])


def journals(store):
    return sorted(Path(store.full(FOLDER)).glob("*.journal"))


def killed(store, *lines: bytes) -> Path:
    """What a killed part leaves."""
    path = Path(store.full(FOLDER)) / "dead.journal"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines))
    return path


def test_a_part_that_ends_leaves_a_table_and_no_journal(store):
    with Journal(store, FOLDER, SCHEMA) as part:
        part.add(row(1))
        assert len(journals(store)) == 1
        part.add(row(2, None))

    assert kept(store) == [row(1), row(2, None)]
    assert journals(store) == []


def test_a_part_without_rows_leaves_nothing(store):
    with Journal(store, FOLDER, SCHEMA):
        pass
    absorb(store, FOLDER, SCHEMA)

    assert not Path(store.full(FOLDER)).exists()


def test_a_part_that_fails_keeps_its_rows(store):
    def fail():
        with Journal(store, FOLDER, SCHEMA) as part:
            part.add(row(1))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert kept(store) == [row(1)]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        pytest.param([], [], id="empty"),
        pytest.param([journal._line(row(1)), journal._line(row(2, None))], [row(1), row(2, None)], id="whole"),
        pytest.param([journal._line(row(1)), journal._line(row(2))[:-1]], [row(1), row(2)], id="without-its-last-byte"),
        pytest.param([journal._line(row(1)), journal._line(row(2))[:-9]], [row(1)], id="torn"),
        pytest.param([journal._line(row(1))[:30], journal._line(row(2))], [row(2)], id="torn-before-another"),
        pytest.param([b"\0" * 99, journal._line(row(1))], [row(1)], id="zeros-of-a-lost-page"),
        pytest.param([b"00000000 {}\n", b"x\n \n"], [], id="nonsense"),
        pytest.param([journal._line({**row(1), "column_of_old": 1})], [row(1)], id="a-column-that-is-gone"),
    ],
)
def test_what_a_dead_part_left_is_found(store, lines, found):
    killed(store, *lines)
    for _ in range(2):
        absorb(store, FOLDER, SCHEMA)

    assert kept(store) == found
    assert journals(store) == []


def test_a_living_part_is_left_alone(store):
    with Journal(store, FOLDER, SCHEMA) as part:
        part.add(row(1))
        absorb(store, FOLDER, SCHEMA)
        assert kept(store) == []
        part.add(row(2))

    assert kept(store) == [row(1), row(2)]


def test_a_part_whose_table_had_been_written_when_it_was_killed_gives_the_same_table(store):
    with Journal(store, FOLDER, SCHEMA) as part:
        part.add(row(1))
    killed(store, journal._line(row(1)))
    absorb(store, FOLDER, SCHEMA)

    assert kept(store) == [row(1)]


def test_kill_9(store):
    program = f"""
import os, signal, sys
sys.path.insert(0, {str(Path.cwd())!r})
from tests.unit.io.store.test_journal import FOLDER, SCHEMA, Journal, Store, row
with Journal(Store({store.url!r}), FOLDER, SCHEMA) as part:
    for number in range(20):
        part.add(row(number, b"x" * 100_000))
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -signal.SIGKILL
    assert kept(store) == []

    absorb(store, FOLDER, SCHEMA)

    assert [found["n"] for found in kept(store)] == list(range(20))


def test_long_bodies_go_into_tables_on_the_way(store, monkeypatch):
    monkeypatch.setattr(journal, "_BYTES_PER_TABLE", 250)
    with Journal(store, FOLDER, SCHEMA) as part:
        for number in range(7):
            part.add(row(number, b"x" * 100))
        assert len(kept(store)) == 6
        assert len(journals(store)[0].read_bytes()) < 500

    assert [found["n"] for found in kept(store)] == list(range(7))


def test_a_write_that_takes_only_a_part_goes_on(store, monkeypatch):
    write = os.write
    monkeypatch.setattr(journal.os, "write", lambda handle, data: write(handle, bytes(data[:7])))
    with Journal(store, FOLDER, SCHEMA) as part:
        part.add(row(1))
        killed(store, journals(store)[0].read_bytes())
    absorb(store, FOLDER, SCHEMA)

    assert kept(store) == [row(1)]


def test_where_no_table_can_be_written_the_journal_stays_and_is_free(store, monkeypatch):
    def full(*_args):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "write_table", full)
        with pytest.raises(OSError, match="No space"), Journal(store, FOLDER, SCHEMA) as part:
            part.add(row(1))
    absorb(store, FOLDER, SCHEMA)

    assert kept(store) == [row(1)]


def test_a_journal_that_was_taken_for_a_dead_ones_is_begun_again(store, monkeypatch):
    lock, taken = journal.fcntl.flock, []

    def late(handle, how):
        if not taken:
            taken.append(journals(store)[0].unlink())
        lock(handle, how)

    monkeypatch.setattr(journal.fcntl, "flock", late)
    with Journal(store, FOLDER, SCHEMA) as part:
        part.add(row(1))
        assert len(journals(store)) == 1


def test_a_store_that_is_not_local_gets_small_tables(monkeypatch):
    monkeypatch.setattr(journal, "_ROWS_PER_TABLE", 3)
    store = Store("memory://journal-test")
    with Journal(store, FOLDER, SCHEMA) as part:
        for number in range(7):
            part.add(row(number))
        assert len(kept(store)) == 6
    absorb(store, FOLDER, SCHEMA)

    assert [found["n"] for found in kept(store)] == list(range(7))


def test_what_is_no_value_is_an_error(store):
    with pytest.raises(TypeError, match="got object"), Journal(store, FOLDER, SCHEMA) as part:
        part.add({"url": object()})
