"""From what a source says to the table of records: text, years, rights, keys that come twice, limits."""

import hashlib
import math
import unicodedata
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.reasons import Reason
from schemas.sources.common import Rights
from schemas.sources.folder import FolderSource
from schemas.sources.table import TableSource
from schemas.tables import RECORDS
from tasks.core.scrape import records

CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
BY = "https://creativecommons.org/licenses/by/4.0/"
KNOWN = Rights(uri=CC0, text="open access", asserted_by="the museum", because="its terms of 2017")
KNOWN_BASIS = "recipe: the museum: its terms of 2017"


def source(**said: Any) -> FolderSource:
    return FolderSource(name="art", pattern="*", **said)


def record(row: dict[str, Any], **said: Any) -> dict[str, Any]:
    got = records.record(source(**said), {"key": "1", "image": "a.jpg", **row})
    assert list(got) == RECORDS.names
    pa.Table.from_pylist([got], schema=RECORDS)  # every value fits its column
    return got


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(None, None, id="null"),
        pytest.param(math.nan, None, id="NaN, an empty cell of a number column"),
        pytest.param(True, "true", id="a truth value, as JSON writes it"),
        pytest.param("", None, id="empty text"),
        pytest.param(" \t\n ", None, id="nothing but blanks"),
        pytest.param("\0", None, id="nothing but a zero byte"),
        pytest.param(" Still life ", "Still life", id="blanks around it go"),
        pytest.param("a  b", "a  b", id="blanks inside stay"),
        pytest.param(unicodedata.normalize("NFD", "Käthe"), unicodedata.normalize("NFC", "Käthe"), id="composed"),
        pytest.param("\ufb01g", "\ufb01g", id="but not made compatible: a ligature stays"),
        pytest.param(7, "7", id="a whole number"),
        pytest.param(0, "0", id="0 is not nothing"),
        pytest.param(False, "false", id="false is not nothing"),
        pytest.param("\ud83d", "?", id="half of a surrogate pair, which no UTF-8 holds"),
        pytest.param("a" * 5000, "a" * 2000, id="text without end"),
    ],
)
def test_text_of_a_field(value: Any, expected: str | None):
    assert record({"title": value})["title"] == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param({"year": 1890, "date_text": "1905"}, 1890, id="a year goes before a date"),
        pytest.param({"year": 1890.0}, 1890, id="a year as a fraction"),
        pytest.param({"year": math.nan, "date_text": "1905"}, 1905, id="without a year the date counts"),
        pytest.param({"year": "unknown", "date_text": "1905"}, 1905, id="a year that says it is unknown"),
        pytest.param({"year": "1871-73"}, 1871, id="the first of several"),
        pytest.param({"year": -500}, -500, id="a year before Christ"),
        pytest.param({"year": 1479, "date_text": "1479-1458 B.C."}, None, id="an era that the text alone says"),
        pytest.param({"year": 850, "date_text": "9th century"}, 850, id="a year before 1000"),
        pytest.param({"year": 1890, "year_first": 1900, "year_last": 1910}, None, id="a year outside of the others"),
        pytest.param({"date_text": "1479–1458 B.C."}, None, id="years before Christ"),
        pytest.param({"date_text": "500 BC"}, -500, id="one year before Christ"),
        pytest.param({"date_text": "1024 AH"}, None, id="another calendar"),
        pytest.param({"date_text": "AH 1024/1615-16"}, 1615, id="another calendar beside ours"),
        pytest.param({"date_text": "[189-?]"}, None, id="a decade"),
        pytest.param({"date_text": "before 1900"}, 1900, id="the one that it is before"),
    ],
)
def test_the_year_of_a_record(row: dict[str, Any], expected: int | None):
    assert record(row)["year"] == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param({}, (None, None), id="no date"),
        pytest.param({"year": 1890}, (1890, 1890), id="the one year"),
        pytest.param({"date_text": "1871-73"}, (1871, 1873), id="a date in words"),
        pytest.param({"year": 1890, "date_text": "19th century"}, (1801, 1900), id="a date in words beside a year"),
        pytest.param({"year": 1890, "date_text": "n.d."}, (1890, 1890), id="words that say no year"),
        pytest.param({"year": 1890, "date_text": "1905"}, (1890, 1905), id="a year that is not the date's"),
        pytest.param({"year": 1479, "date_text": "1479-1458 B.C."}, (-1479, -1458), id="a year of the wrong era"),
        pytest.param({"year": "1871-73"}, (1871, 1873), id="a year that is several"),
        pytest.param(
            {"date_text": "c. 1890", "year_first": "1885-01-01", "year_last": "1895-01-01"},
            (1885, 1895),
            id="the source's own fields go before its words",
        ),
        pytest.param({"date_text": "c. 1890", "year_first": 1885}, (1885, None), id="only one of them"),
        pytest.param({"year_first": 1895, "year_last": 1885}, (1885, 1895), id="the wrong way round"),
        pytest.param(
            {"date_text": "c. 1890", "year_first": 0, "year_last": ""}, (1890, 1890), id="fields that say none"
        ),
        pytest.param({"year_first": [1850], "year_last": {}}, (None, None), id="fields that hold no year"),
        pytest.param({"date_text": "5th century BC"}, (-500, -401), id="before Christ"),
    ],
)
def test_the_first_and_the_last_year_of_a_record(row: dict[str, Any], expected: tuple[int | None, int | None]):
    got = record(row)
    assert (got["year_first"], got["year_last"]) == expected


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        pytest.param((1479, -1479, -1458, "1479-1458 B.C."), (None, -1479, -1458), id="before Christ"),
        pytest.param((None, 850, 850, "c. 850"), (850, 850, 850), id="a year before 1000"),
        pytest.param((1890, None, None, None), (1890, 1890, 1890), id="of contract 2.0"),
        pytest.param((1871, 1871, 1873, "1871-73"), (1871, 1871, 1873), id="as it is today"),
        pytest.param((None, None, None, "n.d."), (None, None, None), id="none"),
    ],
)
def test_records_of_an_earlier_release_have_their_year_within_the_others(known: tuple[Any, ...], expected: Any):
    names = ("year", "year_first", "year_last", "date_text")
    table = records.records_table([record({}) | dict(zip(names, known, strict=True))])
    (got,) = records.with_year_within(table).to_pylist()
    assert tuple(got[name] for name in names[:3]) == expected
    assert records.with_year_within(table).schema == table.schema


