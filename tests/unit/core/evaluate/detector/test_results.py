"""What other programs have found: boxes by the truth's image ids, and one sentence for anything else."""

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import BadInput
from schemas.tables import ANNOTATED_IMAGES, BOXES, DETECT
from tasks.core.evaluate.detector.results import detections_of_release, detections_of_results
from tasks.core.evaluate.matching import detections_of_measure

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


@pytest.mark.parametrize(
    "bbox",
    [[1.04, 2.06, 3.08, 4.0], [-5.0, -5.0, 10.0, 10.0], [1e6, 0.0, 1e6, 1.0], [1.0, 2.0, 0.0, 4.0], [1, 2, 1e-9, 4]],
    ids=["not rounded", "not clipped", "not left out beside the picture", "a side of 0", "a very thin one"],
)
def test_a_box_is_taken_as_it_is_given(bbox: list[float]):
    found, notes = read([{**BOX, "bbox": bbox}])
    assert (found.xywh_px.tolist(), notes) == ([bbox], ())


def test_any_finite_score_is_taken_as_it_is_and_equal_ones_in_the_order_of_the_file():
    found, _ = read([{**BOX, "score": score} for score in (-1.25, 17.5, 4e-4, 1e-4)])
    assert found.score.tolist() == [17.5, 4e-4, 1e-4, -1.25]
    found, _ = read([{**BOX, "bbox": [x, 0, 9, 9]} for x in (3, 1, 2)])
    assert found.xywh_px[:, 0].tolist() == [3, 1, 2]


def test_stored_boxes_have_one_order_wherever_they_come_from():
    """By their coordinates where scores are equal, as a detector's often are, to 0.001: as a file that is sorted so."""
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
    rows.sort(key=lambda row: row["bbox"])
    first = read(rows)[0]
    release = pa.Table.from_pylist(
        [
            {**row, "annotation_id": number, "xywh_px": row["bbox"], "origin": "detector", "origin_name": "a"}
            for number, row in enumerate(rows[::-1])
        ],
        schema=BOXES,
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
        detections_of_release(IMAGES, release, {"person": 1})["a"]["person"],
        detections_of_measure(images, measured, "person"),
    ]
    for other in others:
        assert [one.tolist() for one in other] == [one.tolist() for one in first]


def test_images_of_the_truth_that_are_not_compared_are_left_out_with_a_note():
    found, notes = read([BOX, {**BOX, "image_id": 12}])
    assert len(found.image) == 1
    assert notes == ("theirs: left out boxes in 1 images that are not compared",)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"a": 1}, "theirs: expected COCO results, a list of boxes, got dict"),
        ([BOX, {**BOX, "score": "x"}], "theirs[1]: expected a finite score, got 'x'"),
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
    got = detections_of_release(IMAGES, pa.Table.from_pylist(rows, schema=BOXES), {"person": 1, "dog": 2})
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
