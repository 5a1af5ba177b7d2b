"""Krippendorff's alpha and the agreement of pairs: published values, by hand, and odd cases."""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.evaluate.raters.agreement import (
    METRICS,
    alpha_scorer,
    compare_pairs,
    krippendorff_alpha,
    pairs_scorer,
    pairwise_f1,
    pairwise_oks,
)
from tasks.core.evaluate.raters.ratings import Ratings, read_ratings
from tests.support.raters import FIRST, SECOND, random_ratings, ratings, row, table

NAN = math.nan
FOUR = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)
"""Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), section C."""


@pytest.mark.parametrize(("metric", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_published_example(metric: Any, expected: float):
    assert krippendorff_alpha(FOUR, metric) == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param([[1, 2, 3], [1, 2, 3]], 1.0, id="all agree"),
        pytest.param([[1, 2, 3], [1, 2, NAN]], 1.0, id="a unit of one value"),
        pytest.param([[2, 2], [2, 2]], NAN, id="one value only"),
        pytest.param([[2, 2, 5], [2, 2, NAN]], NAN, id="one value in all pairs"),
        pytest.param([[1, NAN], [NAN, 2]], NAN, id="no pair"),
        pytest.param([[1, 2, 3]], NAN, id="one rater"),
        pytest.param([[NAN, NAN]], NAN, id="nothing said"),
        pytest.param(np.zeros((0, 0)), NAN, id="nobody"),
        pytest.param(np.zeros((3, 0)), NAN, id="no unit"),
    ],
)
def test_odd_cases(metric: Any, values: Any, expected: float):
    assert krippendorff_alpha(np.array(values, float), metric) == pytest.approx(expected, nan_ok=True)


def test_worse_than_chance_is_below_0():
    assert krippendorff_alpha(np.array([[1.0, 2], [2, 1]]), "nominal") == -0.5
    assert krippendorff_alpha(np.array([[-1.0, 1], [1, -1]]), "interval") == -0.5


tables = st.integers(1, 5).flatmap(
    lambda units: st.lists(
        st.lists(st.sampled_from([NAN, 1.0, 2.0, 3.0, 5.0]), min_size=units, max_size=units), min_size=1, max_size=5
    )
)


@given(tables, st.data())
def test_a_unit_that_counts_twice_is_a_unit_twice(rows: list[list[float]], data: st.DataObject):
    values = np.array(rows)
    times = np.array([data.draw(st.integers(0, 3)) for _ in range(values.shape[1])])
    again = alpha_scorer(np.repeat(values, times, axis=1))(np.ones(int(times.sum()), np.int64))
    assert alpha_scorer(values)(times) == pytest.approx(again, nan_ok=True)


@given(tables, st.randoms(use_true_random=False))
def test_raters_and_units_have_no_order(rows: list[list[float]], chance: Any):
    values = np.array(rows)
    raters, units = list(range(values.shape[0])), list(range(values.shape[1]))
    chance.shuffle(raters)
    chance.shuffle(units)
    for metric in METRICS:
        one, other = (krippendorff_alpha(each, metric) for each in (values, values[raters][:, units]))
        assert one == pytest.approx(other, nan_ok=True)


FAR = (200, 200, 240, 260)
SIGMAS = (0.026, 0.107)


def test_f_of_each_two():
    whole = ratings({"a": {"1": [FIRST, FAR], "2": [FAR]}, "b": {"1": [SECOND]}, "c": {"2": [FIRST]}})
    counts = compare_pairs(whole, 0.5)
    assert counts.pairs == 2
    assert pairwise_f1(counts).tolist() == [2 / 3, 0]


def test_f_of_nothing_is_not_defined():
    got = pairwise_f1(compare_pairs(ratings({"a": {"1": []}, "b": {"1": []}, "c": {"2": [FAR]}}), 0.5))
    assert np.isnan(got).all()
    scores = pairs_scorer(compare_pairs(ratings({"a": {"1": []}, "b": {"1": []}}), 0.5))(np.ones(1, np.int64))
    assert all(math.isnan(value) for value in scores.values())


