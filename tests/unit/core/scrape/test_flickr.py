import copy
import json
import re
from datetime import date
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.sources.flickr import FlickrSource
from tasks.core.fetch import is_url
from tasks.core.scrape import flickr
from tasks.core.scrape.records import record
from tasks.core.scrape.web_source import BadAnswer, ClaimedCount

DOCS = Path(__file__).resolve().parents[4] / "docs" / "sources" / "flickr.md"
GROUP = "34427469792@N01"
# as the documentation's examples and extras have it; not recorded
PHOTO = {
    "id": "3743398102",
    "owner": "81931330@N00",
    "secret": "2be7a25bfb",
    "server": "2589",
    "farm": 3,
    "title": "In front of the Munch",
    "ispublic": 1,
    "isfriend": 0,
    "isfamily": 0,
    "license": "4",
    "datetaken": "2009-07-21 11:45:06",
    "datetakengranularity": "0",
    "datetakenunknown": "0",
    "ownername": "Ana Bel",
    "media": "photo",
    "media_status": "ready",
    "pathalias": "anabel",
    "url_l": "https://live.staticflickr.com/2589/3743398102_2be7a25bfb_b.jpg",
    "height_l": 768,
    "width_l": 1024,
    "url_c": "https://live.staticflickr.com/2589/3743398102_2be7a25bfb_c.jpg",
    "height_c": 600,
    "width_c": 800,
    "url_o": "https://live.staticflickr.com/2589/3743398102_fef2098658_o.png",
    "height_o": 3000,
    "width_o": 4000,
}


def source(**given):
    return FlickrSource(**{"name": "flickr", "group_id": GROUP, **given})


def answer_of(*photos, **more):
    listed = {"page": 1, "pages": 1, "perpage": 500, "total": len(photos), "photo": list(photos)}
    return {"photos": {**listed, **more}, "stat": "ok"}


def read(answer, given=None, request=None):
    given = given or source()
    data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return flickr.parse(given, request or flickr.start_requests(given)[0], data)


def row_of(given=None, **more):
    (row,) = read(answer_of({**PHOTO, **more}), given).rows
    return row


def parameters(request):
    return dict(parse_qsl(urlsplit(request.url).query))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"uploaded_before": date(1970, 1, 2)}, {"max_upload_date": "86399", "method": "flickr.photos.search"}),
        ({"uploaded_from": date(2024, 1, 1)}, {"min_upload_date": "1704067200", "sort": "date-posted-asc"}),
        ({"licenses": (0, 9)}, {"license": "0,9", "media": "photos", "group_id": GROUP}),
        ({"group_id": None, "tags": ("a b", "ü&")}, {"tags": "a b,ü&", "tag_mode": "all"}),
        ({"group_id": None, "text": '-Munch "x"'}, {"text": '-Munch "x"'}),
        ({"group_id": None, "user_id": "1@N02"}, {"user_id": "1@N02", "method": "flickr.photos.search"}),
        ({"user_id": "1@N02"}, {"user_id": "1@N02", "method": "flickr.groups.pools.getPhotos"}),
        ({}, {"per_page": "500", "page": "1", "format": "json", "nojsoncallback": "1"}),
    ],
)
def test_first_asks_for_a_page_of_a_pool_or_of_a_search(given, expected):
    (request,) = flickr.start_requests(source(**given))
    assert expected.items() <= parameters(request).items()
    assert request.url.startswith("https://www.flickr.com/services/rest/?method=flickr.")
    assert request.needs_secret
    assert request.source_key is None
    assert "api_key" not in request.url


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"group_id": None}, "expected at least one of group_id, user_id, text and tags, got none"),
        ({"group_id": None, "licenses": (4,)}, "expected at least one of"),
        (
            {"uploaded_from": "2024-01-02", "uploaded_before": "2024-01-02"},
            "expected uploaded_from before uploaded_before, got",
        ),
        ({"group_id": "flickr.com/groups/x"}, "String should match pattern"),
        ({"tags": ("a,b",)}, "String should match pattern"),
        ({"page_size": 501}, "less than or equal to 500"),
        ({"long_side_px": 1000}, "Input should be 500, 640, 800 or 1024"),
    ],
)
def test_settings_that_can_not_be(given, message):
    with pytest.raises(ValidationError, match=message):
        source(**given)


