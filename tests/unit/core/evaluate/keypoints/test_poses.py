"""Tables of figures and poses as arrays, and one sentence for what can't be one."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pydantic import ValidationError

from schemas.errors import BadInput
from schemas.evaluate_figures import KeypointSettings
from schemas.tables import ANNOTATED_FIGURES, ANNOTATED_IMAGES
from tasks.core.evaluate.keypoints.poses import posed_figures_of, poses_of, sort_poses

NAN, INF = float("nan"), float("inf")
IMAGES = pa.Table.from_pylist([{"image_id": 3}, {"image_id": 9}], schema=ANNOTATED_IMAGES)
RESULTS = pa.schema(
    [
        ("image_id", pa.int64()),
        ("score", pa.float64()),
        ("keypoints_xyv", pa.list_(pa.float64())),
        ("xywh_px", pa.list_(pa.float64())),
        ("box_id", pa.int64()),
    ]
)
FIGURE = {
    "image_id": 9,
    "category": "person",
    "xywh_px": [10.0, 10.0, 4.0, 5.0],
    "area_px2": 7.0,
    "is_crowd": False,
    "keypoints_xyv": [1.0, 2.0, 2.0, 0.0, 0.0, 0.0],
}
POSE = {"image_id": 9, "score": 0.5, "keypoints_xyv": [1.0, 2.0, 0.7, 4.0, 6.0, 0.1]}


def figures(*rows: dict[str, Any]) -> Any:
    return posed_figures_of(IMAGES, pa.Table.from_pylist([*rows], schema=ANNOTATED_FIGURES), 2)


def poses(*rows: dict[str, Any], columns: int = 5) -> Any:
    table = pa.Table.from_pylist([*rows], schema=RESULTS)
    return poses_of("ours", IMAGES, table.select(RESULTS.names[:columns]), 2)


def test_figures_come_by_image_with_their_joints():
    got = figures(FIGURE, {**FIGURE, "image_id": 3, "keypoints_xyv": None, "is_crowd": True}, FIGURE)
    assert got.drawn.image.tolist() == [0, 1, 1]
    assert got.drawn.is_crowd.tolist() == [True, False, False]
    assert got.keypoints_xyv.tolist() == [[[0.0] * 3] * 2, *[[[1.0, 2.0, 2.0], [0.0, 0.0, 0.0]]] * 2]


@pytest.mark.parametrize(("area", "expected"), [(7.0, 7.0), (0.0, 20.0), (NAN, 20.0), (None, 20.0), (-1.0, 20.0)])
def test_a_figure_without_an_area_has_that_of_its_box(area: float | None, expected: float):
    assert figures({**FIGURE, "area_px2": area}).drawn.area_px2.tolist() == [expected]


@pytest.mark.parametrize("keypoints", [None, [], [0.0] * 6])
def test_a_figure_may_be_unlabelled(keypoints: list[float] | None):
    assert not figures({**FIGURE, "keypoints_xyv": keypoints}).keypoints_xyv.any()


def test_without_figures_there_is_nothing():
    got = figures()
    assert (got.keypoints_xyv.shape, got.drawn.images) == ((0, 2, 3), 2)


@pytest.mark.parametrize(
    ("keypoints", "sentence"),
    [
        ([1.0, 2.0, 2.0], "truth: expected 6 numbers, x, y and visibility of each of 2 joints, got 3"),
        ([1.0, NAN, 2.0, 0.0, 0.0, 0.0], "truth: expected keypoints of at most 10000000 px, got nan"),
        ([1.0, 2.0, 2.0, INF, 0.0, 1.0], "truth: expected keypoints of at most 10000000 px, got inf"),
    ],
)
def test_figures_that_cannot_be_scored_are_refused(keypoints: list[float], sentence: str):
    with pytest.raises(BadInput, match=f"^{sentence}$"):
        figures({**FIGURE, "keypoints_xyv": keypoints})


def test_poses_come_by_image_and_falling_score():
    got = poses(POSE, {**POSE, "score": 7.5}, {**POSE, "image_id": 3, "xywh_px": [0.0, 0.0, 10.0, 20.0]})
    assert (got.image.tolist(), got.score.tolist()) == ([0, 1, 1], [0.5, 7.5, 0.5])
    assert got.keypoints_xy[0].tolist() == [[1.0, 2.0], [4.0, 6.0]]
    # of its box, or of what its points span
    assert got.area_px2.tolist() == [200.0, 12.0, 12.0]


@pytest.mark.parametrize("columns", [3, 4, 5])
def test_boxes_and_their_ids_may_be_missing(columns: int):
    assert poses(POSE, columns=columns).area_px2.tolist() == [12.0]


def test_a_top_down_pose_is_what_it_is_whoever_drew_its_box():
    for one, other in zip(poses({**POSE, "box_id": 77}), poses(POSE), strict=True):
        assert one.tolist() == other.tolist()


def test_nothing_found():
    assert [values.shape for values in poses()] == [(0,), (0, 2, 2), (0,), (0,)]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"image_id": 4}, "ours: expected the truth's image ids, got 4"),
        ({"image_id": None}, "ours: expected the truth's image ids, got None"),
        ({"keypoints_xyv": [1.0] * 9}, "ours: expected 6 numbers, x, y and visibility of each of 2 joints, got 9"),
        ({"keypoints_xyv": None}, "ours: expected keypoints of every pose, got 1 row without"),
        ({"keypoints_xyv": []}, "ours: expected keypoints of every pose, got 1 row without"),
        ({"keypoints_xyv": [1.0, NAN, 1.0] * 2}, "ours: expected keypoints of at most 10000000 px, got nan"),
        ({"score": INF}, "ours: expected finite scores, got inf"),
        ({"score": None}, "ours: expected finite scores, got nan"),
        ({"xywh_px": [0.0, 0.0, NAN, 1.0]}, "ours: expected boxes of at most 10000000 px, got nan"),
        ({"xywh_px": [0.0, 0.0, 1e308, 1.0]}, r"ours: expected boxes of at most 10000000 px, got 1e\+308"),
        ({"xywh_px": [0.0, 1.0]}, r"ours: expected a box as \[x, y, width, height\] in px, got 2 numbers"),
    ],
)
def test_poses_that_cannot_be_scored_are_refused(change: dict[str, Any], sentence: str):
    with pytest.raises(BadInput, match=f"^{sentence}$"):
        poses(POSE, {**POSE, **change})


def test_the_order_of_poses_does_not_depend_on_where_they_come_from():
    chance = np.random.default_rng(1)
    image, points, score = chance.integers(0, 2, 30), chance.integers(0, 2, (30, 2, 2)).astype(float), np.ones(30)
    order = chance.permutation(30)
    one, other = sort_poses(image, points, score), sort_poses(image[order], points[order], score)
    assert all(values.tolist() == others.tolist() for values, others in zip(one, other, strict=True))


@pytest.mark.parametrize("sigmas", [(), (0.0,), (-0.1,), (NAN,), (1.5,)])
def test_sigmas_are_above_0(sigmas: tuple[float, ...]):
    with pytest.raises(ValidationError):
        KeypointSettings(sigmas=sigmas)
