"""The files of a release's tables, as Parquet's own reader sees them."""

import errno
import hashlib
import subprocess
import sys
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.errors import DamagedFile
from schemas.manifests import FileEntry
from schemas.tables import IMAGES, LEDGER
from tasks.io.store import release_parquet
from tasks.io.store.layout import blob_path
from tasks.io.store.release_parquet import (
    ImageGroup,
    ParquetRows,
    groups_of,
    image_bytes,
    order_in,
    write_parquet,
    write_parquet_files,
)
from tasks.io.store.release_tables import TABLES
from tasks.io.store.store import Store


def test_a_file_has_a_row_group_for_each_table_with_rows_and_leaves_image_bytes_as_they_are(tmp_path: Path):
    groups = [
        pa.Table.from_pylist([{"record_id": f"{n}", "image": {"bytes": bytes([n]) * 5000, "path": "a"}}] * n, IMAGES)
        for n in (1, 3, 0, 2)
    ]
    path = tmp_path / "images.parquet"
    assert write_parquet(path, iter(groups), IMAGES).rows == 6
    read = pq.ParquetFile(path)
    columns = [read.metadata.row_group(0).column(place) for place in range(read.metadata.num_columns)]
    codecs = {column.path_in_schema: column.compression for column in columns}

    assert [read.metadata.row_group(n).num_rows for n in range(read.num_row_groups)] == [1, 3, 2]
    assert (codecs["record_id"], codecs["image.bytes"], codecs["image.path"]) == ("ZSTD", "UNCOMPRESSED", "ZSTD")
    assert read.read() == pa.concat_tables(groups)
    assert read.schema_arrow == IMAGES


def test_a_table_without_rows_is_a_file_without_row_groups(tmp_path: Path):
    path = tmp_path / "ledger.parquet"
    assert write_parquet(path, groups_of(LEDGER.empty_table(), LEDGER), LEDGER).rows == 0
    assert pq.ParquetFile(path).num_row_groups == 0
    assert pq.read_table(path) == LEDGER.empty_table()


def test_other_tables_come_in_groups_of_bounded_rows():
    table = pa.table({"n": pa.chunked_array([range(150_000), range(100_001)])})
    groups = list(groups_of(table, table.schema))
    assert [group.num_rows for group in groups] == [100_000, 100_000, 50_001]
    assert pa.concat_tables(groups) == table


def test_the_digest_is_that_of_the_whole_file(tmp_path: Path):
    path = tmp_path / "n.parquet"
    table = pa.table({"n": range(3)})
    entry = write_parquet(path, [table] * 40, table.schema)
    data = path.read_bytes()
    assert entry == FileEntry(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data), rows=120)


def test_several_files_are_those_that_would_be_written_alone(tmp_path: Path):
    tables = {f"{number}": pa.table({"n": range(number * 1000)}) for number in range(7)}
    alone = [write_parquet(tmp_path / name, [table], table.schema) for name, table in tables.items()]
    rows = {tmp_path / f"{name}.again": ParquetRows([table], table.schema) for name, table in tables.items()}
    found = write_parquet_files(rows)
    assert [*found] == [*rows]
    assert [*found.values()] == alone
    assert write_parquet_files({}) == {}


def test_where_one_file_fails_the_others_end_early(tmp_path: Path):
    table = pa.table({"n": range(3)})

    def failing() -> Iterator[pa.Table]:
        yield table
        raise DamagedFile("gone")

    others = [iter(repeat(table, 100_000)) for _ in range(6)]
    files = [ParquetRows(groups, table.schema) for groups in (failing(), *others)]
    with pytest.raises(DamagedFile, match="gone"):
        write_parquet_files({tmp_path / f"{number}": rows for number, rows in enumerate(files)})
    assert all(next(groups, None) is not None for groups in others)


def test_readers_find_statistics_pages_and_order(tmp_path: Path):
    path = tmp_path / "images.parquet"
    rows = [{"record_id": f"m:{n}", "style": "Cubism", "image": {"bytes": b"jpeg", "path": None}} for n in range(3)]
    write_parquet(path, [pa.Table.from_pylist(rows, IMAGES)], IMAGES, ("style", "record_id"))
    group = pq.ParquetFile(path).metadata.row_group(0)
    columns = {group.column(place).path_in_schema: group.column(place) for place in range(group.num_columns)}
    style, data = columns["style"], columns["image.bytes"]

    assert (style.statistics.min, style.statistics.max) == ("Cubism", "Cubism")
    assert not data.is_stats_set
    assert all(column.has_offset_index for column in columns.values())
    assert "RLE_DICTIONARY" in style.encodings
    assert "RLE_DICTIONARY" not in columns["record_id"].encodings
    assert [IMAGES.names[one.column_index] for one in group.sorting_columns] == ["style", "record_id"]
    assert not any(one.descending or one.nulls_first for one in group.sorting_columns)


