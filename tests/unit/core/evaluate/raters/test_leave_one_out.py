"""Each rater against the others: by hand, by plain loops, and where they differ most."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.evaluate_figures import RaterSettings
from tasks.core.evaluate.raters.consensus import find_consensus
from tasks.core.evaluate.raters.leave_one_out import (
    COUNTS,
    NAMES,
    BoxCounts,
    compare_raters,
    disagreement_table,
    leave_one_out,
    leave_one_out_truths,
    mean_rater_scorer,
    rater_scorer,
    score_raters,
)
from tasks.core.evaluate.raters.ratings import read_ratings
from tests.support.raters import FIRST, SECOND, THIRD, random_ratings, ratings

PLAIN = RaterSettings()
METHODS = (PLAIN, RaterSettings(consensus="overlap"))
FAR, AWAY = (200, 200, 240, 260), (400, 0, 420, 20)


@pytest.mark.parametrize("settings", METHODS, ids=["kmeans", "overlap"])
def test_the_truth_of_a_rater_is_the_others_median(settings: RaterSettings):
    whole = ratings({"a": {"1": [FIRST]}, "b": {"1": [SECOND]}, "c": {"1": [THIRD]}})
    truths = {rater: truth.xyxy_px.tolist() for _, rater, truth in leave_one_out_truths(whole, settings)}
    assert truths[0] == [[11.5, 10, 50.5, 50.5]]
    got = leave_one_out(whole, settings)
    assert got.worst[0, 0] == got.overlap[0, 0] == pytest.approx(0.9393, abs=5e-5)
    assert (got.right.ravel().tolist(), got.wrong.sum(), got.missed.sum()) == ([1, 1, 1], 0, 0)


def drawn() -> BoxCounts:
    """a is right in 1 and has a box too many, misses one of two in 2; b and c agree on all."""
    figures = {"1": [FIRST], "2": [FIRST, FAR]}
    return leave_one_out(ratings({"a": {"1": [FIRST, AWAY], "2": [FAR]}, "b": figures, "c": figures}), PLAIN)


def test_right_wrong_and_missed_by_hand():
    got = drawn()
    assert (got.right[0].tolist(), got.wrong[0].tolist(), got.missed[0].tolist()) == ([1, 1], [1, 0], [0, 1])
    assert (got.overlap[0].tolist(), got.worst[0].tolist()) == ([1, 1], [0, 0])
    assert dict(zip(NAMES, score_raters(got)[0].tolist(), strict=True)) == {
        "precision": 2 / 3,
        "recall": 2 / 3,
        "f1": 2 / 3,
        "mean_iou": 2 / 4,
    }


def test_the_mean_is_over_raters():
    got = drawn()
    scores = score_raters(got)
    mean = mean_rater_scorer(got)(np.ones(2, np.int64))
    assert {name: mean[name] for name in NAMES} == pytest.approx(dict(zip(NAMES, scores.mean(axis=0), strict=True)))
    assert mean["right"] == got.right.sum() / len(scores)
    counts = {"right": 1, "wrong": 1, "missed": 0, "images": 1}
    shares = {"precision": 0.5, "recall": 1, "f1": 2 / 3, "mean_iou": 0.5}
    assert rater_scorer(got, 0)(np.array([1, 0])) == {**shares, **counts}
    assert rater_scorer(got, 0)(np.array([3, 0]))["wrong"] == 3
    assert rater_scorer(got, 0)(np.array([3, 1]))["precision"] == 4 / 7


def test_what_nobody_else_saw_is_not_scored_and_what_others_left_empty_is():
    got = leave_one_out(ratings({"a": {"1": [FIRST], "2": [FIRST], "3": []}, "b": {"2": [], "3": []}}), PLAIN)
    assert got.is_scored.tolist() == [[False, True, True], [False, True, True]]
    assert (got.right.sum(), got.wrong.tolist(), got.missed.tolist()) == (
        0,
        [[0, 1, 0], [0, 0, 0]],
        [[0] * 3, [0, 1, 0]],
    )
    assert np.array_equal(got.worst, [[np.nan, 0, np.nan], [np.nan, 0, np.nan]], equal_nan=True)
    scores = score_raters(got)
    assert np.array_equal(scores, [[0, np.nan, 0, 0], [np.nan, 0, 0, 0]], equal_nan=True)


def test_nothing_to_count_is_not_defined():
    got = leave_one_out(ratings({"a": {"1": []}, "b": {"1": []}}), PLAIN)
    assert np.isnan(score_raters(got)).all()
    mean = mean_rater_scorer(got)(np.ones(1, np.int64))
    assert all(np.isnan(mean[name]) for name in NAMES)
    assert {name: mean[name] for name in COUNTS} == {"right": 0, "wrong": 0, "missed": 0, "images": 1}
    assert np.isnan(score_raters(drawn(), np.zeros(2, np.int64))).all()


def test_one_truth_for_all():
    whole = ratings({"a": {"1": [FIRST, FAR]}, "b": {"1": [], "2": [AWAY]}})
    got = compare_raters(whole, np.array([0]), np.array([FIRST], float), 0.5)
    assert (got.right.tolist(), got.wrong.tolist(), got.missed.tolist()) == (
        [[1, 0], [0, 0]],
        [[1, 0], [0, 1]],
        [[0, 0], [1, 0]],
    )
    assert got.is_scored.tolist() == whole.is_seen.tolist()


@pytest.mark.parametrize("settings", METHODS, ids=["kmeans", "overlap"])
@given(seed=st.integers(0, 10_000))
def test_leaving_one_out_is_the_consensus_of_a_table_without_them(settings: RaterSettings, seed: int):
    rows = random_ratings(seed)
    whole = read_ratings(rows)
    names = rows["rater"].to_pylist()
    for image, rater, truth in leave_one_out_truths(whole, settings):
        others = read_ratings(rows.filter([name != whole.raters[rater] for name in names]))
        found = find_consensus(others, settings)
        number = others.images.index(whole.images[image])
        assert truth.xyxy_px.tolist() == found.xyxy_px[found.image == number].tolist()


@given(st.integers(0, 10_000), st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_an_image_that_counts_twice_is_an_image_twice(seed: int, often: list[int]):
    got = leave_one_out(read_ratings(random_ratings(seed)), PLAIN)
    times = np.array(often[: got.right.shape[1]] + [1] * (got.right.shape[1] - len(often)))
    again = BoxCounts(*(np.repeat(values, times, axis=1) for values in got))
    plain = np.ones(again.right.shape[1], np.int64)
    assert score_raters(got, times) == pytest.approx(score_raters(again), nan_ok=True)
    assert mean_rater_scorer(got)(times) == pytest.approx(mean_rater_scorer(again)(plain), nan_ok=True)
    assert rater_scorer(got, 0)(times) == pytest.approx(rater_scorer(again, 0)(plain), nan_ok=True)


@given(st.integers(0, 10_000))
def test_counts_close(seed: int):
    whole = read_ratings(random_ratings(seed))
    got = leave_one_out(whole, PLAIN)
    for rater in range(len(whole.raters)):
        boxes = np.bincount(whole.image[whole.rater == rater], minlength=len(whole.images))
        assert ((got.right + got.wrong)[rater] == boxes * got.is_scored[rater]).all()
    assert (got.overlap <= np.minimum(got.right + got.wrong, got.right + got.missed) + 1e-9).all()
    assert (got.overlap >= got.right / 2 - 1e-9).all()


def test_truths_of_the_images_that_are_asked_for():
    drawn = ratings({name: {"1": [FIRST], "2": [SECOND], "3": []} for name in "abc"})
    every = [
        (image, rater, truth.xyxy_px.tolist()) for image, rater, truth in leave_one_out_truths(drawn, RaterSettings())
    ]
    some = leave_one_out_truths(drawn, RaterSettings(), {1})
    assert [(image, rater, truth.xyxy_px.tolist()) for image, rater, truth in some] == every[3:6]


def test_most_missed_and_extra_boxes_first_then_the_worst_fit():
    both = [FIRST, FAR]
    whole = ratings(
        {
            "a": {"1": [AWAY], "2": [SECOND], "3": []},
            "b": {"1": both, "2": [FIRST], "3": []},
            "c": {"1": both, "2": [FIRST], "3": []},
            "d": {"1": both, "2": [FIRST], "3": []},
        }
    )
    got = disagreement_table(whole, leave_one_out(whole, RaterSettings())).to_pylist()
    assert [(row["rater"], row["image"]) for row in got] == [
        *(("a", "1"), ("a", "2")),  # misses two figures; fits worst
        *(("b", "1"), ("c", "1"), ("d", "1")),
        *(("b", "2"), ("c", "2"), ("d", "2")),
        *(("a", "3"), ("b", "3"), ("c", "3"), ("d", "3")),
    ]
    assert got[0] == {"rater": "a", "image": "1", "right": 0, "missed": 2, "extra": 1, "worst_iou": 0}
    assert 0.5 < got[1]["worst_iou"] < 1
    assert [row["worst_iou"] for row in got[2:]] == [1] * 6 + [None] * 4


def test_what_has_no_truth_has_no_row():
    whole = ratings({"a": {"1": [FIRST]}, "b": {"2": [FIRST]}})
    assert disagreement_table(whole, leave_one_out(whole, RaterSettings())).num_rows == 0