@pytest.mark.parametrize(
    ("given", "more", "following"),
    [
        ({}, {"photo": [], "pages": 9}, None),
        ({}, {"page": 2, "pages": 9}, None),
        ({}, {"pages": 1}, None),
        ({}, {"pages": "2", "page": "1", "total": "501"}, "2"),
        ({}, {"pages": 10**14}, "2"),
        ({"licenses": (4,)}, {"pages": 10**14}, "2"),
    ],
)
def test_the_next_page_is_asked_for_where_there_is_one(given, more, following):
    parsed = read(answer_of(PHOTO, **more), source(**given))
    assert [parameters(request)["page"] for request in parsed.requests] == ([following] if following else [])


@pytest.mark.parametrize(("licenses", "following"), [((4,), 0), ((), 1)])
def test_a_search_is_not_asked_beyond_4000_and_a_pool_is(licenses, following):
    wished = source(licenses=licenses)
    (request,) = flickr.start_requests(wished)
    eighth = flickr.SourceRequest(request.url.replace("page=1&", "page=8&"), request.kind, needs_secret=True)
    parsed = read(answer_of(PHOTO, page=8, pages=20, total=9999), wished, eighth)
    assert len(parsed.requests) == following
    assert parsed.claims == (ClaimedCount(request.kind, 9999),)


def test_a_page_that_was_not_asked_for_says_nothing_new():
    parsed = read(answer_of(PHOTO, page=2, pages=9, total=1))
    assert (parsed.rows, parsed.requests, parsed.claims) == ((), (), (ClaimedCount(f"pool {GROUP}", 1),))


def test_a_page_claims_what_flickr_says():
    assert read(answer_of(PHOTO, total="12345")).claims == (ClaimedCount(f"pool {GROUP}", 12345),)
    assert read(answer_of(PHOTO), source(licenses=(4,))).claims == (ClaimedCount("photographs found", 1),)


@pytest.mark.parametrize(
    ("value", "uri", "text"),
    [
        (None, None, None),
        (-1, None, None),
        ([4], None, None),
        ("17", None, "Flickr licence 17"),
        ("0", None, "All Rights Reserved"),
        (7, None, "No known copyright restrictions"),
        ("8", None, "United States Government Work"),
        ("1", "https://creativecommons.org/licenses/by-nc-sa/2.0/", "CC BY-NC-SA 2.0"),
        ("9", "https://creativecommons.org/publicdomain/zero/1.0/", "Public Domain Dedication (CC0)"),
        (10, "https://creativecommons.org/publicdomain/mark/1.0/", "Public Domain Mark"),
        ("16", "https://creativecommons.org/licenses/by-nc-nd/4.0/", "CC BY-NC-ND 4.0"),
    ],
)
def test_rights(value, uri, text):
    row = row_of(license=value)
    assert (row["rights_uri"], row["rights_text"]) == (uri, text)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"datetaken": "0000-00-00 00:00:00"}, None),
        ({"datetaken": 2009}, None),
        ({"datetakenunknown": "1"}, None),
        ({"datetakenunknown": None}, None),
        ({"datetakengranularity": 8}, "circa 2009"),
        ({"datetakengranularity": "6"}, "2009"),
        ({"datetakengranularity": 4}, "2009-07"),
        ({"datetakengranularity": "a"}, "2009-07-21 11:45:06"),
        ({}, "2009-07-21 11:45:06"),
    ],
)
def test_dates_are_no_finer_than_what_is_known(more, text):
    assert row_of(**more)["date_text"] == text


