"""Conditions on columns: who meets them, what is said of who does not, and what was probably meant."""

import unicodedata
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from schemas.where import AnyCondition, Condition
from tasks.core import where

READ: TypeAdapter[Condition] = TypeAdapter(AnyCondition)
TEXTS = pa.list_(pa.string())


def read(written: Any) -> Condition:
    return READ.validate_python(written)


def column(values: list[Any], kind: pa.DataType, chunks: int = 1) -> pa.ChunkedArray:
    size = max(1, -(-len(values) // chunks))
    pieces = [values[start : start + size] for start in range(0, len(values), size)] or [[]]
    return pa.chunked_array([pa.array(piece, kind) for piece in pieces], kind)


CASES = [
    pytest.param(
        "prints", ["Prints", "PRINTS ", "Print", "", None], pa.string(), "10000", id="case is no matter, blanks are"
    ),
    pytest.param("Café", [unicodedata.normalize("NFD", "CAFÉ"), "Cafe"], pa.string(), "10", id="NFC, accents count"),
    pytest.param("STRASSE", ["straße", "strasse"], pa.string(), "01", id="no letter becomes two"),
    pytest.param(["a", "b"], ["b", "c", "a"], pa.string(), "101", id="any of several"),
    pytest.param({"not": "a"}, ["a", "A", "b", "", None], pa.string(), "00100", id="not: nothing is no other value"),
    pytest.param({"is": ["a", "b"], "not": "b"}, ["a", "b"], pa.string(), "10", id="both"),
    pytest.param({"is_known": True}, ["a", "", None], pa.string(), "100", id="known"),
    pytest.param({"is_known": False}, ["a", "", None], pa.string(), "011", id="unknown"),
    pytest.param("a", [["a", "b"], ["b"], [], None, [None, "A"], [None]], TEXTS, "100010", id="any element"),
    pytest.param({"not": "a"}, [["a", "b"], ["b"], [], None], TEXTS, "0100", id="not one of its elements"),
    pytest.param({"is_known": False}, [["a"], [], None], TEXTS, "011", id="an empty list is no value"),
    pytest.param({"contains": "woman"}, ["A WOMAN!", "woman's", "Womanhood", None], pa.string(), "1100", id="a word"),
    pytest.param(
        {"contains": ["homme", "jeune fille"]}, ["L’Homme", "Jeune-fille", "fille"], pa.string(), "110", id="or"
    ),
    pytest.param({"contains": "Déjeuner"}, ["DEJEUNER", "De\u0301jeuner", "ｄéｊ"], pa.string(), "110", id="a form"),
    pytest.param({"contains": "女"}, ["坐る女", "男"], pa.string(), "10", id="no blanks between words"),
    pytest.param({"contains": "& sons"}, ["Smith & Sons", "Grandsons"], pa.string(), "10", id="no letter first"),
    pytest.param({"contains": "woman seated"}, ["Woman (seated)", "Woman: he"], pa.string(), "10", id="punctuation"),
    pytest.param(
        {"contains": "deux sœurs"}, ["Les deux soeurs", "DEUX SŒURS"], pa.string(), "11", id="two letters in one"
    ),
    pytest.param({"contains": "मूर"}, ["मूर्ति", "मूर"], pa.string(), "01", id="a vowel sign is of the word"),
    pytest.param({"contains": "가"}, ["가나", "가 나"], pa.string(), "01", id="Korean has blanks"),
    pytest.param({"contains": "ผู้หญิง"}, ["เด็กผู้หญิง", "เด็ก"], pa.string(), "10", id="Thai has none"),
    pytest.param({"contains": "a.b"}, ["a.b", "axb"], pa.string(), "10", id="no pattern"),
    pytest.param({"contains": "a", "not": "a b"}, ["A b", "a c"], pa.string(), "01", id="a word, but not this"),
    pytest.param({"contains": "a"}, [["b", "A c"], ["b"], [], None, [None]], TEXTS, "10000", id="in any element"),
    pytest.param({"least": 1850}, [1849, 1850, None], pa.int32(), "010", id="from, the end included"),
    pytest.param({"least": -5, "most": 5}, [-6, -5, 0, 5, 6], pa.int64(), "01110", id="from and to"),
    pytest.param({"most": 2**62}, [1], pa.int32(), "1", id="a limit that the column can't hold"),
    pytest.param(2**62, [1, None], pa.int32(), "00", id="nor this value"),
    pytest.param([0, 7], [0, 7, 8, None], pa.int64(), "1100", id="whole numbers, nought among them"),
    pytest.param({"not": 0}, [0, 1, None], pa.int64(), "010", id="not nought"),
    pytest.param(2, [2.0, 2.5, None], pa.float64(), "100", id="a whole number for a real one"),
    pytest.param({"least": 0.5, "most": 2}, [0.4, 0.5, 2.0, 2.1], pa.float64(), "0110", id="real limits"),
    pytest.param(True, [True, False, None], pa.bool_(), "100", id="true"),
    pytest.param({"not": True}, [True, False, None], pa.bool_(), "010", id="not true"),
    pytest.param({"is_known": True}, [False, None], pa.bool_(), "10", id="false is known"),
]


@pytest.mark.parametrize(("written", "values", "kind", "expected"), CASES)
@pytest.mark.parametrize("chunks", [1, 3])
def test_meets(written: Any, values: list[Any], kind: pa.DataType, expected: str, chunks: int):
    found = where.meets(column(values, kind, chunks), read(written))
    assert found.dtype == np.bool_
    assert "".join("01"[passes] for passes in found.tolist()) == expected


@pytest.mark.parametrize("kind", [pa.string(), TEXTS, pa.int32(), pa.float64(), pa.bool_()], ids=str)
def test_nothing_in_nothing_out(kind: pa.DataType):
    nothing = column([], kind)
    assert where.meets(nothing, read({"is_known": True})).tolist() == []
    assert where.nothing_meets_note("a", nothing, read({"is_known": True})) == ""
    assert where.details("a", nothing, np.empty(0, bool)).tolist() == []


WORDS = st.one_of(st.none(), st.sampled_from(["", "a", "A", "b", "é", "É", "Straße", "c d"]))


@given(st.lists(WORDS, max_size=12), st.lists(st.sampled_from(["a", "É", "b", "x"]), min_size=1, max_size=3))
def test_of_texts_is_what_python_says(texts: list[str | None], wanted: list[str]):
    forms = {text.lower() for text in wanted}
    assert where.meets(column(texts, pa.string()), read(wanted)).tolist() == [
        bool(text) and str(text).lower() in forms for text in texts
    ]
    lists = [[text, "zzz"] if text else None for text in texts]
    assert (
        where.meets(column(lists, TEXTS), read(wanted)).tolist()
        == where.meets(column(texts, pa.string()), read(wanted)).tolist()
    )


@given(st.lists(WORDS, max_size=12))
def test_what_passes_and_what_does_not_are_all_that_is_known(texts: list[str | None]):
    values = column(texts, pa.string())
    passing, others = (where.meets(values, read(form)) for form in (["a", "é"], {"not": ["a", "é"]}))
    assert not (passing & others).any()
    assert ((passing | others) == where.is_known(values)).all()


@pytest.mark.parametrize(
    ("value", "kind", "said"),
    [
        pytest.param("Drawings", pa.string(), "department: Drawings", id="a text"),
        pytest.param(None, pa.string(), "department: unknown", id="none"),
        pytest.param("", pa.string(), "department: unknown", id="an empty one"),
        pytest.param("x" * 80, pa.string(), "department: " + "x" * 80, id="as long as may be"),
        pytest.param("ü" * 81, pa.string(), "department: " + "ü" * 80 + "...", id="longer"),
        pytest.param(["a", "b"], TEXTS, "department: a, b", id="a list"),
        pytest.param([], TEXTS, "department: unknown", id="an empty list"),
        pytest.param(1849, pa.int32(), "department: 1849", id="a number"),
        pytest.param(0.1, pa.float64(), "department: 0.1", id="a real number"),
        pytest.param(False, pa.bool_(), "department: false", id="a truth value"),
    ],
)
def test_details_of_those_that_fail(value: Any, kind: pa.DataType, said: str):
    values = column([None, value], kind)
    assert where.details("department", values, np.array([False, True])).tolist() == ["", said]


@pytest.mark.parametrize(
    ("written", "values", "kind", "said"),
    [
        pytest.param(
            "Drawing", ["Drawings", "Prints", None], pa.string(), "the nearest values are 'Drawings'", id="a slip"
        ),
        pytest.param(
            ["photography"],
            [["Photographs", "x"], ["Photographs and prints"]],
            TEXTS,
            "the nearest values are 'Photographs'",
            id="of a list's element",
        ),
        pytest.param(
            "Armour", ["b", "b", "a"], pa.string(), "the most frequent values are 'b', 'a'", id="nothing near"
        ),
        pytest.param("x", [*"abcdee"], pa.string(), "'e', 'a', 'b' and 2 more", id="many others"),
        pytest.param("x", [None, ""], pa.string(), "the most frequent values are ", id="empty texts"),
        pytest.param("x", [None, None], pa.string(), "none has a value there", id="nulls"),
        pytest.param({"least": 2000}, [1500, 1890, None], pa.int32(), "the values are from 1500 to 1890", id="years"),
        pytest.param(True, [False, None], pa.bool_(), "the values are from false to false", id="never true"),
        pytest.param({"least": 2}, [0.5, 1.0], pa.float64(), "the values are from 0.5 to 1.0", id="real numbers"),
        pytest.param({"is_known": False}, ["a"], pa.string(), "the most frequent values are 'a'", id="all are known"),
    ],
)
def test_what_nobody_meets_is_told_with_what_there_is(written: Any, values: list[Any], kind: pa.DataType, said: str):
    note = where.nothing_meets_note("`where` of department", column(values, kind), read(written))
    assert note.startswith("no record meets `where` of department: ")
    assert said in note
    assert "\n" not in note


def test_where_one_record_passes_there_is_no_note():
    assert where.nothing_meets_note("a", column(["x", "y"], pa.string()), read("x")) == ""


def test_a_million_distinct_values_are_compared_with_a_few():
    values = column([f"value {number:07}" * 20 for number in range(100_000)], pa.string())
    note = where.nothing_meets_note("a", values, read(["value 9999999", "nothing like it"]))
    assert len(note) < 1000
