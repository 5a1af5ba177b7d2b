"""The files of images and annotations, as they are written from tables and blobs."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.errors import DamagedFile
from schemas.export import Export
from schemas.tables import ANNOTATIONS, DETECTIONS, IMAGES
from tasks.core.export.images import IMAGES_BY_DIGEST
from tasks.export.parts import write_boxes, write_images
from tasks.io.store.drafts import Draft
from tasks.io.store.store import Store

STYLES = ["b", None, "a", "b", "b", "a"]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store(str(tmp_path))
    found.check_writable()
    return found


def rows(
    store: Store, styles: list[str | None], ids: Sequence[int] | None = None, *, is_embedded: bool = True
) -> pa.Table:
    """Images of these styles, the later ones with lower ids, unless they have these."""
    ids = ids or range(len(styles), 0, -1)
    blobs = [store.write_blob(bytes([number]) * 20_000) for number in range(len(styles))]
    return pa.Table.from_pylist(
        [
            {
                "record_id": f"m:{number}",
                "image_id": ids[number],
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
        write_images(draft, store, store.blob_sizes(), export, ["val"], table, {"style_label": ["b", "a"]})
        paths = [path for path in sorted(draft.files) if path.endswith(".parquet")]
        return {path: pq.ParquetFile(pa.BufferReader((draft.folder / path).read_bytes())) for path in paths}


def features_of(file: pq.ParquetFile) -> Any:
    """What Hugging Face `datasets` makes of columns otherwise than by their Arrow types."""
    return json.loads(file.schema_arrow.metadata[b"huggingface"])["info"]["features"]


def styles_of_groups(file: pq.ParquetFile) -> list[list[str | None]]:
    return [file.read_row_group(number)["style"].to_pylist() for number in range(file.num_row_groups)]


def test_embedded_images_lie_by_their_ids_whatever_their_styles(store: Store):
    found = written(store, rows(store, STYLES), parquet={"row_group_rows": 4})
    (file,) = found.values()
    assert list(found) == ["images/val-00000-of-00001.parquet"]
    assert styles_of_groups(file) == [["a", "b", "b", "a"], [None, "b"]]
    table = file.read()
    assert table["image_id"].to_pylist() == [1, 2, 3, 4, 5, 6]
    assert table.schema == IMAGES
    classes = {"_type": "ClassLabel", "names": ["b", "a"]}
    assert features_of(file) == {"image": {"_type": "Image"}, "style_label": classes}
    assert [hashlib.sha256(row["bytes"]).hexdigest() for row in table["image"].to_pylist()] == table[
        "sha256"
    ].to_pylist()
    assert table["image"][0].as_py()["path"] == f"media/{table['sha256'][0]}.jpg"


def test_where_a_recipe_asks_for_it_they_lie_by_style_each_in_row_groups_of_its_own(store: Store):
    found = written(store, rows(store, STYLES), parquet={"row_group_rows": 2, "order": "style"})
    (file,) = found.values()
    assert styles_of_groups(file) == [["a", "a"], ["b", "b"], ["b"], [None]]
    assert file.read()["image_id"].to_pylist() == [1, 4, 2, 3, 6, 5]


def test_files_double_before_one_is_too_large(store: Store):
    spread = [number * 2**53 // 60 + 1 for number in range(60)]
    table = rows(store, ["a"] * 60, spread)
    found = written(store, table, parquet={"row_group_bytes": 100_000, "part_bytes": 1_000_000})
    assert list(found) == [f"images/val-0000{number}-of-00002.parquet" for number in range(2)]
    firsts = [file.read()["image_id"].to_pylist() for file in found.values()]
    assert firsts == [spread[:30], spread[30:]]


def test_by_style_a_file_ends_before_it_is_too_large(store: Store):
    settings = {"row_group_bytes": 100_000, "part_bytes": 1_000_000, "order": "style"}
    found = written(store, rows(store, ["a"] * 60), parquet=settings)
    assert list(found) == [f"images/val-0000{number}-of-00002.parquet" for number in range(2)]
    assert sum(file.metadata.num_rows for file in found.values()) == 60


def test_images_that_are_only_named_need_no_small_groups_and_are_no_images_to_datasets(store: Store):
    table = rows(store, STYLES, is_embedded=False)
    (file,) = written(store, table, parquet={"images": "none", "row_group_rows": 1, "order": "style"}).values()
    assert styles_of_groups(file) == [["a", "a", "b", "b", "b", None]]
    assert file.read()["image"].to_pylist()[0]["bytes"] is None
    assert features_of(file).keys() == {"style_label"}


@pytest.mark.parametrize("kind", ["embedded", "none"])
@pytest.mark.parametrize("order", ["image_id", "style"])
def test_a_split_without_images_has_a_file_without_row_groups(store: Store, kind: str, order: str):
    found = written(store, rows(store, []), parquet={"images": kind, "order": order})
    assert {path: file.num_row_groups for path, file in found.items()} == {"images/val-00000-of-00001.parquet": 0}


def test_an_image_whose_blob_is_gone_is_told(store: Store):
    table = rows(store, STYLES)
    store.remove(f"blobs/{table['sha256'][0].as_py()[:2]}/{table['sha256'][0]}")
    with pytest.raises(DamagedFile, match=r"expected blob .* got nothing there"):
        written(store, table)


@pytest.mark.parametrize(
    ("table", "key", "schema"),
    [("annotations", "annotation_id", ANNOTATIONS), ("detections", "detection_id", DETECTIONS)],
)
def test_boxes_lie_by_image_in_as_many_files_as_these(store: Store, table: str, key: str, schema: pa.Schema):
    ids = [2**52, 1, 2**52, 1]
    boxes = [{key: number, "image_id": image_id, "split": "val"} for number, image_id in enumerate(ids)]
    with Draft(store) as draft:
        write_boxes(draft, table, "val", pa.Table.from_pylist(boxes, schema), 2, ["person", "horse"])
        write_boxes(draft, table, "test", schema.empty_table(), 1, ["person", "horse"])
        found = [draft.folder / f"{table}/val-0000{number}-of-00002.parquet" for number in range(2)]
        files = [pq.ParquetFile(path) for path in found]
        assert [file.read()[key].to_pylist() for file in files] == [[1, 3], [0, 2]]
        classes = {"_type": "ClassLabel", "names": ["person", "horse"]}
        assert [features_of(file) for file in files] == [{"category_label": classes}] * 2
        assert draft.files[f"{table}/test-00000-of-00001.parquet"].rows == 0
