"""VOC's numbers against a plain loop over boxes, and images that count several times against images that are there."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.evaluate.detector.scorer import box_scorer
from tasks.core.evaluate.matching import Detections, DrawnFigures, match_boxes, sort_detections
from tasks.core.evaluate.voc import MEASURES, precision_recall_curve, voc_scorer, voc_scores, voc_verdicts
from tests.support.evaluate import LARGE, SMALL, detections, figures

Box = tuple[float, float, float, float]
Drawn = list[tuple[int, Box, bool]]
Scored = list[tuple[int, Box, float]]
boxes = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4), st.integers(0, 4))
scores = st.sampled_from([0.25, 0.5, 0.75, 1.0])
IMAGES = 3
images = st.integers(0, IMAGES - 1)
drawn = st.lists(st.tuples(images, boxes, st.booleans()), max_size=8)
scored = st.lists(st.tuples(images, boxes, scores), max_size=10)


def arrays(drawn: Drawn, found: Scored, images: int = IMAGES) -> tuple[DrawnFigures, Detections]:
    drawn = sorted(drawn, key=lambda figure: figure[0])
    xywh = np.array([box for _, box, _ in drawn], float).reshape(-1, 4)
    truth = DrawnFigures(
        images,
        np.array([image for image, *_ in drawn], np.int64),
        xywh,
        xywh[:, 2] * xywh[:, 3],
        np.array([is_crowd for *_, is_crowd in drawn], bool),
    )
    return truth, sort_detections(
        np.array([image for image, *_ in found], np.int64),
        np.array([box for _, box, _ in found], float).reshape(-1, 4),
        np.array([score for *_, score in found], float),
    )


def by_plain_loop(drawn: Drawn, found: Scored) -> tuple[list[float], list[float]]:
    """Recall and precision after each box, as the devkit has them; of boxes that score the same the wrong ones first.

    Boxes and figures of an image in the stated order: equal ones by x, y, width and height, crowds last.
    """
    drawn = sorted(drawn, key=lambda figure: (figure[1], figure[2]))
    taken: set[int] = set()
    verdicts = []
    for image, box, score in sorted(found, key=lambda box: (-box[2], box[1])):
        most, best = -1.0, -1
        for place, (other, figure, _) in enumerate(drawn):
            # the devkit's corners, which are inclusive
            far = [min(one[side] + one[side + 2] - 1 for one in (box, figure)) for side in (0, 1)]
            wide, high = (far[side] - max(box[side], figure[side]) + 1 for side in (0, 1))
            if other == image and wide > 0 and high > 0:
                overlap = wide * high / (box[2] * box[3] + figure[2] * figure[3] - wide * high)
                if overlap > most:
                    most, best = overlap, place
        if most >= 0.5 and drawn[best][2]:
            continue
        is_right = most >= 0.5 and best not in taken
        taken |= {best} if is_right else set()
        verdicts.append((-score, is_right))
    total = sum(not is_crowd for *_, is_crowd in drawn)
    right = list(itertools.accumulate(is_right for _, is_right in sorted(verdicts)))
    return [one / total for one in right], [one / count for count, one in enumerate(right, 1)]


def devkits_ap(recall: list[float], precision: list[float]) -> float:
    recall, precision = [0.0, *recall, 1.0], [0.0, *precision, 0.0]
    for place in range(len(precision) - 2, -1, -1):
        precision[place] = max(precision[place : place + 2])
    return sum((recall[at] - recall[at - 1]) * precision[at] for at in range(1, len(recall)))


def devkits_ap_of_2007(recall: list[float], precision: list[float]) -> float:
    """A hair below each recall: tenths are no floats."""
    reached = [
        max([p for r, p in zip(recall, precision, strict=True) if r >= tenth / 10 - 1e-9], default=0.0)
        for tenth in range(11)
    ]
    return sum(reached) / 11


@given(drawn, scored)
def test_the_numbers_are_those_of_a_plain_loop_over_boxes(drawn: Drawn, found: Scored):
    got = voc_scores(precision_recall_curve(voc_verdicts(*arrays(drawn, found))))
    assert tuple(got) == MEASURES
    if all(is_crowd for *_, is_crowd in drawn):
        assert np.isnan(list(got.values())).all()
        return
    recall, precision = by_plain_loop(drawn, found)
    assert got["AP_2010"] == pytest.approx(devkits_ap(recall, precision), abs=1e-12)
    assert got["AP_2007"] == pytest.approx(devkits_ap_of_2007(recall, precision), abs=1e-12)
    f = [2 * p * r / (p + r) if r else 0.0 for r, p in zip(recall, precision, strict=True)]
    assert got["F"] == pytest.approx(max(f, default=0.0), abs=1e-12)
    assert got["most_recall"] == pytest.approx(max(recall, default=0.0), abs=1e-12)
    assert got["most_precision"] == pytest.approx(max(precision, default=np.nan), abs=1e-12, nan_ok=True)
    if recall:
        p, r = got["precision_at_F"], got["recall_at_F"]
        assert any((p, r) == pytest.approx(point, abs=1e-12) for point in zip(precision, recall, strict=True))
        assert got["F"] == pytest.approx(2 * p * r / (p + r) if r else 0.0, abs=1e-12)


@given(drawn, scored, st.lists(st.integers(0, 3), min_size=IMAGES, max_size=IMAGES))
def test_a_score_with_times_is_that_of_images_which_are_there_so_many_times(
    drawn: Drawn, found: Scored, times: list[int]
):
    places = [image for image, count in enumerate(times) for _ in range(count)]
    really = arrays(
        [(place, box, crowd) for place, image in enumerate(places) for other, box, crowd in drawn if other == image],
        [(place, box, score) for place, image in enumerate(places) for other, box, score in found if other == image],
        len(places),
    )
    expected = voc_scorer(voc_verdicts(*really))(np.ones(len(places), np.int64))
    got = voc_scorer(voc_verdicts(*arrays(drawn, found)))(np.array(times, np.int64))
    assert got == pytest.approx(expected, rel=0, abs=1e-12, nan_ok=True)


@given(drawn, scored)
def test_what_a_group_of_images_scores_is_what_it_scores_alone(drawn: Drawn, found: Scored):
    alone = arrays([one for one in drawn if one[0] != 1], [one for one in found if one[0] != 1])
    got = voc_scorer(voc_verdicts(*arrays(drawn, found)))(np.array([1, 0, 1]))
    expected = voc_scorer(voc_verdicts(*alone))(np.ones(IMAGES, np.int64))
    assert got == pytest.approx(expected, rel=0, abs=0, nan_ok=True)


def test_the_hand_case():
    truth = figures((0, SMALL), (0, LARGE))
    found = detections((0, SMALL, 0.9), (0, [500.0, 0.0, 9.0, 9.0], 0.8), (0, LARGE, 0.7))
    got = voc_scorer(voc_verdicts(truth, found))(np.ones(1, np.int64))
    assert {name: round(value, 4) for name, value in got.items()} == {
        "AP_2010": 0.8333,
        "AP_2007": 0.8485,
        "F": 0.8,
        "precision_at_F": 0.6667,
        "recall_at_F": 1.0,
        "score_at_F": 0.7,
        "most_precision": 1.0,
        "most_recall": 1.0,
    }
    # and COCO's, at 101 recalls
    assert round(box_scorer(match_boxes(truth, found))(np.ones(truth.images, np.int64))["AP50"], 4) == 0.8350


@pytest.mark.parametrize("times", [[0, 0], [0, 5]])
def test_without_a_figure_all_is_nan(times: list[int]):
    verdicts = voc_verdicts(figures((0, SMALL), images=2), detections((0, SMALL, 0.9), (1, SMALL, 0.8)))
    assert np.isnan(list(voc_scorer(verdicts)(np.array(times)).values())).all()


def test_an_image_may_count_a_million_times():
    verdicts = voc_verdicts(figures((0, SMALL)), detections((0, SMALL, 0.9), (0, LARGE, 0.1)))
    assert voc_scorer(verdicts)(np.array([10**6]))["AP_2010"] == 1.0
