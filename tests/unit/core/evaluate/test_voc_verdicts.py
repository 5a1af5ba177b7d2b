"""PASCAL VOC's rule: each box takes the figure that it overlaps most, whether it is free or not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.evaluate_figures import VocSettings
from tasks.core.evaluate.kernels import IGNORED, RIGHT, WRONG
from tasks.core.evaluate.matching import Detections, DrawnFigures, sort_detections
from tasks.core.evaluate.voc import voc_verdicts
from tests.support.evaluate import LARGE, SMALL, detections, figures

# IoU with SMALL, a box of 10 x 10: 0.8, 0.5, 0.4
EIGHT, FIVE, FOUR = ([0.0, 0.0, 10.0, side] for side in (8.0, 5.0, 4.0))


@pytest.mark.parametrize(
    ("truth", "boxes", "expected"),
    [
        pytest.param(figures(), detections(), [], id="nothing at all"),
        pytest.param(figures((0, SMALL)), detections(), [], id="nothing found"),
        pytest.param(figures(), detections((0, SMALL, 0.9)), [WRONG], id="nobody there"),
        pytest.param(figures((0, SMALL), images=2), detections((1, SMALL, 0.9)), [WRONG], id="only in its own image"),
        pytest.param(figures((0, SMALL)), detections((0, FIVE, 0.9)), [RIGHT], id="the threshold itself is enough"),
        pytest.param(figures((0, SMALL)), detections((0, FOUR, 0.9)), [WRONG], id="less is not"),
        pytest.param(
            figures((0, SMALL)), detections((0, FIVE, 0.9), (0, SMALL, 0.8)), [RIGHT, WRONG], id="a figure goes once"
        ),
        pytest.param(
            figures((0, SMALL)), detections((0, SMALL, 0.1), (0, LARGE, 0.8)), [WRONG, RIGHT], id="by falling score"
        ),
        # pycocotools would give the second box the second figure, which is free and overlaps by 0.8
        pytest.param(
            figures((0, SMALL), (0, EIGHT)),
            detections((0, SMALL, 0.9), (0, SMALL, 0.8)),
            [RIGHT, WRONG],
            id="the best figure or none",
        ),
        pytest.param(
            figures((0, SMALL), crowd=(0,)), detections((0, SMALL, 0.9), (0, FIVE, 0.8)), [IGNORED] * 2, id="a crowd"
        ),
        pytest.param(
            figures((0, LARGE), crowd=(0,)),
            detections((0, [250.0, 50.0, 10.0, 10.0], 0.9)),
            [WRONG],
            id="a small box in a crowd: IoU is the ordinary one",
        ),
        pytest.param(
            figures((0, EIGHT), (0, SMALL), crowd=(1,)),
            detections((0, SMALL, 0.9)),
            [IGNORED],
            id="a crowd that it overlaps more than a figure",
        ),
        pytest.param(
            figures((0, SMALL), (0, SMALL), crowd=(0,)),
            detections((0, SMALL, 0.9)),
            [RIGHT],
            id="a figure before a crowd of the same box",
        ),
        pytest.param(figures((0, SMALL)), detections((0, [0, 0, 0, 0], 0.9)), [WRONG], id="a box without an area"),
        pytest.param(figures((0, [0, 0, 0, 0])), detections((0, SMALL, 0.9)), [WRONG], id="a figure without one"),
    ],
)
def test_what_becomes_of_each_box(truth: DrawnFigures, boxes: Detections, expected: list[int]):
    assert voc_verdicts(truth, boxes).verdict.tolist() == expected


@pytest.mark.parametrize("box", [SMALL, [0.0, 0.0, 1e308, 1e308]])
def test_a_figure_beyond_all_pictures_overlaps_nothing_that_can_be_counted(box: list[float]):
    far = DrawnFigures(1, np.zeros(1, np.int64), np.array([[0.0, 0.0, 1e308, 1e308]]), np.ones(1), np.zeros(1, bool))
    assert voc_verdicts(far, detections((0, box, 0.9))).verdict.tolist() == [WRONG]


def test_a_crowd_is_not_among_the_figures_to_find():
    verdicts = voc_verdicts(figures((0, SMALL), (0, LARGE), (2, SMALL), images=3, crowd=(1,)), detections())
    assert verdicts.figures.tolist() == [1, 0, 1]


def test_of_equal_scores_the_wrong_ones_come_first_whatever_their_images():
    truth = figures((0, SMALL), (1, SMALL), images=2)
    verdicts = voc_verdicts(truth, detections((0, SMALL, 0.5), (1, LARGE, 0.5), (1, SMALL, 0.9)))
    assert verdicts.verdict.tolist() == [RIGHT, WRONG, RIGHT]
    assert verdicts.image.tolist() == [1, 1, 0]
    assert verdicts.score.tolist() == [0.9, 0.5, 0.5]


@pytest.mark.parametrize(
    ("iou", "far_corner", "expected"),
    [
        # 4 x 4 in 4 x 9: 16 / 36 = .444; with a side more each 25 / 50 = .5
        pytest.param(0.5, "x+w-1", WRONG, id="whole pixels: the ordinary IoU"),
        pytest.param(0.5, "x+w", RIGHT, id="each side 1 px longer"),
        pytest.param(16 / 36, "x+w-1", RIGHT, id="another threshold"),
    ],
)
def test_what_the_far_corner_of_a_box_is(iou: float, far_corner, expected: int):
    truth, boxes = figures((0, [3.0, 2.0, 4.0, 9.0])), detections((0, [3.0, 2.0, 4.0, 4.0], 0.9))
    assert voc_verdicts(truth, boxes, VocSettings(iou=iou, far_corner=far_corner)).verdict.tolist() == [expected]


def test_picassos_rater_is_right_against_the_others():
    """Corners (10, 10, 50, 50) against the median (11.5, 10, 50.5, 50.5): IoU .9393."""
    truth, boxes = figures((0, [11.5, 10.0, 39.0, 40.5])), detections((0, [10.0, 10.0, 40.0, 40.0], 1.0))
    assert voc_verdicts(truth, boxes, VocSettings(iou=0.9392)).verdict.tolist() == [RIGHT]
    assert voc_verdicts(truth, boxes, VocSettings(iou=0.9394)).verdict.tolist() == [WRONG]


@given(st.integers(0, 2**32))
def test_the_order_of_figures_and_boxes_makes_no_difference(seed: int):
    chance = np.random.default_rng(seed)
    image, boxes = np.sort(chance.integers(0, 3, 8)), chance.integers(1, 4, (8, 4)).astype(float)
    score, crowd = chance.integers(1, 3, 8) / 4, chance.random(8) < 0.2
    found_image, found = chance.integers(0, 3, 9), chance.integers(1, 4, (9, 4)).astype(float)
    found_score = np.append(score, 0.5)

    def verdicts(drawn_order: np.ndarray, found_order: np.ndarray) -> list[list[float]]:
        drawn_order = drawn_order[np.argsort(image[drawn_order], kind="stable")]  # rows come by image
        truth = DrawnFigures(3, image[drawn_order], boxes[drawn_order], np.ones(8), crowd[drawn_order])
        sorted_boxes = sort_detections(found_image[found_order], found[found_order], found_score[found_order])
        return [values.tolist() for values in voc_verdicts(truth, sorted_boxes)]

    assert verdicts(np.arange(8), np.arange(9)) == verdicts(chance.permutation(8), chance.permutation(9))