@pytest.mark.parametrize(
    ("row", "artist", "qualifier", "named", "roles"),
    [
        pytest.param({"artist": "Gris"}, "Gris", None, None, None, id="one artist: the list is made with the names"),
        pytest.param({"artists": []}, None, None, None, None, id="an empty list"),
        pytest.param({"artists": [None, " "]}, None, None, [], [], id="names of nobody"),
        pytest.param({"artists": ["Gris", None]}, "Gris", None, ["Gris"], [""], id="an element without a name"),
        pytest.param(
            {"artists": ["Kahnweiler", "Gris"], "artist_roles": ["publisher", "artist"]},
            "Gris", None, ["Kahnweiler", "Gris"], ["publisher", "artist"],
            id="roles",
        ),
        pytest.param(
            {"artists": ["Kahnweiler", None, "Gris"], "artist_roles": [None, "publisher", "artist"]},
            "Kahnweiler", None, ["Kahnweiler", "Gris"], ["", "artist"],
            id="a role goes with its name",
        ),
        pytest.param({"artists": "Kahnweiler|Gris", "artist_roles": "publisher|artist"}, "Gris", None,
                     ["Kahnweiler", "Gris"], ["publisher", "artist"], id="as a CSV has them"),
        pytest.param({"artists": ["Raphael"], "artist_roles": ["after"]}, "Raphael", "after", ["Raphael"], ["after"],
                     id="after"),
        pytest.param({"artist": "Braque", "artists": ["Gris"], "artist_roles": ["after"]}, "Braque", None,
                     ["Braque", "Gris"], ["", "after"], id="a field for the artist goes before"),
        pytest.param({"artists": ["Gris\ud800"]}, "Gris?", None, ["Gris?"], [""], id="a lone surrogate"),
    ],
)  # fmt: skip
def test_several_artists(row: dict[str, Any], artist: Any, qualifier: Any, named: Any, roles: Any):
    got = record(row)
    assert [got[name] for name in ("artist", "artist_qualifier", "artists", "artist_roles")] == [
        artist, qualifier, named, roles
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "text"),
    [
        pytest.param({"artist": " Gris, Juan (Spanish)\n"}, "Gris, Juan (Spanish)", id="the field"),
        pytest.param(
            {"artists": ["K.", "Gris, Juan"], "artist_roles": ["publisher", "artist"]}, "Gris, Juan", id="roles"
        ),
        pytest.param({"artists": ["K."], "artist_roles": ["publisher"]}, None, id="nobody"),
        pytest.param({}, None, id="nothing"),
    ],
)
def test_the_words_for_the_artist_stay(row: dict[str, Any], text: str | None):
    got = record(row)
    assert (got["artist"], got["artist_text"]) == (text, text)