def test_no_two_raters_have_an_image_in_common():
    whole = ratings({"a": {"1": [FAR]}, "b": {"2": [FAR]}})
    assert pairwise_f1(compare_pairs(whole, 0.5)).shape == (0,)
    assert pairwise_oks(compare_pairs(whole, 0.5, SIGMAS)).shape == (0,)


def joints(*points: tuple[float, float, int]) -> list[float]:
    return [float(value) for point in points for value in point]


def drawn(one: list[float] | None, other: list[float] | None, box: tuple[int, ...] = (0, 0, 100, 100)) -> Ratings:
    third = row("c", "1", FAR, keypoints_xyv=joints((1, 1, 2), (2, 2, 2)))
    return read_ratings(table(row("a", "1", box, keypoints_xyv=one), row("b", "1", box, keypoints_xyv=other), third))


BOTH = joints((50, 10, 2), (50, 60, 2))


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        pytest.param(BOTH, 1.0, id="the same"),
        pytest.param(joints((60, 10, 2), (50, 60, 2)), (1 + 0.1574) / 2, id="the nose 10 px off"),
        pytest.param(joints((50, 10, 2), (0, 0, 0)), (0.5 + 1) / 2, id="a joint that one of them left out"),
        pytest.param(joints((0, 0, 0), (50, 60, 1)), (0.5 + 1) / 2, id="v = 1 counts"),
        pytest.param(joints((0, 0, 0), (0, 0, 0)), NAN, id="no joint"),
        pytest.param(None, NAN, id="no keypoints"),
    ],
)
def test_joints_of_boxes_that_match(other: list[float] | None, expected: float):
    got = pairwise_oks(compare_pairs(drawn(BOTH, other), 0.5, SIGMAS))
    # the third rater's box matches nobody's
    assert got == pytest.approx([expected, NAN, NAN], abs=5e-5, nan_ok=True)


def test_the_area_is_the_true_boxs():
    whole = read_ratings(
        table(
            row("a", "1", (0, 0, 100, 100), keypoints_xyv=joints((50, 10, 2))),
            row("b", "1", (0, 0, 100, 50), keypoints_xyv=joints((60, 10, 2))),
        )
    )
    got = pairwise_oks(compare_pairs(whole, 0.5, SIGMAS[:1]))[0]
    expected = [math.exp(-100 / (2 * area * (2 * 0.026) ** 2)) for area in (10_000, 5_000)]
    assert got == pytest.approx(sum(expected) / 2)


def test_without_sigmas_no_joints_are_compared():
    assert np.isnan(pairwise_oks(compare_pairs(drawn(BOTH, BOTH), 0.5))).all()


@given(st.integers(0, 10_000), st.lists(st.integers(0, 3), min_size=4, max_size=4))
def test_an_image_that_counts_twice_is_an_image_twice(seed: int, often: list[int]):
    whole = read_ratings(random_ratings(seed))
    counts = compare_pairs(whole, 0.5)
    times = np.array(often)[: len(whole.images)]
    entries = np.repeat(np.arange(len(counts.image)), times[counts.image])
    again = counts._replace(**{name: getattr(counts, name)[entries] for name in counts._fields if name != "pairs"})
    assert pairwise_f1(counts, times) == pytest.approx(pairwise_f1(again), nan_ok=True)
    plain = np.ones(len(whole.images), np.int64)
    assert pairs_scorer(counts)(times) == pytest.approx(pairs_scorer(again)(plain), nan_ok=True)


def test_memory_goes_by_the_pairs_that_occur():
    """3,000 raters of whom each two see one image: 1,500 pairs, not nine million."""
    whole = ratings({f"r{place:04}": {f"i{place // 2:04}": [FIRST]} for place in range(3000)})
    counts = compare_pairs(whole, 0.5)
    assert counts.pairs == 1500
    tracemalloc.start()
    assert pairs_scorer(counts)(np.ones(1500, np.int64))["pairwise_f1"] == 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
