"""Krippendorff's alpha: published examples, odd cases, and units that count several times."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.evaluate.raters.alpha import METRICS, alpha_scorer, krippendorff_alpha

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


@pytest.mark.parametrize(
    ("metric", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
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
        pytest.param([[0, 1e308], [0, 1e308]], 1.0, id="very large"),
        pytest.param([[0, 5e-324], [0, 5e-324]], 1.0, id="very small"),
    ],
)
def test_odd_cases(metric: Any, values: Any, expected: float):
    assert krippendorff_alpha(np.array(values, float), metric) == pytest.approx(expected, nan_ok=True)


def test_worse_than_chance_is_below_0():
    assert krippendorff_alpha(np.array([[1.0, 2], [2, 1]]), "nominal") == -0.5
    assert krippendorff_alpha(np.array([[-1e308, 1e308], [1e308, -1e308]]), "interval") == -0.5


@pytest.mark.parametrize(
    ("values", "metric", "said"),
    [
        (np.zeros(3), "nominal", "expected values of raters (R, U), got an array of shape (3,)"),
        (np.array([[1, math.inf]]), "nominal", "expected finite values, or NaN where there is none, got inf"),
        (np.array([[1.0, -2]]), "ratio", "expected values of at least 0 for the ratio metric, got -2.0"),
    ],
)
def test_what_is_refused(values: np.ndarray, metric: Any, said: str):
    with pytest.raises(BadInput) as problem:
        krippendorff_alpha(values, metric)
    assert str(problem.value) == said


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
