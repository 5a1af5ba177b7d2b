"""How the Parquet files of a release are written: the same settings for every table.

docs/release.md says what they are for.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.manifests import FileEntry

ROWS_PER_GROUP = 100_000
"""Of tables without image bytes."""
CHUNK_BYTES = {"min_chunk_size": 4 * 1024, "max_chunk_size": 16 * 1024}
"""Of content-defined chunks, which are pages too. An image of 16 KiB or more is one by itself: larger chunks would
hold several, and be others as soon as one image comes between."""

_IMAGE_BYTES = "image.bytes"
_PAGE_BYTES = 8 * 1024
_READ_BYTES = 1 << 20
_BUFFER_BYTES = 1 << 18
_FEW_VALUES = frozenset(
    {
        *("source", "artist", "artist_qualifier", "style", "styles", "date_text", "year", "split", "last_split"),
        *("rights_uri", "rights_spdx", "rights_text", "rights_basis", "phash_recipe", "format", "series"),
        *("category_id", "origin", "origin_name", "stage", "reason", "detail", "relation", "verdict", "scope"),
        *("reached_by", "date", "statistic", "moment", "stratum", "largest_artist"),
    }
)
"""Columns whose values come again and again: a dictionary makes these smaller. Of ids, digests, addresses and titles
it would first be built and then thrown away."""


def write_parquet(target: Path, groups: Iterable[pa.Table], schema: pa.Schema, order: Sequence[str] = ()) -> FileEntry:
    """A table of a release, one row group for each table given that has rows; the file's digest, bytes and rows.

    Image bytes, which no codec shrinks, stand as they are. order: columns by which the rows of each group are sorted,
    nulls last. No table is read after the next one was asked for.
    """
    rows = 0
    with FileDigest(target) as digest:
        with target.open("wb", 0) as file, ThreadPoolExecutor(1) as thread:
            sink = _Sink(file)
            # Arrow's own memory in between: a call into Python for each page would wait for Python's lock each time
            stream = pa.BufferedOutputStream(pa.PythonFile(sink, mode="w"), _BUFFER_BYTES)
            writer = thread.submit(pq.ParquetWriter, stream, schema, **writer_settings(schema, order)).result()
            try:
                for group in groups:
                    if group.num_rows:
                        thread.submit(writer.write_table, group, row_group_size=group.num_rows).result()
                        thread.submit(stream.flush).result()
                        rows += group.num_rows
                        digest.read_until(sink.written())
            finally:
                thread.submit(writer.close).result()
                thread.submit(stream.close).result()
            sink.written()
        return digest.entry(rows)


class _Sink:
    """A file to which no writing fails, until `written` is asked.

    Where a disk is full, Arrow's chunker would end the whole process ("Check failed: _s.ok()", pyarrow 26). For the
    same reason tables are written by a thread of their own: Python interrupts only the main one, wherever it is.
    """

    closed = False

    def __init__(self, file: FileIO) -> None:
        self._file = file
        self._problem: Exception | None = None
        self._place = 0

    def write(self, data: bytes) -> int:
        self._place += len(data)
        if self._problem is None:
            try:
                left = memoryview(data)
                while left:
                    left = left[self._file.write(left) :]
            except Exception as problem:
                self._problem = problem
        return len(data)

    def tell(self) -> int:
        return self._place

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Whoever has opened the file closes it."""

    def written(self) -> int:
        """How far the file is written for certain. Raises what stood in the way."""
        if self._problem is not None:
            raise self._problem
        return self._place


def writer_settings(schema: pa.Schema, order: Sequence[str] = ()) -> dict[str, Any]:
    """What `ParquetWriter` is told, besides the schema."""
    leaves = _leaves(schema)
    narrow = [leaf for leaf in leaves if leaf != _IMAGE_BYTES]
    return {
        "compression": {leaf: "none" if leaf == _IMAGE_BYTES else "zstd" for leaf in leaves},
        "use_dictionary": [leaf for leaf in narrow if leaf.partition(".")[0] in _FEW_VALUES],
        "write_statistics": narrow,
        "write_page_index": True,
        "data_page_size": _PAGE_BYTES,
        "use_content_defined_chunking": CHUNK_BYTES,
        "sorting_columns": pq.SortingColumn.from_ordering(schema, [(name, "ascending") for name in order])
        if order
        else None,
    }


def order_in(parquet: pq.ParquetFile) -> list[str]:
    """Columns by which a file says that all its row groups are sorted, ascending and nulls last; none where it is
    otherwise, or doesn't say.
    """
    metadata = parquet.metadata
    said = {metadata.row_group(number).sorting_columns for number in range(metadata.num_row_groups)}
    (order,) = said if len(said) == 1 else ((),)
    if any(one.descending or one.nulls_first for one in order):
        return []
    return [parquet.schema.column(one.column_index).path.partition(".")[0] for one in order]


def groups_of(table: pa.Table, schema: pa.Schema) -> Iterator[pa.Table]:
    """A table without image bytes in row groups, one at a time in memory of its own."""
    for start in range(0, table.num_rows, ROWS_PER_GROUP):
        yield table.slice(start, ROWS_PER_GROUP).combine_chunks().cast(schema)


class FileDigest:
    """The SHA-256 of a file that only grows, read by a thread of its own while it is written."""

    def __init__(self, path: Path) -> None:
        """Nothing is read before `read_until`."""
        self._path, self._digest, self._bytes = path, hashlib.sha256(), 0
        self._pool = ThreadPoolExecutor(1)
        self._last: Future[None] | None = None

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the thread end."""
        self._pool.shutdown(cancel_futures=True)

    def read_until(self, place: int) -> None:
        """Read as far as the file is written for certain."""
        self._last = self._pool.submit(self._read, place)

    def entry(self, rows: int | None) -> FileEntry:
        """Of the whole file, now that it is written."""
        self.read_until(self._path.stat().st_size)
        assert self._last is not None
        self._last.result()
        return FileEntry(sha256=self._digest.hexdigest(), bytes=self._bytes, rows=rows)

    def _read(self, place: int) -> None:
        buffer = memoryview(bytearray(min(_READ_BYTES, max(1, place - self._bytes))))
        with self._path.open("rb", buffering=0) as file:
            file.seek(self._bytes)
            while self._bytes < place:
                length = file.readinto(buffer[: place - self._bytes])
                if not length:
                    raise OSError(f"expected {place} bytes in {self._path.name}, got {self._bytes}")
                self._digest.update(buffer[:length])
                self._bytes += length


def _leaves(schema: pa.Schema) -> list[str]:
    """Column paths as Parquet names them."""
    parquet = pq.ParquetFile(pa.BufferReader(_empty_file(schema))).schema
    return [parquet.column(place).path for place in range(len(parquet))]


def _empty_file(schema: pa.Schema) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink)
    return sink.getvalue()
