"""The Met: its table of objects, its list of ids, and what an object's answer becomes."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.sources.met import MetSource
from tasks.core.scrape import met
from tasks.core.scrape.records import record
from tasks.core.scrape.web_source import BadAnswer, ClaimedCount, ParsedAnswer, SourceRequest

PAGE = Path(__file__).parents[4] / "docs/sources/met.md"
SOURCE = MetSource(name="met")
TABLE = SourceRequest(
    "https://media.githubusercontent.com/media/metmuseum/openaccess/master/MetObjects.csv", "table", expects="csv"
)
OBJECTS = "https://collectionapi.metmuseum.org/public/collection/v1/objects"
LIST = SourceRequest(OBJECTS, "list")
HEAD = "Object Number,Is Public Domain,Object ID,Department,Title,Classification"


def _object(number: int = 45734) -> SourceRequest:
    return SourceRequest(f"{OBJECTS}/{number}", "object", str(number))


def _with(**fields: Any) -> MetSource:
    return MetSource(name="met", **fields)


def _answer(**fields: Any) -> bytes:
    known = {
        "objectID": 45734,
        "isPublicDomain": True,
        "primaryImage": "https://images.metmuseum.org/CRDImages/as/original/A.jpg",
        "additionalImages": [],
        "title": "Quail and Millet",
        "artistDisplayName": "Kiyohara Yukinobu",
        "artistPrefix": "",
        "objectDate": "late 17th century",
        "objectBeginDate": 1667,
        "objectEndDate": 1682,
        "rightsAndReproduction": "",
    }
    return json.dumps(known | fields).encode()


def _keys(parsed: ParsedAnswer) -> list[str | None]:
    return [source_request.source_key for source_request in parsed.requests]


@pytest.mark.parametrize(
    ("source", "requests"),
    [
        pytest.param(SOURCE, [TABLE], id="the table"),
        pytest.param(_with(object_ids="1-3"), [TABLE], id="the table, for some ids too"),
        pytest.param(_with(listing="api"), [LIST], id="the list of ids"),
        pytest.param(
            _with(listing="api", department_ids=(11, 9)),
            [SourceRequest(f"{OBJECTS}?departmentIds=11%7C9", "list")],
            id="departments",
        ),
    ],
)
def test_first(source: MetSource, requests: list[SourceRequest]):
    assert met.start_requests(source) == requests


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        pytest.param({"object_ids": ""}, "expected numbers and ranges such as '1-5000, 436535', got ''", id="no range"),
        pytest.param({"object_ids": "5-1"}, "got '5-1'", id="a range backwards"),
        pytest.param({"object_ids": "1,,2"}, "got ''", id="a comma too many"),
        pytest.param({"object_ids": "0-5"}, "got '0-5'", id="ids begin with 1"),
        pytest.param({"object_ids": "-5"}, "got '-5'", id="no negative ids"),
        pytest.param({"object_ids": "²"}, "got '²'", id="a digit that is no digit"),
        pytest.param({"object_ids": "1-9999999999"}, "got '1-9999999999'", id="a number too long"),
        pytest.param({"department_ids": (0,), "listing": "api"}, "from 1 on, got 0", id="department 0"),
        pytest.param({"department_ids": (11,)}, "expected no department_ids with listing 'csv'", id="numbers with csv"),
        pytest.param(
            {"departments": ("X",), "listing": "api"}, "expected no departments with listing 'api'", id="names with api"
        ),
        pytest.param({"images_per_object": 0}, "greater than or equal to 1", id="no image"),
    ],
)
def test_settings_that_are_refused(fields: dict[str, Any], says: str):
    with pytest.raises(ValidationError, match=says.replace("(", r"\(")):
        _with(**fields)


@pytest.mark.parametrize(
    ("source", "lines", "keys", "broken"),
    [
        pytest.param(SOURCE, [], [], [], id="a head alone"),
        pytest.param(
            SOURCE, ["a,False,7,X,t,c", "a,,8,X,t,c", "a,maybe,9,X,t,c"], [], [], id="what is not open is not asked for"
        ),
        pytest.param(SOURCE, ["a, true ,7,X,t,c", "a,TRUE,8,X,t,c"], ["7", "8"], [], id="open in other letters"),
        pytest.param(_with(open_access_only=False), ["a,False,7,X,t,c"], ["7"], [], id="all are asked for"),
        pytest.param(
            SOURCE, ["a,True,9,X,t,c", "a,True,7,X,t,c", "a,True,9,X,t,c"], ["7", "9"], [], id="a row twice; sorted"
        ),
        pytest.param(SOURCE, ["a,True, 007 ,X,t,c"], ["7"], [], id="blanks and zeros"),
        pytest.param(
            SOURCE,
            ["a,True,,X,t,c", "a,True,7.0,X,t,c", "a,True,0,X,t,c"],
            [],
            ["", "7.0", "0"],
            id="ids that are none",
        ),
        pytest.param(SOURCE, ["a,True,99999999999999999999,X,t,c"], [], ["9" * 20], id="an id past all numbers"),
        pytest.param(SOURCE, ["a,True", "a,True,7,X,t,c"], ["7"], ["a,True"], id="a row too short"),
        pytest.param(
            SOURCE, ["a,True,8,X,t,c,d,e", "a,True,7,X,t,c"], ["7"], ["a,True,8,X,t,c,d,e"], id="a row too long"
        ),
        pytest.param(SOURCE, ['a,True,7,X,"two\nlines, and ""quotes""",c'], ["7"], [], id="a cell over two lines"),
        pytest.param(
            _with(object_ids="1-7, 10"), [f"a,True,{n},X,t,c" for n in range(7, 12)], ["7", "10"], [], id="ranges"
        ),
        pytest.param(
            _with(departments=("asian art",)),
            ["a,True,7,Asian Art,t,c", "a,True,8,X,t,c"],
            ["7"],
            [],
            id="a department",
        ),
        pytest.param(
            _with(classifications=("Prints", "Paintings")),
            ["a,True,7,X,t,prints", "a,True,8,X,t,Printsellers", "a,True,9,X,t,Paintings"],
            ["7", "9"],
            [],
            id="classifications",
        ),
    ],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["bare", "byte-order mark"])
