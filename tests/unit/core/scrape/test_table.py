"""Tables as records: what CSV and JSON lines can do wrong, and that each odd row is still a row."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

import pytest

from schemas.attributes import AttributeField, AttributeType
from schemas.errors import BadInput
from schemas.sources.table import TableSource
from tasks.core.passed_over import Tally
from tasks.core.scrape import records, table
from tasks.core.scrape.paths import TWICE
from tasks.core.scrape.table import UNREADABLE


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
        pytest.param("id,file\n1,a.jpg,,\n", [{"id": "1", "file": "a.jpg"}], id="empty cells too many"),
        pytest.param(
            "id,title,file\n1,The Kiss, 1908,a.jpg\n2,B,b.jpg\n",
            [{UNREADABLE: "4 cells for 3 columns in line 2"}, {"id": "2", "title": "B", "file": "b.jpg"}],
            id="a comma too many moves cells into the wrong columns",
        ),
        pytest.param("\n\nid,file\n1,a.jpg\n", [{"id": "1", "file": "a.jpg"}], id="empty lines before the names"),
        pytest.param(",id,,file,\nx,1,y,a.jpg,\n", [{"": TWICE, "id": "1", "file": "a.jpg"}], id="no name for some"),
        pytest.param(
            'id,file\n"1","a\nb.jpg"\n2,c.jpg',
            [{"id": "1", "file": "a\nb.jpg"}, {"id": "2", "file": "c.jpg"}],
            id="a quoted cell over two lines",
        ),
        pytest.param('id,file\n"a ""b""",\n', [{"id": 'a "b"', "file": ""}], id="quotes in quotes"),
        pytest.param("id,id\n1,2\n", [{"id": TWICE}], id="a column twice: neither counts"),
        pytest.param("id,file\n,\n", [{"id": "", "file": ""}], id="empty cells"),
        pytest.param("id;file\n1;a.jpg\n", [{"id;file": "1;a.jpg"}], id="semicolons part nothing"),
        pytest.param("id,file\n1,\u2028\n", [{"id": "1", "file": "\u2028"}], id="a line separator ends no row"),
    ],
)
def test_rows_of_csv(text: str, rows: list[dict[str, Any]]):
    assert list(table.rows_of_csv(io.StringIO(text, newline=""), Tally())) == rows


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param('id,file\n1,a.jpg\n"2,b.jpg\n3,c.jpg\n', 3, id="rows below it would be lost"),
        pytest.param('id,file\n"1,a.jpg\n2,b.jpg', 2, id="no line's end at the end"),
        pytest.param('"id,file\n1,a.jpg\n', 1, id="in the names"),
        pytest.param('id,file\n1,"', 2, id="at the very end"),
    ],
)
def test_a_quotation_that_never_ends_is_refused_since_it_swallows_rows(text: str, line: int):
    with pytest.raises(csv.Error, match=f"^a quotation that begins in the row of line {line} and never ends$"):
        list(table.rows_of_csv(io.StringIO(text, newline=""), Tally()))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        pytest.param("", [], id="no text"),
        pytest.param("\n \n\r\n", [], id="blank lines"),
        pytest.param('{"id": 1}\r\n{"id": 2}', [{"id": 1}, {"id": 2}], id="one object a line"),
        pytest.param(
            '{"id": 1\n{"id": 2}',
            [{UNREADABLE: 'no JSON object: {"id": 1'}, {"id": 2}],
            id="a broken line is a row that says so",
        ),
        pytest.param(
            "[1]\n7\nnull\n",
            [{UNREADABLE: f"no JSON object: {text}"} for text in ("[1]", "7", "null")],
            id="JSON that is no object",
        ),
        pytest.param(
            '{"t": "a\u2028b\u0085c\u000cd"}'.replace("\u000c", "\\f"),
            [{"t": "a\u2028b\u0085c\fd"}],
            id="line ends of Unicode's inside a text",
        ),
        pytest.param('{"t": NaN}', None, id="NaN, which Python's JSON lets pass"),
        pytest.param('{"id": 1, "id": 2}', [{"id": TWICE}], id="a field twice: neither counts"),
        pytest.param("x" * 500, [{UNREADABLE: f"no JSON object: {'x' * 160}"}], id="a long broken line is cut"),
        pytest.param(
            "[" * 100_000, [{UNREADABLE: f"no JSON object: {'[' * 160}"}], id="brackets deeper than the parser goes"
        ),
    ],
)
def test_rows_of_json_lines(text: str, rows: list[dict[str, Any]] | None):
    got = list(table.rows_of_json_lines(io.StringIO(text, newline="\n"), Tally()))
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
        pytest.param(
            {UNREADABLE: "no JSON object: {"},
            {"reason": "bad_record", "detail": "no JSON object: {"},
            id="a broken line",
        ),
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
        list(table.records(source(artist="maker"), [{"id": "1", "file": "a.jpg"}, {"id": "2", "colour": "x"}]))
    assert str(caught.value) == (
        "source 'art': expected a column 'maker' (for artist) in works.csv, got ['colour', 'file', 'id']"
    )