def test_a_sources_own_words_are_read():
    words = {"dates": {"calendars": ["zorblax era"], "century": ["saeclum"]}, "makers": {"no_makers": ["zeller"]}}
    row = {"date_text": "zorblax era 1850", "artists": ["A", "B"], "artist_roles": ["zeller", "painter"]}
    got = record(row, words=words)
    assert (got["year"], got["artist"]) == (None, "B")
    assert record({"date_text": "19th saeclum"}, words=words)["year_first"] == 1801
    assert record(row)["artist"] == "A"


def test_artists_that_do_not_fit_are_told():
    got = record({"artists": ["Gris", "Braque"], "artist_roles": ["publisher"]})
    assert (got["artist"], got["artist_roles"]) == ("Gris", ["", ""])
    assert got["detail"] == "1 artist_roles for 2 artists, so they are left out"
    got = record({"artists": ["Gris"] * 2_000})
    assert (len(got["artists"]), got["detail"]) == (100, "2000 artists, of which 100 are kept")


def test_ids_of_repeated_keys_are_as_they_were_before_there_were_years_and_several_artists():
    rows = [record({"title": title}) for title in ("A", "B")]
    before = [{name: value for name, value in row.items() if name not in records._LATER} for row in rows]
    assert [row["record_id"] for row in records.unique(rows)] == [row["record_id"] for row in records.unique(before)]
    same = [record({"title": "A", "artists": [name]} | {"artist": "Gris"}) for name in ("Gris", "Braque", "Miro")]
    assert len(records.unique(same)) == 3


BY_STATUS = Rights.model_validate(
    {
        "by": {"column": "status", "values": {" Public Domain ": CC0, "In copyright": "NOASSERTION"}},
        "asserted_by": "me",
        "because": "the museum says so",
    }
)


@pytest.mark.parametrize(
    ("row", "uri", "text", "basis"),
    [
        pytest.param({"status": "Public Domain"}, CC0, "Public Domain", "recipe: me: the museum says so", id="a value"),
        pytest.param({"status": " public DOMAIN"}, CC0, "public DOMAIN", "recipe: me: the museum says so", id="case"),
        pytest.param({"status": "In copyright"}, "NOASSERTION", "In copyright", "source", id="no rights by the table"),
        pytest.param({"status": "Orphan"}, "NOASSERTION", "Orphan", "source", id="a value that the table lacks"),
        pytest.param({}, "NOASSERTION", None, "none", id="no value"),
        pytest.param({"status": math.nan}, "NOASSERTION", None, "none", id="an empty cell"),
        pytest.param({"offers": {"status": "public domain"}}, CC0, "public domain", "recipe: me: the museum says so",
                     id="what a source on the web offers"),
        pytest.param({"rights.by": "Public Domain", "status": "x"}, CC0, "Public Domain",
                     "recipe: me: the museum says so", id="what a table has at a path"),
        pytest.param({"status": "Orphan", "rights_text": "ask us"}, "NOASSERTION", "ask us", "source", id="a text"),
        pytest.param({"status": "Orphan", "rights_uri": CC0}, CC0, "Orphan", "source", id="its own URI first"),
    ],
)  # fmt: skip
def test_rights_by_what_the_source_says(row: dict[str, Any], uri: str, text: str | None, basis: str):
    got = record(row, rights=BY_STATUS)
    assert (got["rights_uri"], got["rights_text"], got["rights_basis"]) == (uri, text, basis)


