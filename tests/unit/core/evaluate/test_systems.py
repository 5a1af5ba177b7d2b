"""Systems that are right on some units: scores, groups, resamples and leads."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.tables import SYSTEM_SCORES
from tasks.core.evaluate.systems import Ranking, rank_systems, score_part, score_systems
from tests.support.systems import ACCURACY, GOOD, POOR, STYLES, right_on


def rows_of(scores, **wanted):
    wanted = {"attribute": None, "group": None, "ahead_of": None, **wanted}
    return [row for row in scores.to_pylist() if all(row[name] == value for name, value in wanted.items())]


def test_every_system_has_every_metric_of_all_units_and_of_each_group():
    scores = score_systems({"poor": POOR, "good": GOOD}, 20, {"style": STYLES}, ACCURACY, 0, 0)
    assert scores.schema == SYSTEM_SCORES
    own = [row for row in scores.to_pylist() if row["ahead_of"] is None]
    assert len(own) == 2 * 3 * 3
    (good,) = rows_of(scores, system="good", metric="accuracy")
    assert good == {
        **dict.fromkeys(SYSTEM_SCORES.names),
        "system": "good",
        "metric": "accuracy",
        "value": 0.9,
        "units": 20,
    }
    (rococo,) = rows_of(scores, system="good", metric="accuracy", attribute="style", group="Rococo")
    (unknown,) = rows_of(scores, system="good", metric="accuracy", attribute="style", group="unknown")
    assert (rococo["value"], rococo["units"], unknown["value"]) == (1, 10, 0.8)
    assert rows_of(scores, system="good", metric="never")[0]["value"] is None


def test_intervals_hold_the_value_and_leads_are_of_the_same_resamples():
    scores = score_systems({"poor": POOR, "good": GOOD, "twin": GOOD}, 20, {}, ACCURACY, 500, 1)
    (good,) = rows_of(scores, system="good", metric="accuracy")
    assert 0.65 < good["low"] < 0.9 < good["high"] <= 1
    leads = {(row["system"], row["ahead_of"]): row for row in scores.to_pylist() if row["ahead_of"]}
    assert leads.keys() == {("good", "twin"), ("twin", "poor")}
    assert [leads["good", "twin"][name] for name in ("value", "low", "high")] == [0, 0, 0]
    assert leads["twin", "poor"]["value"] == pytest.approx(0.5)
    assert 0.2 < leads["twin", "poor"]["low"] < 0.5 < leads["twin", "poor"]["high"] < 0.8


@pytest.mark.parametrize(
    ("rights", "replicates"),
    [
        pytest.param([True], 1000, id="one unit"),
        pytest.param([True] * 9, 1000, id="few units"),
        pytest.param([True] * 30, 1, id="one resample"),
        pytest.param([True] * 30, 99, id="few resamples"),
    ],
)
def test_of_little_there_is_no_interval(rights, replicates):
    systems = {"good": right_on(*rights), "bad": right_on(*[not right for right in rights])}
    scores = score_systems(systems, len(rights), {}, ACCURACY, replicates, 0)
    assert scores["low"].null_count == scores["high"].null_count == scores.num_rows
    assert [row["value"] for row in scores.to_pylist() if row["ahead_of"]] == [1]


def test_a_part_of_all_units_has_the_intervals_of_all_units():
    scores = score_systems({"good": GOOD, "poor": POOR}, 20, {}, ACCURACY, 200, 3).to_pylist()
    whole = score_part({"good": GOOD, "poor": POOR}, np.ones(20, np.bool_), 200, 3)
    assert whole == [{name: row[name] for name in whole[0]} for row in scores if row["ahead_of"] is None]


@pytest.mark.parametrize(("units", "has_interval"), [(9, False), (10, True)])
def test_a_part_has_resamples_of_its_own_units(units, has_interval):
    """GOOD is right on these, and wrong only on the last two."""
    (row, *_) = score_part({"good": GOOD}, np.arange(20) < units, 200, 3)
    assert (row["value"], row["low"], row["high"]) == (1, 1 if has_interval else None, 1 if has_interval else None)


def test_a_metric_that_is_often_undefined_has_no_interval():
    def only_of_the_first(times):
        return {"accuracy": 1.0 if times[0] else math.nan}

    (row,) = score_systems({"a": only_of_the_first}, 20, {}, ACCURACY, 200, 0).to_pylist()
    assert (row["value"], row["low"], row["high"]) == (1, None, None)


def test_a_real_value_unknown_is_no_missing_one():
    values = ["unknown"] * 5 + [None] * 15
    scores = score_systems({"good": GOOD}, 20, {"style": values}, ACCURACY, 0, 0)
    assert {(row["group"], row["units"]) for row in scores.to_pylist()} == {
        (None, 20),
        ("unknown", 5),
        ("(unknown)", 15),
    }


def test_in_a_group_the_best_of_all_may_be_behind():
    one, other = right_on(*[True] * 20, *[False] * 10), right_on(*[True] * 5, *[False] * 15, *[True] * 10)
    none = right_on(*[False] * 30)
    groups = {"half": ["a"] * 20 + ["b"] * 10}
    rows = score_systems({"other": other, "one": one, "none": none}, 30, groups, ACCURACY, 100, 0).to_pylist()
    leads = [(row["group"], row["system"], row["ahead_of"], row["value"]) for row in rows if row["ahead_of"]]
    assert leads == [
        (None, "one", "other", pytest.approx(20 / 30 - 15 / 30)),
        (None, "other", "none", pytest.approx(0.5)),
        ("a", "one", "other", pytest.approx(0.75)),
        ("a", "other", "none", pytest.approx(0.25)),
        ("b", "one", "other", -1),
        ("b", "other", "none", 1),
    ]
    behind = next(row for row in rows if row["group"] == "b" and row["ahead_of"] == "other")
    assert (behind["low"], behind["high"]) == (-1, -1)


def test_a_system_without_a_value_is_last_and_ahead_of_nobody():
    scores = score_systems({"a": POOR, "b": GOOD}, 20, {}, Ranking("never"), 10, 0)
    assert rank_systems(scores.to_pylist(), Ranking("never")) == ["a", "b"]
    assert not [row for row in scores.to_pylist() if row["ahead_of"]]


@pytest.mark.parametrize(
    ("systems", "units"), [pytest.param({}, 3, id="no system"), pytest.param({"good": right_on()}, 0, id="no unit")]
)
def test_nothing_to_compare_has_no_row(systems, units):
    scores = score_systems(systems, units, {"style": [None] * units}, ACCURACY, 10, 0)
    assert (scores.num_rows, scores.schema) == (0, SYSTEM_SCORES)


def test_a_group_has_the_same_interval_when_other_groups_come():
    alone = score_systems({"good": GOOD}, 20, {"style": STYLES}, ACCURACY, 150, 3)
    more = score_systems({"good": GOOD}, 20, {"year": ["1900"] * 20, "style": STYLES}, ACCURACY, 150, 3)
    of = {"system": "good", "metric": "accuracy", "attribute": "style", "group": "unknown"}
    assert rows_of(alone, **of) == rows_of(more, **of)


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.data())
def test_a_scorer_that_counts_with_weights_is_that_of_repeated_units(rights, data):
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(rights), max_size=len(rights))))
    repeated = np.repeat(rights, times)
    got = right_on(*rights)(times)["accuracy"]
    want = right_on(*repeated)(np.ones(len(repeated), np.int64))["accuracy"]
    assert got == want or (math.isnan(got) and math.isnan(want))


@pytest.mark.slow
def test_a_resample_takes_eight_bytes_for_each_number():
    systems = {str(place): GOOD for place in range(50)}
    tracemalloc.start()
    score_systems(systems, 20, {}, ACCURACY, 2000, 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6  # 50 systems, 3 metrics, 2,000 resamples; as dicts they took 40 MB
