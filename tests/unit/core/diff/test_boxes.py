"""Boxes that came, went or changed."""

from typing import Any

import pytest

from schemas.tables import BOXES
from tasks.core.diff.boxes import boxes
from tasks.core.diff.fields import Common
from tests.support.sides import RECIPE, box, kept, pair, recipe, side


def changed(before: Any, after: Any) -> list[dict[str, Any]]:
    return [row for table in boxes(Common(pair(before, after))) for row in table.to_pylist()]


def detected(number: int, name: str = "plain@1") -> Any:
    return box(number, "m:1", "detector", origin_name=name, score=0.5)


CASES = {
    "one more": ([], [box(1, "m:1")], {}, ("0", "1"), "1 came, 0 went, 0 changed", "source_annotations"),
    "one less": (
        [box(1, "m:1"), box(2, "m:1")],
        [box(2, "m:1")],
        {},
        ("2", "1"),
        "0 came, 1 went, 0 changed",
        "source_annotations",
    ),
    "moved": ([box(1, "m:1")], [box(2, "m:1")], {}, ("1", "1"), "0 came, 0 went, 1 changed", "source_annotations"),
    "of another category": (
        [box(1, "m:1")],
        [box(2, "m:1", category_id=2)],
        {},
        ("1", "1"),
        "1 came, 1 went, 0 changed",
        "source_annotations",
    ),
    "the same number, another box": (
        [box(1, "m:1")],
        [box(1, "m:1", xywh_px=[0.0, 0.0, 8.0, 9.0])],
        {},
        ("1", "1"),
        "0 came, 0 went, 1 changed",
        "source_annotations",
    ),
    "the same box, another outline": (
        [box(1, "m:1", segmentation="[[1,2,3,4,5,6]]")],
        [box(1, "m:1", source_area_px2=3.5)],
        {},
        ("1", "1"),
        "0 came, 0 went, 1 changed",
        "source_annotations",
    ),
    "other keypoints": (
        [box(1, "m:1")],
        [box(1, "m:1", keypoints_xyv=[1.0] * 51)],
        {},
        ("1", "1"),
        "0 came, 0 went, 1 changed",
        "source_annotations",
    ),
    "by the source's settings": (
        [],
        [box(1, "m:1")],
        {"recipe": {**RECIPE, "sources": [{"folder": {"name": "m", "annotations": "voc"}}]}},
        ("0", "1"),
        "1 came, 0 went, 0 changed",
        "settings",
    ),
    "another detector": (
        [detected(1)],
        [detected(2, "plain@2")],
        {},
        ("1", "1"),
        "0 came, 0 went, 1 changed",
        "detector",
    ),
    "the detector's settings": (
        [detected(1)],
        [],
        {"recipe": recipe(detect={"least_score": 0.9})},
        ("1", "0"),
        "0 came, 1 went, 0 changed",
        "settings",
    ),
    "another keypoint scheme": (
        [box(1, "m:1", keypoints_xyv=[1.0] * 51)],
        [box(1, "m:1")],
        {"recipe": {**RECIPE, "keypoint_schemes": {"hand-1": {"joints": ["wrist"]}}}},
        ("1", "1"),
        "0 came, 0 went, 1 changed: keypoint_schemes",
        "settings",
    ),
    "another library": ([detected(1)], [], {"environment": {}}, ("1", "0"), "0 came, 1 went, 0 changed", "program"),
    "the detector says otherwise": (
        [detected(1)],
        [detected(2)],
        {},
        ("1", "1"),
        "0 came, 0 went, 1 changed",
        "measure",
    ),
}


@pytest.mark.parametrize(("one", "other", "more", "numbers", "detail", "reason"), CASES.values(), ids=CASES)
def test_boxes_are_counted_by_image_and_origin(one, other, more, numbers, detail, reason):
    before, after = side([kept("m:1"), kept("m:2")], boxes=one), side([kept("m:1"), kept("m:2")], boxes=other, **more)
    (row,) = changed(before, after)
    assert (row["record_id"], row["before"], row["after"]) == ("m:1", *numbers)
    assert row["detail"].startswith(detail)
    assert row["reason"] == reason
    assert changed(before, before) == []


def test_each_origin_is_a_row_and_another_file_is_a_reason():
    found = changed(
        side([kept("m:1", sha256="a")], boxes=[detected(1)]),
        side([kept("m:1", sha256="b")], boxes=[box(3, "m:1"), box(4, "m:1", "person")]),
    )
    assert [(row["field"], row["reason"]) for row in found] == [
        ("detector", "source_file"),
        ("person", "source_file"),
        ("source", "source_file"),
    ]


def test_boxes_of_images_that_came_or_went_are_no_change_of_their_own():
    assert changed(side([kept("m:1")], boxes=[box(1, "m:1")]), side([kept("m:2")], boxes=[box(2, "m:2")])) == []


def test_a_number_that_stands_twice_is_refused():
    twice = side([kept("m:1")], boxes=[box(1, "m:1"), box(1, "m:1")])
    with pytest.raises(ValueError, match="an annotation_id that stands twice"):
        changed(twice, twice)


def test_what_only_one_release_has_columns_for_is_no_change():
    drawn = [box(1, "m:1", source_area_px2=3.5, source_coco="{}")]
    fewer = [name for name in BOXES.names if name not in {"source_area_px2", "segmentation", "source_coco"}]
    before = side([kept("m:1")], boxes=[box(1, "m:1")], box_columns=fewer)
    assert changed(before, side([kept("m:1")], boxes=drawn)) == []
