"""Groups by a column, as texts: of every type that a table of other programs may have."""

import datetime

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.systems import MOST_VALUES, groups_of, unit_groups


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        pytest.param(pa.array(["a", None]), ["a", None], id="texts"),
        pytest.param(pa.array([0.0, -0.0, 2.5, float("nan"), None]), ["0", "0", "2.5", None, None], id="numbers"),
        pytest.param(pa.array([1.5], pa.float32()), ["1.5"], id="numbers of 32 bits"),
        pytest.param(pa.array([1.5, -0.0, np.nan], pa.float16()), ["1.5", "0", None], id="numbers of 16 bits"),
        pytest.param(pa.array([2**60]), [str(2**60)], id="whole numbers"),
        pytest.param(pa.nulls(2), [None, None], id="nothing"),
        pytest.param(pa.array([datetime.date(1937, 4, 26)]), ["1937-04-26"], id="dates"),
        pytest.param(pa.array([0], pa.timestamp("s", "Europe/Paris")), ["1970-01-01 01:00:00+0100"], id="a zone"),
    ],
)
def test_groups_are_texts(column, expected):
    assert groups_of(pa.table({"of": column}), ["of"]) == {"of": expected}


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        pytest.param(pa.array([0], pa.timestamp("s", "Mars/Olympus")), "Cannot locate or parse timezone", id="zone"),
        pytest.param(pa.array([2**62], pa.timestamp("s")), "a time that no calendar has", id="time"),
        pytest.param(pa.array([2**31 - 1], pa.date32()), "a time that no calendar has", id="date"),
        pytest.param(pa.array([b"\xff"]), "Invalid UTF8", id="bytes"),
        pytest.param(pa.array([[1]]), "Unsupported cast", id="lists"),
        pytest.param(pa.array([{"a": 1}]), "Unsupported cast", id="structs"),
    ],
)
def test_what_has_no_text_is_refused_in_one_sentence(column, sentence):
    with pytest.raises(BadInput) as problem:
        groups_of(pa.table({"of": column}), ["of"])
    assert str(problem.value).startswith("--by: expected a column of texts, numbers or times, got 'of' with ")
    assert sentence in str(problem.value)
    assert "\n" not in str(problem.value)


def test_all_units_come_first_then_each_value_and_those_without_one():
    got = [
        (group.attribute, group.value, group.is_in.tolist())
        for group in unit_groups(3, {"style": ["b", None, "a"], "x": ["unknown", None, "unknown"]})
    ]
    assert got == [
        (None, None, [True, True, True]),
        ("style", "a", [False, False, True]),
        ("style", "b", [True, False, False]),
        ("style", "unknown", [False, True, False]),
        ("x", "(unknown)", [False, True, False]),
        ("x", "unknown", [True, False, True]),
    ]


def test_a_groups_seed_is_its_own():
    first, second = (
        {(group.attribute, group.value): group.seed(7) for group in unit_groups(2, groups)}
        for groups in ({"a": ["x", "y"]}, {"b": ["x", "x"], "a": ["z", "y"]})
    )
    assert first["a", "y"] == second["a", "y"]
    assert first["a", "x"] != second["b", "x"]
    assert len({str(seed) for seed in (first | second).values()}) == len(first | second)


def test_an_attribute_of_too_many_values_is_refused():
    units = [str(number) for number in range(MOST_VALUES + 1)]
    assert next(unit_groups(MOST_VALUES, {"of": units[:-1]})).is_in.all()
    with pytest.raises(
        BadInput, match=r"--by: expected an attribute of at most 20,000 values, got 'of' with 20,001; make"
    ):
        list(unit_groups(len(units), {"of": units}))