def test_asks_of_a_table(source: MetSource, lines: list[str], keys: list[str], broken: list[str], mark: str):
    parsed = met.parse(source, TABLE, mark.encode() + "\n".join([HEAD, *lines, ""]).encode())
    assert _keys(parsed) == keys
    assert all(source_request == _object(int(str(source_request.source_key))) for source_request in parsed.requests)
    assert [row["title"] for row in parsed.rows] == broken
    assert parsed.claims == (ClaimedCount("objects", len(keys) + len(broken)),)
    assert all(record(source, row)["detail"] == "no key in the row" for row in parsed.rows)


def test_a_table_with_bytes_that_are_no_text():
    parsed = met.parse(SOURCE, TABLE, HEAD.encode() + b"\na,True,7,X,\xff\xfe,c\na,True,8\x84,X,t,c\na\xbb\n")
    assert _keys(parsed) == ["7"]
    assert {row["title"] for row in parsed.rows} == {"a\ufffd", "8\ufffd"}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", "got b'': .*[Ee]mpty", id="nothing"),
        pytest.param(
            b"version https://git-lfs.github.com/spec/v1\noid sha256:ae\n",
            "got b'version https://git-lfs.*a Git LFS pointer",
            id="LFS pointer",
        ),
        pytest.param(b"<!DOCTYPE html><html>", "got b'<!DOCTYPE", id="a page"),
        pytest.param(b"Object ID,Title\n1,t\n", "columns .*'Is Public Domain'", id="a column that has gone"),
        pytest.param((HEAD + "\n" + "a,b\n" * 102).encode(), "Expected 6 columns, got 2", id="too many broken rows"),
        pytest.param(
            HEAD.encode() + b'\n"a,True,7,X,t,c\n' + b"x" * (9 << 20), "got b'Object Number", id="a quote never closed"
        ),
    ],
)
def test_tables_that_are_none(data: bytes, says: str):
    with pytest.raises(BadAnswer, match=says) as caught:
        met.parse(SOURCE, TABLE, data)
    assert TABLE.url in str(caught.value)


@pytest.mark.parametrize(
    ("source", "answer", "keys", "count"),
    [
        pytest.param(_with(listing="api"), {"total": 0, "objectIDs": None}, [], 0, id="nothing, as null"),
        pytest.param(_with(listing="api"), {"total": 0, "objectIDs": []}, [], 0, id="nothing"),
        pytest.param(_with(listing="api"), {"total": 3, "objectIDs": [9, 7, 9]}, ["7", "9"], 2, id="one twice"),
        pytest.param(
            _with(listing="api"), {"total": 5, "objectIDs": [9, 7]}, ["7", "9"], 5, id="fewer than are claimed"
        ),
        pytest.param(
            _with(listing="api", object_ids="8-9"),
            {"total": 5, "objectIDs": [9, 7]},
            ["9"],
            4,
            id="less those that nobody wants",
        ),
    ],
)
def test_asks_of_a_list(source: MetSource, answer: Any, keys: list[str], count: int):
    parsed = met.parse(source, LIST, json.dumps(answer).encode())
    assert (_keys(parsed), parsed.rows, parsed.claims) == (keys, (), (ClaimedCount("objects", count),))


