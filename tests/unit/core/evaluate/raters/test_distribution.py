"""Smoothed densities: their area, their peaks, and nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.evaluate.raters.distribution import GRID, density


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0.02, 0.2))
def test_the_area_is_1_also_for_values_at_the_ends(values: list[float], bandwidth: float):
    got = density(np.array(values), bandwidth)
    assert np.trapezoid(got, GRID) == pytest.approx(1, abs=0.005)
    assert (got >= 0).all()


def test_a_peak_and_a_bump():
    got = density(np.array([0.9] * 15 + [0.6] * 3), 0.05)
    assert GRID[got.argmax()] == pytest.approx(0.9)
    bump = got[(GRID > 0.5) & (GRID < 0.7)]
    assert bump.argmax() not in (0, len(bump) - 1)


def test_at_the_end_a_bell_is_twice_as_high():
    assert density(np.array([1.0]), 0.1)[-1] == pytest.approx(2 * density(np.array([0.5]), 0.1)[100])


@pytest.mark.parametrize("values", [[], [np.nan]])
def test_nothing_has_no_density(values: list[float]):
    assert density(np.array(values), 0.05).tolist() == [0] * len(GRID)


def test_what_is_not_defined_is_left_out():
    assert density(np.array([0.3, np.nan]), 0.05).tolist() == density(np.array([0.3]), 0.05).tolist()