def test_all_others_may_have_rights_too():
    rights = BY_STATUS.model_copy(update={"by": BY_STATUS.by.model_copy(update={"else_": CC0})})  # type: ignore[union-attr]
    assert record({"status": "Orphan"}, rights=rights)["rights_uri"] == CC0
    assert record({}, rights=rights)["rights_uri"] == CC0


def test_what_the_table_of_rights_lacks_is_told():
    rows = [
        record({"key": str(n), "status": "Orphan" if n % 3 else "Public Domain"}, rights=BY_STATUS) for n in range(6)
    ]
    rows += [record({"key": "x"}, rights=BY_STATUS), record({"key": "y", "image": ""}, rights=BY_STATUS)]
    assert records.rights_note(source(rights=BY_STATUS), records.records_table(rows)) == (
        "source 'art': 5 records of 7 without rights, since rights.by has no URI for 'Orphan' (4), 'nothing' (1)",
    )
    assert records.rights_note(source(), records.records_table(rows)) == ()


def test_columns_in_which_no_record_has_anything_are_told():
    columns = {
        "key": "id",
        "image": "file",
        "title": "name",
        "artists": "creator[].nam",
        "year": "made",
        "group": "set",
    }
    works = TableSource.model_validate({"name": "art", "at": "works", "table": "works.csv", "columns": columns})
    rows = [record({"key": str(number), "title": "A", "artists": []}) for number in range(2)]
    rows.append(records.dropped_record(works, "3", Reason.BAD_RECORD, "why") | {"year": 1890, "declared_group": "a"})
    assert records.empty_columns_note(works, records.records_table(rows)) == (
        "source 'art': none of its 2 records has anything for 'artists' (from 'creator[].nam'), 'year' (from 'made'), "
        "'group' (from 'set'): is the column or path right?",
    )
    rows[0] |= {"artists": ["Gris"], "year": 1890, "declared_group": "a"}
    assert records.empty_columns_note(works, records.records_table(rows)) == ()
    assert records.empty_columns_note(source(), records.records_table(rows)) == ()
    assert records.empty_columns_note(works, RECORDS.empty_table()) == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"uri": CC0}, "expected either a uri or `by`"),
        ({"because": None}, "expected asserted_by and because, which `by` needs, got no because"),
    ],
)
def test_rights_that_contradict_themselves_are_refused(change: dict[str, Any], said: str):
    with pytest.raises(ValueError, match=said):
        Rights.model_validate({**BY_STATUS.model_dump(), **change})


@pytest.mark.parametrize(
    ("row", "styles"),
    [
        pytest.param({}, [], id="no style"),
        pytest.param({"style": "Cubism"}, ["Cubism"], id="one style is all styles"),
        pytest.param(
            {"style": "Cubism", "styles": "Dada|Fauvism"}, ["Dada", "Fauvism"], id="several, with bars between"
        ),
        pytest.param({"styles": " Dada | | Fauvism "}, ["Dada", "Fauvism"], id="blanks and gaps"),
        pytest.param({"styles": ["Dada", None, " "]}, ["Dada"], id="a list with gaps"),
        pytest.param({"styles": ("Dada",)}, ["Dada"], id="a tuple"),
        pytest.param({"style": "Cubism", "styles": ""}, ["Cubism"], id="empty text"),
        pytest.param({"style": "Cubism", "styles": math.nan}, ["Cubism"], id="NaN is no style called nan"),
        pytest.param({"styles": [math.nan]}, [], id="nor in a list"),
    ],
)
def test_styles(row: dict[str, Any], styles: list[str]):
    assert record(row)["styles"] == styles


