"""How the Parquet files of a release are written: the same settings for every table (docs/release.md: what for)."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from io import FileIO
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from schemas.manifests import FileEntry
from tasks.io.files.parquet_files import leaf_paths
from tasks.io.store.store import Store

ROWS_PER_GROUP = 100_000
"""Of tables without image bytes."""
CHUNK_BYTES = {"min_chunk_size": 4 * 1024, "max_chunk_size": 16 * 1024}
"""Of content-defined chunks, which are pages too. An image of 16 KiB or more is one by itself: larger chunks would
hold several, and be others as soon as one image comes between."""

_IMAGE_BYTES = "image.bytes"
_PAGE_BYTES = 8 * 1024
_BUFFER_BYTES = 1 << 16
_LONGEST_WAIT_S = 0.5
_FILES_AT_ONCE = 4
"""Each takes the memory of some row groups."""
_FEW_VALUES = frozenset(
    {
        *("source", "artist", "artist_text", "artist_qualifier", "artists", "artist_roles", "style", "styles"),
        *("date_text", "year", "year_first", "year_last", "split", "last_split"),
        *("rights_uri", "rights_spdx", "rights_text", "rights_basis", "phash_recipe", "format", "series"),
        *("category_id", "origin", "origin_name", "stage", "reason", "detail", "relation", "verdict", "scope"),
        *("reached_by", "date", "statistic", "moment", "stratum", "largest_artist"),
    }
)
"""Columns whose values come again and again, which a dictionary makes smaller; of ids it would be thrown away."""


class ParquetRows(NamedTuple):
    """What a file of a release is to hold: one row group for each table that has rows. order: columns by which each
    group's rows are sorted, nulls last. No table is read after the next one was asked for.
    """

    groups: Iterable[pa.Table]
    schema: pa.Schema
    order: Sequence[str] = ()


def write_parquet(target: Path, groups: Iterable[pa.Table], schema: pa.Schema, order: Sequence[str] = ()) -> FileEntry:
    """A file as `write_parquet_files` writes it."""
    return write_parquet_files({target: ParquetRows(groups, schema, order)})[target]


def write_parquet_files(files: Mapping[Path, ParquetRows]) -> dict[Path, FileEntry]:
    """Write several files at once; digest, bytes and rows of each. Image bytes, which no codec shrinks, stay.

    One thread makes a whole file: what one core has read, hashed or encoded, another would have to fetch out of its
    cache, which takes longer than half of that work. Raises the first problem, in the files' order, after all threads.
    """
    stop = Event()
    with ThreadPoolExecutor(min(_FILES_AT_ONCE, os.cpu_count() or 1)) as pool:
        writing = dict[Path, Future[FileEntry]]()
        try:
            for target, rows in files.items():
                writing[target] = pool.submit(_write, target, rows, stop)
            has_failed, left = False, {*writing.values()}
            while left and not has_failed:
                # an interrupt that another thread gets does not break a wait off: without a limit, it might be seen at
                # its end
                done, left = wait(left, _LONGEST_WAIT_S, return_when=FIRST_EXCEPTION)
                has_failed = any(one.exception() for one in done)
        finally:
            stop.set()
    return {target: one.result() for target, one in writing.items()}


def _write(target: Path, rows: ParquetRows, stop: Event) -> FileEntry:
    """Never in the main thread: Python would interrupt it within Arrow's chunker (`_HashedFile`)."""
    count = 0
    with target.open("wb", 0) as file:
        hashed = _HashedFile(file)
        # Arrow's own memory in between: a call into Python for each page would wait for Python's lock each time
        stream = pa.BufferedOutputStream(pa.PythonFile(hashed, mode="w"), _BUFFER_BYTES)
        with stream, pq.ParquetWriter(stream, rows.schema, **writer_settings(rows.schema, rows.order)) as writer:
            for group in rows.groups:
                if stop.is_set():
                    break
                if group.num_rows:
                    writer.write_table(group, row_group_size=group.num_rows)
                    hashed.check()
                    count += group.num_rows
        return hashed.entry(count)


class _HashedFile:
    """A file that is hashed as it is written, and to which no writing fails until one asks: on a full disk Arrow's
    chunker would end the whole process ("Check failed: _s.ok()", pyarrow 26).
    """

    closed = False

    def __init__(self, file: FileIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self._bytes = 0
        self._problem: Exception | None = None

    def write(self, data: bytes) -> int:
        self._bytes += len(data)
        if self._problem is None:
            try:
                left = memoryview(data)
                while left:
                    left = left[self._file.write(left) :]
                self._digest.update(data)
            except Exception as problem:
                self._problem = problem
        return len(data)

    def tell(self) -> int:
        return self._bytes

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Whoever has opened the file closes it."""

    def check(self) -> None:
        """Raise what stood in the way of writing, if anything did."""
        if self._problem is not None:
            raise self._problem

    def entry(self, rows: int) -> FileEntry:
        """Of all that was written. Raises what stood in the way."""
        self.check()
        return FileEntry(sha256=self._digest.hexdigest(), bytes=self._bytes, rows=rows)


def writer_settings(schema: pa.Schema, order: Sequence[str] = ()) -> dict[str, Any]:
    """What `ParquetWriter` is told, besides the schema."""
    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink)
    leaves = leaf_paths(pq.ParquetFile(pa.BufferReader(sink.getvalue())))
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
    """Columns by which a file says that all its row groups are sorted, ascending and nulls last; else none."""
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


_READERS_AFAR = 8
"""Threads that read from an object store, where most of it is waiting. Of a local one the thread that writes reads."""


class ImageGroup(NamedTuple):
    """The images of one row group, which together have less than 2 GiB. sizes_bytes: (N,)."""

    sha256s: Sequence[str]
    sizes_bytes: NDArray[np.int64]


def image_bytes(store: Store, groups: Iterable[ImageGroup]) -> Iterator[pa.Array]:
    """(N,) bytes of each group's images, good until the next: new memory would take a third of the time of writing.
    Raises DamagedFile where a blob is gone, of another size, or damaged.
    """
    memory = np.empty(0, np.uint8)
    with ThreadPoolExecutor(_READERS_AFAR) as pool:
        for group in groups:
            offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(group.sizes_bytes, dtype=np.int64)])
            if len(memory) < offsets[-1]:
                memory = np.empty(1 << int(offsets[-1]).bit_length(), np.uint8)  # none of it is there before it is used
            starts, stops = offsets[:-1].tolist(), offsets[1:].tolist()
            targets = [memory.data[start:stop] for start, stop in zip(starts, stops, strict=True)]
            for _ in (map if store.is_local else pool.map)(store.read_blob_into, group.sha256s, targets):
                pass
            buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(memory)]
            yield pa.Array.from_buffers(pa.binary(), len(targets), buffers)
