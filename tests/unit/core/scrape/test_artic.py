"""The Art Institute of Chicago: what a page of artworks becomes, and what it asks for next."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.sources.artic import ArticSource
from tasks.core.scrape import artic
from tasks.core.scrape.records import record
from tasks.core.scrape.web_source import BadAnswer, ClaimedCount, ParsedAnswer, SourceRequest

PAGE = Path(__file__).parents[4] / "docs/sources/artic.md"
SOURCE = ArticSource(name="artic")
CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
IMAGE = "33115537-53c1-840b-5e74-07cb07c7b05d"
URL = (
    "https://api.artic.edu/api/v1/artworks?fields=id,title,artist_title,artist_display,date_display,date_start,date_end,style_title,"
    "style_titles,classification_title,classification_titles,department_title,is_public_domain,copyright_notice,image_id"
)


def _with(**fields: Any) -> ArticSource:
    return ArticSource(name="artic", **fields)


def _ask(page: int = 1, limit: int = 100) -> SourceRequest:
    return SourceRequest(f"{URL}&limit={limit}&page={page}", "page")


def _work(**fields: Any) -> dict[str, Any]:
    known = {
        "id": 23,
        "title": "The Arch",
        "artist_title": "Luigi Rossini",
        "artist_display": "Luigi Rossini\nItalian, 1790-1857",
        "date_display": "1820",
        "date_start": 1820,
        "date_end": 1820,
        "style_title": None,
        "style_titles": [],
        "classification_title": "etching",
        "classification_titles": ["etching", "print"],
        "department_title": "Prints and Drawings",
        "is_public_domain": True,
        "copyright_notice": None,
        "image_id": IMAGE,
    }
    return known | fields


def _page(works: Any, page: int = 1, limit: int = 100, total: Any = None, **fields: Any) -> bytes:
    pagination = {"total": len(works) if total is None else total, "limit": limit, "offset": 0, "current_page": page}
    known = {
        "pagination": pagination,
        "data": works,
        "info": {},
        "config": {"iiif_url": "https://www.artic.edu/iiif/2"},
    }
    return json.dumps(known | fields).encode()


def _row(work: Any, source: ArticSource = SOURCE) -> dict[str, Any]:
    (row,) = artic.parse(source, _ask(), _page([work])).rows
    return dict(row)


def _pages(parsed: ParsedAnswer) -> list[int]:
    return [int(source_request.url.rpartition("=")[2]) for source_request in parsed.requests]


@pytest.mark.parametrize(
    ("source", "source_request"),
    [
        pytest.param(SOURCE, _ask(), id="the first page"),
        pytest.param(_with(page_size=7, open_access_only=False, departments=("X",)), _ask(1, 7), id="a small page"),
    ],
)
def test_first(source: ArticSource, source_request: SourceRequest):
    assert artic.start_requests(source) == [source_request]


@pytest.mark.parametrize("fields", [{"page_size": 0}, {"page_size": 101}, {"image_width_px": 844}, {"style": "x"}])
def test_settings_that_are_refused(fields: dict[str, Any]):
    with pytest.raises(ValidationError):
        _with(**fields)


@pytest.mark.parametrize(
    ("page", "works", "total", "following", "claim"),
    [
        pytest.param(1, 0, 0, [], 0, id="an empty museum"),
        pytest.param(1, 2, 2, [], 2, id="one page"),
        pytest.param(1, 2, 7, [2, 3, 4], 2, id="the first page asks for all others"),
        pytest.param(2, 2, 7, [3], 2, id="a page asks for the next, in case the list has grown"),
        pytest.param(4, 1, 7, [], 1, id="the last page"),
        pytest.param(4, 2, 9, [5], 2, id="a last page that no longer is"),
        pytest.param(5, 0, 7, [], 0, id="a page past the end: the list has shrunk"),
        pytest.param(2, 1, 7, [3], 2, id="a page that lacks a work"),
    ],
)
def test_pages(page: int, works: int, total: int, following: list[int], claim: int):
    source = _with(page_size=2)
    data = _page([_work(id=page * 10 + n) for n in range(works)], page, 2, total)
    parsed = artic.parse(source, _ask(page, 2), data)
    assert (_pages(parsed), len(parsed.rows)) == (following, works)
    assert parsed.claims == (ClaimedCount(f"artworks, page {page}", claim),)
    assert all(
        source_request.source_key is None and source_request.url.startswith("https://api.artic.edu/")
        for source_request in parsed.requests
    )


@pytest.mark.parametrize(
    ("source", "work", "is_wanted"),
    [
        pytest.param(SOURCE, _work(is_public_domain=False), False, id="not open"),
        pytest.param(SOURCE, _work(is_public_domain=None), False, id="nobody knows"),
        pytest.param(SOURCE, _work(is_public_domain="true"), False, id="a word"),
        pytest.param(_with(open_access_only=False), _work(is_public_domain=False), True, id="all are wanted"),
        pytest.param(_with(departments=("prints and DRAWINGS",)), _work(), True, id="a department"),
        pytest.param(_with(departments=("Prints",)), _work(), False, id="part of its name"),
        pytest.param(
            _with(departments=("Prints",)), _work(department_title=["Prints"]), False, id="a department of another type"
        ),
        pytest.param(_with(classifications=("painting", "Print")), _work(), True, id="a classification of several"),
        pytest.param(
            _with(classifications=("painting",)), _work(classification_titles=None), False, id="no classifications"
        ),
    ],
)
def test_works_that_are_wanted(source: ArticSource, work: dict[str, Any], is_wanted: bool):
    parsed = artic.parse(source, _ask(), _page([work]))
    assert (len(parsed.rows), parsed.claims[0].count) == (int(is_wanted), int(is_wanted))


@pytest.mark.parametrize(
    ("work", "detail"),
    [
        pytest.param(None, "no key in the row", id="null"),
        pytest.param([[]], "no key in the row", id="a list"),
        pytest.param("23", "no key in the row", id="a text"),
        pytest.param(_work(id=None), "no key in the row", id="no number"),
        pytest.param(_work(id=True), "no key in the row", id="true is no number"),
        pytest.param(_work(id="23"), "no key in the row", id="a number as text"),
        pytest.param(_work(id=10**15), "no key in the row", id="a number past all works"),
        pytest.param(_work(image_id=None), "no image in the row", id="no image"),
        pytest.param(_work(image_id="../../etc/passwd"), "no image in the row", id="a path for an image"),
        pytest.param(_work(image_id={"a": 1}), "no image in the row", id="an object for an image"),
    ],
)
def test_a_bad_work_is_one_drop(work: Any, detail: str):
    parsed = artic.parse(SOURCE, _ask(), _page([work, _work(id=24)]))
    assert [record(SOURCE, row)["detail"] for row in parsed.rows] == [detail, None]
    assert parsed.claims[0].count == 2


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"title": None, "artist_title": None}, {"title": None, "artist": None}, id="nulls"),
        pytest.param({"title": ["a"], "date_display": 7}, {"title": None, "date_text": None}, id="other types"),
        pytest.param({"title": "<em>Judith</em> &amp; a < b"}, {"title": "Judith & a < b"}, id="marks"),
        pytest.param({"artist_title": None, "artist_display": "China"}, {"artist": None}, id="a country is nobody"),
        pytest.param(
            {"artist_display": "Workshop of Luigi Rossini\nItalian"},
            {"artist": "Workshop of Luigi Rossini"},
            id="doubt before",
        ),
        pytest.param({"artist_display": "Designed by Luigi Rossini"}, {"artist": "Luigi Rossini"}, id="a role before"),
        pytest.param(
            {"artist_display": "L. R.\nafter Luigi Rossini"}, {"artist": "Luigi Rossini"}, id="doubt on another line"
        ),
        pytest.param(
            {"style_title": "Modernism", "style_titles": ["Modernism", None, "Arts and Crafts Movement"]},
            {"style": "Modernism", "styles": ["Modernism", "Arts and Crafts Movement"]},
            id="styles",
        ),
        pytest.param({"style_titles": "Modernism"}, {"style": None, "styles": []}, id="no list of styles"),
        pytest.param(
            {"is_public_domain": False, "copyright_notice": "© 2018 The Estate"},
            {"rights_uri": None, "rights_text": "© 2018 The Estate"},
            id="under copyright",
        ),
        pytest.param(
            {}, {"rights_uri": CC0, "source_url": "https://www.artic.edu/artworks/23", "key": "23"}, id="open"
        ),
        pytest.param(
            {}, {"image": f"https://www.artic.edu/iiif/2/{IMAGE}/full/843,/0/default.jpg"}, id="the image's address"
        ),
    ],
)
def test_fields_of_a_row(fields: dict[str, Any], expected: dict[str, Any]):
    row = _row(_work(**fields), _with(open_access_only=False))
    assert {name: row[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "begin", "end", "year"),
    [
        pytest.param("n.d.", 1865, 1880, None, id="the artist's working dates are no year"),
        pytest.param("c. 1615–75", 1615, 1675, 1615, id="the text's first year"),
        pytest.param("1763, published 1800–07", 1763, 1763, 1763, id="one year"),
        pytest.param("Dates unknown, 1890", -1824528578, -1824528578, 1890, id="the API's placeholder"),
        pytest.param("1479–1458 BCE", -1479, -1458, None, id="before Christ"),
        pytest.param("1890", 5000001, 5000001, 1890, id="a year to come"),
        pytest.param("1890", "1890", True, 1890, id="other types"),
        pytest.param(None, None, None, None, id="nothing"),
    ],
)
def test_years(text: str | None, begin: Any, end: Any, year: int | None):
    assert record(SOURCE, _row(_work(date_display=text, date_start=begin, date_end=end)))["year"] == year


@pytest.mark.parametrize(
    ("config", "start"),
    [
        pytest.param(None, "https://www.artic.edu/iiif/2/", id="no config"),
        pytest.param({}, "https://www.artic.edu/iiif/2/", id="no address"),
        pytest.param({"iiif_url": "https://iiif.artic.edu/3/"}, "https://iiif.artic.edu/3/", id="another address"),
    ],
)
def test_images_lie_where_the_answer_says(config: Any, start: str):
    (row,) = artic.parse(_with(image_width_px=200), _ask(), _page([_work()], config=config)).rows
    assert row["image"] == f"{start}{IMAGE}/full/200,/0/default.jpg"


PAGINATION = {"total": 1, "limit": 100, "current_page": 1}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", "expected JSON, got b''", id="nothing"),
        pytest.param(b"<html>", "expected JSON, got b'<html>'", id="a page"),
        pytest.param(b"[" * 100_000, "expected JSON", id="deeper than the parser goes"),
        pytest.param(b'{"n": ' + b"9" * 5000 + b"}", "expected JSON", id="a number that Python won't read"),
        pytest.param(b"[]", "expected a JSON object, got \\[\\]", id="a list"),
        pytest.param(b'{"status": 403}', "expected pagination to be an object, got None", id="an error of the API"),
        pytest.param(_page([], limit=12), "expected pagination.limit 100, got 12", id="another limit"),
        pytest.param(_page([], page=2), "expected pagination.current_page 1, got 2", id="another page"),
        pytest.param(
            _page([], pagination=PAGINATION | {"total": "9"}),
            "pagination.total from 0 to 10000000, got '9'",
            id="a text",
        ),
        pytest.param(_page([], total=-1), "got -1", id="fewer than none"),
        pytest.param(
            _page([], total=10**12), "got 1000000000000", id="more works than there are in the world's museums"
        ),
        pytest.param(_page([], pagination=PAGINATION | {"total": float("nan")}), "got nan", id="NaN"),
        pytest.param(_page([], data={}), "expected data to be a list of at most 100 works, got {}", id="no list"),
        pytest.param(_page([_work()] * 101), "got a list of 101", id="too many works"),
        pytest.param(
            _page([], config={"iiif_url": "file:///etc"}),
            "config.iiif_url to be an http address, got 'file",
            id="a file",
        ),
    ],
)
def test_answers_that_are_none(data: bytes, says: str):
    with pytest.raises(BadAnswer, match=says) as caught:
        artic.parse(SOURCE, _ask(), data)
    assert _ask().url in str(caught.value)


def _real_page(shared_data: Path) -> bytes:
    folder = shared_data / "artic_api/json"
    works = [json.loads(path.read_text("utf-8")) for path in sorted((folder / "artworks").glob("*.json"))]
    return _page(
        works,
        info=json.loads((folder / "info.json").read_text("utf-8"))["artworks"],
        config=json.loads((folder / "config.json").read_text("utf-8")),
    )


def test_real_artworks(shared_data: Path):
    parsed = artic.parse(SOURCE, _ask(), _real_page(shared_data))
    found = {record["record_id"]: record for record in (record(SOURCE, row) for row in parsed.rows)}
    assert parsed.claims == (ClaimedCount("artworks, page 1", 10),)
    assert {work["reason"] for work in found.values()} == {None}
    assert {work["rights_uri"] for work in found.values()} == {CC0}
    years = {
        "4": None,
        "9": 1869,
        "11": 1878,
        "16": 1663,
        "19": 1763,
        "20": 1854,
        "22": 1776,
        "23": 1820,
        "24": 1653,
        "25": 1615,
    }
    assert {name.removeprefix("artic:"): work["year"] for name, work in found.items()} == years
    ranges = {name: (work["year_first"], work["year_last"]) for name, work in found.items()}
    assert ranges["artic:4"] == (1865, 1880)  # "n.d.": the artist's
    assert ranges["artic:19"] == (1763, 1763)  # "1763, published 1800–07"
    assert ranges["artic:25"] == (1615, 1675)  # "c. 1615–75"
    assert found["artic:20"]["styles"] == ["19th century"]  # what the Art Institute calls a style
    assert {row["key"]: row["artist"] for row in parsed.rows}["25"] == "Lucas Emil Vorsterman"


def test_the_page_shows_settings_that_are_taken():
    (shown,) = yaml.safe_load(PAGE.read_text("utf-8").split("```yaml\n")[1].split("```")[0])["sources"]
    assert ArticSource.model_validate(shown).source == "artic"
    assert set(shown) <= set(ArticSource.model_fields)


def test_the_page_shows_a_real_record(shared_data: Path):
    shown = json.loads(PAGE.read_text("utf-8").split("```json\n")[1].split("```")[0])
    found = {row["key"]: record(SOURCE, row) for row in artic.parse(SOURCE, _ask(), _real_page(shared_data)).rows}["23"]
    assert shown == {name: found[name] for name in shown}


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from([IMAGE, 1, 100]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def _read_or_refused(data: bytes) -> None:
    try:
        parsed = artic.parse(SOURCE, _ask(), data)
    except BadAnswer as error:
        str(error).encode("utf-8", "backslashreplace")
        return
    assert all(source_request.url.split("/")[2] in artic.HOSTS for source_request in parsed.requests)
    for row in parsed.rows:
        record(SOURCE, row)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60) | _values.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_read_or_refused(data: bytes):
    _read_or_refused(data)


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(st.sampled_from(sorted(_work())), _values, max_size=4),
    st.dictionaries(st.sampled_from(["pagination", "data", "config"]), _values, max_size=1),
    st.dictionaries(st.sampled_from(["total", "limit", "current_page"]), _values, max_size=1),
)
def test_any_fields_are_read_or_refused(work: dict[str, Any], frame: dict[str, Any], pagination: dict[str, Any]):
    _read_or_refused(_page([_work(**work)], **({"pagination": PAGINATION | pagination} | frame)))
