"""Typed values of attributes: odd ones first, then that each type comes back as it went in."""

import math
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.attributes import ARROW_TYPES, Attribute, AttributeField, with_attribute_columns
from schemas.errors import BadInput
from schemas.sources.folder import FolderSource
from schemas.tables import RECORDS
from tasks.core.scrape import attributes
from tasks.core.scrape.attributes import BadValue, absent_notes, check_some_fit, typed_value
from tasks.core.scrape.paths import TWICE
from tasks.core.scrape.records import record

BAD = object()
"""What no type takes, and what a value becomes that is not of the type."""


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        pytest.param(None, "string", None, id="null"),
        pytest.param(math.nan, "string", None, id="NaN, an empty cell of a float column"),
        pytest.param(" \t", "string", None, id="blanks"),
        pytest.param("\0", "string", None, id="a NUL alone"),
        pytest.param("e\u0301tude", "string", "\u00e9tude", id="composed"),
        pytest.param("\ud83d", "string", "?", id="half a character"),
        pytest.param("a" * 10_000_000, "string", "a" * 2000, id="10 MB"),
        pytest.param("e\u0301" * 2001, "string", "\u00e9" * 2000, id="longest after it is composed"),
        pytest.param(3, "string", "3", id="a whole number as it is written"),
        pytest.param(3.0, "string", "3.0", id="a real one, too"),
        pytest.param(True, "string", "true", id="a truth value in YAML's and JSON's word"),
        pytest.param(date(1872, 1, 2), "string", "1872-01-02", id="a day"),
        pytest.param(datetime(1872, 1, 2, 3, 4), "string", "1872-01-02 03:04:00", id="a time"),  # noqa: DTZ001
        pytest.param(["a"], "string", BAD, id="a list of one is a list"),
        pytest.param({"name": "a"}, "string", BAD, id="an object"),
        pytest.param(b"a", "string", BAD, id="bytes"),
        pytest.param(BAD, "string", BAD, id="what is nothing at all"),
        pytest.param(10**5000, "string", BAD, id="5,000 digits"),
        pytest.param("3", "integer", 3, id="a number in a text"),
        pytest.param(" +3 ", "integer", 3, id="with a sign and blanks"),
        pytest.param("3.0", "integer", 3, id="as pandas writes a column with gaps"),
        pytest.param(3.0, "integer", 3, id="a real number that is whole"),
        pytest.param(1e15, "integer", 10**15, id="a large one"),
        pytest.param(Decimal(7), "integer", 7, id="a decimal"),
        pytest.param(2**63 - 1, "integer", 2**63 - 1, id="the largest"),
        pytest.param(-(2**63), "integer", -(2**63), id="the smallest"),
        pytest.param(2**63, "integer", BAD, id="one more than the largest"),
        pytest.param(str(2**63), "integer", BAD, id="the same in a text"),
        pytest.param(1e300, "integer", BAD, id="far larger"),
        pytest.param("9" * 10_000, "integer", BAD, id="10,000 digits"),
        pytest.param(True, "integer", BAD, id="true is no number"),
        pytest.param("abc", "integer", BAD, id="a word"),
        pytest.param("1_000", "integer", BAD, id="as Python writes a thousand"),
        pytest.param("\uff13", "integer", BAD, id="a wide digit"),
        pytest.param(2.5, "integer", BAD, id="a fraction"),
        pytest.param(math.inf, "integer", BAD, id="infinity"),
        pytest.param("2.5e3", "number", 2500.0, id="with an exponent"),
        pytest.param(".5", "number", 0.5, id="without a first digit"),
        pytest.param(3, "number", 3.0, id="a whole number"),
        pytest.param(Decimal("0.1"), "number", 0.1, id="a decimal with a fraction"),
        pytest.param("nan", "number", BAD, id="no number, in a word"),
        pytest.param("inf", "number", BAD, id="infinity in a word"),
        pytest.param(math.inf, "number", BAD, id="infinity itself"),
        pytest.param("1e999", "number", BAD, id="beyond what a double holds"),
        pytest.param(10**400, "number", BAD, id="a whole number beyond it"),
        pytest.param("1,5", "number", BAD, id="a comma"),
        pytest.param(False, "number", BAD, id="false is no number"),
        pytest.param("YES", "boolean", True, id="yes in any case"),
        pytest.param("no", "boolean", False, id="no"),
        pytest.param("Y", "boolean", True, id="Y, as MoMA has it"),
        pytest.param("N", "boolean", False, id="N"),
        pytest.param(0, "boolean", False, id="0"),
        pytest.param(1.0, "boolean", True, id="1.0, as pandas has it beside gaps"),
        pytest.param("", "boolean", None, id="an empty text says nothing"),
        pytest.param(2, "boolean", BAD, id="2"),
        pytest.param("maybe", "boolean", BAD, id="a word that is none"),
        pytest.param("oil | canvas|", "strings", ["oil", "canvas"], id="a text with | between"),
        pytest.param(["oil", None, " ", 3], "strings", ["oil", "3"], id="a list with gaps"),
        pytest.param([], "strings", None, id="an empty list says nothing"),
        pytest.param("", "strings", None, id="an empty text for a list"),
        pytest.param([["oil"]], "strings", BAD, id="a list of lists"),
        pytest.param({"a": "b"}, "strings", BAD, id="an object for a list"),
        pytest.param(["a"] * 1001, "strings", BAD, id="1,001 texts"),
        pytest.param("|" * 10_000_000, "strings", BAD, id="ten million texts"),
    ],
)
def test_values_in_their_types(value: Any, kind: Any, expected: Any):
    if expected is BAD:
        with pytest.raises(BadValue):
            typed_value(value, kind)
    else:
        found = typed_value(value, kind)
        assert (found, type(found)) == (expected, type(expected))
        assert pa.array([found], ARROW_TYPES[kind]).to_pylist() == [expected]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "string": texts,
    "integer": st.integers(-(2**63), 2**63 - 1),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "strings": st.lists(texts, max_size=5),
}


