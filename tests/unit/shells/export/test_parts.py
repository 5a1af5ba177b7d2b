"""The files of images and annotations, as they are written from tables and blobs."""

import hashlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.errors import DamagedFile
from schemas.export import Export
from schemas.tables import ANNOTATIONS, IMAGES
from tasks.core.export.images import IMAGES_BY_DIGEST
from tasks.export.parts import write_annotations, write_images
from tasks.io.store.drafts import Draft
from tasks.io.store.store import Store

STYLES = ["b", None, "a", "b", "b", "a"]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store(str(tmp_path))
    found.check_writable()
    return found


def rows(store: Store, styles: list[str | None], *, is_embedded: bool = True) -> pa.Table:
    blobs = [store.write_blob(bytes([number]) * 20_000) for number in range(len(styles))]
    return pa.Table.from_pylist(
        [
            {
                "record_id": f"m:{number}",
                "style": style,
                "sha256": sha256,
                "split": "val",
                "image": {"bytes": sha256 if is_embedded else None, "path": f"media/{sha256}.jpg"},
            }
            for number, (style, sha256) in enumerate(zip(styles, blobs, strict=True))
        ],
        IMAGES_BY_DIGEST,
    )


def written(store: Store, table: pa.Table, **settings: Any) -> dict[str, pq.ParquetFile]:
    with Draft(store) as draft:
        export = Export.model_validate({"label": "export", **settings})
        write_images(draft, store, store.blob_sizes(), export, ["val"], table)
        paths = [path for path in sorted(draft.files) if path.endswith(".parquet")]
        return {path: pq.ParquetFile(pa.BufferReader((draft.folder / path).read_bytes())) for path in paths}


def styles_of_groups(file: pq.ParquetFile) -> list[list[str | None]]:
    return [file.read_row_group(number)["style"].to_pylist() for number in range(file.num_row_groups)]


def test_embedded_images_lie_by_style_each_in_row_groups_of_its_own(store: Store):
    found = written(store, rows(store, STYLES), parquet={"row_group_rows": 2})
    (file,) = found.values()
    assert list(found) == ["images/val-00000-of-00001.parquet"]
    assert styles_of_groups(file) == [["a", "a"], ["b", "b"], ["b"], [None]]
    table = file.read()
    assert table.schema == IMAGES
    assert b"huggingface" in file.schema_arrow.metadata
    assert [hashlib.sha256(row["bytes"]).hexdigest() for row in table["image"].to_pylist()] == table[
        "sha256"
    ].to_pylist()
    assert table["image"][0].as_py()["path"] == f"media/{table['sha256'][0]}.jpg"


def test_a_file_ends_before_it_is_too_large(store: Store):
    found = written(store, rows(store, ["a"] * 60), parquet={"row_group_bytes": 100_000, "part_bytes": 1_000_000})
    assert list(found) == [f"images/val-0000{number}-of-00002.parquet" for number in range(2)]
    assert sum(file.metadata.num_rows for file in found.values()) == 60


def test_images_that_are_only_named_need_no_small_groups_and_are_no_images_to_datasets(store: Store):
    table = rows(store, STYLES, is_embedded=False)
    (file,) = written(store, table, parquet={"images": "none", "row_group_rows": 1}).values()
    assert styles_of_groups(file) == [["a", "a", "b", "b", "b", None]]
    assert file.read()["image"].to_pylist()[0]["bytes"] is None
    assert b"huggingface" not in (file.schema_arrow.metadata or {})


@pytest.mark.parametrize("kind", ["embedded", "none"])
def test_a_split_without_images_has_a_file_without_row_groups(store: Store, kind: str):
    found = written(store, rows(store, []), parquet={"images": kind})
    assert {path: file.num_row_groups for path, file in found.items()} == {"images/val-00000-of-00001.parquet": 0}


def test_an_image_whose_blob_is_gone_is_told(store: Store):
    table = rows(store, STYLES)
    store.remove(f"blobs/{table['sha256'][0].as_py()[:2]}/{table['sha256'][0]}")
    with pytest.raises(DamagedFile, match=r"expected blob .* got nothing there"):
        written(store, table)


def test_annotations_lie_by_image(store: Store):
    boxes = [
        {"annotation_id": number, "record_id": name, "split": "val"} for number, name in enumerate(["b", "a", "b", "a"])
    ]
    with Draft(store) as draft:
        write_annotations(draft, "val", pa.Table.from_pylist(boxes, ANNOTATIONS))
        write_annotations(draft, "test", ANNOTATIONS.empty_table())
        path = draft.folder / "annotations/val-00000-of-00001.parquet"
        assert pq.ParquetFile(path).read()["annotation_id"].to_pylist() == [1, 3, 0, 2]
        assert draft.files["annotations/test-00000-of-00001.parquet"].rows == 0
