"""Cells that hold more than one value, and what a person is told to do about them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.scrape.cells import nesting_of, remedy

VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("field", "column", "value", "advice"),
    [
        ("image", ("c",), ["a"], "take one value by a path, such as c[0], or make a record of each with each: c"),
        ("image", ("c",), [], "such as c[0], or make a record of each with each: c"),
        ("image", ("c",), {"it's": 1}, "such as c.it's"),
        ("image", ("c",), {"a.b": 1}, 'such as c["a.b"]'),
        ("image", ("c",), {"id": 1, "url": {"src": "a"}}, "such as c.url.src"),
        ("title", ("c", None, "name"), ["a"], "such as c[0].name"),
        ("title", ("c", None), ["a", "b"], "such as c[0]"),
        ("artist_roles", ("c", None, "roles"), [None, ["painter", "etcher"]], "such as c[].roles[0]"),
        ("artists", ("c", None), [{"name": "Gris"}], "take texts by a path, such as c[].name"),
        ("styles", ("c",), [{"name": "Cubism"}], "take texts by a path, such as c[].name"),
        ("image", ("c",), b"x", "write the pictures as files and their paths into the column"),
        ("image", ("c",), "[]", "write the value itself into the column, without brackets"),
    ],
)
def test_the_advice_is_a_path(field, column, value, advice):
    assert remedy(field, column, value).endswith(advice)


@given(VALUES)
def test_any_value_has_an_answer_and_one_sentence(value):
    kind = nesting_of("artist", value)
    assert (kind is None) == (not isinstance(value, list | dict))
    if kind:
        assert "\n" not in remedy("artist", ("c",), value)


@given(VALUES.filter(lambda value: isinstance(value, dict)))
def test_an_object_counts_as_one_however_it_is_spelled(value):
    assert nesting_of("title", json.dumps(value)) == nesting_of("title", json.dumps(value, indent=1)) == "an object"
    assert nesting_of("title", json.dumps([value])) == "a list"
