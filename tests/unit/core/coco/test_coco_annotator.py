"""COCO Annotator's export: what it marks as deleted, as a box, and as not looked at."""

import json
from typing import Any

import pytest

from schemas.errors import BadInput
from tasks.core.coco.source import read_figures
from tests.support.keypoints import COCO_17, NAMES

PERSON = {"person": COCO_17}
CORNERS = [[4, 2, 4, 6, 1, 6, 1, 2]]


def image(number: int, **more: Any) -> dict[str, Any]:
    return {"id": number, "file_name": f"{number}.jpg", "dataset_id": 1, "deleted": False, "annotated": True, **more}


def box(number: int, image_id: int, **more: Any) -> dict[str, Any]:
    plain = {"id": number, "image_id": image_id, "category_id": 1, "bbox": [1, 2, 3, 4], "area": 12, "iscrowd": False}
    return {**plain, "segmentation": CORNERS, "isbbox": True, "color": "#fff", **more}


DOCUMENT = {
    "categories": [{"id": 1, "name": "person", "supercategory": ""}],
    "images": [
        image(1),
        image(2, annotated=False),
        image(3, annotated=False),
        image(4, deleted=True),
        image(5),
        {"id": 6, "file_name": "6.jpg"},
    ],
    "annotations": [box(1, 1), box(2, 3, isbbox=False), box(3, 5, deleted=True)],
}


def test_its_marks_are_heeded():
    found = read_figures("file", json.dumps(DOCUMENT).encode(), PERSON, "coco_annotator")
    drawn = {name: image.figures for name, image in found.by_file_name.items()}
    assert {name: None if of is None else len(of) for name, of in drawn.items()} == {
        "1.jpg": 1,
        "2.jpg": None,
        "3.jpg": 1,
        "5.jpg": 0,
        "6.jpg": None,  # exports of some versions do not say who was looked at
    }
    first, third = (drawn[name] or [] for name in ("1.jpg", "3.jpg"))
    assert first[0]["segmentation"] is None  # its box once more
    assert third[0]["segmentation"] is not None
    counts = [(row.kind, row.count) for tally in found.left_out for row in tally.kinds()]
    assert counts == [("images that are deleted in the tool", 1), ("annotations that are deleted in the tool", 1)]


def test_key_points_alone_have_the_box_around_them():
    points = [5, 6, 2, 9, 16, 1, *[0] * 45]
    pose = box(1, 1, bbox=[0, 0, 0, 0], isbbox=False, segmentation=[], keypoints=points, num_keypoints=2)
    category = {"id": 1, "name": "person", "keypoints": NAMES}
    document = {"categories": [category], "images": [image(1)], "annotations": [pose]}
    found = read_figures("file", json.dumps(document).encode(), PERSON, "coco_annotator").by_file_name["1.jpg"].figures
    assert found is not None
    assert found[0]["xywh_px"] == [5, 6, 4, 10]
    assert found[0]["keypoints_xyv"][:6] == [5, 6, 2, 9, 16, 1]


def test_coco_itself_knows_none_of_these_marks():
    found = read_figures("file", json.dumps(DOCUMENT).encode(), PERSON)
    assert {name: len(image.figures or ()) for name, image in found.by_file_name.items()} == {
        **{"1.jpg": 1, "2.jpg": 0, "3.jpg": 1},
        **{"4.jpg": 0, "5.jpg": 1, "6.jpg": 0},
    }


@pytest.mark.parametrize("data", [b"[]", b"{}", b'{"images": [], "annotations": 7, "categories": []}', b"<a/>"])
def test_what_is_no_coco_file_is_refused_as_there(data: bytes):
    with pytest.raises(BadInput, match=r"^file: expected"):
        read_figures("file", data, PERSON, "coco_annotator")
