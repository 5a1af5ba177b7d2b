import copy
import json
import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.sources.commons import CommonsSource
from tasks.core.fetch import is_url
from tasks.core.scrape import commons
from tasks.core.scrape.records import record
from tasks.core.scrape.web_source import BadAnswer, ClaimedCount, SourceRequest

DOCS = Path(__file__).resolve().parents[4] / "docs" / "sources" / "commons.md"
PDM = "https://creativecommons.org/publicdomain/mark/1.0/"
CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"


def source(**given):
    return CommonsSource(**{"name": "commons", "categories": ("Edvard Munch",), "width_px": None, **given})


def files_of(given):
    return next(request for request in commons.start_requests(given) if "gcmtype=file" in request.url)


def read(answer, given=None, request=None):
    given = given or source()
    data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return commons.parse(given, request or files_of(given), data)


def recorded(shared_data, name):
    return (shared_data / "provider_responses" / "wikimedia" / name).read_bytes()


def parameters(request):
    return dict(parse_qsl(urlsplit(request.url).query))


def page(info=None, **fields):
    known = {} if info is None else {"imageinfo": [info], "imagerepository": "local"}
    return {"pageid": 7, "ns": 6, "title": "File:Sea.jpg", **known, **fields}


def answer_of(*pages, **more):
    return {"batchcomplete": True, "query": {"pages": list(pages)}, **more}


def row_of(metadata=None, given=None, **info):
    fields = {name: {"value": value} for name, value in (metadata or {}).items()}
    known = {"url": "https://upload.wikimedia.org/sea.jpg", "extmetadata": fields, **info}
    (row,) = read(answer_of(page(known)), given).rows
    return row


# --- first


@pytest.mark.parametrize(
    ("given", "kinds"),
    [
        ({"categories": ("A", "category:a", "B")}, ["Category:A", "Category:A", "Category:B", "Category:B"]),
        ({"depth": 2}, ["Category:Edvard Munch", "Category:Edvard Munch", "subcategories of Category:Edvard Munch"]),
        ({}, ["Category:Edvard Munch", "Category:Edvard Munch"]),
    ],
)
def test_first_asks_for_numbers_files_and_subcategories(given, kinds):
    requests = commons.start_requests(source(**given))
    assert [request.kind for request in requests] == kinds
    assert {urlsplit(request.url).netloc for request in requests} == set(commons.HOSTS)
    assert not any(request.source_key or request.needs_secret for request in requests)


def test_a_width_asks_for_thumbnails_and_no_more_than_the_api_scales():
    asked = parameters(files_of(source(width_px=960)))
    assert (asked["iiurlwidth"], asked["gcmlimit"]) == ("960", "50")
    assert "iiurlwidth" not in parameters(files_of(source()))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"categories": ("a|b",)}, "expected the name of a category of 1 to 255 bytes, got 'a|b'"),
        ({"categories": (" Category: ",)}, "expected the name of a category"),
        ({"categories": ("ä" * 128,)}, "expected the name of a category"),
        ({"categories": ("a\u200bb",)}, "expected the name of a category"),
        ({"categories": ()}, "at least 1 item"),
        ({"width_px": 600}, "Input should be 20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920 or 3840"),
        ({"depth": 11}, "less than or equal to 10"),
    ],
)
def test_settings_that_can_not_be(given, message):
    with pytest.raises(ValidationError, match=re.escape(message)):
        source(**given)


def test_names_are_written_as_commons_writes_them():
    assert source(categories=("category:paintings_by  Monet",)).categories == ("Paintings by Monet",)


# --- recorded answers