def test_ids_that_are_none_are_rows_without_key():
    ids = ["7", True, 0, -1, 10**9, None, [[]], 7.0, 7]
    parsed = met.parse(_with(listing="api"), LIST, json.dumps({"total": 9, "objectIDs": ids}).encode())
    assert _keys(parsed) == ["7"]
    assert [row["title"] for row in parsed.rows] == ["'7'", "True", "0", "-1", "1000000000", "None", "[[]]", "7.0"]
    assert parsed.claims == (ClaimedCount("objects", 9),)


A, B, C = (f"https://images.metmuseum.org/CRDImages/as/original/{name}.jpg" for name in "ABC")


@pytest.mark.parametrize(
    ("fields", "images"),
    [
        pytest.param({"primaryImage": "", "additionalImages": []}, {"45734": None}, id="no image: a drop"),
        pytest.param({"primaryImage": None, "additionalImages": None}, {"45734": None}, id="null for no image"),
        pytest.param({"primaryImage": "", "additionalImages": [B]}, {"45734": B}, id="further ones alone"),
        pytest.param(
            {"additionalImages": [B, A, "", B, C]}, {"45734": A, "45734-2": B, "45734-3": C}, id="each once, in order"
        ),
        pytest.param(
            {"additionalImages": [7, C]}, {"45734": A, "45734-2": None, "45734-3": C}, id="one that is no address"
        ),
        pytest.param({"primaryImage": "ftp://a/b.jpg"}, {"45734": None}, id="not http"),
        pytest.param({"primaryImage": "https:///b.jpg"}, {"45734": None}, id="no host"),
        pytest.param({"primaryImage": "https://a/\r\nb.jpg"}, {"45734": None}, id="two lines"),
        pytest.param(
            {"primaryImage": " https://a/Kalimian Temple.jpg"},
            {"45734": "https://a/Kalimian%20Temple.jpg"},
            id="blanks",
        ),
        pytest.param(
            {"additionalImages": [f"https://a/{n}.jpg" for n in range(40)]},
            {"45734": A, **{f"45734-{n + 2}": f"https://a/{n}.jpg" for n in range(9)}},
            id="at most ten",
        ),
        pytest.param({"isPublicDomain": False}, {"45734": None}, id="not open: no image"),
    ],
)
def test_images_of_an_object(fields: dict[str, Any], images: dict[str, str | None]):
    rows = met.parse(SOURCE, _object(), _answer(**fields)).rows
    assert {row["key"]: row["image"] for row in rows} == images
    assert {row["group"] for row in rows} == {"45734"}


@pytest.mark.parametrize(
    ("fields", "title", "artist", "year"),
    [
        pytest.param({"title": "", "artistDisplayName": ""}, None, None, None, id="nothing"),
        pytest.param({"title": 7, "artistDisplayName": ["a"]}, None, None, None, id="other types"),
        pytest.param({"title": "\ud800"}, "?", "Kiyohara Yukinobu", None, id="half a pair"),
        pytest.param(
            {"title": "Armor (&lt;i&gt;Gusoku&lt;/i&gt;)"},
            "Armor (Gusoku)",
            "Kiyohara Yukinobu",
            None,
            id="escaped marks",
        ),
        pytest.param(
            {"title": "<i>a</i> < b & c"}, "a < b & c", "Kiyohara Yukinobu", None, id="marks, and signs that are none"
        ),
        pytest.param(
            {"artistPrefix": "Attributed to the"},
            "Quail and Millet",
            "Attributed to the Kiyohara Yukinobu",
            None,
            id="doubt",
        ),
        pytest.param(
            {"artistPrefix": "Issued by"},
            "Quail and Millet",
            "Kiyohara Yukinobu",
            None,
            id="a role is not part of a name",
        ),
        pytest.param(
            {"objectBeginDate": 1667, "objectEndDate": 1667},
            "Quail and Millet",
            "Kiyohara Yukinobu",
            1667,
            id="one year",
        ),
        pytest.param({"objectDate": "ca. 1670"}, "Quail and Millet", "Kiyohara Yukinobu", 1670, id="the text's year"),
        pytest.param(
            {"objectDate": "1479–1458 B.C.", "objectBeginDate": -1479, "objectEndDate": -1458},
            "Quail and Millet",
            "Kiyohara Yukinobu",
            None,
            id="before Christ",
        ),
        pytest.param(
            {"objectDate": "1890", "objectBeginDate": 0, "objectEndDate": 0},
            "Quail and Millet",
            "Kiyohara Yukinobu",
            1890,
            id="zeros for no dates",
        ),
        pytest.param(
            {"objectDate": "1890", "objectBeginDate": "1890", "objectEndDate": None},
            "Quail and Millet",
            "Kiyohara Yukinobu",
            1890,
            id="years of other types",
        ),
    ],
)
def test_records_of_odd_fields(fields: dict[str, Any], title: str | None, artist: str | None, year: int | None):
    row = met.parse(SOURCE, _object(), _answer(**fields)).rows[0]
    found = record(SOURCE, row)
    assert (found["title"], row["artist"], found["year"]) == (title, artist, year)


