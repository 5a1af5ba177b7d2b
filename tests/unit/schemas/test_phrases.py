import tracemalloc
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.phrases import LONGEST_QUOTE, and_more, counted, listed, quoted, quoted_name


def test_a_list_says_how_many_it_leaves_out():
    assert listed([], 2) == ""
    assert listed(["a", "b"], 2) == "a, b"
    assert listed(["a", "b", "c", "d"], 2) == "a, b and 2 more"
    assert and_more(1234) == " and 1,234 more"
    assert and_more(0) == and_more(-1) == ""


def test_nouns_follow_their_number():
    assert [counted(count, "record") for count in (0, 1, 1000)] == ["0 records", "1 record", "1,000 records"]
    assert counted(2, "copy", "copies") == "2 copies"


def test_quotes_are_one_short_line():
    assert quoted("a\nb") == r"'a\nb'"
    assert quoted("x" * 81) == repr("x" * 80 + "...")


def nested(value: Any, levels: int, width: int) -> Any:
    for _ in range(levels):
        value = [value] * width
    return value


HUGE = [
    pytest.param(nested("x", 9, 9), id="a list that means 387,420,489 values"),
    pytest.param({"a": {"b": nested({"x": 1}, 60, 3)}}, id="mappings in lists without end"),
    pytest.param(nested(1, 5000, 1), id="5,000 levels"),
    pytest.param("x" * 1_000_000, id="a long text"),
    pytest.param(["x" * 1_000_000] * 1_000, id="a long text a thousand times"),
    pytest.param({"x" * 1_000_000: 1}, id="a long key"),
    pytest.param(list(range(1_000_000)), id="a long list"),
    pytest.param(b"\0" * 1_000_000, id="bytes"),
    pytest.param(1 << 20_000, id="more digits than Python writes"),
    pytest.param([-(1 << 20_000)] * 9, id="such numbers in a list"),
]


@pytest.mark.parametrize("value", HUGE)
def test_a_huge_value_is_cut_before_it_is_written_out(value: Any):
    tracemalloc.start()
    try:
        text = quoted(value)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(text) < LONGEST_QUOTE + 50
    assert peak_bytes < 500_000  # half of what the shortest would take; other threads may take some meanwhile


def test_a_value_that_holds_itself_is_cut():
    value: list[Any] = [1]
    value.append(value)
    assert quoted(value, 10) == "[1, [1, [1..."


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (True, "True"),
        (-1.5, "-1.5"),
        (date(2024, 5, 1), "2024-05-01"),
        (datetime(2024, 5, 1, tzinfo=UTC), "2024-05-01T00:00:00+00:00"),
        (("a", 1), "('a', 1)"),
        ([], "[]"),
        ({}, "{}"),
        ({"a": ["b", {"c": None}]}, "{'a': ['b', {'c': None}]}"),
        (object(), "<object>"),
    ],
)
def test_a_short_value_is_quoted_whole(value: Any, text: str):
    assert quoted(value) == text


def test_a_name_is_quoted_only_where_it_must_be():
    assert [quoted_name(name) for name in ("least", 3, "a b", "a\nb", "", "n" * 81)] == [
        "least",
        "3",
        "a b",
        r"'a\nb'",
        "",
        repr("n" * 80 + "..."),
    ]


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(plain, st.integers(1, 200))
def test_a_quote_is_what_python_writes_or_its_beginning(value: Any, most: int):
    text = quoted(value, most)
    assert "\n" not in text
    if not isinstance(value, str):
        assert text == repr(value) or (text == repr(value)[:most] + "..." and len(repr(value)) > most)
