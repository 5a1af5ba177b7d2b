"""A release's rows, as its checks read them."""

import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from tasks.io.store.releases import Release

_FOLDER = re.compile(r"/split=([^/]+)/")


def columns_of(release: Release, table: str, names: list[str]) -> pa.Table:
    """Some columns of a table, whole."""
    batches = [batch.select(names) for batch in release.batches(table)]
    return pa.Table.from_batches(
        batches,
        batches[0].schema if batches else release.schema(release.parts(table)[0]).empty_table().select(names).schema,
    )


def rows_of(release: Release, table: str) -> Iterator[dict[str, Any]]:
    """Rows of a table without image bytes.

    Each has the `folder` that its file lies in, `split=<folder>`, and an image the `path` of its file.
    """
    for path in release.parts(table):
        folder = _FOLDER.search(path)
        for batch in release.table(path, but="image.bytes").to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                yield {**row, "folder": folder and folder[1], "path": (row.get("image") or {}).get("path")}


def splits_of(release: Release) -> list[str]:
    """Splits that the release has, with images or without: those of the recipe, and of the folders of its images."""
    split = release.recipe().stage("split")
    folders = (_FOLDER.search(path) for path in release.parts("images"))
    return sorted({*((split and split.ratios) or ()), *(folder[1] for folder in folders if folder)})