@pytest.mark.parametrize(
    ("source_request", "data", "says"),
    [
        pytest.param(_object(), b"", "expected JSON, got b''", id="nothing"),
        pytest.param(_object(), b"[" * 100_000, "expected JSON, got", id="deeper than the parser goes"),
        pytest.param(_object(), b"\xff\xfe{}", "expected JSON", id="no text"),
        pytest.param(_object(), b'"Date not valid"', "expected a JSON object, got 'Date not valid'", id="a bare text"),
        pytest.param(
            _object(), b'{"message": "ObjectID not found"}', "expected objectID 45734, got None", id="not found"
        ),
        pytest.param(_object(), _answer(objectID=45735), "expected objectID 45734, got 45735", id="another object"),
        pytest.param(_object(1), _answer(objectID=True), "expected objectID 1, got True", id="true is no 1"),
        pytest.param(
            _object(), _answer(isPublicDomain="yes"), "expected isPublicDomain .* got 'yes'", id="openness in words"
        ),
        pytest.param(
            _object(), _answer(primaryImage=[]), "expected primaryImage to be text, got \\[\\]", id="a list of images"
        ),
        pytest.param(
            _object(), _answer(additionalImages="a"), "additionalImages to be a list, got 'a'", id="no list of images"
        ),
        pytest.param(LIST, b"[]", "expected a JSON object, got \\[\\]", id="a list of ids alone"),
        pytest.param(LIST, b'{"total": NaN}', "expected total to be a number from 0 on, got nan", id="NaN"),
        pytest.param(LIST, b'{"total": -1}', "got -1", id="fewer than none"),
        pytest.param(
            LIST, b'{"total": 1, "objectIDs": {"a": 1}}', "expected objectIDs to be a list, got .*a", id="no list"
        ),
    ],
)
def test_answers_that_are_none(source_request: SourceRequest, data: bytes, says: str):
    with pytest.raises(BadAnswer, match=says) as caught:
        met.parse(SOURCE, source_request, data)
    assert source_request.url in str(caught.value)


def _real(shared_data: Path, name: str) -> bytes:
    return (shared_data / "provider_responses/metropolitan_museum_of_art" / name).read_bytes()


def test_a_real_object_of_three_images(shared_data: Path):
    rows = met.parse(SOURCE, _object(), _real(shared_data, "sample_response.json")).rows
    assert [(row["key"], row["image"][-12:]) for row in rows] == [
        ("45734", "DP251139.jpg"),
        ("45734-2", "DP251138.jpg"),
        ("45734-3", "DP251120.jpg"),
    ]
    found = record(SOURCE, rows[1])
    assert found["reason"] is None
    assert (found["title"], found["artist"]) == ("Quail and Millet", "Kiyohara Yukinobu")
    assert (found["date_text"], found["year"]) == ("late 17th century", None)
    assert (found["rights_uri"], found["rights_basis"]) == (
        "https://creativecommons.org/publicdomain/zero/1.0/",
        "source",
    )
    assert found["declared_group"] == "45734"
    # the answer itself names wwwstg.metmuseum.org
    assert found["source_url"] == "https://www.metmuseum.org/art/collection/search/45734"