@pytest.mark.parametrize(
    ("name", "rows", "images", "continuation"),
    [
        ("response_small_missing_continue.json", 1, 0, None),
        ("response_small_no_continue.json", 1, 0, ["continue"]),
        ("response_large_1.json", 2, 0, None),
        ("response_large_0.json", 1, 0, ["continue", "gaicontinue"]),
        ("continuation/wmc_pretty1.json", 9, 9, ["continue", "gucontinue"]),
        ("continuation/wmc_pretty2.json", 0, 0, ["continue", "gucontinue"]),
        ("continuation/wmc_pretty4.json", 50, 50, ["continue", "gaicontinue"]),
        ("continuation/wmc_continue_max_iter.json", 9, 9, ["continue", "gaicontinue", "gucontinue"]),
        ("continuation/wmc_raw.json", 28, 28, None),
    ],
)
def test_recorded_answers(shared_data, name, rows, images, continuation):
    parsed = read(recorded(shared_data, name))
    assert (len(parsed.rows), sum(bool(row.get("image")) for row in parsed.rows)) == (rows, images)
    assert parsed.claims == (ClaimedCount("Category:Edvard Munch", rows),)
    following = [
        sorted(name for name in parameters(request) if name.endswith("continue")) for request in parsed.requests
    ]
    assert following == ([continuation] if continuation else [])
    assert all(request.kind == "Category:Edvard Munch" for request in parsed.requests)


def test_the_recorded_chain_of_four_parts_gives_each_file_once(shared_data):
    """Parts 2 and 3 have the files of part 1 again, with nothing that is known of them."""
    request, keys = files_of(source()), []
    for part in "1234":
        parsed = read(recorded(shared_data, f"continuation/wmc_pretty{part}.json"), request=request)
        keys += [row["key"] for row in parsed.rows]
        (request,) = parsed.requests
    assert len(keys) == len(set(keys)) == 59


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("44672279", {"artist": None, "title": "Smålenenes amt nr 15: Die Festung Fridrichstein, 1715", "year": 1715}),
        ("44672277", {"artist": None, "date_text": None, "rights_uri": CC0}),
        ("44672214", {"artist": "Unknown", "title": "Stigbygel.", "date_text": "circa 1617", "rights_uri": PDM}),
        (
            "42098895",
            {"rights_uri": "NOASSERTION", "rights_text": "No restrictions: https://www.flickr.com/commons/usage/"},
        ),
        ("44672185", {"rights_uri": "https://creativecommons.org/licenses/by-sa/3.0/de/", "artist": "Eckhard Henkel"}),
        (
            "44672210",
            {
                "artist": "British Museum (Natural History).; Clark, Hubert Lyman",
                "year": 1925,
                "rights_text": "Public domain",
            },
        ),
        ("21214211", {"artist": "Dulceld69"}),
        ("18263872", {"artist": "The original uploader was Elvezio at Italian Wikipedia."}),
        ("44672212", {"artist": "Edvard Munch", "title": "Night in Nice", "year": 1891, "rights_uri": PDM}),
    ],
)
def test_recorded_files(shared_data, key, expected):
    names = ("continuation/wmc_pretty1.json", "continuation/wmc_pretty4.json", "continuation/wmc_raw.json")
    rows = {row["key"]: row for name in names for row in read(recorded(shared_data, name)).rows}
    got = record(source(), rows[key])
    assert {name: got[name] for name in expected} == expected
    assert got["reason"] is None


@pytest.mark.parametrize(
    ("name", "artist"),
    [
        ("image_info_artist_div.json", "Jona Lendering"),
        ("image_info_artist_internal_link.json", "NotaRealUser"),
        ("image_info_artist_partial_link.json", "Jeff & Brian from Eastbourne"),
        ("image_info_artist_link.json", "link text"),
        ("image_info_artist_string.json", "Artist Name"),
    ],
)
def test_recorded_artists(shared_data, name, artist):
    info = json.loads(recorded(shared_data, name))
    assert read(answer_of(page(info))).rows[0]["artist"] == artist


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("image_data_missing_image_url.json", "bad_record"),
        ("image_data_missing_imageinfo.json", "bad_record"),
        ("image_data_minimal.json", "bad_record"),
        ("image_data_example.json", None),
    ],
)
def test_a_file_that_lacks_something_is_a_record_with_a_reason(shared_data, name, reason):
    (row,) = read(answer_of(json.loads(recorded(shared_data, name)))).rows
    assert record(source(), row)["reason"] == reason


