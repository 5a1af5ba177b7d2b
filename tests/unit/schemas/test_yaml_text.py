"""YAML that people write: plain values, each key once, and limits on what a text means, not only on its length."""

import datetime
import tracemalloc
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from schemas.yaml_text import MAX_BYTES, MAX_CHARACTERS, MAX_DEPTH, MAX_VALUES, NotYaml, parse_yaml


def bomb(levels: int, first: str = "[x, x, x, x, x, x, x, x, x]") -> str:
    """A few hundred bytes that mean 9 ** levels values."""
    lines = [f"a0: &a0 {first}"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines)


MERGED = "a0: &a0 {x: 1}\n" + "\n".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 9))
LONG_TEXT = f"a: &a {'x' * 20_000}\nb: [{', '.join(['*a'] * 999)}]"

ODD = [
    pytest.param(bomb(9), f"expected at most {MAX_VALUES:,} values", "line 5", id="aliases of aliases"),
    pytest.param(MERGED, f"expected at most {MAX_VALUES:,} values", "line 6", id="merge keys of merge keys"),
    pytest.param(LONG_TEXT, f"and {MAX_CHARACTERS:,} characters, with all aliases", "line 2", id="a long text again"),
    pytest.param("[" + "1," * MAX_VALUES + "]", f"at most {MAX_VALUES:,} values", "line 1", id="a list without end"),
    pytest.param("x" * (MAX_BYTES + 1), f"at most {MAX_BYTES:,} bytes", "got more", id="more bytes"),
    pytest.param("é" * (MAX_BYTES // 2 + 1), f"at most {MAX_BYTES:,} bytes", "got more", id="more bytes than letters"),
    pytest.param("[" * 5000, f"at most {MAX_DEPTH} levels", "line 1", id="brackets without end"),
    pytest.param("{a: " * 5000, f"at most {MAX_DEPTH} levels", "line 1", id="braces without end"),
    pytest.param("- " * 5000, f"at most {MAX_DEPTH} levels", "line 1", id="dashes without end"),
    pytest.param(
        "\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 60))]),
        f"at most {MAX_DEPTH} levels",
        "line 51",
        id="levels by aliases",
    ),
    pytest.param("a: &a [1, *a]", "does not hold itself", "line 1", id="a list in itself"),
    pytest.param("&a {b: {c: *a}}", "does not hold itself", "line 1", id="a mapping in itself"),
    pytest.param("a: *b", "undefined alias 'b'", "line 1", id="an alias of nothing"),
    pytest.param("a: 1\nb: 2\na: 3", "each key once, got 'a' on line 1 and again on line 3", "", id="a key twice"),
    pytest.param("x:\n  - {b: 1, b: 1}", "got 'b' on line 2 and again on line 2", "", id="a key twice deep inside"),
    pytest.param("1: a\n0x1: b", "got 1 on line 1 and again on line 2", "", id="one number in two spellings"),
    pytest.param("true: a\n1: b", "got 1 on line 1 and again on line 2", "", id="keys that Python takes for one"),
    pytest.param("a: &a {x: 1}\nb: {<<: *a, <<: *a}", "got '<<' on line 2", "again on line 2", id="two merge keys"),
    pytest.param("<<: 3", "expected YAML", "line 1", id="merged with a number"),
    pytest.param("? [a, b]\n: 1", "unhashable key", "line 1", id="a list as a key"),
    pytest.param("a: 1\n---\nb: 2", "got another document", "line 2", id="two documents"),
    pytest.param("!!python/object/apply:os.system [x]", "'!!python/object/apply:os.system'", "plain", id="Python"),
    pytest.param("a: !!binary aGk=", "got the tag '!!binary'", "line 1", id="bytes"),
    pytest.param("a: !!set {x, y}", "got the tag '!!set'", "line 1", id="a set, which has no order"),
    pytest.param("a: !!omap [x: 1]", "got the tag '!!omap'", "line 1", id="an ordered mapping"),
    pytest.param("a: !mine x", "got the tag '!mine'", "line 1", id="a tag of one's own"),
    pytest.param("!" + "x" * 100_000 + " y", "got the tag '!xxx", "...'", id="a tag without end"),
    pytest.param("seed: 010", "got 010, which YAML reads as 8", "line 1", id="base 8"),
    pytest.param("a: 1\nb: -0_17", "got -0_17, which YAML reads as -15", "line 2", id="base 8, below 0"),
    pytest.param("a: [1:30]", "got 1:30, which YAML reads as 90", "line 1", id="base 60"),
    pytest.param("a: 1:30.5", "got 1:30.5, which YAML reads as 90.5", "line 1", id="a fraction in base 60"),
    pytest.param("10:20: a", "got 10:20, which YAML reads as 620", "line 1", id="a key in base 60"),
    pytest.param("a: !!bool abc", "got 'abc', which is no bool", "line 1", id="no bool"),
    pytest.param('a: !!int ""', "got '', which is no int", "line 1", id="no number"),
    pytest.param("a: !!float abc", "got 'abc', which is no float", "line 1", id="no fraction"),
    pytest.param("\na: !!timestamp abc", "got 'abc', which is no timestamp", "line 2", id="no time"),
    pytest.param("a: 2020-13-45", "got '2020-13-45', which is no timestamp (month", "line 1", id="no day"),
    pytest.param("a: 0x" + "f" * 5000, "numbers of at most 256 bits, got a number of 20,000 bits", "", id="huge, hex"),
    pytest.param("a: " + "9" * 5000, "got '9999", "...', which is no int", id="more digits than Python reads"),
    pytest.param("\ta: 1", r"found character '\t'", "line 1", id="a tab"),
    pytest.param("a\0b", "#x0000", "expected YAML", id="a zero byte"),
    pytest.param('"\\ud800"', "half a character", "line 1", id="half a character"),
    pytest.param("a: [", "expected YAML", "line 1", id="no end"),
    pytest.param("{a: b[0].c}", "but got '['", "(line 1): within { } a text with brackets", id="a path in braces"),
]


def complaint(text: str) -> str | None:
    """What is wrong with the text; None if nothing is."""
    try:
        parse_yaml(text)
    except NotYaml as problem:
        return str(problem)
    return None


@pytest.mark.parametrize(("text", "said", "also"), ODD)
def test_what_is_not_plain_yaml_is_one_short_sentence(text: str, said: str, also: str):
    sentence = complaint(text) or ""
    assert said in sentence
    assert also in sentence
    assert sentence.startswith("expected ")
    assert "\n" not in sentence
    assert len(sentence) < 500


@pytest.mark.slow
@pytest.mark.parametrize("text", [bomb(9), bomb(99), MERGED, LONG_TEXT, "[" * 5000, "a: 0x" + "f" * 5000])
def test_a_text_that_means_more_than_it_looks_takes_little_memory(text: str):
    tracemalloc.start()
    try:
        assert complaint(text)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 10_000_000 + 8 * len(text)


def test_limits_are_those_of_the_values_and_not_one_less():
    assert complaint("[" * MAX_DEPTH + "x" + "]" * MAX_DEPTH) is None
    assert complaint("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)) is not None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# only a comment", None),
        ("\ufeffa: 1", {"a": 1}),
        ("a: 1\r\nb: [x, 2.5, null, ~, true]\r\n", {"a": 1, "b": ["x", 2.5, None, None, True]}),
        ("a: 2024-05-01", {"a": datetime.date(2024, 5, 1)}),
        ("a: =", {"a": "="}),
        ("a: .inf", {"a": float("inf")}),
        ("a: 1e-3", {"a": "1e-3"}),  # text in YAML 1.1; the models read it as a number
        ("a: !!str 1", {"a": "1"}),
        ("a: &a {x: 1}\nb: {<<: *a, y: 2}", {"a": {"x": 1}, "b": {"x": 1, "y": 2}}),
        ("a: &a {x: 1}\nb: &b {<<: *a, x: 2}\nc: {<<: [*b, *a]}", {"a": {"x": 1}, "b": {"x": 2}, "c": {"x": 2}}),
        (f"a: 0x{'f' * 64}", {"a": 2**256 - 1}),
    ],
)
def test_plain_yaml_is_read(text: str, value: Any):
    assert parse_yaml(text) == value


def test_what_an_alias_names_can_be_changed_at_one_place_alone():
    value = parse_yaml("a: &a {x: [1]}\nb: *a")
    value["a"]["x"].append(2)
    assert value == {"a": {"x": [1, 2]}, "b": {"x": [1]}}


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(plain)
def test_whatever_is_plain_is_read_as_pyyaml_reads_it(value: Any):
    text = yaml.safe_dump(value)
    assert parse_yaml(text) == yaml.safe_load(text)


@given(st.text(st.sampled_from("ab0:-[]{}&*!|>'\"#%@<,? \n\t~=.x"), max_size=40))
def test_any_text_is_a_value_or_one_sentence(text: str):
    sentence = complaint(text) or ""
    assert "\n" not in sentence
    assert len(sentence) < 500


def test_a_text_that_is_read_twice_gives_two_values():
    text = "a: &one [1, {b: 2}]\nc: *one"
    first = parse_yaml(text)
    first["a"][1]["b"] = 3
    assert parse_yaml(text) == {"a": [1, {"b": 2}], "c": [1, {"b": 2}]}
