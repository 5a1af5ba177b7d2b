"""Works of JSON files: what forms such a file may have, what can be wrong in it, and that all is read in pieces."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.scrape import json_works
from tasks.core.scrape.json_works import MAX_WORK_LEVELS, UNREADABLE, BrokenJson, works_of_json
from tasks.core.scrape.paths import TWICE, parse_path


def works(text: str, path: str | None = None, piece: int | None = None) -> list[dict[str, Any]]:
    file = io.StringIO(text)
    return list(works_of_json(lambda size: file.read(piece or size), parse_path(path) if path else None))


A, B = {"id": 1}, {"id": 2, "images": [{"url": "]"}, {}]}


@pytest.mark.parametrize("piece", [1, 2, 7, None])
@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        pytest.param("[]", None, [], id="an empty list"),
        pytest.param(json.dumps([A, B]), None, [A, B], id="a list"),
        pytest.param(json.dumps([A, B], indent=2), None, [A, B], id="a list over lines"),
        pytest.param(" \n [ {\"id\": 1} , {\"id\": 1} ] \n", None, [A, A], id="blanks"),
        pytest.param(json.dumps(B, indent=1), None, [B], id="one work"),
        pytest.param('{"id": 1}\n\n{"id": 1}\r\n{"id": 1}', None, [A, A, A], id="lines"),
        pytest.param('{"id": 1}{"id": 1}', None, [A, A], id="one behind the other"),
        pytest.param(json.dumps({"n": 2, "x": [[1], {}], "data": {"no": "]", "items": [A, B]}, "z": 1}), "data.items",
                     [A, B], id="a list within an object"),
        pytest.param('{"a.b": [{"id": 1}]}', '["a.b"]', [A], id="a name with a dot"),
        pytest.param('[{"id": "\\u00e9\\ud83d\\ude00 \\" ]}"}]', None, [{"id": 'é😀 " ]}'}], id="escapes"),
        pytest.param('[{"id": "\\ud800"}]', None, [{"id": "\ud800"}], id="a lone surrogate"),
        pytest.param('[{"id": -1.5e+3}]', None, [{"id": -1500.0}], id="a number"),
        pytest.param('[{"id": 1, "id": 2}]', None, [{"id": TWICE}], id="a name twice"),
    ],
)  # fmt: skip
def test_works_of_any_form_in_pieces_of_any_size(text: str, path: str | None, expected: list[Any], piece: int | None):
    assert works(text, path, piece) == expected


@pytest.mark.parametrize("piece", [1, None])
@pytest.mark.parametrize(
    ("text", "good", "said"),
    [
        pytest.param("", 0, "no JSON object: the file is empty", id="an empty file"),
        pytest.param("[1, {}, null]", 1, "work 1 is no JSON object: 1", id="no objects"),
        pytest.param("7", 0, "work 1 is no JSON object: 7", id="a number"),
        pytest.param('[{"id": 1}, -1.5e+3, {"id": 2}]', 2, "work 2 is no JSON object: -1.5e+3", id="a number within"),
        pytest.param('[{"id": 1}, {"id":', 1, "broken behind work 2, so the rest is lost: Expecting value", id="cut"),
        pytest.param('[{"id": 1} {"id": 2}]', 1, "broken behind work 1, so the rest is lost: expected ','", id="comma"),
        pytest.param('[{"id": 1},]', 1, "broken behind work 2", id="a comma too many"),
        pytest.param('[{"id": 1}', 1, "expected ',', got the end of the file", id="no bracket"),
        pytest.param('{"id": 1}\n{"id": 2\n{"id": 3}', 2, 'no JSON object: {"id": 2', id="a broken line"),
        pytest.param('{\n"id": 1,,\n}', 0, "the rest of a broken file, which begins with {", id="broken"),
        pytest.param(
            '{"a": 1,, "b": "' + "x" * 200 + '"}\n{"id": 1}', 1, 'no JSON object: {"a": 1,, "b"', id="a long one"
        ),
        pytest.param("<html>", 0, "which begins with <html>", id="no JSON at all"),
        pytest.param('[{"id": 1}] [{"id": 2}]', 1, "behind the list of works, so it is lost: '[", id="two lists"),
        pytest.param('[{"id": 1}] x', 1, "behind the list of works, so it is lost: 'x'", id="more than the list"),
        pytest.param('[{"id": "1', 0, "Unterminated string starting at '", id="cut within a text"),
    ],
)
def test_what_is_broken_is_a_row_that_says_so(text: str, good: int, said: str, piece: int | None):
    got = works(text, None, piece)
    assert len([row for row in got if UNREADABLE not in row]) == good
    assert said in next(row[UNREADABLE] for row in got if UNREADABLE in row)


@pytest.mark.parametrize(
    ("text", "path", "said"),
    [
        ('{"a": 1}', "b", "no 'b' on the way to them"),
        ('{"a": {}}', "a.b", "no 'b' on the way to them"),
        ('{"a": {"b": 1}}', "a.b", "no list there: '1}}'"),
        ("[1]", "a", "expected '{', got '[1]'"),
        ("", "a", "expected '{', got the end of the file"),
        ('{"a": [{}]}', "a[0]", "[0] in the path to them, which may have only names"),
        ('{"a": "' + "x" * 50, "b", "the end of the file within a value"),
        ('{"a": [{}], "a": [{}]}', "a", "'a' twice on the way to them"),
        ('{"a": {"b": []}, "c": {"b": 1}, "a": 1}', "a.b", "'a' twice on the way to them"),
        ('{"a": {"b": [], "b": []}}', "a.b", "'b' twice on the way to them"),
        ('{"a": [{}], "c": "' + "x" * 50, "a", "the end of the file within a value"),
        ('{"a": [{}]', "a", "expected '}', got the end of the file"),
    ],
)
def test_a_path_that_leads_to_no_list_is_said(text: str, path: str, said: str):
    with pytest.raises(BrokenJson) as caught:
        works(text, path)
    assert said in str(caught.value)


@pytest.mark.parametrize("levels", [MAX_WORK_LEVELS + 1, 1000, 100_000])
@pytest.mark.parametrize("brackets", ["[]", '{"a":}'])
def test_what_is_nested_too_deep_is_passed_over(levels: int, brackets: str):
    value = brackets[:-1] * levels + "1" + brackets[-1] * levels
    first, second = works(f'[{{"id": {value}}}, {{"id": 1}}]')
    assert (first, second) == ({UNREADABLE: f"work 1 is nested deeper than {MAX_WORK_LEVELS} levels"}, A)


@pytest.mark.parametrize("piece", [1000, None])
@pytest.mark.parametrize("digits", [4301, 10_000, 100_000])
def test_a_number_that_is_too_long_costs_its_own_work_alone(digits: int, piece: int | None):
    first, second = works(f'[{{"id": {"9" * digits}}}, {{"id": 1}}]', None, piece)
    assert (first, second) == ({UNREADABLE: "work 1 is unreadable: a number in it is too long"}, A)


def test_what_is_nested_as_deep_as_it_may_be_is_read():
    levels = MAX_WORK_LEVELS - 1  # and the work itself
    assert UNREADABLE not in works('[{"id": ' + "[" * levels + "]" * levels + "}]")[0]
    wide = '[{"id": [' + ",".join(["[]"] * 1000) + "]}]"
    assert UNREADABLE not in works(wide)[0]


@pytest.mark.parametrize("piece", [1000, None])
@pytest.mark.parametrize("body", ['"' + "x" * 5000 + '"', "[" + "1," * 2500 + "1]", "[" + "{}," * 1700 + "{}]"])
def test_what_is_too_long_is_passed_over(monkeypatch: pytest.MonkeyPatch, body: str, piece: int | None):
    monkeypatch.setattr(json_works, "MAX_WORK_CHARACTERS", 4000)
    monkeypatch.setattr(json_works, "_TOO_LONG", "longer than 4,000 characters")
    first, second = works(f'[{{"id": {body}}}, {{"id": 1}}]', None, piece)
    assert (first, second) == ({UNREADABLE: "work 1 is longer than 4,000 characters"}, A)


def test_no_more_than_the_longest_work_is_in_memory():
    sizes: list[int] = []

    def read(size: int) -> str:
        sizes.append(size)
        return '{"id": "' + "x" * 100_000 + '"}\n' if len(sizes) < 200 else ""

    assert sum(1 for _ in works_of_json(read)) == 199
    assert max(sizes) <= 2 << 20


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=3), max_size=4),
    st.integers(1, 9),
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_whatever_is_written_comes_back(rows: list[dict[str, Any]], piece: int, indent: int | None, is_ascii: bool):
    text = json.dumps(rows, indent=indent, ensure_ascii=is_ascii)
    assert works(text, None, piece) == rows
    within = json.dumps({"more": rows, "of": {"x": rows}}, indent=indent, ensure_ascii=is_ascii)
    assert works(within, "of.x", piece) == rows
    in_a_row = "\n".join(json.dumps(row, ensure_ascii=is_ascii) for row in rows)
    assert works(in_a_row, None, piece) == rows or not rows


@given(st.text(alphabet='[]{}",:\\ 1an\n', max_size=30), st.integers(1, 5))
def test_any_text_ends_without_an_error(text: str, piece: int):
    for row in works(text, None, piece):
        assert isinstance(row, dict)


PIECES_OF_TEXT = st.sampled_from(
    [
        *'{}[]",:\\-\n 1',
        "\\u",
        "d83d",
        "\\ude00",
        " " * 30,
        "1.",
        "e+",
        "tru",
        "true",
        "-Infinity",
        '"a"',
        '"id":',
        "x" * 30,
        '{"id": 1}',
        '{"id": 1}\n',
        "1" * 40,
        "é",
        "😀",
        "\x00",
    ]
)


@given(
    st.sampled_from([("", ""), ('[{"id":', "}]"), ('{"id": 1}\n{"id":', '}\n{"id": 3}')]),
    st.lists(PIECES_OF_TEXT, max_size=12).map("".join),
)
def test_where_a_file_is_cut_makes_no_difference(around: tuple[str, str], inner: str):
    """Within a word, a number, an escape, a pair of surrogates, blanks; and the same rows are lost."""
    text = inner.join(around)
    whole = ["?" if UNREADABLE in row else row for row in works(text)]
    assert ["?" if UNREADABLE in row else row for row in works(text, piece=1)] == whole


def test_broken_lines_are_passed_in_a_time_that_grows_with_them(monkeypatch: pytest.MonkeyPatch):
    """The decoder's error counts the lines of all the text that it was given: 1 MB of broken lines took a minute."""
    longest: list[int] = []

    class Decoder(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
            longest.append(idx)
            return super().raw_decode(s, idx)

    monkeypatch.setattr(json_works.json, "JSONDecoder", Decoder)
    assert len(works('{"id": 1}\n' + '{"id": 2,,}\n' * 5000)) == 5001
    assert max(longest) <= 10_000