def csv_rows(text: str) -> Iterable[dict[str, Any]]:
    return table.rows_of_csv(io.StringIO(text, newline=""), Tally())


def json_rows(text: str) -> Iterable[dict[str, Any]]:
    return table.rows_of_json_lines(io.StringIO(text, newline="\n"), Tally())


def refused(rows: Iterable[dict[str, Any]], table_name: str = "works.jsonl", **columns: str) -> str:
    settings = source(**columns).model_copy(update={"table": table_name})
    with pytest.raises(BadInput) as caught:
        list(table.records(settings, rows))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_list_in_place_of_an_image_is_refused_with_its_column_its_first_row_and_how_many():
    """As a museum's own file has it: most works have images, some have none."""
    rows = [{"id": str(n), "file": [{"image_url": f"http://a.example/{n}.jpg"}] if n % 5 else []} for n in range(10)]
    assert refused(rows) == (
        "source 'art': expected one value in each row of the column 'file' (for image) of works.jsonl, got a list in "
        "the row of key '0', and the like in 10 of 10 rows; take one value by a path, such as file[0], or make a "
        "record of each with each: file"
    )


@pytest.mark.parametrize(
    ("field", "value", "kind"),
    [
        pytest.param("artist", {"name": "Gris"}, "got an object in the row of key '2', and the like in 1 of 3 rows"),
        pytest.param("artist", {}, "got an object", id="an empty object"),
        pytest.param("artist", ["Gris"], "got a list"),
        pytest.param("styles", [{"title": "Cubism"}], "expected texts in each row"),
        pytest.param("styles", {"title": "Cubism"}, "got an object"),
        pytest.param("style", [("a", 1)], "got a list", id="a map of Parquet's"),
        pytest.param("image", b"\xff\xd8", "got bytes"),
        pytest.param("title", '[{"value": "The Kiss"}]', "got a list", id="JSON as text"),
        pytest.param("artist", "{'name': 'Gris', 'n': nan}", "got an object", id="as Python prints it"),
        pytest.param("artist", "['Gris', 'Braque']", "got a list", id="a list as Python prints it"),
        pytest.param("styles", "['Cubism', 'Dada']", "write the value itself into the column, without brackets"),
        pytest.param("image", "[]", "got a list", id="an empty list as text"),
    ],
)
def test_what_is_nested_in_any_row_is_refused_for_the_whole_column(field: str, value: Any, kind: str):
    columns = {} if field == "image" else {field: "file2"}
    name = columns.get(field, "file")
    rows = [{"id": str(n), "file": "a.jpg", "file2": "flat"} for n in range(4) if n != 3]
    rows[2][name] = value
    assert kind in refused(rows, **columns)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "[Untitled]"),
        ("title", '["Untitled"]'),
        ("title", "{Study}"),
        ("title", "[1880]"),
        ("date_text", "[1880]"),
        ("artist", "[Gris]"),
        ("artist", "[?]"),
        ("styles", ["Cubism", "Dada"]),
        ("styles", ("Cubism",)),
        ("styles", []),
        ("year", 1880),
        ("year", float("nan")),
        ("title", None),
    ],
)
def test_what_only_looks_nested_is_text(field: str, value: Any):
    (got,) = table.records(source(**{field: "x"}), [{"id": "1", "file": "a.jpg", "x": value}])
    assert got["reason"] is None


def test_what_is_nested_in_a_column_that_is_not_used_is_left():
    (got,) = table.records(source(), [{"id": "1", "file": "a.jpg", "x": [{"y": 1}]}])
    assert got["reason"] is None


