"""Cells that hold more than one value, and the line by which a person makes them flat."""

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
    ("table", "value", "line"),
    [
        ("w.jsonl", ["a"], "jq -c '.\"c\" |= (strings // .[0]?)' w.jsonl > flat.jsonl"),
        ("my works.jsonl", [], "jq -c '.\"c\" |= (strings // .[0]?)' 'my works.jsonl' > flat.jsonl"),
        ("w.jsonl", {"it's": 1}, 'jq -c \'."c" |= (strings // .["it\'"\'"\'s"]?)\' w.jsonl > flat.jsonl'),
        ("w.jsonl", [], "jq -c '.\"c\" |= (strings // .[0]?)' w.jsonl > flat.jsonl"),
        (
            "w.jsonl",
            {"id": 1, "url": {"src": "a"}},
            'jq -c \'."c" |= (strings // .["url"]?["src"]?)\' w.jsonl > flat.jsonl',
        ),
        ("w.parquet", {"x": 1}, "with pandas: table['c'] = table['c'].str['x']"),
        ("w.parquet", b"x", "write the pictures as files and their paths into the column"),
        ("w.csv", "[]", "write the value itself into the column, without brackets"),
    ],
)
def test_the_line_to_start_from(table, value, line):
    assert remedy(table, "image", "c", value).endswith(line)


@given(VALUES)
def test_any_value_has_an_answer_and_one_sentence(value):
    kind = nesting_of("artist", value)
    assert (kind is None) == (not isinstance(value, list | dict))
    if kind:
        assert "\n" not in remedy("w.jsonl", "artist", "c", value)


@given(VALUES.filter(lambda value: isinstance(value, dict)))
def test_an_object_counts_as_one_however_it_is_spelled(value):
    assert nesting_of("title", json.dumps(value)) == nesting_of("title", json.dumps(value, indent=1)) == "an object"
    assert nesting_of("title", json.dumps([value])) == "a list"
