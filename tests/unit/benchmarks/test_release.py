"""The benchmark of a release's files: what it counts."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import release
from benchmarks.parquet_pages import pages
from tasks.io.store.store import Store


def test_pages_are_all_bytes_of_all_columns(tmp_path: Path):
    path = tmp_path / "n.parquet"
    table = pa.table({"n": range(9000), "text": [f"text {number % 7}" for number in range(9000)], "b": [None] * 9000})
    pq.write_table(table, path, row_group_size=4000, data_page_size=2000, write_batch_size=100, compression="zstd")
    metadata = pq.read_metadata(path)
    found = list(pages(path))
    for place, name in enumerate(table.column_names):
        columns = [metadata.row_group(group).column(place) for group in range(metadata.num_row_groups)]
        assert sum(page.length for page in found if page.column == name) == sum(
            column.total_compressed_size for column in columns
        )
    assert len(found) > 12


def test_one_style_is_read_and_old_images_stay(tmp_path: Path):
    store = Store(str(tmp_path))
    store.check_writable()
    rows = release.table(release.works(100), store)
    with release.written(rows, store, "style") as files:
        before = release.chunks(files)
        read, own, of_style = release.style_bytes(files, "Style 00")
    assert of_style == sum(style == "Style 00" for style in release.works(100).styles)
    assert own <= read <= 1.2 * own
    for new in ("style", "scattered"):
        with release.written(release.table(release.works(100, new), store), store, "style") as files:
            share = release.kept(before, release.chunks(files))
        assert share["kept of images"] == round(100 / 101, 4)
        assert share["kept bytes"] > 0.98
