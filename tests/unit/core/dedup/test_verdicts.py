"""Verdicts: each word about each pair once, in one order; and what no build could obey is refused in one sentence."""

import itertools

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import BadInput
from schemas.tables import VERDICTS
from tasks.core.dedup.verdicts import WORDS, parse_verdicts, with_known_ids

HEADER = ("a", "b", "verdict", "note")


def rows(*said: str) -> list[tuple[int, list[str]]]:
    """Lines 1, 2 .. of a file: a header and rows written as 'a b copy note'."""
    return list(enumerate([list(HEADER), *([*line.split(), ""][:4] for line in said)], 1))


def read(*said: str) -> list[tuple[str, ...]]:
    table = parse_verdicts("v", rows(*said))
    assert table.schema == VERDICTS
    return [tuple(row.values()) for row in table.to_pylist()]


def refusal(lines: list[tuple[int, list[str]]]) -> str:
    with pytest.raises(BadInput) as caught:
        parse_verdicts("v", lines)
    text = str(caught.value)
    assert "expected" in text
    assert "got" in text
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param([], [], id="a header alone"),
        pytest.param(["b a copy"], [("a", "b", "copy", "")], id="the larger one first"),
        pytest.param(["a b copy x", "b a copy"], [("a", "b", "copy", "x")], id="twice, noted once"),
        pytest.param(["a b copy y", "b a copy x", "a b copy y"], [("a", "b", "copy", "x; y")], id="two notes"),
        pytest.param(
            ["c d different", "a b related", "a c copy"],
            [("a", "b", "related", ""), ("a", "c", "copy", ""), ("c", "d", "different", "")],
            id="sorted",
        ),
        pytest.param(
            ["a b copy", "c d copy", "a c different", "b d related"],
            [("a", "b", "copy", ""), ("a", "c", "different", ""), ("b", "d", "related", ""), ("c", "d", "copy", "")],
            id="two works, two copies of each",
        ),
        pytest.param(
            ["a b different", "b c different", "a c related"],
            [("a", "b", "different", ""), ("a", "c", "related", ""), ("b", "c", "different", "")],
            id="three works: a chain of differences says nothing",
        ),
    ],
)
def test_what_is_read(said, expected):
    assert read(*said) == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        pytest.param(["verdict", "b", "a"], ("a", "b", "copy", ""), id="another order, no notes"),
        pytest.param(["note", "b", "verdict", "a"], ("a", "b", "copy", "n"), id="notes first"),
    ],
)
def test_columns_go_by_name(header, expected):
    cells = {"a": "a", "b": "b", "verdict": "copy", "note": "n"}
    table = parse_verdicts("v", [(1, header), (2, [cells[name] for name in header])])
    assert [tuple(row.values()) for row in table.to_pylist()] == [expected]


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        pytest.param([], "v: expected the columns a,b,verdict,note, got an empty file", id="nothing at all"),
        pytest.param([(1, ["a;b;verdict;note"])], "got 'a;b;verdict;note'", id="another separator"),
        pytest.param([(1, ["a", "b"])], "got 'a,b'", id="no verdict"),
        pytest.param([(1, ["a", "b", "verdict", "b"])], "got 'a,b,verdict,b'", id="a column twice"),
        pytest.param([(1, ["a", "b", "verdict", "x"])], "got 'a,b,verdict,x'", id="a column of another name"),
        pytest.param(
            [(1, [*HEADER]), (7, ["a", "b", "copy"])], "v, line 7: expected 4 cells, got 3", id="a cell too few"
        ),
        pytest.param(
            rows("a b Copy"), "v, line 2: expected a verdict of copy, related, different, got 'Copy'", id="a word"
        ),
        pytest.param(rows("a b " + "x" * 999), f"got '{'x' * 80}...'", id="a very long word"),
        pytest.param(
            rows("a a copy"), "v, line 2: expected two different record_ids, got 'a' and 'a'", id="with itself"
        ),
        pytest.param([(1, [*HEADER]), (2, ["", "b", "copy", ""])], "got '' and 'b'", id="nobody"),
        pytest.param(
            rows("a b copy", "c d copy", "b a different", "a b copy"),
            "v: expected one verdict of 'a' and 'b', got copy (lines 2, 5) and different (line 4)",
            id="two words",
        ),
        pytest.param(
            rows("c b copy", "a b copy", "a c different"),
            "got 'a' and 'c' as different (line 4) although lines 2, 3 make them copies: 'a' = 'b' = 'c'",
            id="a chain against a word",
        ),
        pytest.param(
            rows("c b copy", "a b copy", "a c related"), "got 'a' and 'c' as related (line 4)", id="related, yet copies"
        ),
        pytest.param(
            rows("a b copy", "b c copy", "c d copy", "b d copy", "a d different"),
            "although lines 2, 5 make them copies: 'a' = 'b' = 'd'",
            id="of two chains the shorter",
        ),
        pytest.param(
            rows(*(f"n{k} n{k + 1} copy" for k in range(9)), "n0 n9 different"),
            "although lines 2, 3, 4, 5, 6 and 4 more make them copies: 'n0' = 'n1' = 'n2' = 'n3' = 'n4' = ... = 'n9'",
            id="a long chain",
        ),
    ],
)
def test_what_is_refused(lines, says):
    assert says in refusal(lines)


NAMES = st.sampled_from("abcde")
SAID = st.lists(st.tuples(NAMES, NAMES, st.sampled_from(WORDS), st.sampled_from(["", "m", "n"])), max_size=7)


def outcome(said) -> object:
    """The rows, or that they are refused: which line a refusal names may go by the order of lines."""
    try:
        return parse_verdicts("v", [(1, [*HEADER]), *enumerate(map(list, said), 2)]).to_pylist()
    except BadInput:
        return "refused"


def is_obeyable(said) -> bool:
    """By trying all ways to deal five records into works."""
    if any(a == b for a, b, _, _ in said) or len({(frozenset(row[:2]), row[2]) for row in said}) > len(
        {frozenset(row[:2]) for row in said}
    ):
        return False
    ways = itertools.product(range(5), repeat=5)
    works = (dict(zip("abcde", way, strict=True)) for way in ways)
    return any(all((work[a] == work[b]) == (word == "copy") for a, b, word, _ in said) for work in works)


@settings(max_examples=60, deadline=None)
@given(SAID, st.randoms(use_true_random=False))
def test_order_changes_nothing_and_all_that_can_be_obeyed_is_read(said, chance):
    other = [(b, a, word, note) if chance.random() < 0.5 else (a, b, word, note) for a, b, word, note in said]
    chance.shuffle(other)
    assert outcome(said) == outcome(other)
    assert (outcome(said) != "refused") == is_obeyable(said)


def test_records_may_be_named_in_another_spelling():
    known = pa.array(["s:1", "s:2.0", "s:\u00e9"])
    given = rows("s:1.0 s:2 copy", "s:e\u0301 s:3 related")
    assert with_known_ids(given, known)[1:] == [
        (2, ["s:1", "s:2.0", "copy", ""]),
        (3, ["s:\u00e9", "s:3", "related", ""]),
    ]
    assert with_known_ids([], known) == []
    assert with_known_ids([(1, ["x"]), (2, ["s:1.0"])], known) == [(1, ["x"]), (2, ["s:1.0"])]
