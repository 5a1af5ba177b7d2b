"""A detector's numbers by hand, where images count several times, of one category and of several."""

import numpy as np
import pytest

from tasks.core.evaluate.detector.presence import compute_presence, join_presences
from tasks.core.evaluate.detector.scorer import FIGURES, OF_BOXES, OF_IMAGES, box_scorer, detector_scorer
from tasks.core.evaluate.matching import Matches, match_boxes
from tasks.core.evaluate.systems import Ranking, interval, score_systems
from tests.support.evaluate import LARGE, SMALL, detections, figures

NAN = float("nan")
TRUTH = figures((0, SMALL), (1, SMALL), images=3)
ONCE = np.ones(3, np.int64)


def half() -> Matches:
    return match_boxes(TRUTH, detections((0, SMALL, 0.9)))


def test_each_number_of_half_the_figures():
    # precision 1 up to recall 0.5, and 0 above: 51 of COCO's 101 recall points
    expected = dict.fromkeys(OF_BOXES, 51 / 101) | dict.fromkeys(("AR1", "AR10", "AR", "ARS"), 0.5)
    expected |= dict.fromkeys(("APM", "APL", "ARM", "ARL"), NAN)
    assert box_scorer(half())(ONCE) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("times", "ap", "recall"),
    [
        ([1, 0, 0], 1.0, 1.0),
        ([0, 1, 0], 0.0, 0.0),
        ([2, 1, 0], 67 / 101, 2 / 3),
        ([0, 0, 3], NAN, NAN),
        ([5, 5, 9], 51 / 101, 0.5),
    ],
)
def test_an_image_counts_as_often_as_it_is_told(times: list[int], ap: float, recall: float):
    got = box_scorer(half())(np.array(times))
    assert (got["AP"], got["AR"], got["AR1"]) == pytest.approx((ap, recall, recall), nan_ok=True)


def test_a_wrong_box_counts_as_often_as_its_image():
    score = box_scorer(match_boxes(TRUTH, detections((2, SMALL, 0.95), (0, SMALL, 0.9), (1, SMALL, 0.8))))
    assert [score(np.array(times))["AP50"] for times in ([1, 1, 1], [1, 1, 4], [1, 1, 0])] == pytest.approx(
        [2 / 3, 2 / 6, 1]
    )


def test_the_recall_of_one_box_an_image_is_that_of_its_best():
    truth = figures((0, SMALL), (0, LARGE), (1, LARGE), images=2)
    found = detections((0, SMALL, 0.9), (0, LARGE, 0.5), (1, SMALL, 0.9), (1, LARGE, 0.5))
    got = box_scorer(match_boxes(truth, found))(np.array([1, 1]))
    assert (got["AR1"], got["AR10"], got["AR"]) == (pytest.approx(1 / 3), 1, 1)


def test_nothing_found_is_0_and_nobody_to_find_is_not_defined():
    assert box_scorer(match_boxes(TRUTH, detections()))(ONCE)["AP"] == 0
    nobody = box_scorer(match_boxes(figures(), detections((0, LARGE, 0.5))))
    assert np.isnan([*nobody(np.ones(1, np.int64)).values()]).all()


def test_images_are_told_apart_at_the_score_and_figures_are_counted():
    truth = figures((0, SMALL), (0, LARGE), (1, SMALL), images=4, crowd=(1,))
    found = detections((0, SMALL, 0.9), (1, SMALL, 0.5), (2, SMALL, 0.5))
    score = detector_scorer([match_boxes(truth, found)], compute_presence(truth, found), 0.5)
    got = score(np.ones(4, np.int64))
    assert [*got] == [*OF_BOXES, *OF_IMAGES, FIGURES]
    assert [got[name] for name in OF_IMAGES] == pytest.approx([0.75, 1, 2 / 3, 0.8, 3.5 / 4])
    assert got[FIGURES] == 2, "a crowd is none"
    got = score(np.array([0, 0, 2, 0]))
    assert [got[name] for name in OF_IMAGES] == pytest.approx([1, NAN, 0, 0, NAN], nan_ok=True)


def test_several_categories_are_means_and_an_image_is_kept_for_any_of_them():
    other = figures((2, LARGE), (2, SMALL), images=3)
    found = detections((2, LARGE, 0.7))
    eel = figures(images=3)
    matched = [half(), match_boxes(other, found), match_boxes(eel, detections((0, SMALL, 0.9)))]
    seen = join_presences([compute_presence(TRUTH, detections((0, SMALL, 0.9))), compute_presence(other, found)])
    got = detector_scorer(matched, seen, 0.5)(ONCE)
    assert (got["AR"], got[FIGURES], got["image_recall"]) == (pytest.approx((0.5 + 0.5) / 2), 4, pytest.approx(2 / 3))
    assert detector_scorer(matched, seen, 0.5)(np.array([1, 1, 0]))["AR"] == 0.5, "without the other's figures"


def test_an_interval_holds_the_true_value_about_as_often_as_it_says():
    chance, hits = np.random.default_rng(3), 0
    for seed in range(60):
        is_found = chance.random(60) < 0.5
        truth = figures(*((place, SMALL) for place in range(60)), images=60)
        found = detections(*((place, SMALL, 0.9) for place in np.flatnonzero(is_found).tolist()))
        scorer = box_scorer(match_boxes(truth, found))
        (row,) = [
            row
            for row in score_systems({"a": scorer}, 60, {}, Ranking("AR"), 150, seed).to_pylist()
            if row["metric"] == "AR"
        ]
        hits += row["low"] <= 0.5 <= row["high"]
    assert 52 <= hits <= 60


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], None),
        ([NAN], None),
        ([NAN] * 2 + [0.5] * 18, None),  # a tenth of the resamples: another question
        ([NAN] + [0.5] * 19, (0.5, 0.5)),
        ([0.5] * 9, (0.5, 0.5)),
    ],
)
def test_there_is_no_interval_where_more_than_a_twentieth_of_the_resamples_have_no_value(
    values: list[float], expected: tuple[float, float] | None
):
    assert interval(np.array(values)) == expected