@pytest.mark.parametrize(
    ("long_side_px", "more", "image"),
    [
        (1024, {"media": "video"}, None),
        (1024, {"url_l": "ftp://x.example/1.jpg", "url_c": 3, "url_o": "https:///x"}, None),
        (500, {}, "_o.png"),
        (640, {"url_o": None}, None),
        (1024, {"url_l": ""}, "_c.jpg"),
        (None, {"url_o": ""}, "_b.jpg"),
        (None, {}, "_o.png"),
        (1024, {"url_l": "http://live.staticflickr.com/1/2_3_b.jpg"}, "_b.jpg"),
    ],
)
def test_the_image_is_of_the_wished_size_or_the_next(long_side_px, more, image):
    row = row_of(source(long_side_px=long_side_px), **more)
    assert row["image"] is None if image is None else row["image"].endswith(image)
    assert record(source(), row)["reason"] == (None if image else "bad_record")
    assert image is None or row["image"].startswith("https://")


@pytest.mark.parametrize("bad", [None, "x", [], {}, {"id": 3}, {"id": "x" * 99}, {**PHOTO, "id": "../1"}])
def test_a_bad_photograph_leaves_the_others_alone(bad):
    parsed = read(answer_of(bad, PHOTO))
    assert [record(source(), row)["reason"] for row in parsed.rows] == ["bad_record", None]


def test_a_title_may_be_an_object():
    assert row_of(title={"_content": "Sea"}, ownername=["x"]) | {"title": "Sea", "artist": None} == row_of(
        title={"_content": "Sea"}, ownername=["x"]
    )
    assert row_of(owner="anabel")["source_url"] is None


def test_the_example_of_the_docs_is_what_the_parser_gives():
    blocks = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", DOCS.read_text(), re.S)]
    got = record(source(), read(answer_of(blocks[0])).rows[0])
    assert {name: got[name] for name in blocks[1]} == blocks[1]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b'jsonFlickrApi({"stat":"ok"})', "expected JSON, got b'jsonFlickrApi"),
        (b"[" * 100_000, r"expected JSON, got .* \(RecursionError\)"),
        (b"\xff", "expected JSON, got"),
        ([], r"expected a JSON object, got \[\]"),
        (
            {"stat": "fail", "code": 100, "message": "Invalid API Key"},
            r"got stat, code and message \['fail', 100, 'Invalid API Key'\]",
        ),
        ({"photos": {}}, "expected stat 'ok', got stat, code and message"),
        ({"stat": "ok"}, "expected photos to be an object, got None"),
        (answer_of(PHOTO, total="many"), "expected photos.total to be a number from 0, got 'many'"),
        (answer_of(PHOTO, total=True), "expected photos.total to be a number from 0, got True"),
        (answer_of(PHOTO, pages=-1), "expected photos.pages to be a number from 0, got -1"),
        (answer_of(PHOTO, page=1.5), "expected photos.page to be a number from 0, got 1.5"),
        (answer_of(PHOTO, photo={}), "expected photos.photo to be a list of 500 at most, got {}"),
        (answer_of(*[PHOTO] * 501), "expected photos.photo to be a list of 500 at most"),
    ],
)
def test_a_wrong_frame_is_no_answer(answer, message):
    with pytest.raises(BadAnswer, match=message) as caught:
        read(answer)
    assert str(caught.value).startswith("https://www.flickr.com/services/rest/?method=")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)


@st.composite
def mutated(draw):
    """A true answer in which one place holds something else."""
    answer = copy.deepcopy(answer_of(PHOTO, pages=2))
    at = answer
    while True:
        name = draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[name], dict | list) or not at[name] or draw(st.booleans()):
            at[name] = draw(JSON)
            return answer
        at = at[name]


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([source(), source(licenses=(4,), long_side_px=None)]),
    st.binary(max_size=60)
    | JSON.map(lambda value: json.dumps(value).encode())
    | mutated().map(lambda value: json.dumps(value).encode()),
)
def test_any_bytes_are_read_or_are_a_bad_answer(given, data):
    try:
        parsed = flickr.parse(given, flickr.start_requests(given)[0], data)
    except BadAnswer:
        return
    for row in parsed.rows:
        got = record(given, row)
        assert got["reason"] or is_url(got["locator"])
    assert all(urlsplit(request.url).netloc in flickr.HOSTS for request in parsed.requests)