@pytest.mark.parametrize(
    ("image", "locator", "image_url"),
    [
        pytest.param("a/b.jpg", "a/b.jpg", None, id="a path"),
        pytest.param("https://m.example/a.jpg", "https://m.example/a.jpg", "https://m.example/a.jpg", id="an address"),
        pytest.param(" HTTP://m.example/a.jpg\n", *["HTTP://m.example/a.jpg"] * 2, id="an address among blanks"),
        pytest.param("//m.example/a.jpg", *["https://m.example/a.jpg"] * 2, id="an address without its scheme"),
        pytest.param("\ufeff//m.example:8080/a b.jpg", *["https://m.example:8080/a b.jpg"] * 2, id="behind a mark"),
        pytest.param("//server/a.jpg", "//server/a.jpg", None, id="no host on the web"),
        pytest.param("///m.example/a.jpg", "///m.example/a.jpg", None, id="a path from the root"),
        pytest.param("m.example//a.jpg", "m.example//a.jpg", None, id="a path with two slashes"),
        pytest.param("www.m.example/a.jpg", "www.m.example/a.jpg", None, id="a host's name alone: a path"),
        pytest.param(" a.jpg", " a.jpg", None, id="a file whose name begins with a blank"),
        pytest.param("ab".ljust(3000, "c"), "ab".ljust(3000, "c"), None, id="one that is longer than text may be"),
        pytest.param(
            unicodedata.normalize("NFD", "ä"), unicodedata.normalize("NFD", "ä"), None, id="letters as they are written"
        ),
        pytest.param("a\ud83d.jpg", "a?.jpg", None, id="half of a surrogate pair: a file that can't be found"),
        pytest.param(7, "7", None, id="a number"),
    ],
)
def test_the_image_is_asked_for_as_it_is_given(image: Any, locator: str, image_url: str | None):
    got = record({"image": image})
    assert (got["locator"], got["image_url"]) == (locator, image_url)


def test_an_address_of_its_own_is_shown_but_the_image_is_asked_for():
    got = record({"image": "a.jpg", "image_url": "https://m.example/a.jpg"})
    assert (got["locator"], got["image_url"]) == ("a.jpg", "https://m.example/a.jpg")


@pytest.mark.parametrize(
    ("row", "template", "expected"),
    [
        pytest.param({}, None, None, id="nothing to say"),
        pytest.param({}, "https://m.example/{key}", "https://m.example/1", id="the key filled in"),
        pytest.param(
            {"source_url": "https://own.example"},
            "https://m.example/{key}",
            "https://own.example",
            id="the record's own goes first",
        ),
        pytest.param({"title": "a"}, "x/{title}/{nosuch}/{key}", "x/a//1", id="a field that there is not is nothing"),
        pytest.param(
            {}, "x/{key!r}/{0}{key.__class__}", "x/{key!r}/{key.__class__}", id="nothing but names is understood"
        ),
        pytest.param({}, "{title}", None, id="fields that say nothing"),
        pytest.param({}, "", None, id="an empty template"),
        pytest.param({"title": "{key}"}, "x/{title}", "x/{key}", id="what is filled in is not filled again"),
    ],
)
def test_the_page_of_a_work(row: dict[str, Any], template: str | None, expected: str | None):
    assert record(row, source_url=template)["source_url"] == expected