def test_every_column_that_is_said_to_have_few_values_is_one_of_a_release():
    names = {name for table in TABLES.values() for name in table.schema.names}
    assert not release_parquet._FEW_VALUES - names - {"rights_spdx", "statistic"}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([pq.SortingColumn(1), pq.SortingColumn(0)], ["b", "a"], id="two columns"),
        pytest.param([pq.SortingColumn(0, descending=True)], [], id="descending"),
        pytest.param([pq.SortingColumn(0, nulls_first=True)], [], id="nulls first"),
    ],
)
def test_the_order_of_a_file_is_kept_where_it_is_that_of_releases(tmp_path: Path, said, expected):
    path = tmp_path / "n.parquet"
    pq.write_table(pa.table({"a": [1, 2], "b": [1, 2]}), path, row_group_size=1, sorting_columns=said or None)
    assert order_in(pq.ParquetFile(path)) == expected
    pq.write_table(pa.table({"a": [1, 2]}).slice(0, 0), path)
    assert order_in(pq.ParquetFile(path)) == []


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
import pyarrow as pa
from tasks.io.store.release_parquet import write_parquet
table = pa.table({"text": [f"{number} {number ** 9}" for number in range(20_000)]})
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, resource.RLIM_INFINITY))
try:
    write_parquet(Path(sys.argv[1]), [table] * 3, table.schema)
except OSError as problem:
    print(problem.errno)
"""


def test_a_full_disk_is_an_error_and_not_the_end_of_the_process(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path / "f")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"{errno.EFBIG}\n"), done.stderr


INTERRUPT = """
import itertools, os, signal, sys
from pathlib import Path
import pyarrow as pa
from tasks.io.store.release_parquet import write_parquet
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a shell has started with &
table = pa.table({"n": range(3)})
def without_end():
    yield table
    os.kill(os.getpid(), signal.SIGINT)
    yield from left
left = itertools.repeat(table, 100_000)
try:
    write_parquet(Path(sys.argv[1]), without_end(), table.schema)
except KeyboardInterrupt:
    print("interrupted early" if next(left, None) else "interrupted late")
"""


def test_an_interruption_ends_the_writing_after_the_row_group(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPT, str(tmp_path / "f")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "interrupted early\n"), done.stderr


BLOBS = [bytes([number]) * size for number, size in enumerate((5, 0, 3000, 70_000, 1))]


def wanted(store: Store, blobs: list[bytes]) -> ImageGroup:
    return ImageGroup([store.write_blob(blob) for blob in blobs], np.array([len(blob) for blob in blobs], np.int64))


@pytest.fixture(params=["local", "memory", "overlay"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    url = f"memory://{tmp_path}" if request.param == "memory" else str(tmp_path)
    return Store(url, is_overlay=request.param == "overlay")


@pytest.mark.parametrize("sizes", [[], [5], [1, 2, 2], [2, 2, 1, 0], [1] * 5])
def test_each_group_holds_its_images_whatever_lies_in_the_groups_beside_it(store: Store, sizes: list[int]):
    ends = np.cumsum(sizes).tolist()
    groups = [BLOBS[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    found = []
    for array in image_bytes(store, (wanted(store, group) for group in groups)):
        array.validate(full=True)
        assert array.type == pa.binary()
        found.append(array.to_pylist())  # copied: the next group may take the place of this
    assert found == groups


def test_memory_serves_every_group_again(store: Store):
    groups = [wanted(store, [BLOBS[3]]) for _ in range(5)]
    addresses = [array.buffers()[2].address for array in image_bytes(store, groups)]
    assert len({*addresses}) == 1


def test_a_blob_that_is_gone_or_damaged_ends_the_writing(store: Store):
    for change in (b"other", BLOBS[2] + b"more", BLOBS[2][:-1], BLOBS[3][:3000]):
        group = wanted(store, [BLOBS[0], BLOBS[2]])
        store.write_bytes(blob_path(group.sha256s[1]), change)
        with pytest.raises(DamagedFile, match="got other bytes"):
            list(image_bytes(store, [group, wanted(store, [BLOBS[0]])]))
        with pytest.raises(DamagedFile, match=r"nothing there|got other bytes"):
            list(image_bytes(store, [group]))
