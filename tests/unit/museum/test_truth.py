"""Figures in a copy: where they are, what is cut off, and which hand is the left one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.museum.figures import Figure
from examples.museum.truth import JOINTS, transform_figures

HIDDEN = (0.0, 0.0, 0)


def figure(
    x: float, y: float, width: float, height: float, is_crowd: bool = False, **joints: tuple[float, float]
) -> Figure:
    keypoints = tuple((*joints[name], 2) if name in joints else HIDDEN for name in JOINTS)
    return Figure((x, y, width, height), keypoints, is_crowd)


def matrix(across: float = 1.0, down: float = 1.0, right: float = 0.0, below: float = 0.0):
    return np.array([[across, 0.0, right], [0.0, down, below], [0.0, 0.0, 1.0]])


# a picture of 200 x 100 px
CASES = [
    pytest.param(figure(10, 20, 30, 50), matrix(), (200, 100), (10, 20, 30, 50), id="nothing is done"),
    pytest.param(figure(0, 0, 200, 100), matrix(), (200, 100), (0, 0, 200, 100), id="a figure as large as the picture"),
    pytest.param(figure(10, 20, 30, 50), matrix(0.5, 0.5), (100, 50), (5, 10, 15, 25), id="half the size"),
    pytest.param(figure(10, 20, 30, 50), matrix(right=6, below=6), (212, 112), (16, 26, 30, 50), id="in a frame"),
    pytest.param(figure(10, 20, 30, 50), matrix(-1.0, 1.0, 200), (200, 100), (160, 20, 30, 50), id="mirrored"),
    pytest.param(figure(10, 20, 30, 50), matrix(right=-20), (180, 100), (0, 20, 20, 50), id="a third is cut off"),
    pytest.param(figure(10, 20, 30, 50), matrix(right=-30), (170, 100), None, id="two thirds are cut off"),
    pytest.param(figure(10, 20, 30, 50), matrix(right=-50), (150, 100), None, id="all is cut off"),
    pytest.param(figure(0, 90, 60, 8), matrix(below=-3), (200, 94), (0, 87, 60, 7), id="cut by the lower "
                                                            "edge, high enough"),
    pytest.param(figure(0, 90, 60, 8), matrix(below=-3), (200, 93), None, id="cut by the lower edge, too low "
                                                            "to be a figure"),
    pytest.param(figure(0, 0, 6, 6), matrix(right=-2), (198, 100), None, id="cut, too few pixels"),
    pytest.param(figure(0, 0, 3, 3), matrix(0.5, 0.5), (100, 50), (0, 0, 1.5, 1.5), id="small, but not cut"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "how", "size_px", "box"), CASES)
def test_boxes_go_where_the_picture_goes_and_end_at_its_edge(one, how, size_px, box):
    found = transform_figures([one], how, *size_px)
    if box is None:
        assert found == ()
    else:
        np.testing.assert_allclose(found[0].xywh_px, box, atol=1e-9)


def test_crowds_stay_crowds():
    figures = transform_figures([figure(0, 0, 9, 9, True), figure(0, 0, 9, 9)], matrix(), 20, 20)
    assert [one.is_crowd for one in figures] == [True, False]


def test_in_a_mirror_the_left_hand_is_the_right_one():
    one = figure(10, 20, 30, 50, nose=(25, 22), left_eye=(27, 21), left_wrist=(12, 50), right_ankle=(30, 69))
    (found,) = transform_figures([one], matrix(-1.0, 1.0, 200), 200, 100)
    joints = dict(zip(JOINTS, found.keypoints, strict=True))
    assert {name: joint for name, joint in joints.items() if joint[2]} == {
        "nose": (175.0, 22.0, 2),
        "right_eye": (173.0, 21.0, 2),
        "right_wrist": (188.0, 50.0, 2),
        "left_ankle": (170.0, 69.0, 2),
    }


def test_joints_that_are_cut_off_are_hidden():
    one = figure(10, 20, 30, 50, left_wrist=(12, 50), right_wrist=(38, 50))
    (found,) = transform_figures([one], matrix(right=-20), 180, 100)
    assert [joint for joint in found.keypoints if joint != HIDDEN] == [(18.0, 50.0, 2)]


@given(st.floats(0, 150), st.floats(0, 60), st.floats(5, 50), st.floats(5, 40), st.floats(-0.03, 0.03))
def test_a_slight_turn_keeps_joints_in_boxes_of_much_the_same_size(x, y, width, height, radians):
    cos, sin = np.cos(radians), np.sin(radians)
    turn = np.array([[cos, -sin, 20.0], [sin, cos, 20.0], [0.0, 0.0, 1.0]])
    corner, middle = (x, y), (x + width / 2, y + height / 2)
    (found,) = transform_figures([figure(x, y, width, height, nose=middle, left_ear=corner)], turn, 300, 300)
    left, top, wide, high = found.xywh_px
    for joint_x, joint_y, v in found.keypoints:
        assert v == 0 or (left <= joint_x <= left + wide + 1e-9 and top <= joint_y <= top + high + 1e-9)
    assert abs(wide - width) <= 0.04 * (width + height)
    assert abs(high - height) <= 0.04 * (width + height)


@given(st.lists(st.tuples(st.floats(0, 150), st.floats(0, 60), st.floats(1, 50), st.floats(1, 40)), max_size=4))
def test_two_mirrors_show_what_was_there(boxes):
    figures = tuple(figure(*box, left_hip=(box[0] + box[2] / 2, box[1] + box[3] / 2)) for box in boxes)
    mirror = matrix(-1.0, 1.0, 200)
    again = transform_figures(transform_figures(figures, mirror, 200, 100), mirror, 200, 100)
    assert len(again) == len(figures)
    for one, other in zip(figures, again, strict=True):
        np.testing.assert_allclose(one.xywh_px, other.xywh_px, atol=1e-6)
        np.testing.assert_allclose(one.keypoints, other.keypoints, atol=1e-6)