@pytest.mark.parametrize(
    ("field", "column", "value", "advice"),
    [
        ("image", "images", [{"id": 7, "image_url": "a"}],
         "images[0].image_url, or make a record of each with each: images"),
        ("image", "a.b", {"image_url": "a"}, 'such as ["a.b"].image_url'),
        ("artist", "creator", [{"role": "", "full_name": "Gris"}],
         "creator[0].full_name, or name all as artists: creator[].full_name"),
        ("artist", "creator[].full_name", None, "such as creator[0].full_name"),
        ("artists", "creator", [{"full_name": "Gris"}], "take texts by a path, such as creator[].full_name"),
        ("styles", "movements", [{"name": "Cubism", "era": {}}], "such as movements[].name"),
        ("title", "titles", {"en": ["A"]}, "such as titles.en[0]"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["works.parquet", "works.json", "works.jsonl"])
def test_the_advice_for_what_is_nested_is_a_path(field: str, column: str, value: Any, advice: str, name: str):
    row = {"id": "1", "file": "a.jpg"} | ({column: value} if value else {"creator": [{"full_name": "Gris"}]})
    assert refused([row], name, **{field: column}).endswith(advice)


def test_a_key_that_is_nested_is_named_by_its_row():
    assert "got a list in row 1, and the like in 1 of 1 rows" in refused([{"id": [1], "file": "a.jpg"}])


def test_a_column_that_is_used_and_named_twice_is_refused():
    said = refused(csv_rows("id,id,file\n1,2,a.jpg\n"), "works.csv")
    assert said == "source 'art': expected the column 'id' (for key) of works.csv once, got it twice in row 1"
    said = refused(json_rows('{"id": 1, "file": "a"}\n{"id": 2, "file": "b", "file": "c"}'))
    assert said.endswith("the column 'file' (for image) of works.jsonl once, got it twice in the row of key '2'")
    assert len(list(table.records(source(), csv_rows("id,x,x,file\n1,2,3,a.jpg\n")))) == 1


def test_a_list_of_json_is_told_from_lines_of_it():
    said = refused(json_rows(json.dumps([{"id": "1", "file": "a.jpg"}])))
    assert said.endswith("got no line that is a JSON object; a JSON list is read from a file that ends in .json")


def test_each_row_that_can_not_be_read_is_a_drop_of_its_own():
    rows = json_rows('{"id": "1", "file": "a.jpg"}\n{"id": 2\n{"id": 3\n')
    got = records.unique(table.records(source(), rows))
    assert sorted((row["detail"] or "") for row in got) == ["", 'no JSON object: {"id": 2', 'no JSON object: {"id": 3']


def test_an_image_longer_than_any_name_or_address_is_a_drop():
    (got,) = table.records(source(), [{"id": "1", "file": "x" * 10_000_000}])
    assert (got["reason"], got["locator"]) == ("bad_record", None)
    assert got["detail"] == "an image's place of 10000000 characters, at most 8192 are possible"


def test_a_column_that_only_some_rows_have_is_there():
    got = table.records(source(artist="maker"), [{"id": "1", "file": "a"}, {"id": "2", "file": "b", "maker": "Gris"}])
    assert [row["artist"] for row in got] == [None, "Gris"]


def test_no_rows_no_records():
    assert list(table.records(source(artist="maker"), [])) == []


def test_a_path_that_lacks_a_lists_brackets_is_refused_with_the_path_that_has_them():
    rows = [{"id": "1", "file": "a.jpg", "people": []}, {"id": "2", "file": "b.jpg", "people": [{"name": "Gris"}]}]
    assert refused(rows, artists="people.name") == (
        "source 'art': expected a path to values at 'people.name' (for artists) in works.jsonl, got one on which a "
        "list stands in the way: take people[].name"
    )
    assert refused(rows, title="people.name").endswith("take people[0].name")
    assert [row["artist"] for row in table.records(source(artist="people[0].name"), rows)] == [None, "Gris"]
    one = {**rows[0], "people": {"name": "Braque"}}
    assert [row["artist"] for row in table.records(source(artist="people.name"), [*rows, one])][-1] == "Braque"


@pytest.mark.parametrize(("kind", "path"), [("strings", "people[].name"), ("string", "people[0].name")])
def test_so_is_that_of_an_attribute(kind: AttributeType, path: str):
    wanted = {"names": AttributeField(type=kind, field="people.name")}
    with pytest.raises(BadInput, match=re.escape(f"(for the attribute names) in works.csv, got one on which a list "
                                                 f"stands in the way: take {path}")):  # fmt: skip
        list(table.records(source(), [{"id": "1", "file": "a.jpg", "people": [{"name": "Gris"}]}], wanted))


# --- whole numbers that come as floats

KEYED = TableSource(name="s", table="w.jsonl", columns={"key": "id", "image": "file", "group": "of"})
EACH = TableSource(
    name="s", table="w.json", each="images", columns={"key": "id", "image": "each.file", "each_key": "each.id"}
)


@pytest.mark.parametrize(
    ("key", "record_id"),
    [
        pytest.param(436501.0, "s:436501", id="a float of Parquet and JSON"),
        pytest.param(1e5, "s:100000", id="an exponent"),
        pytest.param(Decimal("436501.00"), "s:436501", id="a decimal"),
        pytest.param(-0.0, "s:0", id="zero"),
        pytest.param(12.5, "s:12.5", id="a fraction"),
        pytest.param(float(2**53), f"s:{2**53}", id="the largest float that is one number"),
        pytest.param(10**17, f"s:{10**17}", id="a large whole number"),
        pytest.param("436501.0", "s:436501.0", id="a text is meant as one"),
    ],
)
def test_a_whole_float_is_a_key_as_the_number_is(key: Any, record_id: str):
    (row,) = table.records(KEYED, [{"id": key, "file": "a.jpg", "of": key}])
    assert (row["record_id"], row["reason"]) == (record_id, None)
    assert row["declared_group"] == record_id[2:]


def test_a_float_that_may_be_several_numbers_is_no_key():
    first, second = table.records(KEYED, [{"id": 1e17, "file": name, "of": 1.0} for name in ("a.jpg", "b.jpg")])
    assert first["record_id"] != second["record_id"]
    assert first["reason"] == second["reason"] == "bad_record"
    assert first["detail"] == (
        "the key 1e+17 is a float beyond 2^53, which may stand for several whole numbers: write keys as whole numbers "
        "or as text"
    )


def test_elements_have_the_keys_of_whole_numbers_too():
    works = [
        {"id": 7.0, "images": [{"id": 2.0, "file": "a.jpg"}, {"id": float("nan"), "file": "b.jpg"}]},
        {"id": 8.0, "images": [{"id": 1e17, "file": "c.jpg"}]},
        {"id": float("nan"), "images": [{"id": 1.0, "file": "d.jpg"}]},
    ]
    first, hole, inexact, unnamed = table.records(EACH, works)
    assert (first["record_id"], first["declared_group"]) == ("s:7/2", "7")
    assert [row["reason"] for row in (hole, inexact, unnamed)] == ["bad_record"] * 3
    assert hole["detail"] == unnamed["detail"] == "no key in the row"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        pytest.param(["436501.0", "", "436503.0"], ["s:436501", "s:436503"], id="a hole"),
        pytest.param(["2.0", "2.1"], ["s:2.0", "s:2.1"], id="versions"),
        pytest.param(["12.0", "a"], ["s:12.0", "s:a"], id="texts"),
        pytest.param(["007.0", "8.0"], ["s:007.0", "s:8.0"], id="zeros before it"),
        pytest.param(["1.10", "2.0"], ["s:1.10", "s:2.0"], id="1.10 is not 1.1"),
    ],
)
def test_a_column_of_csv_is_whole_as_a_whole(keys: list[str], expected: list[str]):
    source = KEYED.model_copy(update={"table": "w.csv"})
    rows = [{"id": key, "file": "a.jpg", "of": key} for key in keys]
    whole = table.whole_float_fields(source, lambda: rows)
    found = [row for row in table.records(source, rows, None, whole) if row["reason"] is None]
    assert [row["record_id"] for row in found] == expected
    assert [row["declared_group"] for row in found] == [name[2:] for name in expected]


def test_no_row_is_read_beyond_the_first_that_is_no_whole_float():
    read = []

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(9):
            read.append(number)
            yield {"id": f"{number}.5", "file": "a.jpg"}

    assert table.whole_float_fields(KEYED, rows) == frozenset()
    assert read == [0, *range(9)]  # nothing stands in the column of groups
    read.clear()
    assert table.whole_float_fields(KEYED.model_copy(update={"columns": {"key": "id", "image": "file"}}), rows) == set()
    assert read == [0]
