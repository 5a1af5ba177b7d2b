"""Conditions: their forms, what is refused, and that what is written is read again."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from schemas.attributes import Attribute
from schemas.tables import RECORDS
from schemas.where import AnyCondition, Condition, column_types, condition_problem, value_problem

READ: TypeAdapter[Condition] = TypeAdapter(AnyCondition)


def read(written: Any) -> Condition:
    return READ.validate_python(written)


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        pytest.param("Prints", {"is": ("Prints",)}, id="a text"),
        pytest.param(["Prints", "Drawings"], {"is": ("Prints", "Drawings")}, id="several"),
        pytest.param(0, {"is": (0,)}, id="nought is a value"),
        pytest.param(False, {"is": (False,)}, id="false is one, and not nought"),
        pytest.param([1, 1.5], {"is": (1, 1.5)}, id="numbers stay what they are"),
        pytest.param({"not": "Prints"}, {"not": ("Prints",)}, id="not one"),
        pytest.param({"not": ["a", "b"], "is_known": True}, {"not": ("a", "b"), "is_known": True}, id="two at once"),
        pytest.param({"contains": "girl"}, {"contains": ("girl",)}, id="a word"),
        pytest.param({"contains": ["a girl", "女"]}, {"contains": ("a girl", "女")}, id="words"),
        pytest.param({"least": 1850, "most": 1900}, {"least": 1850, "most": 1900}, id="from and to"),
        pytest.param({"least": "1850"}, {"least": 1850}, id="as a command line says it"),
        pytest.param({"most": 0}, {"most": 0}, id="at most nought"),
        pytest.param({"least": 7, "most": 7}, {"least": 7, "most": 7}, id="one number alone"),
        pytest.param({"is_known": False}, {"is_known": False}, id="those without a value"),
        pytest.param({"is": ["true"]}, {"is": ("true",)}, id="the text true"),
    ],
)
def test_forms(written: Any, asked: dict[str, Any]):
    condition = read(written)
    dumped = condition.model_dump()
    assert {name: value for name, value in dumped.items() if value is not None} == asked
    assert [type(value) for value in condition.values] == [
        type(v) for name in ("is", "not") for v in asked.get(name, ())
    ]
    assert read(condition.model_dump(mode="json")) == condition


@pytest.mark.parametrize(
    ("written", "said"),
    [
        pytest.param(None, "expected a value, got null: write {is_known: false}", id="null"),
        pytest.param([], "at least 1 item", id="no value"),
        pytest.param({"contains": []}, "at least 1 item", id="no word"),
        pytest.param({"contains": "?"}, "expected a word, got '?'", id="nothing of a word"),
        pytest.param({"contains": 7}, "valid string", id="a number is no word"),
        pytest.param({}, "got none", id="no condition"),
        pytest.param({"is": None}, "got none", id="nothing asked"),
        pytest.param("", "at least 1 character", id="an empty text"),
        pytest.param([["a"]], "valid string", id="a list in a list"),
        pytest.param("x" * 1001, "at most 1000 characters", id="a text too long"),
        pytest.param(list(range(10_001)), "at most 10000 items", id="too many values"),
        pytest.param({"least": 2, "most": 1}, "expected least <= most, got 2 > 1", id="the wrong way round"),
        pytest.param({"least": True}, "valid integer", id="a truth value as a limit"),
        pytest.param({"least": float("nan")}, "finite", id="no number"),
        pytest.param({"is_known": "yes"}, "valid boolean", id="a word for true"),
        pytest.param(
            {"is_known": False, "not": "a"}, "expected nothing beside is_known: false", id="known and unknown"
        ),
        pytest.param({"one_of": ["a"]}, "Extra inputs are not permitted", id="another word"),
    ],
)
def test_conditions_that_are_refused(written: Any, said: str):
    with pytest.raises(ValidationError) as refused:
        read(written)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("written", "kind", "problem"),
    [
        pytest.param(1850, "string", "expected text, got 1850", id="a number for a text"),
        pytest.param("1850", "integer", "expected a whole number, got '1850'", id="a text for a number"),
        pytest.param(True, "integer", "expected a whole number, got True", id="a truth value for a number"),
        pytest.param(True, "number", "expected a number, got True", id="for a real one"),
        pytest.param(1, "boolean", "expected true or false, got 1", id="one for true"),
        pytest.param(1.0, "integer", "expected a whole number, got 1.0", id="a real number for a whole one"),
        pytest.param(2**63, "integer", "expected a whole number, got 9.22", id="a number that no table holds"),
        pytest.param({"least": 1.5}, "integer", "expected a whole number, got 1.5", id="a real limit"),
        pytest.param({"not": ["a", 2]}, "strings", "expected text, got 2", id="the second of several"),
        pytest.param({"most": 5}, "string", "expected least and most for numbers alone, got 5 for text", id="a limit"),
        pytest.param({"contains": "a"}, "integer", "contains for text alone, got 'a' for a whole number", id="words"),
        pytest.param({"contains": "a"}, "strings", "", id="words in lists of texts"),
        pytest.param({"least": 0}, "boolean", "got 0 for true or false", id="a limit on truth"),
        pytest.param({"is_known": True}, "strings", "", id="known, of any type"),
        pytest.param(1, "number", "", id="a whole number is a number"),
        pytest.param({"least": 0.5, "most": 2}, "number", "", id="limits of both kinds"),
        pytest.param(["a", "b"], "strings", "", id="texts for lists of them"),
    ],
)
def test_values_of_another_type(written: Any, kind: Any, problem: str):
    found = condition_problem(read(written), kind)
    assert problem in found
    assert bool(problem) == bool(found)


def test_the_columns_that_records_have():
    types = column_types({"department": Attribute(type="string"), "methods": Attribute(type="strings")})
    assert types["department"] == "string"
    assert {types[name] for name in ("source", "artist", "artist_qualifier", "style", "title", "series")} == {"string"}
    assert (types["styles"], types["year"], types["is_annotated"]) == ("strings", "integer", "boolean")
    assert not types.keys() & {"record_id", "locator", "reason", "detail", "declared_group"}
    assert types.keys() - {"department", "methods"} <= set(RECORDS.names)


def test_a_value_of_the_right_type_is_no_problem():
    assert value_problem("a", "string") == ""
