"""Poses of pictures, and the mOKS of each sketch."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.sketches.poses import check_poses, mean_oks_of_sketches
from tasks.core.evaluate.sketches.table import check_sketches
from tests.support.sketches import table

SIGMAS = {"body": (0.1, 0.1), "face": 0.5}
SCHEMA = pa.schema([("picture", pa.string()), ("keypoints_xyv", pa.list_(pa.float64())), ("area_px2", pa.float64())])


def rows(*poses: tuple[str, list[float] | None, float | None]) -> pa.Table:
    return pa.table([list(column) for column in zip(*poses, strict=True)] if poses else [[], [], []], schema=SCHEMA)


def scores(sketches: list[dict[str, Any]], *poses: tuple[str, list[float] | None, float | None]) -> list[float]:
    read = check_sketches("t", table(*sketches))
    return mean_oks_of_sketches("poses", read, check_poses("poses", rows(*poses)), SIGMAS).tolist()


def test_poses_of_a_picture_whatever_their_order_in_the_table():
    one, other = ("p1", [0, 0, 2, 5, 5, 1], 4.0), ("p1", [9, 9, 2, 8, 8, 0], None)
    got = check_poses("t", rows(other, one, ("s1", None, None)))
    assert got["p1"].xyv.tolist() == [[[0, 0, 2], [5, 5, 1]], [[9, 9, 2], [8, 8, 0]]]
    assert np.array_equal(got["p1"].area_px2, [4, np.nan], equal_nan=True)
    assert (got["s1"].xyv.shape, got["s1"].area_px2.shape) == ((0, 0, 3), (0,))
    assert str(check_poses("t", rows(one, other))["p1"]) == str(got["p1"])


def test_no_rows_no_pictures():
    assert check_poses("t", rows()) == {}


def test_a_sketch_that_keeps_the_pose_and_one_that_loses_a_joint():
    pose, off = [0.0, 0, 2, 5, 5, 2], [0.0, 0, 2, 999, 5, 2]
    sketches = [{}, {"method": "b"}]
    assert scores(sketches, ("p1", pose, 100.0), ("s1", pose, None), ("s2", off, None)) == [1, 0.5]


def test_one_sigma_for_all_joints_of_a_subset():
    sketches = [{"subset": "face"}]
    got = scores(sketches, ("p1", [0, 0, 2], 100.0), ("s1", [10, 0, 2], None))
    assert got == pytest.approx([np.exp(-0.5)])


@pytest.mark.parametrize(
    ("poses", "expected"),
    [
        ([], np.nan),
        ([("p1", None, None), ("s1", None, None)], np.nan),
        ([("p1", [0, 0, 2, 5, 5, 2], 9.0), ("s1", None, None)], 0.0),
        ([("p1", None, None), ("s1", [0, 0, 2, 5, 5, 2], 9.0)], 0.0),
    ],
)
def test_nobody_in_the_photo_or_in_the_sketch(poses: list, expected: float):
    assert scores([{}], *poses) == pytest.approx([expected], nan_ok=True)


@pytest.mark.parametrize(
    ("poses", "message"),
    [
        ([("p1", [1, 2], 1.0)], "t[0]: expected x, y and v of each joint in keypoints_xyv, got 2 numbers"),
        ([("p1", [], 1.0)], "t[0]: expected x, y and v of each joint in keypoints_xyv, got 0 numbers"),
        ([("p1", [1, 2, np.nan], 1.0)], "t[0]: expected finite numbers in keypoints_xyv, got nan"),
        ([("p1", [1, 2, 2], -1.0)], "t[0]: expected a number from 0 to 1e+15 in area_px2, got -1.0"),
        (
            [("p1", [1, 2, 2], 1.0), ("p1", None, None)],
            "t: expected one row of picture 'p1' where it has no pose, got 2",
        ),
        (
            [("p1", [1, 2, 2], 1.0), ("p1", [1, 2, 2, 3, 4, 2], 1.0)],
            "t: expected as many joints in each pose of picture 'p1', got 1 and 2",
        ),
    ],
)
def test_rows_that_are_refused(poses: list, message: str):
    with pytest.raises(BadInput) as problem:
        check_poses("t", rows(*poses))
    assert str(problem.value) == message


def test_a_table_without_areas_is_refused():
    with pytest.raises(BadInput, match=r"t: expected one column area_px2, got columns picture, keypoints_xyv"):
        check_poses("t", rows().drop_columns("area_px2"))


POSE = [0.0, 0, 2, 5, 5, 2]


@pytest.mark.parametrize(
    ("sketch", "poses", "message"),
    [
        ({"mean_oks": 0.5}, [], "expected poses or a column mean_oks, got both"),
        ({}, [("x", POSE, 1.0)], "expected photos and sketches of the table of sketches, got 'x'"),
        ({"sketch": "p1"}, [("p1", POSE, 1.0)], "expected a picture to be a photo or a sketch, got 'p1' as both"),
        ({}, [("p1", POSE, 1.0)], "expected a row of each picture, also without a pose, got none of 's1'"),
        ({}, [("s1", POSE, 1.0)], "expected a row of each picture, also without a pose, got none of 'p1'"),
        (
            {},
            [("p1", POSE, None), ("s1", POSE, 1.0)],
            "expected an area_px2 of each pose of photo 'p1', got an empty cell",
        ),
        (
            {"subset": "thing"},
            [("p1", POSE, 1.0), ("s1", POSE, 1.0)],
            "expected sigmas of each subset with poses, got none of 'thing'",
        ),
        ({}, [("p1", POSE, 1.0), ("s1", [0, 0, 2], 1.0)], "expected 2 joints in 's1', got 1"),
    ],
)
def test_poses_that_do_not_fit_the_sketches(sketch: dict[str, Any], poses: list, message: str):
    with pytest.raises(BadInput) as problem:
        scores([sketch], *poses)
    assert str(problem.value) == f"poses: {message}"