@pytest.mark.parametrize("kind", VALUES)
@given(st.data())
def test_a_typed_value_is_of_its_type_already(kind: Any, data: st.DataObject):
    once = typed_value(data.draw(VALUES[kind]), kind)
    assert typed_value(once, kind) == once


@pytest.mark.parametrize("kind", ["integer", "number", "boolean"])
@given(st.data())
def test_a_value_written_as_text_is_read_as_the_same(kind: Any, data: st.DataObject):
    value = data.draw(VALUES[kind])
    assert typed_value(str(value), kind) == value
    assert typed_value(value, kind) == value


nested = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize("kind", VALUES)
@given(nested)
def test_any_value_fits_or_is_refused_and_what_fits_is_a_column(kind: Any, value: Any):
    try:
        found = typed_value(value, kind)
    except BadValue:
        return
    column = pa.array([found], ARROW_TYPES[kind])
    assert column.null_count == (found is None)
    column.validate(full=True)


SOURCE = FolderSource(name="m", pattern="{key}.jpg")


def wanted(**kinds: Any) -> dict[str, AttributeField]:
    return {name: AttributeField(type=kind, field=name) for name, kind in kinds.items()}


def rows(declared: dict[str, AttributeField], *said: dict[str, Any]) -> pa.Table:
    found = [
        attributes.with_attributes(record(SOURCE, {"key": str(number), "image": "a.jpg"}), declared, row.get)
        for number, row in enumerate(said)
    ]
    return pa.Table.from_pylist(found, schema=with_attribute_columns(RECORDS, declared))


def test_a_bad_value_drops_its_row_and_keeps_what_else_the_row_says():
    found = rows(wanted(room="integer", floor="string"), {"room": "abc", "floor": "2nd"}, {"room": 3}).to_pylist()
    assert [row["reason"] for row in found] == ["bad_attribute", None]
    assert found[0]["detail"] == "attribute 'room': expected a whole number of at most 63 bits, got 'abc'"
    assert [(row["room"], row["floor"]) for row in found] == [(None, "2nd"), (3, None)]


@pytest.mark.parametrize("kind", ["string", "integer", "strings"])
def test_a_field_that_is_named_twice_is_called_so(kind: Any):
    found = rows(wanted(room=kind), {"room": TWICE}).to_pylist()
    assert [row["reason"] for row in found] == ["bad_attribute"]
    assert found[0]["detail"].endswith(", got two values under one name")


def test_a_row_that_is_a_drop_already_and_an_attribute_of_another_source_say_nothing():
    declared = {"room": AttributeField(type="string", field=None)}
    assert rows(declared, {"room": "2"})["room"].to_pylist() == [None]
    dropped = record(SOURCE, {"key": "1"})
    assert attributes.with_attributes(dropped, wanted(room="string"), {"room": "2"}.get) == dropped


def test_where_no_value_fits_the_declaration_is_wrong_and_not_the_rows():
    declared = wanted(room="integer", floor="string")
    found = rows(declared, {"floor": "1"}, {"room": "abc"}, {"room": "x" * 999})
    with pytest.raises(BadInput) as problem:
        check_some_fit("m", found, declared)
    assert str(problem.value) == (
        "source 'm': attribute 'room': expected a whole number of at most 63 bits, got 'abc' in 'm:1', and the like in "
        "2 records, while none has such a value: declare another type, or take it from another field"
    )


def test_where_one_value_fits_the_others_are_single_drops():
    declared = wanted(room="integer")
    check_some_fit("m", rows(declared, {"room": "abc"}, {"room": 1}), declared)
    check_some_fit("m", rows(declared, {}), declared)


def test_an_attribute_that_no_record_of_a_source_has_is_told():
    """But not of sources that need not have it, nor where all that have it are drops."""
    declared = {"room": Attribute(type="string", from_="rom"), "hall": Attribute(type="integer", from_={"b": "h"})}
    schema = pa.schema([("source", pa.string()), ("reason", pa.string()), ("room", pa.string()), ("hall", pa.int64())])
    records = pa.table(
        {
            "source": ["b", "a", "a", "c"],
            "reason": [None, None, "bad_attribute", "bad_record"],
            "room": ["x", None, "y", None],
            "hall": [None, None, 2, None],
        },
        schema,
    )
    assert absent_notes(records, declared, ["a"]) == (
        "source 'a': none of its 1 record has the attribute 'room' (from 'rom'): is the field or path right?",
        "source 'b': none of its 1 record has the attribute 'hall' (from 'h')",
    )
    both = declared | {"hall": Attribute(type="integer", from_={"a": "h"})}
    (note,) = absent_notes(records, both, [])
    assert note == "source 'a': none of its 1 record has any of the attributes 'room' (from 'rom'), 'hall' (from 'h')"
    assert absent_notes(records, {}, ["a"]) == ()
    assert absent_notes(records.slice(3), declared, ["a"]) == ()
