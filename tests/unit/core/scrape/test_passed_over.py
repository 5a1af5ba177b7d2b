"""What is passed over: counted by kind, with a few examples, in one sentence; and every list closes."""

import io
import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.manifests import PassedOver
from schemas.sources import TableSource
from schemas.tables import PASSED_OVER
from tasks.core.scrape import passed_over, sources
from tasks.core.scrape.passed_over import Tally, notes, things_listed
from tasks.io.files.parquet_rows import rows_of_parquet


def test_counts_by_kind_with_three_examples_the_most_frequent_first():
    left_out = Tally()
    left_out.add("texts", "a.txt")
    for number in range(5):
        left_out.add("images that end in .webp", f"{number}.webp")
    rows = left_out.rows("art", "files", 9)
    assert [(row.kind, row.count, row.examples) for row in rows] == [
        ("images that end in .webp", 5, ("0.webp", "1.webp", "2.webp")),
        ("texts", 1, ("a.txt",)),
    ]
    assert left_out.total == 6
    assert notes(rows) == [
        "source 'art': 6 of 9 files give no record: images that end in .webp (5: '0.webp', '1.webp', '2.webp'); "
        "texts (1: 'a.txt')"
    ]
    assert passed_over.rows_of_table(passed_over.table(rows)) == rows
    assert passed_over.table([]).schema == PASSED_OVER


def test_rare_kinds_beyond_a_dozen_are_one():
    left_out = Tally()
    for number in range(30):
        left_out.add(f"files that end in .{number:02}", f"a.{number:02}", count=2 if number < 11 else 1)
    rows = left_out.rows("art", "files", 41)
    assert (len(rows), rows[-1].kind, rows[-1].count) == (12, "others", 19)
    assert things_listed(0, rows) == 41


def test_nothing_passed_over_says_nothing():
    left_out = Tally()
    left_out.add("rows equal to another one", count=0)
    assert (left_out.rows("art", "rows", 7), notes([])) == ((), [])


@pytest.mark.parametrize(
    ("unit", "count", "sentence"),
    [
        ("files", 1, "source 'art': 1 of 1 file gives no record: texts (1)"),
        ("annotations", 2, "source 'art': 2 of 2 annotations give no figure: texts (2)"),
    ],
)
def test_a_sentence(unit: str, count: int, sentence: str):
    assert notes([PassedOver(source="art", unit=unit, listed=count, kind="texts", count=count)]) == [sentence]


def test_an_example_is_one_short_line():
    left_out = Tally()
    left_out.add("texts", "a\nb\x1b[2J" + "x" * 200)
    ((example,),) = (row.examples for row in left_out.rows("art", "files", 1))
    assert len(example) == 80
    assert example.isprintable()


# --- things in = records + counted


def listed(name: str, data: bytes, **settings: Any) -> tuple[int, list[PassedOver]]:
    """The records of a table, and what of its rows was passed over."""
    source = TableSource(name="art", table=name, columns={"key": "id", "image": "file"}, **settings)
    got = sources.tables_of_source(
        source, [name], lambda _: io.BytesIO(data), lambda data: rows_of_parquet("art", data), {}
    )
    return got.records.num_rows, list(got.passed_over)


def csv_text(lines: list[str]) -> bytes:
    return "\n".join(["id,file", "0,0.jpg", *lines, ""]).encode()


def json_lines(lines: list[str]) -> bytes:
    return "\n".join(['{"id": "0", "file": "0.jpg"}', *lines, ""]).encode()


def json_list(lines: list[str]) -> bytes:
    return (
        f'{{"works": [{",".join(["{}", *lines]).replace("{}", json.dumps({"id": "0", "file": "0.jpg"}), 1)}]}}'.encode()
    )


def parquet(lines: list[str]) -> bytes:
    rows = [{"id": "0", "file": "0.jpg"}, *(json.loads(line) for line in lines)]
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, pa.schema([("id", pa.string()), ("file", pa.string())])), sink)
    return sink.getvalue()


CSV_LINES = [
    "1,a.jpg",
    "1,b.jpg",
    "2,c.jpg",
    "id,file",
    "",
    "3,d.jpg,too,many",
    "4",
    ",",
    "# a comment",
    ",e.jpg",
    "  ",
]
OBJECTS = ['{"id": "1", "file": "a.jpg"}', '{"id": "1", "file": "b.jpg"}', '{"id": "2"}', '{"file": "c.jpg"}', "{}"]
JSON_LINES = [*OBJECTS, "null", "7", '"text"', "[1]", '{"id": {"a": 1', "", "   "]
ELEMENTS = [*OBJECTS, "null", "7", '"text"', "[1]", "true"]
NULLS = [*OBJECTS, '{"id": null, "file": null}']


@given(st.data())
@pytest.mark.parametrize(
    ("name", "make", "lines", "settings"),
    [
        ("works.csv", csv_text, CSV_LINES, {}),
        ("works.jsonl", json_lines, JSON_LINES, {}),
        ("works.json", json_list, ELEMENTS, {"works": "works"}),
        ("works.parquet", parquet, NULLS, {}),
    ],
)
def test_every_row_is_a_record_or_counted(
    name: str, make: Callable[[list[str]], bytes], lines: list[str], settings: dict[str, Any], data: st.DataObject
):
    chosen = data.draw(st.lists(st.sampled_from(lines), max_size=12))
    records, rows = listed(name, make(chosen), **settings)
    assert things_listed(records, rows) == 1 + len(chosen)
    assert {row.listed for row in rows} <= {1 + len(chosen)}


def test_the_kinds_of_a_csv():
    lines = ["1,a.jpg", "1,a.jpg", "", "", "id,file", "2,b.jpg,x", ",", ","]
    records, rows = listed("works.csv", csv_text(lines))
    assert records == 4  # 0, 1, the row with a cell too many, and one without a key
    by_kind = {row.kind: row for row in rows}
    assert {kind: row.count for kind, row in by_kind.items()} == {
        "empty lines": 2,
        "rows equal to another one, so that they are one": 2,
        "rows that are the table's first line again": 1,
    }
    assert by_kind["empty lines"].examples == ("line 5", "line 6")
    assert "art:1" in by_kind["rows equal to another one, so that they are one"].examples
    assert by_kind["rows that are the table's first line again"].examples == ("line 7",)