def test_without_a_licences_address_its_template_says_it(shared_data):
    info = json.loads(recorded(shared_data, "image_info_missing_license_url.json"))
    row = read(answer_of(page(info)), source(width_px=330)).rows[0]
    assert row["rights_uri"] == "https://creativecommons.org/licenses/by-sa/4.0/"
    assert row["image"].rpartition("/")[2].startswith("300px-")


def test_the_example_of_the_docs_is_a_recorded_file(shared_data):
    shown = json.loads(re.search(r"```json\n(.*?)```", DOCS.read_text(), re.S)[1])
    rows = read(recorded(shared_data, "continuation/wmc_pretty1.json")).rows
    got = record(source(), next(row for row in rows if row["key"] == "44672212"))
    assert {name: got[name] for name in shown} == shown


# --- one file


@pytest.mark.parametrize(
    ("fields", "uri", "text"),
    [
        (
            {"LicenseUrl": "https://evil.example/creativecommons.org/licenses/by/4.0/"},
            None,
            "Licence: https://evil.example/creativecommons.org/licenses/by/4.0/",
        ),
        ({"LicenseUrl": "javascript:alert(1)", "License": "pd"}, None, None),
        ({"Copyrighted": "False"}, None, None),
        ({"License": "copyrighted free use", "LicenseShortName": "Copyrighted free use"}, None, "Copyrighted free use"),
        ({"License": "cc-by-sa-3.0,2.5,2.0,1.0"}, None, None),
        ({"License": "cc-by-nc-nd-2.0-de"}, "https://creativecommons.org/licenses/by-nc-nd/2.0/de/", None),
        ({"License": "pd-old-100"}, PDM, None),
        ({"License": "CC0", "LicenseShortName": "<b>CC0</b>"}, CC0, "CC0"),
        ({"LicenseUrl": "//creativecommons.org/publicdomain/mark/1.0/deed.de"}, PDM, None),
        (
            {"LicenseUrl": "http://www.creativecommons.org/licenses/BY/4.0/legalcode"},
            "https://creativecommons.org/licenses/by/4.0/",
            None,
        ),
        (
            {"LicenseUrl": "https://rightsstatements.org/page/NKC/1.0/?language=en"},
            "http://rightsstatements.org/vocab/NKC/1.0/",
            None,
        ),
        ({"UsageTerms": "Public domain", "License": "pd"}, PDM, "Public domain"),
    ],
)
def test_rights(fields, uri, text):
    row = row_of(fields)
    assert (row["rights_uri"], row["rights_text"]) == (uri, text)


@pytest.mark.parametrize(
    ("info", "has_image"),
    [
        ({"url": "https://upload.wikimedia.org/a.svg"}, False),
        ({"mime": "image/svg+xml"}, False),
        ({"mime": "application/pdf", "mediatype": "BITMAP"}, False),
        ({"mediatype": "DRAWING"}, False),
        ({"url": "ftp://upload.wikimedia.org/a.jpg"}, False),
        ({"url": "https://[::1/a.jpg"}, False),
        ({"url": "https://upload.wikimedia.org:99999/a.jpg"}, False),
        ({"url": "https://a@b.example/a.jpg"}, False),
        ({"url": 3}, False),
        ({"url": "http://upload.wikimedia.org/A.TIFF"}, True),
        ({"url": "//upload.wikimedia.org/a.webp"}, True),
        ({"mime": "image/tiff"}, True),
        ({"mediatype": "BITMAP"}, True),
    ],
)
def test_only_bitmaps_on_the_web_have_an_image(info, has_image):
    row = row_of(**info)
    assert bool(row["image"]) == has_image
    assert not has_image or row["image"].startswith("https://")
    assert record(source(), row)["reason"] == (None if has_image else "bad_record")