@pytest.mark.parametrize(
    ("row", "asserted", "uri", "text", "basis"),
    [
        pytest.param({}, Rights(), "NOASSERTION", None, "none", id="nobody says anything"),
        pytest.param(
            {}, Rights(text="unclear"), "NOASSERTION", "unclear", "none", id="the recipe has words, but asserts nothing"
        ),
        pytest.param({}, KNOWN, CC0, "open access", KNOWN_BASIS, id="the recipe asserts"),
        pytest.param({"rights_uri": BY}, KNOWN, BY, None, "source", id="the source's own field goes first"),
        pytest.param({"rights_uri": BY, "rights_text": "CC BY"}, Rights(), BY, "CC BY", "source", id="with its words"),
        pytest.param({"rights_uri": f" {BY} "}, Rights(), BY, None, "source", id="with blanks around it"),
        pytest.param(
            {"rights_text": "free"}, Rights(), "NOASSERTION", "free", "source", id="the source has only words"
        ),
        pytest.param(
            {"rights_text": "free"}, KNOWN, CC0, "free", KNOWN_BASIS, id="the source has words, the recipe a URI"
        ),
        pytest.param(
            {"rights_uri": "https://example.org/terms"},
            Rights(),
            "NOASSERTION",
            "https://example.org/terms",
            "source",
            id="an address of the source's own is words",
        ),
        pytest.param(
            {"rights_uri": "https://evil.example/creativecommons.org/x"},
            Rights(),
            "NOASSERTION",
            "https://evil.example/creativecommons.org/x",
            "source",
            id="one that only mentions Creative Commons too",
        ),
        pytest.param(
            {"rights_uri": "https://creativecommons.org.evil.example/x"},
            Rights(),
            "NOASSERTION",
            "https://creativecommons.org.evil.example/x",
            "source",
            id="one that begins like it too",
        ),
        pytest.param(
            {"rights_uri": f"{BY} or so"},
            Rights(),
            "NOASSERTION",
            f"{BY} or so",
            "source",
            id="a URI with words behind it is words",
        ),
        pytest.param(
            {"rights_uri": "http://rightsstatements.org/vocab/InC/1.0/"},
            Rights(),
            "http://rightsstatements.org/vocab/InC/1.0/",
            None,
            "source",
            id="rightsstatements.org",
        ),
        pytest.param(
            {"rights_uri": "NOASSERTION"},
            Rights(),
            "NOASSERTION",
            "NOASSERTION",
            "source",
            id="the source says that it asserts nothing",
        ),
        pytest.param(
            {"rights_uri": math.nan, "rights_text": ""},
            KNOWN,
            CC0,
            "open access",
            KNOWN_BASIS,
            id="empty cells say nothing",
        ),
    ],
)
def test_whose_word_on_rights_counts(row: dict[str, Any], asserted: Rights, uri: str, text: str | None, basis: str):
    got = record(row, rights=asserted)
    assert (got["rights_uri"], got["rights_text"], got["rights_basis"]) == (uri, text, basis)


@pytest.mark.parametrize(
    ("row", "record_id", "detail"),
    [
        pytest.param({"key": None}, None, "no key in the row", id="no key"),
        pytest.param({"key": " "}, None, "no key in the row", id="a blank key"),
        pytest.param({"key": math.nan}, None, "no key in the row", id="NaN for a key"),
        pytest.param({"image": None}, "art:1", "no image in the row", id="no image"),
        pytest.param({"image": ""}, "art:1", "no image in the row", id="an empty image"),
        pytest.param({"key": None, "image": None}, None, "no key in the row", id="neither"),
        pytest.param(
            {"key": None, "title": "\ud83d"}, None, "no key in the row", id="no key, and text that no UTF-8 holds"
        ),
    ],
)
def test_a_row_that_can_be_no_record_is_a_drop_with_a_name(row: dict[str, Any], record_id: str | None, detail: str):
    got = record(row)
    assert (got["reason"], got["detail"]) == ("bad_record", detail)
    assert got["record_id"] == record_id or got["record_id"].startswith("art:row-")
    assert got["locator"] is None
    assert (got["rights_uri"], got["rights_basis"]) == ("NOASSERTION", "none")


def test_rows_without_a_key_are_named_by_what_they_say():
    name = hashlib.sha256('{"image": "a.jpg", "key": null, "title": "ä"}'.encode()).hexdigest()[:12]
    assert record({"key": None, "title": "ä"})["record_id"] == f"art:row-{name}"
    one, same, other = (record({"key": None, "title": title})["record_id"] for title in ("a", "a", "b"))
    assert one == same != other


def test_the_key_is_text_composed_and_trimmed():
    assert record({"key": " " + unicodedata.normalize("NFD", "ä:7")})["record_id"] == "art:" + unicodedata.normalize(
        "NFC", "ä:7"
    )
    assert record({"key": 7})["record_id"] == "art:7"


