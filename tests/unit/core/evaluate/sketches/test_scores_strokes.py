"""Scores by number of strokes, by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.evaluate.sketches.scores import StrokeStudy, stroke_studies, stroke_study
from tasks.core.evaluate.sketches.table import check_sketches
from tests.support.sketches import table

STROKES = [8, 16, 32, 64]


def study(*photos: list[float], strokes: list[int] = STROKES) -> StrokeStudy:
    """One list of scores for each photo, by number of strokes; NaN where there is no sketch."""
    score = np.array(photos, float).reshape(len(photos), len(strokes))
    photo = np.repeat(np.arange(len(photos)), len(strokes))
    return stroke_study(photo, np.tile(np.array(strokes, np.int64), len(photos)), score.ravel())


def test_three_photos_by_hand():
    got = study([0.1, 0.2, 0.3, 0.4], [0.2, 0.4, 0.3, 0.5], [0.3, 0.3, 0.6, 0.9])
    assert got.strokes.tolist() == STROKES
    assert got.means.tolist() == pytest.approx([0.2, 0.3, 0.4, 0.6])
    assert got.rises.tolist() == pytest.approx([2 / 3, 2 / 3, 1])
    assert got.falls.tolist() == pytest.approx([0, 1 / 3, 0])
    assert got.rises_throughout == pytest.approx(1 / 3)
    # 1, 0.8, and ranks 1.5, 1.5, 3, 4 against 1 to 4
    assert got.rho == pytest.approx((1 + 0.8 + 4.5 / np.sqrt(5 * 4.5)) / 3)
    assert (got.rho_photos, got.photos, got.left_out) == (3, 3, 0)


def test_a_photo_that_lacks_a_number_is_left_out_of_all_means():
    got = study([0.1, 0.2, 0.3, 0.4], [1.0, 1.0, np.nan, 1.0])
    assert got.means.tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert (got.photos, got.left_out) == (1, 1)


def test_one_score_throughout_has_no_correlation():
    got = study([0.5] * 4, [0.1, 0.2, 0.3, 0.4])
    assert (got.rho, got.rho_photos, got.photos) == (pytest.approx(1), 1, 2)
    assert (got.rises.tolist(), got.falls.tolist()) == ([0.5] * 3, [0] * 3)


def test_sketches_without_a_number_of_strokes_are_passed_over():
    got = stroke_study(np.array([0, 0, 0]), np.array([0, 8, 16]), np.array([0.9, 0.1, 0.2]))
    assert (got.strokes.tolist(), got.means.tolist()) == ([8, 16], [0.1, 0.2])


def test_one_number_of_strokes_has_no_step():
    got = study([0.5], [0.7], strokes=[8])
    assert (got.means.tolist(), got.rises.tolist()) == ([0.6], [])
    assert np.isnan([got.rises_throughout, got.rho]).all()


@pytest.mark.parametrize("photos", [[], [[np.nan] * 4], [[0.1, np.nan, np.nan, np.nan], [np.nan, 0.1, 0.2, 0.3]]])
def test_nothing_complete_has_no_score(photos: list[list[float]]):
    got = study(*photos)
    assert np.isnan(got.means).all()
    assert np.isnan([got.rises_throughout, got.rho]).all()
    assert (got.photos, got.rho_photos) == (0, 0)


def test_methods_and_subsets_that_have_several_numbers_of_strokes():
    rows = [{"strokes": strokes, "mean_oks": strokes / 100} for strokes in STROKES]
    things = [{"photo": "p2", "subset": "thing", "strokes": strokes, "clip_cosine": 0.2} for strokes in (8, 16)]
    once = [{"method": "b", "strokes": 8, "mean_oks": 0.9}, {"method": "c", "mean_oks": 0.9}]
    got = list(stroke_studies(check_sketches("t", table(*rows, *things, *once)), 2.5))
    assert [study[:3] for study in got] == [("anime", "body", "mOKS"), ("anime", "thing", "S_CLIP")]
    assert [study[3].means.tolist() for study in got] == [[0.08, 0.16, 0.32, 0.64], [0.5, 0.5]]


@given(st.permutations(range(8)))
def test_the_order_of_sketches_never_matters(order: list[int]):
    photo, strokes = np.repeat([3, 9], 4), np.tile(np.array(STROKES), 2)
    score = np.array([0.1, 0.4, 0.2, 0.9, 0.3, 0.3, 0.8, 0.7])
    assert repr(stroke_study(photo[order], strokes[order], score[order])) == repr(stroke_study(photo, strokes, score))
