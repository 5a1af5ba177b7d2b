"""Paths into nested fields."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.scrape.paths import MAX_PATH_CHARACTERS, MAX_PATH_STEPS, TWICE, first_name, parse_path, values_at

WORK = {
    "title": "Still life",
    "a.b": "a heading with a dot",
    "a": {"b": "nested", "c d": 3},
    "odd.name": {'with "quotes"': {"x": 1}},
    "images": [{"url": "1.jpg"}, {"url": "2.jpg", "size": [3, 4]}, {}],
    "creator": [{"name": "Gris", "role": "artist"}, "no object", {"name": "Kahnweiler", "role": None}],
    "groups": [{"of": [{"n": 1}, {"n": 2}]}, {"of": []}, {"of": None}, {}, {"of": [{}, {"n": 3}]}],
    "pairs": (1, 2),
    "null": None,
    "2020": "a year as a name",
    "iiif": [
        {"label": {"en": ["Date"]}, "value": 1914},
        {"label": {"en": ['Artist "B"']}, "value": "Gris"},
        {"label": {"en": ['Artist "B"']}, "value": "another"},
    ],
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("a.b", "a heading with a dot", id="a heading wins over the path"),
        pytest.param('a["b"]', "nested", id="the same path without the heading"),
        pytest.param("a.c d", 3, id="a blank in a name"),
        pytest.param('["odd.name"]["with \\"quotes\\""].x', 1, id="names in quotation marks"),
        pytest.param('["title"]', "Still life", id="a plain name in quotation marks"),
        pytest.param("images[1].size[0]", 3, id="places"),
        pytest.param("images[3].url", None, id="beyond the list"),
        pytest.param("images[999999999]", None, id="far beyond the list"),
        pytest.param("images.url", None, id="a name within a list"),
        pytest.param("a[0]", None, id="a place within an object"),
        pytest.param("title[0]", None, id="a place within a text"),
        pytest.param("title.b.c", None, id="a name within a text"),
        pytest.param("null.b", None, id="a name within null"),
        pytest.param("null[]", None, id="every element of null"),
        pytest.param("a[]", None, id="every element of an object"),
        pytest.param("missing[].b", None, id="every element of what is missing"),
        pytest.param("images[].url", ["1.jpg", "2.jpg", None], id="an element without the field"),
        pytest.param("images[].size[1]", [None, 4, None], id="a place behind every element"),
        pytest.param("creator[].role", ["artist", None, None], id="an element that is no object"),
        pytest.param("groups[].of[].n", [1, 2, None, 3], id="lists within lists are flat"),
        pytest.param("groups[4].of[].n", [None, 3], id="a place, then every element"),
        pytest.param("groups[1].of[].n", [], id="an empty list"),
        pytest.param("pairs[]", [1, 2], id="a tuple"),
        pytest.param("2020", "a year as a name", id="digits as a name"),
        pytest.param('creator[role="artist"].name', "Gris", id="the element that says so"),
        pytest.param('creator[role="publisher"].name', None, id="no element says so"),
        pytest.param('creator[role="artist"][0]', None, id="a place within what says so"),
        pytest.param('images[size[1]="4"].url', "2.jpg", id="digits of a number, by a path"),
        pytest.param('a[b="nested"]', None, id="a condition on an object"),
        pytest.param('title[b="x"]', None, id="a condition on a text"),
        pytest.param('groups[of[0].n="1"].of[].n', [1, 2], id="a condition, then every element"),
        pytest.param('groups[].of[n="2"].n', [2, None, None, None, None], id="every element, then a condition"),
        pytest.param('iiif[label.en[0]="Artist \\"B\\""].value', "Gris", id="quotation marks, the first of two"),
    ],
)
def test_a_path_finds_its_value(path: str, expected: Any) -> None:
    assert values_at(WORK, path) == expected


@pytest.mark.parametrize(
    "path",
    ["", ".a", "a.", "a..b", "a[", "a]", "a[-1]", "a[1", "a[1]b", "a[x]", 'a["b]', 'a[""]', 'a["\\x"]', "[]", "[0]",
     'a"b"', "a[0000000001]", 'a[b=]', 'a[b="c]', 'a[="c"]', "a[b=c]", 'a[b[]="c"]', 'a[b[c="d"]="e"]', '[a="b"]',
     'a[b.="c"]',     'a[b="\\x"]', "a." * MAX_PATH_CHARACTERS, ".".join("a" * (MAX_PATH_STEPS + 1))],
)  # fmt: skip
def test_what_is_no_path_is_refused_in_a_sentence_and_finds_nothing(path: str) -> None:
    with pytest.raises(ValueError, match=r"^expected a path .*, got"):
        parse_path(path)
    assert values_at({"a": {"b": [1]}}, path) is None
    assert values_at({path: "a heading"}, path) == "a heading"
    assert first_name(path) == path


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a", TWICE), ("a.b", TWICE), ("a[0].b", TWICE), ("a[].b", TWICE), ("a[].b[].c", TWICE), ("b.a.c", TWICE),
     ('c[a="1"].a', TWICE), ('d[a="1"].a', 1), ("c[].a", [TWICE, 1]),
     ("c[].a.b", [TWICE, None]), ("c[].a[].b", [TWICE]), ("b.d", None)],
)  # fmt: skip
def test_what_stands_below_a_name_that_is_there_twice_is_there_twice(path: str, expected: object) -> None:
    row = {"a": TWICE, "b": {"a": TWICE}, "c": [{"a": TWICE}, {"a": 1}], "d": [{"a": 1}, {"a": TWICE}]}
    assert values_at(row, path) == expected


def test_limits_are_what_they_say() -> None:
    assert len(parse_path(".".join("a" * MAX_PATH_STEPS))) == MAX_PATH_STEPS
    assert parse_path("a" * MAX_PATH_CHARACTERS) == ("a" * MAX_PATH_CHARACTERS,)


def test_a_value_that_holds_itself_is_followed_only_as_far_as_the_path_goes() -> None:
    row: dict[str, Any] = {}
    row["self"] = row
    assert values_at(row, ".".join(["self"] * MAX_PATH_STEPS)) is row


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=12,
)
STEPS = st.lists(st.sampled_from([".a", ".b", "[0]", "[1]", "[]"]), max_size=5)


@given(row=st.dictionaries(st.sampled_from("ab"), JSON, max_size=2), first=st.sampled_from("ab"), further=STEPS)
def test_any_path_into_anything_is_found_or_none(row: dict[str, Any], first: str, further: list[str]) -> None:
    before = copy.deepcopy(row)
    found = values_at(row, path := first + "".join(further))
    assert row == before
    assert found is None or isinstance(found, list) or "[]" not in path
    assert found == _by_hand(row, path)


def _by_hand(row: Any, path: str) -> Any:
    """The same, step by step, on the list of all values that are in reach."""
    values = [row]
    for step in parse_path(path):
        if step is None:
            values = [inner for value in values if isinstance(value, list) for inner in value]
        else:
            values = [_taken(value, step) for value in values]
    if "[]" not in path:
        return values[0]
    return values if isinstance(values_at(row, path.split("[]")[0]), list) else None


def _taken(value: Any, step: Any) -> Any:
    try:
        return value[step] if isinstance(value, dict if isinstance(step, str) else list) else None
    except LookupError:
        return None


@given(st.lists(st.text(min_size=1, max_size=9), min_size=1, max_size=6))
def test_any_names_can_be_written_as_a_path(names: list[str]) -> None:
    path = "".join(f"[{json.dumps(name)}]" for name in names)
    if len(path) <= MAX_PATH_CHARACTERS:
        assert parse_path(path) == tuple(names)


def test_a_condition_on_a_number_is_on_its_digits():
    row = {"a": [{"id": 2.5, "v": "x"}, {"id": 3.0, "v": "y"}]}
    assert values_at(row, 'a[id="3"].v') == values_at(row, 'a[id="3.0"].v') == "y"
    assert values_at(row, 'a[id="2"].v') is None
