"""The files of a release's tables, as Parquet's own reader sees them."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.tables import IMAGES, LEDGER
from tasks.io.store.release_parquet import groups_of, write_parquet


def test_a_file_has_a_row_group_for_each_table_with_rows_and_leaves_image_bytes_as_they_are(tmp_path: Path):
    groups = [
        pa.Table.from_pylist([{"record_id": f"{n}", "image": {"bytes": bytes([n]) * 5000, "path": "a"}}] * n, IMAGES)
        for n in (1, 3, 0, 2)
    ]
    path = tmp_path / "images.parquet"
    assert write_parquet(path, iter(groups), IMAGES) == 6
    read = pq.ParquetFile(path)
    columns = [read.metadata.row_group(0).column(place) for place in range(read.metadata.num_columns)]
    codecs = {column.path_in_schema: column.compression for column in columns}

    assert [read.metadata.row_group(n).num_rows for n in range(read.num_row_groups)] == [1, 3, 2]
    assert (codecs["record_id"], codecs["image.bytes"], codecs["image.path"]) == ("ZSTD", "UNCOMPRESSED", "ZSTD")
    assert read.read() == pa.concat_tables(groups)
    assert read.schema_arrow == IMAGES


def test_a_table_without_rows_is_a_file_without_row_groups(tmp_path: Path):
    path = tmp_path / "ledger.parquet"
    assert write_parquet(path, groups_of(LEDGER.empty_table(), LEDGER), LEDGER) == 0
    assert pq.ParquetFile(path).num_row_groups == 0
    assert pq.read_table(path) == LEDGER.empty_table()


def test_other_tables_come_in_groups_of_bounded_rows():
    table = pa.table({"n": pa.chunked_array([range(150_000), range(100_001)])})
    groups = list(groups_of(table, table.schema))
    assert [group.num_rows for group in groups] == [100_000, 100_000, 50_001]
    assert pa.concat_tables(groups) == table
