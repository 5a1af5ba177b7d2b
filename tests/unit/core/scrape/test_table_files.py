"""Tables in files: one of any format, or a folder of JSON files of which some may be broken."""

import io
import json
from typing import Any

import pytest

from schemas.errors import BadInput
from schemas.sources.table import TableSource
from tasks.core.passed_over import Tally
from tasks.core.scrape.json_works import UNREADABLE
from tasks.core.scrape.table_files import Files, UnreadableFile, read_bytes, rows_of_tables, tables_of_paths


def source(table: str, **more: Any) -> TableSource:
    return TableSource(name="art", table=table, columns={"key": "id", "image": "file"}, **more)


def rows(files: dict[str, bytes], table: str, **more: Any) -> list[dict[str, Any]]:
    def read(path: str) -> io.BytesIO | None:
        if files.get(path) == b"pipe":
            raise UnreadableFile(f"'{path}' is a pipe, not a file")
        return io.BytesIO(files[path]) if path in files else None

    settings = source(table, **more)
    return list(
        rows_of_tables(
            settings, tables_of_paths(settings, [*files]), Files([], read, lambda data: [{"id": data}]), Tally()
        )
    )


PATHS = ["a.json", "works/b.json", "works/c.jsonl", "works/deep/d.json", "works/e.json.bak", "xworks/f.json"]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("a.json", ["a.json"]),
        ("b.json", []),
        ("*.json", ["a.json"]),
        ("works/*.json", ["works/b.json"]),
        ("**/*.json", ["a.json", "works/b.json", "works/deep/d.json", "xworks/f.json"]),
        ("works/**/*.json", ["works/b.json", "works/deep/d.json"]),
        ("works/*.jsonl", ["works/c.jsonl"]),
        ("works/*.JSONL", ["works/c.jsonl"]),
        ("works/?.json*", []),
        ("*/?.json", ["works/b.json", "xworks/f.json"]),
        ("*.csv", []),
        ("**/**/*.json", ["a.json", "works/b.json", "works/deep/d.json", "xworks/f.json"]),
        ("**/deep/**/d*.json", ["works/deep/d.json"]),
        ("w**/*b*.j*n*.json", []),
        ("w*k*/**/?*.json", ["works/b.json", "works/deep/d.json"]),
        ("*" * 100 + ".json", ["a.json"]),
    ],
)
def test_a_pattern_is_read_as_shells_read_it(table: str, expected: list[str]):
    assert tables_of_paths(source(table), PATHS) == expected


@pytest.mark.parametrize("table", ["*a" * 40 + ".json", "**/" * 30 + "b.json", "*" * 100 + "?.json"])
def test_no_pattern_takes_long(table: str):
    assert tables_of_paths(source(table), ["a" * 200 + ".jso", "a/" * 200 + "c.json"]) == []


def test_only_a_pattern_of_json_files_is_a_folder():
    assert [source(table).is_pattern_of_tables for table in ("*.json", "*.jsonl", "*.csv", "a.json", "a[1].json")] == [
        True, True, False, False, False
    ]  # fmt: skip


def test_a_folder_has_a_work_or_several_in_each_file():
    files = {"a.json": b'{"id": 1}', "b.json": b'\xef\xbb\xbf[{"id": 2}, {"id": 3}]', "c.txt": b"{"}
    assert rows(files, "*.json") == [{"id": 1}, {"id": 2}, {"id": 3}]


def test_a_broken_file_of_many_is_a_row_that_names_it():
    files = {
        "a.json": b'{"id": 1}',
        "b.json": b"",
        "c.json": b'{"id": "\xff"}',
        "d.json": b"pipe",
        "e.json": json.dumps({"id": 1}).encode("utf-16"),
        "f.json": b"[1]",
        "g.json": b'[{"id": 2}, ',
    }
    got = rows(files, "*.json")
    assert [row["id"] for row in got if "id" in row] == [1, 2]
    said = [row[UNREADABLE] for row in got if UNREADABLE in row]
    assert said[0] == "b.json: no JSON object: the file is empty"
    assert "expected 'c.json' in UTF-8, got other bytes in line 1 ('{\"id\": \"\\xff\"}', from byte 8 on)" in said[1]
    assert "got a file that can't be read: 'd.json' is a pipe, not a file" in said[2]
    assert "'e.json' in UTF-8" in said[3]
    assert said[4] == "f.json: work 1 is no JSON object: 1"
    assert said[5].startswith("g.json: broken behind work 2, so the rest is lost: ")


def test_a_list_within_an_object_is_found():
    files = {"a.json": b'{"data": {"items": [{"id": 1}]}}'}
    assert rows(files, "a.json", works="data.items") == [{"id": 1}]
    for works, said in {
        "data": "expected a list of works at 'data' in 'a.json', got no list",
        "[": "works: expected a path",
    }.items():
        with pytest.raises(BadInput, match=r"^source 'art': ") as caught:
            rows(files, "a.json", works=works)
        assert said in str(caught.value)


def test_json_lines_in_a_file_that_ends_in_json_are_read_as_ever():
    assert rows({"a.json": b'{"id": 1}\n{"id": 2}\n'}, "a.json") == [{"id": 1}, {"id": 2}]


def test_what_is_no_utf_8_is_told_by_its_place_in_the_whole_file():
    data = b'{"id": "' + "é".encode() * 1_000_000 + b'"}\n{"id": "\xe9"}'
    with pytest.raises(BadInput, match=f"in line 2 .*, from byte {data.index(bytes([0xE9, 0x22]))} on"):
        rows({"a.jsonl": data}, "a.jsonl")


def test_other_formats_are_read_by_who_can():
    assert rows({"a.csv": b"id,file\n1,a.jpg\n"}, "a.csv") == [{"id": "1", "file": "a.jpg"}]
    assert rows({"a.parquet": b"PAR1"}, "a.parquet") == [{"id": b"PAR1"}]


def test_a_file_is_read_whole_or_is_not_there():
    assert read_bytes({"a": io.BytesIO(b"x")}.get, "a") == b"x"
    assert read_bytes({}.get, "a") is None


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("works.CSV", b"id,file\n1,a.jpg\n"),
        ("works.Json", b'[{"id": "1", "file": "a.jpg"}]'),
        ("works.JSONL", b'{"id": "1", "file": "a.jpg"}\n'),
    ],
)
def test_the_ending_of_a_table_counts_in_any_case(name: str, data: bytes):
    assert rows({name: data}, name) == [{"id": "1", "file": "a.jpg"}]
