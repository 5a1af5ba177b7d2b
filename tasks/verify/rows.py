"""A release's rows, as its checks read them."""

from collections.abc import Collection, Iterator
from typing import Any

import pyarrow as pa

from tasks.core.export import digest, row_groups
from tasks.io.store.release_tables import split_of_path
from tasks.io.store.releases import Release


def columns_of(release: Release, table: str, names: list[str]) -> pa.Table:
    """Some columns of a table, whole, in plain types: its files may hold dictionaries or not."""
    read = release.column_reader(table)
    return pa.table({name: read(name) for name in names})


def rows_of(release: Release, table: str, columns: Collection[str] | None = None) -> Iterator[dict[str, Any]]:
    """Rows of a table without image bytes. columns: by default all.

    Each has the `split_of_file`, which the name of its file says, and an image the `path` of its file.
    """
    for path in release.parts(table):
        split = split_of_path(path)
        whole = release.table(path, but="image.bytes")
        shown = whole if columns is None else whole.select([name for name in whole.column_names if name in columns])
        for batch in shown.to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                yield {**row, "split_of_file": split, "path": (row.get("image") or {}).get("path")}


def splits_of(release: Release) -> list[str]:
    """Splits that the release has, with images or without: those of the recipe, and of the files of its images."""
    split = release.recipe().stage("split")
    of_files = (split_of_path(path) for path in release.parts("images"))
    return sorted({*((split and split.ratios) or ()), *(name for name in of_files if name)})


def order_of(table: str) -> tuple[str, ...]:
    """Columns by which the rows of a split stand."""
    return row_groups.ORDER.get(table, (digest.PRIMARY_KEYS[table],))
