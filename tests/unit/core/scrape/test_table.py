"""Tables as records: what CSV and JSON lines can do wrong, and that each odd row is still a row."""

from typing import Any

import pytest

from schemas.errors import BadInput
from schemas.sources import TableSource
from tasks.core.scrape import table


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        pytest.param("", [], id="no text"),
        pytest.param("id,file\n", [], id="a head alone"),
        pytest.param("id,file\n1,a.jpg", [{"id": "1", "file": "a.jpg"}], id="no line's end at the end"),
        pytest.param("id,file\r\n1,a.jpg\r\n", [{"id": "1", "file": "a.jpg"}], id="Windows' line ends"),
        pytest.param("id,file\r1,a.jpg\r", [{"id": "1", "file": "a.jpg"}], id="old Apple's line ends"),
        pytest.param("id,file\n\n1,a.jpg\n\n", [{"id": "1", "file": "a.jpg"}], id="empty lines"),
        pytest.param("id,file\n1\n", [{"id": "1", "file": None}], id="a short row lacks its last columns"),
        pytest.param("id,file\n1,a.jpg,x,y\n", [{"id": "1", "file": "a.jpg"}], id="surplus cells are left out"),
        pytest.param(
            'id,file\n"1","a\nb.jpg"\n2,c.jpg',
            [{"id": "1", "file": "a\nb.jpg"}, {"id": "2", "file": "c.jpg"}],
            id="a quoted cell over two lines",
        ),
        pytest.param('id,file\n"a ""b""",\n', [{"id": 'a "b"', "file": ""}], id="quotes in quotes"),
        pytest.param(
            'id,file\n"1,a.jpg\n2,b.jpg\n',
            [{"id": "1,a.jpg\n2,b.jpg\n", "file": None}],
            id="a quote that is never closed",
        ),
        pytest.param("id,id\n1,2\n", [{"id": "2"}], id="a column twice: the last counts"),
        pytest.param("id,file\n,\n", [{"id": "", "file": ""}], id="empty cells"),
        pytest.param("id;file\n1;a.jpg\n", [{"id;file": "1;a.jpg"}], id="semicolons part nothing"),
        pytest.param("id,file\n1,\u2028\n", [{"id": "1", "file": "\u2028"}], id="a line separator ends no row"),
    ],
)
def test_rows_of_csv(text: str, rows: list[dict[str, Any]]):
    assert table.rows_of_csv(text) == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        pytest.param("", [], id="no text"),
        pytest.param("\n \n\r\n", [], id="blank lines"),
        pytest.param('{"id": 1}\r\n{"id": 2}', [{"id": 1}, {"id": 2}], id="one object a line"),
        pytest.param('{"id": 1\n{"id": 2}', [{"?": '{"id": 1'}, {"id": 2}], id="a broken line is a row that says so"),
        pytest.param("[1]\n7\nnull\n", [{"?": "[1]"}, {"?": "7"}, {"?": "null"}], id="JSON that is no object"),
        pytest.param(
            '{"t": "a\u2028b\u0085c\u000cd"}'.replace("\u000c", "\\f"),
            [{"t": "a\u2028b\u0085c\fd"}],
            id="line ends of Unicode's inside a text",
        ),
        pytest.param('{"t": NaN}', None, id="NaN, which Python's JSON lets pass"),
        pytest.param('{"id": 1, "id": 2}', [{"id": 2}], id="a field twice: the last counts"),
        pytest.param("x" * 500, [{"?": "x" * 200}], id="a long broken line is cut"),
        pytest.param("[" * 100_000, [{"?": "[" * 200}], id="brackets deeper than the parser goes"),
    ],
)
def test_rows_of_json_lines(text: str, rows: list[dict[str, Any]] | None):
    got = table.rows_of_json_lines(text)
    if rows is None:
        ((value,),) = (list(row.values()) for row in got)
        assert value != value
    else:
        assert got == rows


def source(**columns: str) -> TableSource:
    return TableSource(name="art", table="works.csv", columns={"key": "id", "image": "file", **columns})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param(
            {"id": "1", "file": "a.jpg"},
            {"record_id": "art:1", "locator": "a.jpg", "reason": None},
            id="a key and an image",
        ),
        pytest.param({"id": "1", "file": " a.jpg\t"}, {"locator": "a.jpg"}, id="blanks round an image's cell"),
        pytest.param({"id": 7, "file": "a.jpg"}, {"record_id": "art:7"}, id="a key that is a number"),
        pytest.param(
            {"id": "1", "file": None},
            {"record_id": "art:1", "reason": "bad_record", "detail": "no image in the row"},
            id="a row without an image",
        ),
        pytest.param({"id": "1", "file": "  "}, {"reason": "bad_record"}, id="an image of blanks"),
        pytest.param(
            {"id": "", "file": "a.jpg"},
            {"reason": "bad_record", "detail": "no key in the row"},
            id="a row without a key",
        ),
        pytest.param({"id": float("nan"), "file": "a.jpg"}, {"reason": "bad_record"}, id="NaN for a key"),
        pytest.param({"?": "{broken"}, {"reason": "bad_record", "detail": "no key in the row"}, id="a broken line"),
        pytest.param(
            {"id": "1", "file": "a.jpg", "maker": "Gris", "more": "x"},
            {"artist": "Gris", "title": None},
            id="columns go by the recipe's mapping, others are left",
        ),
    ],
)
def test_a_row_is_a_record_or_a_drop(row: dict[str, Any], expected: dict[str, Any]):
    whole = {"id": "0", "file": "0.jpg", "maker": "Braque"}  # so that every column is there
    _, got = table.records(source(artist="maker"), [whole, row])
    assert {name: got[name] for name in expected} == expected


def test_one_column_may_be_two_fields():
    (got,) = table.records(source(title="id"), [{"id": "7", "file": "a.jpg"}])
    assert (got["record_id"], got["title"]) == ("art:7", "7")


def test_a_column_that_the_table_has_not_is_said_once_with_those_that_it_has():
    with pytest.raises(BadInput) as caught:
        table.records(source(artist="maker"), [{"id": "1", "file": "a.jpg"}, {"id": "2", "colour": "x"}])
    assert str(caught.value) == (
        "source 'art': expected a column 'maker' (for artist) in works.csv, got ['colour', 'file', 'id']"
    )


def test_a_column_that_only_some_rows_have_is_there():
    got = table.records(source(artist="maker"), [{"id": "1", "file": "a"}, {"id": "2", "file": "b", "maker": "Gris"}])
    assert [row["artist"] for row in got] == [None, "Gris"]


def test_no_rows_no_records():
    assert table.records(source(artist="maker"), []) == []