# --- the table


def table(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    got = records.records_table([record(row) for row in rows])
    assert got.schema == RECORDS
    return got.to_pylist()


def test_no_rows_an_empty_table():
    assert table() == []


def test_rows_that_are_equal_in_everything_are_one():
    assert len(table({"title": "a"}, {"title": "a"})) == 1


def test_of_rows_with_one_key_one_stays_and_the_others_get_names_of_their_own():
    rows = [{"title": title} for title in "abc"]
    got = table(*rows)
    assert [row["record_id"] for row in got] == sorted(row["record_id"] for row in got)
    stays, *others = got
    assert (stays["record_id"], stays["reason"]) == ("art:1", None)
    assert {row["reason"] for row in others} == {"same_key"}
    assert {row["detail"] for row in others} == {"key of art:1"}
    assert len({row["record_id"] for row in got}) == 3
    assert all(row["record_id"].startswith("art:1#") for row in others)
    assert {row["title"] for row in got} == set("abc")  # nothing is lost


@pytest.mark.parametrize("is_merged", [False, True])
def test_a_row_that_its_page_opts_out_keeps_the_key_before_one_whose_page_says_nothing(is_merged):
    out = records.dropped_record(source(), "1", Reason.OPTED_OUT, "meta robots: noai")
    rows = [*(record({"title": title}) for title in "abc"), out]
    tables = [records.records_table([row]) for row in rows]
    got = (records.merge(tables) if is_merged else records.records_table(rows)).to_pylist()
    assert {row["record_id"]: row["reason"] for row in got if "#" not in row["record_id"]} == {"art:1": "opted_out"}
    assert [row["reason"] for row in got] == ["opted_out", "same_key", "same_key", "same_key"]


def test_two_spellings_of_one_key_are_one_key():
    got = table(*({"key": unicodedata.normalize(form, "ä"), "title": form} for form in ("NFC", "NFD")))
    assert [row["reason"] for row in got] == [None, "same_key"]


@given(
    st.lists(st.fixed_dictionaries({"key": st.sampled_from("123"), "title": st.sampled_from("abc")}), max_size=10),
    st.randoms(use_true_random=False),
)
def test_the_order_in_which_rows_come_changes_nothing(rows: list[dict[str, Any]], chance: Any):
    mixed = rows.copy()
    chance.shuffle(mixed)
    assert table(*mixed) == table(*rows)


# --- the tables of several parts


def as_table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=RECORDS)


def merged(*parts: list[dict[str, Any]]) -> pa.Table:
    got = records.merge(as_table(part) for part in parts)
    assert got.schema == RECORDS
    ids = got["record_id"].to_pylist()
    assert ids == sorted(set(ids))
    return got


ROWS = st.lists(
    st.builds(
        lambda key, title, reason, styles: {**record({"key": key, "title": title, "styles": styles}), "reason": reason},
        st.sampled_from(["1", "2", "ä", "😀", "\uffee", "1#a"]),
        st.sampled_from(["a", "b", None]),
        st.sampled_from([None, None, "bad_record"]),
        st.sampled_from([[], ["x"]]),
    ),
    max_size=12,
)


