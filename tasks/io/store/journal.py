"""Rows of a part that is under way, each kept the moment it is known: what was asked for is not asked for twice.

On a local store a row is one line, appended whole, with its own check: of a killed part the next reader finds every row
but the one that was being written. Elsewhere rows go into small tables. When a part ends, they become one table.
"""

import base64
import contextlib
import fcntl
import json
import os
import uuid
import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from tasks.io.store.layout import JOURNAL_SUFFIX
from tasks.io.store.store import Store

_ROWS_PER_TABLE = 100  # where nothing can be appended
_BYTES_PER_TABLE = 64 * 2**20  # of rows with long bodies, so many are held in memory

Row = dict[str, Any]


class Journal:
    """The rows of one part on their way into a folder of the store."""

    def __init__(self, store: Store, folder: str, schema: pa.Schema) -> None:
        self._store, self._folder, self._schema = store, folder, schema
        self._rows: list[Row] = []
        self._bytes = 0
        self._path = Path(store.full(folder), f"{uuid.uuid4().hex}{JOURNAL_SUFFIX}") if store.is_local else None
        self._handle = -1

    def __enter__(self) -> Self:
        return self

    def add(self, row: Row) -> None:
        """Keep a row. Not for several threads at once."""
        if self._path is not None:
            if self._handle < 0:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._handle = _opened(self._path)
            left = memoryview(_line(row))
            while left:
                left = left[os.write(self._handle, left) :]
        self._rows.append(row)
        self._bytes += len(row.get("body") or b"")
        if self._bytes > _BYTES_PER_TABLE:
            self._write_table()
            if self._handle >= 0:
                os.ftruncate(self._handle, 0)
        elif self._path is None and len(self._rows) >= _ROWS_PER_TABLE:
            self._write_table()

    def __exit__(self, *_: object) -> None:
        """Make the rows a table, also those of a part that failed half-way."""
        try:
            if self._rows:
                self._write_table()
            if self._path is not None:
                self._path.unlink(missing_ok=True)
        finally:  # where no table could be written, the journal stays, for whoever comes next
            if self._handle >= 0:
                os.close(self._handle)
                self._handle = -1

    def _write_table(self) -> None:
        self._store.write_table(self._folder, pa.Table.from_pylist(self._rows, schema=self._schema))
        self._rows, self._bytes = [], 0


def absorb(store: Store, folder: str, schema: pa.Schema) -> None:
    """Make tables of the journals that killed parts have left in a folder; those of running parts stay."""
    if not store.is_local:
        return
    for path in sorted(Path(store.full(folder)).glob(f"*{JOURNAL_SUFFIX}")):
        with contextlib.suppress(FileNotFoundError, BlockingIOError), path.open("rb") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            if rows := list(rows_of(file.read(), schema)):
                store.write_table(folder, pa.Table.from_pylist(rows, schema=schema))
            path.unlink(missing_ok=True)


def _opened(path: Path) -> int:
    """Handle of a new, locked file; made again if, before the lock, it was taken for a killed part's and removed."""
    while True:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle
        os.close(handle)


def _line(row: Row) -> bytes:
    # begins a line of its own: a torn one before it, such as a full disk leaves, takes no other with it
    text = json.dumps(row, default=_plain, ensure_ascii=True, sort_keys=True).encode()
    return b"\n%08x %s\n" % (zlib.crc32(text), text)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return {"time": value.isoformat()}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    raise TypeError(f"expected text, numbers, times or bytes in a row, got {type(value).__name__}")


def rows_of(data: bytes, schema: pa.Schema) -> Iterator[Row]:
    """Rows of all whole lines; a torn line, which a kill while writing leaves, is passed over."""
    for line in data.split(b"\n"):
        check, _, text = line.partition(b" ")
        if len(check) == 8 and check == b"%08x" % zlib.crc32(text):
            yield {name: _value(value) for name, value in json.loads(text).items() if name in schema.names}


def _value(value: Any) -> Any:
    if isinstance(value, dict) and "time" in value:
        return datetime.fromisoformat(value["time"])
    if isinstance(value, dict) and "bytes" in value:
        return base64.b64decode(value["bytes"])
    return value
