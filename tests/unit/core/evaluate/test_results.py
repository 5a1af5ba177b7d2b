"""What other programs have found: boxes by the truth's image ids, and one sentence for anything else."""

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.detect import Detect
from schemas.errors import BadInput
from schemas.tables import ANNOTATED_IMAGES, ANNOTATIONS, DETECT
from tasks.core.detect.boxes import figures
from tasks.core.evaluate.matching import detections_of_measure
from tasks.core.evaluate.results import detections_of_release, detections_of_results

IMAGES = pa.Table.from_pylist([{"image_id": 3}, {"image_id": 9}], schema=ANNOTATED_IMAGES)
BOX = {"image_id": 9, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5}


def read(rows: Any, category_id: int = 1) -> Any:
    found, notes = detections_of_results("theirs", json.dumps(rows).encode(), IMAGES, {12}, {"person": category_id})
    return found["person"], notes


def test_boxes_of_the_category_by_image_and_falling_score():
    found, notes = read([BOX, {**BOX, "score": 0.9}, {**BOX, "image_id": 3}, {**BOX, "category_id": 2}])
    assert (found.image.tolist(), found.score.tolist()) == ([0, 1, 1], [0.5, 0.9, 0.5])
    assert notes == ("theirs: left out 1 box of other categories",)
    assert found.xywh_px[0].tolist() == [1, 2, 3, 4]


def test_an_empty_list_has_found_nothing():
    assert [len(values) for values in read([])[0]] == [0, 0, 0]


SIZED = pa.Table.from_pylist(
    [{"image_id": 3, "width_px": 100, "height_px": 50}, {"image_id": 9, "width_px": 60, "height_px": 80}],
    schema=ANNOTATED_IMAGES,
)


@pytest.mark.parametrize(
    ("bbox", "expected"),
    [
        pytest.param([1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0], id="as it is"),
        pytest.param([1.04, 2.06, 3.08, 4], [1.0, 2.1, 3.1, 4.0], id="its corners are rounded, not its sides"),
        pytest.param([-5, -5, 10, 10], [0.0, 0.0, 5.0, 5.0], id="clipped above and to the left"),
        pytest.param([55, 70, 100, 100], [55.0, 70.0, 5.0, 10.0], id="clipped below and to the right"),
        pytest.param([0.05, 0.15, 7.25, 3.35], [0.1, 0.2, 7.2, 3.3], id="half a tenth"),
        pytest.param([60, 0, 10, 10], None, id="beside the picture"),
        pytest.param([1, 2, 0.04, 4], None, id="less than a tenth of a pixel"),
    ],
)
def test_a_box_of_a_file_is_what_detect_would_have_stored(bbox: list[float], expected: list[float] | None):
    row = {**BOX, "bbox": bbox, "score": 0.1235}
    found, notes = detections_of_results("theirs", json.dumps([row]).encode(), SIZED, (), {"person": 1})
    got = found["person"]
    corners = np.array([[bbox[0], bbox[1], bbox[0] + bbox[2], bbox[1] + bbox[3]]], np.float32)
    score, label = np.array([0.1235], np.float32), np.zeros(1, np.int64)
    stored = figures(corners, score, label, None, (60, 80), Detect(model="yolox"))
    assert [*zip(got.xywh_px.tolist(), got.score.tolist(), strict=True)] == [
        (figure["xywh_px"], figure["score"]) for figure in stored
    ]
    assert (got.xywh_px.tolist(), len(notes)) == (([], 1) if expected is None else ([expected], 0))


def test_the_same_boxes_have_one_order_wherever_they_come_from():
    """Many of one score, as a detector's are, to 0.001; so are the same boxes in two images of one file."""
    draw = np.random.default_rng(7)
    rows = [
        {
            "image_id": int(draw.choice([3, 9])),
            "category_id": 1,
            "bbox": [*map(float, draw.integers(0, 4, 2)), *map(float, draw.integers(1, 4, 2))],
            "score": float(draw.choice([0.3, 0.5, 0.75])),
        }
        for _ in range(300)
    ]
    first = read(rows)[0]
    release = pa.Table.from_pylist(
        [
            {**row, "annotation_id": number, "xywh_px": row["bbox"], "origin": "detector", "origin_name": "a"}
            for number, row in enumerate(rows)
        ],
        schema=ANNOTATIONS,
    )
    measured = pa.Table.from_pylist(
        [
            {
                "sha256": str(number),
                "figures": [
                    {"category": "person", "xywh_px": row["bbox"], "score": row["score"]}
                    for row in rows
                    if row["image_id"] == number
                ],
            }
            for number in (3, 9)
        ],
        schema=DETECT,
    )
    images = IMAGES.set_column(1, "sha256", pa.array(["3", "9"]))
    others = [
        read(rows[::-1])[0],
        detections_of_release(IMAGES, release, {"person": 1})["a"]["person"],
        detections_of_measure(images, measured, "person"),
    ]
    for other in others:
        assert [one.tolist() for one in other] == [one.tolist() for one in first]


def test_images_of_the_truth_that_are_not_compared_are_left_out_with_a_note():
    found, notes = read([BOX, {**BOX, "image_id": 12}])
    assert len(found.image) == 1
    assert notes == ("theirs: left out boxes in 1 images that are not compared",)


def test_any_finite_scores_are_taken_as_they_are_where_they_are_asked_for():
    rows = [{**BOX, "score": score} for score in (-1.25, 17.5, 0.50011, 0.50012)]
    ids = {"person": 1}
    found, _ = detections_of_results("theirs", json.dumps(rows).encode(), IMAGES, {12}, ids, any_score=True)
    assert found["person"].score.tolist() == [17.5, 0.50012, 0.50011, -1.25]
    empty, _ = detections_of_results("theirs", b"[]", IMAGES, {12}, ids, any_score=True)
    assert (empty["person"].score.shape, empty["person"].score.dtype) == ((0,), np.float64)


def test_an_empty_box_is_left_out_with_a_note():
    got, notes = read([BOX, {**BOX, "bbox": [1, 2, 0, 4]}])
    assert len(got.image) == 1
    assert notes == ("theirs: left out 1 boxes with a side of 0",)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"a": 1}, "theirs: expected COCO results, a list of boxes, got dict"),
        ([BOX, {**BOX, "score": 2}], "theirs[1]: expected a score of 0 to 1, got 2"),
        (
            [{**BOX, "category_id": 2}] * 2,
            "theirs: expected boxes of the category 1 in the images that are compared, got 2 boxes, 2 of them of other",
        ),
        ([{**BOX, "image_id": 12}], "in the images that are compared, got 1 box, 0 of them of other categories"),
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
    got = detections_of_release(IMAGES, pa.Table.from_pylist(rows, schema=ANNOTATIONS), {"person": 1, "dog": 2})
    scores = {name: {category: boxes.score.tolist() for category, boxes in own.items()} for name, own in got.items()}
    assert scores == {"a": {"person": [], "dog": []}, "b": {"person": [0.7, 0.5], "dog": [0.5]}}


def test_boxes_of_several_categories_are_told_apart():
    rows = [BOX, {**BOX, "category_id": 7, "score": 0.9}, {**BOX, "category_id": 8}, {**BOX, "category_id": 7}]
    ids = {"person": 1, "eel": 4, "dog": 7}
    found, notes = detections_of_results("theirs", json.dumps(rows).encode(), IMAGES, {12}, ids)
    assert {name: boxes.score.tolist() for name, boxes in found.items()} == {
        "person": [0.5],
        "eel": [],
        "dog": [0.9, 0.5],
    }
    assert notes == ("theirs: left out 1 box of other categories",)