@given(ROWS, st.data())
def test_however_rows_are_dealt_to_tables_they_make_the_same_table(rows: list[dict[str, Any]], data: st.DataObject):
    mixed = data.draw(st.permutations(rows))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    parts = [mixed[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    assert merged(*parts).equals(as_table(records.unique(rows)))


@given(ROWS, ROWS)
def test_what_is_merged_already_may_be_merged_again_with_any_of_its_rows(
    rows: list[dict[str, Any]], others: list[dict[str, Any]]
):
    once = merged(rows, others)
    assert records.merge([once]).equals(once)
    assert records.merge([once, once]).equals(once)
    assert records.merge([merged(rows), merged(others)]).equals(once)
    assert merged(once.to_pylist(), others).equals(as_table(records.unique([*once.to_pylist(), *others])))


def test_an_id_that_is_made_for_a_repeated_key_is_given_to_nobody_else():
    one, two = (record({"title": title}) for title in "ab")
    made = records.unique([one, two])[1]["record_id"]
    third = record({"key": made.removeprefix("art:"), "title": "c"})
    got = merged([one], [third], [two])
    assert got.equals(as_table(records.unique([one, two, third])))
    assert [row["reason"] for row in got.to_pylist()] == [None, "same_key", "same_key"]
    fourth = record({"key": got["record_id"].to_pylist()[2].removeprefix("art:"), "title": "d"})
    again = merged([fourth, one], [third, two])
    assert again.equals(as_table(records.unique([fourth, one, third, two])))
    assert again.num_rows == 4


@pytest.mark.parametrize("parts", [(), ([],), ([], [])])
def test_no_rows_in_any_table(parts: tuple[list[dict[str, Any]], ...]):
    assert merged(*parts).equals(RECORDS.empty_table())


def test_tables_that_follow_each_other_are_not_copied():
    first, second = (as_table([record({"key": key})]) for key in "12")
    got = records.merge([second, first])
    assert got["record_id"].to_pylist() == ["art:1", "art:2"]
    where = {chunk.buffers()[2].address for chunk in got["record_id"].chunks if len(chunk)}
    assert where == {part["record_id"].chunk(0).buffers()[2].address for part in (first, second)}


def test_rows_of_a_slice_are_rows_like_others():
    rows = [record({"key": key}) for key in "4321"]
    parts = [as_table(rows).slice(1, 2), as_table(rows).slice(0, 1), as_table(rows).slice(3)]
    assert records.merge(parts).equals(as_table(rows[::-1]))


# --- limits


def limited(
    limit: int | None, *names: str, reason: dict[str, str] | None = None
) -> dict[str, tuple[str | None, str | None]]:
    rows = [
        {
            **dict.fromkeys(RECORDS.names),
            "record_id": name,
            "source": name.split(":")[0],
            "reason": (reason or {}).get(name),
        }
        for name in names
    ]
    got = records.limit_records(pa.Table.from_pylist(rows, schema=RECORDS), limit)
    assert got.schema == RECORDS
    assert got["record_id"].to_pylist() == list(names)
    return {row["record_id"]: (row["reason"], row["detail"]) for row in got.to_pylist()}


MANY = [f"{of}:{number}" for of in ("met", "wikiart") for number in range(8)]


def chosen(limit: int | None, *names: str) -> set[str]:
    return {name for name, (reason, _) in limited(limit, *names).items() if reason is None}


@pytest.mark.parametrize("limit", [1, 3, 7])
def test_of_each_source_those_with_the_smallest_digests_are_chosen(limit: int):
    by_digest = sorted(MANY, key=lambda name: hashlib.sha256(name.encode()).digest())
    expected = {name for of in ("met", "wikiart") for name in [n for n in by_digest if n.startswith(of)][:limit]}
    assert chosen(limit, *MANY) == expected
    assert limited(limit, *MANY)[next(name for name in MANY if name not in expected)] == (
        "over_limit",
        f"limit {limit}",
    )


@pytest.mark.parametrize("limit", [None, 8, 100])
def test_a_limit_that_nothing_exceeds_changes_nothing(limit: int | None):
    assert chosen(limit, *MANY) == set(MANY)


def test_a_larger_limit_keeps_those_of_a_smaller_one():
    assert chosen(2, *MANY) < chosen(3, *MANY) < chosen(4, *MANY)


def test_what_was_dropped_takes_no_place_and_keeps_its_reason():
    first = min(
        (name for name in MANY if name.startswith("met")), key=lambda name: hashlib.sha256(name.encode()).digest()
    )
    got = limited(1, *MANY, reason={first: "bad_record"})
    assert got[first] == ("bad_record", None)
    assert sum(reason is None for name, (reason, _) in got.items() if name.startswith("met")) == 1


@given(st.permutations(MANY), st.integers(1, 9))
def test_the_order_in_which_records_stand_changes_no_choice(names: list[str], limit: int):
    assert chosen(limit, *names) == chosen(limit, *MANY)


def test_no_records_nothing_to_limit():
    assert limited(3) == {}