def test_a_real_object_of_one_image_and_nobody(shared_data: Path):
    (row,) = met.parse(SOURCE, _object(47533), _real(shared_data, "sample_response_without_additional.json")).rows
    found = record(SOURCE, row)
    assert (found["record_id"], found["artist"], found["date_text"], found["year"]) == ("met:47533", None, None, None)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        pytest.param(SOURCE, 1947, id="in the public domain"),
        pytest.param(_with(open_access_only=False), 2000, id="all"),
        pytest.param(_with(object_ids="1-21949"), 3, id="the first three ids"),
        pytest.param(
            _with(open_access_only=False, departments=("The Cloisters", "photographs")), 188, id="two departments"
        ),
    ],
)
def test_the_real_table(shared_data: Path, source: MetSource, count: int):
    data = (shared_data / "met_openaccess/metmuseum_curated_full_columns_2000.csv").read_bytes()
    parsed = met.parse(source, TABLE, data)
    assert (len(parsed.requests), parsed.rows, parsed.claims) == (count, (), (ClaimedCount("objects", count),))
    listed = {int(row["Object ID"]) for row in csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))}
    assert {int(str(key)) for key in _keys(parsed)} <= listed


def test_the_page_shows_settings_that_are_taken():
    (shown,) = yaml.safe_load(PAGE.read_text("utf-8").split("```yaml\n")[1].split("```")[0])["sources"]
    assert MetSource.model_validate(shown).source == "met"
    assert set(shown) <= set(MetSource.model_fields)


def test_the_page_shows_a_real_record(shared_data: Path):
    shown = json.loads(PAGE.read_text("utf-8").split("```json\n")[1].split("```")[0])
    found = record(SOURCE, met.parse(SOURCE, _object(), _real(shared_data, "sample_response.json")).rows[1])
    assert shown == {name: found[name] for name in shown}


_json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["https://a/b.jpg", 45734]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_fields = st.sampled_from([*json.loads(_answer()), "total", "objectIDs"])
_some_csv = st.lists(
    st.sampled_from([HEAD, "\n", ",", '"', "\r", "True", "7", "\x00", "é", "\n1,True,7,X,t,c\n"]), max_size=12
)


def _read_or_refused(source_request: SourceRequest, data: bytes) -> None:
    try:
        parsed = met.parse(SOURCE, source_request, data)
    except BadAnswer as error:
        str(error).encode("utf-8", "backslashreplace")
        return
    assert all(source_request.url.split("/")[2] in met.HOSTS for source_request in parsed.requests)
    for row in parsed.rows:
        record(SOURCE, row)


@pytest.mark.parametrize("source_request", [TABLE, LIST, _object()], ids=lambda source_request: source_request.kind)
@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=60) | _json_values.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_read_or_refused(source_request: SourceRequest, data: bytes):
    _read_or_refused(source_request, data)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(_fields, _json_values, max_size=4))
def test_any_fields_are_read_or_refused(fields: dict[str, Any]):
    for source_request in (LIST, _object()):
        _read_or_refused(source_request, _answer(**fields))


@settings(max_examples=100, deadline=None)
@given(_some_csv.map(lambda parts: "".join([HEAD, "\n", *parts]).encode()), st.binary(max_size=3), st.integers(0, 100))
def test_any_table_is_read_or_refused(table: bytes, noise: bytes, place: int):
    _read_or_refused(TABLE, table[:place] + noise + table[place:])


@pytest.mark.parametrize(
    ("begin", "end", "text", "years"),
    [
        pytest.param(1820, 1842, "ca. 1830-32", (1830, 1820, 1842), id="the museum widens ca."),
        pytest.param(-1479, -1458, "1479-1458 B.C.", (None, -1479, -1458), id="before Christ"),
        pytest.param(0, 0, "1830", (1830, 1830, 1830), id="unknown to the museum, known to the text"),
        pytest.param(0, 0, "", (None, None, None), id="unknown"),
        pytest.param(0, 99, "1st century", (None, None, 99), id="there is no year 0"),
        pytest.param(1842, 1820, "", (None, 1820, 1842), id="turned around"),
        pytest.param("1820", [7], "", (None, 1820, None), id="other types"),
        pytest.param(True, {}, "1850s", (1850, 1850, 1859), id="types that are no year"),
    ],
)
def test_first_and_last_year(begin: Any, end: Any, text: str, years: tuple[int | None, ...]):
    answer = _answer(objectBeginDate=begin, objectEndDate=end, objectDate=text)
    found = record(SOURCE, met.parse(SOURCE, _object(), answer).rows[0])
    assert (found["year"], found["year_first"], found["year_last"]) == years
