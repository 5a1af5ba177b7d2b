"""What other programs have found: boxes by the truth's image ids, and one sentence for anything else."""

import json
from typing import Any

import pyarrow as pa
import pytest

from schemas.errors import BadInput
from schemas.tables import ANNOTATED_IMAGES, ANNOTATIONS
from tasks.core.evaluate.results import detections_of_release, detections_of_results

IMAGES = pa.Table.from_pylist([{"image_id": 3}, {"image_id": 9}], schema=ANNOTATED_IMAGES)
BOX = {"image_id": 9, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5}


def read(rows: Any, category_id: int = 1) -> Any:
    return detections_of_results("theirs", json.dumps(rows).encode(), IMAGES, {12}, category_id)


def test_boxes_of_the_category_by_image_and_falling_score():
    found, notes = read([BOX, {**BOX, "score": 0.9}, {**BOX, "image_id": 3}, {**BOX, "category_id": 2}])
    assert (found.image.tolist(), found.score.tolist(), notes) == ([0, 1, 1], [0.5, 0.9, 0.5], ())
    assert found.xywh_px[0].tolist() == [1, 2, 3, 4]


def test_an_empty_list_has_found_nothing():
    assert [len(values) for values in read([])[0]] == [0, 0, 0]


def test_images_of_the_truth_that_are_not_compared_are_left_out_with_a_note():
    found, notes = read([BOX, {**BOX, "image_id": 12}])
    assert len(found.image) == 1
    assert notes == ("theirs: left out boxes in 1 images that are not compared",)


def test_an_empty_box_is_left_out_with_a_note():
    got, notes = read([BOX, {**BOX, "bbox": [1, 2, 0, 4]}])
    assert len(got.image) == 1
    assert notes == ("theirs: left out 1 boxes with a side of 0",)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"a": 1}, "theirs: expected COCO results, a list of boxes, got dict"),
        ([BOX, {**BOX, "score": 2}], "theirs[1]: expected a score of 0 to 1, got 2"),
        ([{**BOX, "image_id": 4}, {**BOX, "image_id": 5}], "expected the truth's image ids, got 2 other ids (4, 5)"),
        ([{**BOX, "image_id": "9"}], "expected the truth's image ids, got 1 other id (9)"),
    ],
)
def test_anything_else_is_refused_in_one_sentence(rows: Any, said: str):
    with pytest.raises(BadInput) as problem:
        read(rows)
    assert said in str(problem.value)


def test_a_releases_own_detectors_are_told_apart_even_where_one_has_found_nothing():
    row = {
        "image_id": 9,
        "category_id": 1,
        "xywh_px": [1, 2, 3, 4],
        "score": 0.5,
        "origin": "detector",
        "origin_name": "b",
    }
    rows = [
        {**row, "annotation_id": 2},
        {**row, "annotation_id": 1, "score": 0.7},
        {**row, "annotation_id": 3, "origin": "source", "score": None},
        {**row, "annotation_id": 4, "origin_name": "a", "image_id": 77},
        {**row, "annotation_id": 5, "category_id": 2},
    ]
    got = detections_of_release(IMAGES, pa.Table.from_pylist(rows, schema=ANNOTATIONS), 1)
    assert list(got) == ["a", "b"]
    assert (got["a"].score.tolist(), got["b"].score.tolist()) == ([], [0.7, 0.5])