def test_a_thumbnail_is_taken_where_a_width_is_wished_without_the_marks_of_who_asks():
    thumb = "https://thumb.wikimedia.org/thumb/sea.jpg/960px-sea.jpg?x=1&utm_source=commons.wikimedia.org&utm_content=thumbnail"
    wished = source(width_px=960)
    assert (
        row_of(given=wished, thumburl=thumb)["image"] == "https://thumb.wikimedia.org/thumb/sea.jpg/960px-sea.jpg?x=1"
    )
    assert row_of(given=wished, thumburl="")["image"] == "https://upload.wikimedia.org/sea.jpg"
    assert row_of(thumburl=thumb)["image"] == "https://upload.wikimedia.org/sea.jpg"


def test_styles_are_the_recipes_words_for_the_files_own_categories():
    wished = source(styles={"mosaics": "Mosaic", "Impressionist_paintings": "Impressionism", "Icons": "Icon"})
    row = row_of({"Categories": "Seas|Impressionist paintings|Mosaics|"}, wished)
    assert (row["style"], row["styles"]) == ("Mosaic", ["Mosaic", "Impressionism"])
    assert row_of({"Categories": "Icons of saints"}, wished)["styles"] == []


@pytest.mark.parametrize(
    ("bad", "key"),
    [
        (None, None),
        ("x", None),
        ({"pageid": True, "imageinfo": []}, None),
        ({"pageid": -1, "missing": True}, None),
        ({"pageid": 10**30, "imageinfo": [{}]}, None),
        ({"pageid": 9, "imagerepository": ""}, "9"),
        ({"pageid": 9, "imageinfo": ["x"]}, "9"),
        ({"pageid": 9, "imageinfo": [{"extmetadata": [], "url": None}]}, "9"),
        ({"pageid": 9, "imageinfo": [{"extmetadata": {"Artist": "x", "Title": {"value": []}}}]}, "9"),
        ({"pageid": 9}, "9"),
    ],
)
def test_a_bad_file_leaves_the_others_alone(bad, key):
    parsed = read(answer_of(bad, page({"url": "https://upload.wikimedia.org/sea.jpg"})))
    assert [row.get("key") for row in parsed.rows] == [key, "7"]
    assert record(source(), parsed.rows[0])["reason"] == "bad_record"
    assert record(source(), parsed.rows[1])["reason"] is None


@pytest.mark.parametrize("more", ["&iicontinue=a&continue=||", "&gcmcontinue=b&continue=gcmcontinue||&iicontinue=a"])
def test_a_file_without_anything_known_waits_where_the_answer_is_a_part(more):
    later = SourceRequest(files_of(source()).url + more, "Category:Edvard Munch")
    assert read(answer_of(page()), request=later).rows == ()
    assert read({"query": {"pages": [page()]}, "continue": {"iicontinue": "a", "continue": "||"}}).rows == ()


# --- categories


def test_numbers_are_claims():
    info = {"size": 5, "pages": 0, "files": 3, "subcats": 2}
    parsed = read(
        answer_of({"title": "Category:A", "missing": True, "categoryinfo": info}),
        request=commons.start_requests(source())[0],
    )
    assert parsed.claims == (ClaimedCount("Category:A", 3),)
    assert parsed.rows == ()


@pytest.mark.parametrize("bad", [None, {"title": "File:A"}, {"title": "Category:A", "missing": True}])
def test_numbers_of_no_category_are_no_answer(bad):
    with pytest.raises(BadAnswer, match="expected a category that exists, got "):
        read(answer_of(bad), request=commons.start_requests(source())[0])


