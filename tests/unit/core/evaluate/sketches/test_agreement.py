"""Agreement with people, set by set and pooled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.evaluate.sketches.agreement import (
    MetricAgreement,
    agreement,
    agreement_scorer,
    agreements,
    has_same_sets,
)

RANKS = [1.0, 2, 3, 4, 5]


def compared(*sets: tuple[list[float], list[float]]) -> MetricAgreement:
    """(metric, people) of each photo's sketches."""
    photo = np.repeat(np.arange(len(sets)), [len(metric) for metric, _ in sets])
    metric, people = (np.array([value for one in sets for value in one[side]], float) for side in (0, 1))
    return agreement(metric, people, photo.astype(np.int64))


def scores(of: MetricAgreement, times: list[int] | None = None) -> dict[str, float]:
    return agreement_scorer(of)(np.ones(len(of.sets), np.int64) if times is None else np.array(times, np.int64))


def test_two_sets_by_hand():
    got = scores(compared(([2, 1, 4, 3, 5], RANKS), ([1, 1, 2, 3, 4], RANKS)))
    assert (got["rho"], got["tau"]) == pytest.approx(((0.8 + 0.9747) / 2, (0.6 + 0.9487) / 2), abs=5e-5)
    assert (got["sets"], got["sets_left_out"]) == (2, 0)


def test_set_by_set_a_metric_may_be_right_that_is_wrong_over_all():
    """People compare sketches of one photo; what one photo's values are to another's they were not asked."""
    got = scores(compared(([10.0, 11, 12], [1, 2, 3]), ([0.0, 1, 2], [4, 5, 6])))
    assert (got["rho"], got["tau"]) == (1, 1)
    assert (got["rho_pooled"], got["tau_pooled"]) == pytest.approx((-19 / 35, -0.2))


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(([1.0, 1, 1], [1, 2, 3]), id="the metric is constant"),
        pytest.param(([1.0, 2, 3], [4, 4, 4]), id="people are"),
        pytest.param(([1.0], [4]), id="one sketch"),
        pytest.param(([np.nan, np.nan, 1], [1, 2, 3]), id="one value of the metric"),
        pytest.param(([np.nan, np.nan], [1, 2]), id="none"),
    ],
)
def test_sets_without_a_correlation_are_left_out_and_counted(odd: tuple[list[float], list[float]]):
    got = scores(compared(([1.0, 2, 3], [1, 3, 2]), odd))
    assert (got["rho"], got["tau"]) == pytest.approx((0.5, 1 / 3))
    assert (got["sets"], got["sets_left_out"]) == (1, 1)


def test_photos_that_people_have_not_seen_are_no_sets():
    of = compared(([1.0, 2], [np.nan, np.nan]), ([1.0, 2, 9], [2, 1, np.nan]))
    assert of.sets.tolist() == [1]
    assert scores(of)["rho"] == -1


@pytest.mark.parametrize("of", [compared(), compared(([1.0, 2], [np.nan, np.nan]))])
def test_without_a_set_nothing_is_defined(of: MetricAgreement):
    got = scores(of)
    assert (got.pop("sets"), got.pop("sets_left_out")) == (0, 0)
    assert np.isnan([*got.values()]).all()


def test_metrics_that_have_a_value_and_whose_sets_are_the_same():
    people, photo = np.array([1.0, 2, 1, 2]), np.array([0, 0, 1, 1])
    metrics = {"all": [1.0, 2, 3, 4], "half": [1.0, 2, np.nan, 4], "flat": [2.0, 1, 1, 1], "none": [np.nan] * 4}
    got = agreements({name: np.array(values) for name, values in metrics.items()}, people, photo)
    assert list(got) == ["all", "half", "flat"]
    assert has_same_sets(got["half"], got["flat"])
    assert not has_same_sets(got["all"], got["half"])


values = st.integers(0, 4).map(float)
drawn_sets = st.lists(
    st.tuples(st.lists(values | st.just(np.nan), min_size=3, max_size=3), st.lists(values, min_size=3, max_size=3)),
    min_size=1,
    max_size=6,
)


@given(drawn_sets, st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_a_set_that_counts_twice_is_a_set_that_is_there_twice(sets: list, times: list[int]):
    repeated = [one for one, count in zip(sets, times, strict=False) for _ in range(count)]
    expected = scores(compared(*repeated))
    assert scores(compared(*sets), times[: len(sets)]) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(st.permutations(range(6)))
def test_the_order_of_sketches_never_matters(order: list[int]):
    metric, people = np.array([0.1, 0.5, 0.3, 0.9, 0.2, 0.2]), np.array([1.0, 2, 3, 3, 1, 2])
    photo = np.array([0, 0, 0, 4, 4, 4])
    first = scores(agreement(metric, people, photo))
    assert scores(agreement(metric[order], people[order], photo[order])) == pytest.approx(first, abs=1e-15)
