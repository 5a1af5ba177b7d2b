"""How far scores would move: images that count several times, intervals, and detectors on the same resamples."""

import numpy as np
import pytest

from tasks.core.evaluate.matching import matches
from tasks.core.evaluate.resampling import MEASURES, bootstrap_scores, interval, weighted_scores
from tests.support.evaluate import LARGE, SMALL, detections, figures

TRUTH = figures((0, SMALL), (1, SMALL), images=3)
HALF = matches(TRUTH, detections((0, SMALL, 0.9)))


def test_by_default_each_image_counts_once():
    # precision 1 up to recall 0.5, and 0 above: 51 of COCO's 101 recall points
    assert weighted_scores(HALF) == pytest.approx(
        [51 / 101, 51 / 101, 51 / 101, 51 / 101, np.nan, np.nan, 0.5], nan_ok=True
    )


@pytest.mark.parametrize(
    ("times", "ap", "recall"),
    [
        ([1, 0, 0], 1.0, 1.0),
        ([0, 1, 0], 0.0, 0.0),
        ([2, 1, 0], 67 / 101, 2 / 3),
        ([0, 0, 3], np.nan, np.nan),
        ([5, 5, 9], 51 / 101, 0.5),
    ],
)
def test_an_image_counts_as_often_as_it_is_said(times: list[int], ap: float, recall: float):
    got = weighted_scores(HALF, np.array(times))
    assert (got[0], got[6]) == pytest.approx((ap, recall), nan_ok=True)


def test_a_wrong_box_counts_as_often_as_its_image():
    matched = matches(TRUTH, detections((2, SMALL, 0.95), (0, SMALL, 0.9), (1, SMALL, 0.8)))
    assert weighted_scores(matched)[1] == pytest.approx(2 / 3)
    assert weighted_scores(matched, np.array([1, 1, 4]))[1] == pytest.approx(2 / 6)
    assert weighted_scores(matched, np.array([1, 1, 0]))[1] == pytest.approx(1)


def test_nothing_found_is_0_and_nobody_to_find_is_not_defined():
    assert weighted_scores(matches(TRUTH, detections()))[0] == 0
    assert np.isnan(weighted_scores(matches(figures(), detections((0, LARGE, 0.5))))).all()


def test_the_same_seed_gives_the_same_resamples_whatever_else_is_compared():
    other = matches(TRUTH, detections((1, SMALL, 0.9)))
    alone = bootstrap_scores([[HALF]], 130, np.random.default_rng(1))
    both = bootstrap_scores([[HALF], [other]], 130, np.random.default_rng(1))
    assert alone.shape == (1, 130, len(MEASURES))
    assert np.array_equal(alone[0], both[0], equal_nan=True)
    # where one image is drawn as often as the other, both are right as often
    assert not np.array_equal(both[0], both[1], equal_nan=True)


@pytest.mark.parametrize(
    ("several", "replicates"), [([], 5), ([[HALF]], 0), ([[matches(figures(images=0), detections())]], 3)]
)
def test_nothing_to_draw_gives_nothing(several: list, replicates: int):
    got = bootstrap_scores(several, replicates, np.random.default_rng(1))
    assert got.shape == (len(several), replicates, len(MEASURES))
    assert np.isnan(got).all()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], None),
        ([np.nan], None),
        ([np.nan, np.nan, 1.0], None),
        ([np.nan, 1.0], (1.0, 1.0)),
        ([0.5] * 9, (0.5, 0.5)),
    ],
)
def test_an_interval_needs_half_of_the_resamples(values: list[float], expected: tuple[float, float] | None):
    assert interval(np.array(values)) == expected


def test_an_interval_holds_the_true_value_about_as_often_as_it_says():
    chance, hits = np.random.default_rng(3), 0
    for _ in range(60):
        is_found = chance.random(60) < 0.5
        truth = figures(*((place, SMALL) for place in range(60)), images=60)
        matched = matches(truth, detections(*((place, SMALL, 0.9) for place in np.flatnonzero(is_found).tolist())))
        ends = interval(bootstrap_scores([[matched]], 150, chance)[0, :, 6])
        hits += ends is not None and ends[0] <= 0.5 <= ends[1]
    assert 52 <= hits <= 60