def test_subcategories_are_entered_with_one_level_less():
    given = source(depth=2, exclude=("B",))
    request = commons.start_requests(given)[2]
    pages = [
        {"title": "File:x"},
        {"title": "Category:B", "categoryinfo": {"files": 9}},
        {"title": "Category:A", "categoryinfo": {"files": 3}},
        {"title": "Category:C", "categoryinfo": {"files": "many"}},
    ]
    parsed = read(answer_of(*pages), given, request)
    assert [(request.kind, parameters(request).get("requestid")) for request in parsed.requests] == [
        ("Category:A", None),
        ("subcategories of Category:A", "levels-1"),
        ("Category:C", None),
        ("subcategories of Category:C", "levels-1"),
    ]
    assert parsed.claims == (ClaimedCount("Category:A", 3),)
    assert [record(given, row)["reason"] for row in parsed.rows] == ["bad_record"]
    assert [request.kind for request in read(answer_of(pages[2]), given, parsed.requests[1]).requests] == ["Category:A"]


# --- frames


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"<html>", r"expected JSON, got b'<html>' \(JSONDecodeError\)"),
        (b"\xff\xfe\x00", "expected JSON, got"),
        (b"[" * 100_000, r"expected JSON, got .* \(RecursionError\)"),
        (b'{"query":' + b"9" * 5000 + b"}", r"expected JSON, got .* \(ValueError\)"),
        ([], r"expected a JSON object, got \[\]"),
        ({}, "expected query.pages to be a list, got {}"),
        ({"query": {"pages": 3}}, "expected query.pages to be a list, got {'pages': 3}"),
        ({"query": []}, r"expected query.pages to be a list, got \[\]"),
        ({"error": {"code": "maxlag", "info": "Waiting"}}, r"got the error \['maxlag', 'Waiting'\]"),
        ({"error": "no"}, "got the error 'no'"),
        (answer_of(**{"continue": []}), r"expected continue to be an object, got \[\]"),
        (answer_of(**{"continue": {"titles": "x"}}), "expected continue to hold tokens, got {'titles': 'x'}"),
        (answer_of(**{"continue": {"gcmcontinue": ["x"]}}), "expected continue to hold tokens"),
        (answer_of(**{"continue": {"gcmcontinue": "x" * 3000}}), "expected continue to hold tokens"),
    ],
)
def test_a_wrong_frame_is_no_answer(answer, message):
    with pytest.raises(BadAnswer, match=message) as caught:
        read(answer)
    assert str(caught.value).startswith("https://commons.wikimedia.org/w/api.php?action=query")


def test_an_empty_category_says_that_it_is_complete():
    assert read({"batchcomplete": True}) == read(answer_of())
    assert read({"batchcomplete": True}).claims == (ClaimedCount("Category:Edvard Munch", 0),)


# --- anything at all

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)
REAL = answer_of(
    page(
        {
            "url": "https://upload.wikimedia.org/sea.jpg",
            "thumburl": "//thumb.wikimedia.org/sea.jpg",
            "mime": "image/jpeg",
            "descriptionurl": "https://commons.wikimedia.org/wiki/File:Sea.jpg",
            "extmetadata": {
                "Artist": {"value": "<b>Ana</b>"},
                "LicenseUrl": {"value": "https://creativecommons.org/licenses/by/4.0"},
            },
        }
    ),
    {"title": "Category:A", "ns": 14, "categoryinfo": {"files": 3}},
    **{"continue": {"gcmcontinue": "file|41|7", "continue": "gcmcontinue||"}},
)


@st.composite
def mutated(draw):
    """A true answer in which one place holds something else."""
    answer = copy.deepcopy(REAL)
    at = answer
    while True:
        name = draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[name], dict | list) or not at[name] or draw(st.booleans()):
            at[name] = draw(JSON)
            return answer
        at = at[name]


ASKS = commons.start_requests(source(depth=1))


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(ASKS),
    st.binary(max_size=60)
    | JSON.map(lambda value: json.dumps(value).encode())
    | mutated().map(lambda value: json.dumps(value).encode()),
)
def test_any_bytes_are_read_or_are_a_bad_answer(request, data):
    try:
        parsed = commons.parse(source(width_px=960), request, data)
    except BadAnswer:
        return
    for row in parsed.rows:
        got = record(source(), row)
        assert got["reason"] or is_url(got["locator"])
    assert all(urlsplit(request.url).netloc in commons.HOSTS for request in parsed.requests)
