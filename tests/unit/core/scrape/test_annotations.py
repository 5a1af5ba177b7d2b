"""What people drew, from a source's files to its tables: the parts that all formats share are in test_sources.py."""

import io
from typing import Any

import pytest

from schemas.sources.common import Annotations
from schemas.sources.folder import FolderSource
from schemas.sources.table import TableSource
from tasks.core.coco.reader import SizePx
from tasks.core.scrape import sources
from tests.support.keypoints import COCO_17

Files = dict[str, bytes]
YOLO = Annotations(format="yolo", path="data.yaml")
FOLDER = FolderSource(name="art", pattern="images/{title}.jpg", annotations=YOLO)
TABLE = TableSource(name="art", table="works.csv", columns={"key": "id", "image": "file"}, annotations=YOLO)
IMAGES: Files = {f"images/{name}.jpg": b"" for name in "abc"}
FILES: Files = {
    **IMAGES,
    "data.yaml": b"names: [horse, person]",
    "labels/a.txt": b"1 0.5 0.5 0.5 0.5\n0 0.5 0.5 1 1\n",
    "labels/b.txt": b"",
}


def listed(source: Any, files: Files) -> sources.SourceTables:
    asked, measured = set[str](), set[str]()

    def read(path: str) -> io.BytesIO | None:
        asked.add(path)
        return io.BytesIO(files[path]) if path in files else None

    def size_of(path: str) -> SizePx:
        measured.add(path)
        return 40, 20

    got = sources.tables_of_source(source, sorted(files), read, list, {"person": COCO_17}, None, size_of)  # type: ignore[arg-type]
    assert asked & files.keys() <= {*sources.files_to_read(source, sorted(files))}
    assert measured <= {*sources.images_to_measure(source, sorted(files))}
    return got


def said(got: sources.SourceTables) -> dict[str, Any]:
    drawn = {row["record_id"]: row["figures"] for row in got.figures.to_pylist()}
    return {
        row["record_id"]: [one["xywh_px"] for one in drawn[row["record_id"]]] if row["is_annotated"] else None
        for row in got.records.to_pylist()
    }


def test_figures_of_the_recipes_categories_from_yolos_texts():
    got = listed(FOLDER, FILES)
    assert said(got) == {"art:images/a.jpg": [[10, 5, 20, 10]], "art:images/b.jpg": [], "art:images/c.jpg": None}
    assert {row.kind: row.count for row in got.passed_over} == {
        "images without an annotation": 1,
        "annotations of categories that the recipe does not have": 1,
    }
    assert got.figures.to_pylist()[0]["width_px"] == 40
    (head,) = got.coco_files.to_pylist()
    assert (head["source"], head["path"], head["annotations"]) == ("art", "data.yaml", 2)
    assert head["categories"] == '[{"id":1,"name":"horse"},{"id":2,"name":"person"}]'


@pytest.mark.parametrize(("missing", "expected"), [("unknown", None), ("no_figures", [])])
def test_what_a_missing_text_means_is_the_recipes_word(missing: Any, expected: Any):
    source = FOLDER.model_copy(update={"annotations": YOLO.model_copy(update={"missing": missing})})
    assert said(listed(source, FILES))["art:images/c.jpg"] == expected


@pytest.mark.parametrize("missing", ["unknown", "no_figures"])
def test_a_text_that_can_not_be_read_is_no_missing_one(missing: Any):
    source = FOLDER.model_copy(update={"annotations": YOLO.model_copy(update={"missing": missing})})
    got = listed(source, {**FILES, "labels/b.txt": b"1 2 2 2 2"})
    assert said(got)["art:images/b.jpg"] is None
    details = dict(zip(got.records["record_id"].to_pylist(), got.records["detail"].to_pylist(), strict=True))
    assert details["art:images/b.jpg"].startswith("annotation unreadable, so left out: line 1: expected shares")


def test_a_table_whose_images_are_files():
    works = b"id,file\n1,images/a.jpg\n2,images/b.jpg\n3,images/none.jpg\n"
    assert said(listed(TABLE, {**FILES, "works.csv": works})) == {
        "art:1": [[10, 5, 20, 10]],
        "art:2": [],
        "art:3": None,
    }


def test_an_image_that_is_called_otherwise_than_it_is_listed_is_no_missing_one():
    source = TABLE.model_copy(update={"annotations": YOLO.model_copy(update={"missing": "no_figures"})})
    works = b"id,file\n1,images/a.jpg\n2,images/./a.jpg\n3,images/c.jpg\n"
    assert said(listed(source, {**FILES, "works.csv": works})) == {
        "art:1": [[10, 5, 20, 10]],
        "art:2": None,
        "art:3": [],
    }


def test_only_images_with_a_text_are_measured():
    assert sources.images_to_measure(FOLDER, sorted(FILES)) == ["images/a.jpg", "images/b.jpg"]
    assert sources.images_to_measure(FOLDER.model_copy(update={"annotations": None}), sorted(FILES)) == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"format": "coco", "labels": "x"}, "expected labels with format yolo alone, got 'x' with coco"),
        ({"format": "yolo", "folder": "x"}, "expected labels beside the folder 'x' with format yolo, got none"),
        ({"format": "yolo", "corners": "exclusive"}, "expected corners with format voc alone, got exclusive with yolo"),
    ],
)
def test_settings_of_another_format_are_refused(settings: Any, message: str):
    with pytest.raises(ValueError, match=message):
        Annotations(path="data.yaml", **settings)
