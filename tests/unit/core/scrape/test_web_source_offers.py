"""What web sources say beyond the fixed columns: every value is of its type, whatever the answer holds."""

import csv
import io
import json
import math
import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.attributes import AttributeField
from schemas.errors import BadInput
from schemas.sources.artic import ArticSource
from schemas.sources.commons import CommonsSource
from schemas.sources.flickr import FlickrSource
from schemas.sources.met import MetSource
from schemas.sources.surrealism import SurrealismSource
from schemas.sources.ukiyoe import UkiyoeSource
from schemas.sources.wikiart import WikiartSource
from tasks.core.scrape import answers, artic, commons, flickr, met, records, surrealism, ukiyoe, wikiart
from tasks.core.scrape.answers import MUSEUMS
from tasks.core.scrape.attributes import BadValue, typed_value
from tasks.core.scrape.web_source import (
    BadAnswer,
    Offer,
    OfferedValues,
    ParsedAnswer,
    SourceRequest,
    WebMuseum,
    can_become,
    field_of_items,
    split_texts,
)

DOCS = Path(__file__).parents[4] / "docs" / "sources"
TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "strings": list}
MET_OBJECTS = "https://collectionapi.metmuseum.org/public/collection/v1/objects"
Rows = list[Mapping[str, Any]]


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


# --- one value


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("string", " Hanging scroll ", "Hanging scroll"),
        ("string", "Armor (&lt;i&gt;Gusoku&lt;/i&gt;)", "Armor (Gusoku)"),
        ("string", "Ho\u0308he", "Höhe"),  # NFC
        ("string", "a\ud800", "a?"),  # half a pair
        ("string", "a\0b", "ab"),
        ("string", "x" * 5000, "x" * 2000),
        ("string", "ä" * 5000, "ä" * 2000),
        ("string", "", None),
        ("string", " <i></i> ", None),
        ("string", 7, None),
        ("string", ["text"], None),
        ("string", {"value": "text"}, None),
        ("integer", 1936, 1936),
        ("integer", -1458, -1458),
        ("integer", 0, 0),
        ("integer", " 1936 ", 1936),
        ("integer", "-5", -5),
        ("integer", True, None),
        ("integer", 1936.0, None),
        ("integer", "1936.0", None),
        ("integer", "1936–37", None),
        ("integer", "²", None),
        ("integer", 10**18, None),
        ("integer", "9" * 5000, None),
        ("number", 33, 33.0),
        ("number", 24.1, 24.1),
        ("number", math.nan, None),
        ("number", math.inf, None),
        ("number", True, None),
        ("number", "24.1", None),
        ("number", 10**400, None),
        ("boolean", True, True),
        ("boolean", False, False),
        ("boolean", 1, None),
        ("boolean", "true", None),
        ("strings", ["Birds", " Leaves ", "Birds"], ["Birds", "Leaves"]),
        ("strings", ["", None, 7, ["x"], {"term": "x"}, "Birds"], ["Birds"]),
        ("strings", [], None),
        ("strings", [""], None),
        ("strings", "Birds", None),
        ("strings", {"term": "Birds"}, None),
        ("strings", [str(number) for number in range(5000)], [str(number) for number in range(1000)]),
        *((type_, None, None) for type_ in TYPES),
        *((type_, nested(10_000), None) for type_ in TYPES),
    ],
    ids=lambda value: f"{value}"[:30] if not isinstance(value, list) else "list",
)
def test_a_value_is_of_its_type_or_none(type_: Any, value: Any, expected: Any):
    (got,) = OfferedValues({"x": Offer("field", type_, "")}, dict, {"field": value}).values()
    assert (got, type(got)) == (expected, type(expected))


def test_a_field_that_is_missing_is_none():
    assert OfferedValues({"x": Offer("field", "string", "")}, dict) == {"x": None}


def test_a_name_that_is_no_offer_has_no_value():
    values = OfferedValues({"x": Offer("field", "string", "")}, dict, {"field": "a", "other": "b"})
    assert (values.get("x"), values.get("field"), values.get("other"), len(values)) == ("a", None, None, 1)


def test_nothing_is_read_before_it_is_asked_for():
    asked = []
    values = OfferedValues({"x": Offer("field", "string", "")}, lambda name: asked.append(name) or {name: "a"}, "field")
    assert (list(values), asked) == (["x"], [])
    assert (values["x"], values["x"], asked) == ("a", "a", ["field"])


def test_a_sentence_begins_with_the_type():
    museum = WebMuseum((), list, ParsedAnswer, {"x": Offer("field", "strings", "words")})
    assert museum.sentences() == {"x": "strings: words"}


@pytest.mark.parametrize("items", [None, 7, "text", {"term": "a"}, [], [None, 7, "text", ["term"]]])
def test_what_is_no_list_of_objects_has_no_fields(items: Any):
    assert field_of_items(items, "term") == []


@pytest.mark.parametrize("value", [None, 7, ["a"], {}])
def test_what_is_no_text_has_no_parts(value: Any):
    assert split_texts(value, ",") == []


# --- the real answers of each source


def met_rows(shared_data: Path) -> Rows:
    """Two real answers; the real table's rows and other real objects in the form of answers, for rarer fields."""
    folder = shared_data / "provider_responses/metropolitan_museum_of_art"
    found = [json.loads(path.read_bytes()) for path in sorted(folder.glob("sample_response*.json"))]
    found += table_objects(shared_data) + places_of_objects(shared_data)
    source = MetSource(name="met", open_access_only=False, images_per_object=100)
    return [row for each in found for row in parse_object(source, each)]


def parse_object(source: MetSource, answer: dict[str, Any]) -> Rows:
    key = str(answer["objectID"])
    request = SourceRequest(f"{MET_OBJECTS}/{key}", "object", key)
    return list(met.parse(source, request, json.dumps(answer).encode()).rows)


def table_objects(shared_data: Path) -> list[dict[str, Any]]:
    """Rows of the real table with the API's names: it has these for the columns `Object Name`, `AccessionYear` ..."""
    data = (shared_data / "met_openaccess/metmuseum_curated_full_columns_2000.csv").read_text("utf-8-sig")
    objects = []
    for row in csv.DictReader(io.StringIO(data, newline="")):
        fields = {camel(name): value for name, value in row.items()}
        whole = {name: int(fields[name]) for name in ("objectID", "objectBeginDate", "objectEndDate")}
        truths = {name: fields[name] == "True" for name in ("isPublicDomain", "isHighlight", "isTimelineWork")}
        tags = [{"term": word} for word in fields["tags"].split("|")]
        objects.append({**fields, **whole, **truths, "tags": tags})
    return objects


def places_of_objects(shared_data: Path) -> list[dict[str, Any]]:
    """Real objects' dynasties, reigns and places of excavation, which the real table's rows lack."""
    found = json.loads((shared_data / "met_openaccess/metmuseum_19_departments_190.json").read_bytes())
    return [
        {"objectID": each["met_object_id"], "isPublicDomain": True, "locus": each["loci"], **each} for each in found
    ]


def camel(name: str) -> str:
    words = re.sub(r"\b(ULAN|Wikidata) URL", r"\1_URL", name).replace("AccessionYear", "Accession Year").split()
    return words[0].lower() + "".join(words[1:])


def artic_rows(shared_data: Path) -> Rows:
    works = [json.loads(path.read_bytes()) for path in sorted((shared_data / "artic_api/json/artworks").glob("*.json"))]
    source = source_of("artic", more_offers=artic.MUSEUM.more)
    page = {"data": works, "pagination": {"total": len(works), "limit": 100, "current_page": 1}}
    return list(artic.parse(source, artic.start_requests(source)[0], json.dumps(page).encode()).rows)


def commons_rows(shared_data: Path) -> Rows:
    folder = shared_data / "provider_responses/wikimedia"
    source = source_of("commons", more_offers=("uploader", "description"))
    request = commons.start_requests(source)[1]
    pages = [json.loads((folder / "image_data_example.json").read_bytes())]
    pages[0]["imageinfo"][0]["mime"] = "image/jpeg"  # asked for by us, not when this was recorded
    found = [json.dumps({"query": {"pages": pages}}).encode()]
    found += [path.read_bytes() for path in sorted((folder / "continuation").glob("wmc_*.json"))]
    return [row for data in found for row in commons.parse(source, request, data).rows]


def wikiart_rows(shared_data: Path) -> Rows:
    works = json.loads((shared_data / "wikiart_api_imagejson/paintings.json").read_bytes())
    source = WikiartSource(name="wikiart")
    rows: Rows = []
    for work in works:
        key = str(work["contentId"])
        request = SourceRequest(f"https://www.wikiart.org/en/App/Painting/ImageJson/{key}", "work", key)
        rows += wikiart.parse(source, request, json.dumps(work).encode()).rows
    return rows


def ukiyoe_rows(shared_data: Path) -> Rows:
    page = (shared_data / "ukiyoe_html/image_page_excerpt.html").read_bytes()
    page = page.replace(b'href="x"', b'href="https://data.ukiyo-e.org/mfa/images/sc190207.jpg"')  # shortened there
    request = SourceRequest("https://ukiyo-e.org/image/mfa/sc190207", "print", "mfa/sc190207", "html")
    return list(ukiyoe.parse(UkiyoeSource(name="prints"), request, page).rows)


REAL = {"met": met_rows, "artic": artic_rows, "commons": commons_rows, "wikiart": wikiart_rows, "ukiyoe": ukiyoe_rows}
WITHOUT_REAL_ANSWERS = {"flickr", "surrealism"}
UNSEEN = {"wikiart": {"media"}}
"""What no real answer here has: material and technique are null in all 599 of WikiArt's."""


def test_each_source_has_real_answers_here_or_is_known_to_have_none():
    assert set(REAL) | WITHOUT_REAL_ANSWERS == set(MUSEUMS)


@pytest.mark.parametrize("name", REAL)
def test_each_offer_is_given_by_real_answers_in_its_type(name: str, shared_data: Path):
    offers = MUSEUMS[name].sentences()
    rows = REAL[name](shared_data)
    seen = set()
    for row in (row for row in rows if "offers" in row):  # not of what is no work
        assert list(row["offers"]) == list(offers)
        given = {offer: value for offer, value in row["offers"].items() if value is not None}
        assert {offer for offer, value in given.items() if type(value) is not type_of(offers[offer])} == set()
        seen |= set(given)
    assert set(offers) - seen == UNSEEN.get(name, set())


def type_of(sentence: str) -> type:
    return TYPES[sentence.partition(":")[0]]


@pytest.mark.parametrize("name", REAL)
def test_offers_change_no_record(name: str, shared_data: Path):
    source = source_of(name)
    for row in REAL[name](shared_data):
        without = {field: value for field, value in row.items() if field != "offers"}
        assert records.record(source, row) == records.record(source, without)


def source_of(name: str, **fields: Any) -> Any:
    return {
        "artic": lambda: ArticSource(name="artic", **fields),
        "commons": lambda: CommonsSource(name="commons", categories=("Edvard Munch",), **fields),
        "flickr": lambda: FlickrSource(name="flickr", group_id="34427469792@N01", **fields),
        "met": lambda: MetSource(name="met", **fields),
        "surrealism": lambda: SurrealismSource(name="surrealism", **fields),
        "ukiyoe": lambda: UkiyoeSource(name="prints", **fields),
        "wikiart": lambda: WikiartSource(name="wikiart", **fields),
    }[name]()


def test_real_works_of_wikiart_are_from_the_year_of_their_completion(shared_data: Path):
    for row in wikiart_rows(shared_data):
        if row["image"]:
            found = records.record(source_of("wikiart"), row)
            assert {found["year_first"], found["year_last"]} == {row["offers"]["completion_year"]}


@given(
    st.dictionaries(st.sampled_from(["title", "artist", "key", "image", "rights_text"]), st.text(max_size=9)),
    st.dictionaries(st.text(max_size=9), st.none() | st.booleans() | st.text() | st.lists(st.text())),
)
def test_a_row_with_offers_is_the_record_without(row: dict[str, str], offers: dict[str, Any]):
    """Its id too where the row has no key, and what its template of an address says."""
    source = MetSource(name="met", source_url="https://museum.example/{offers}/{key}")
    assert records.record(source, {**row, "offers": offers}) == records.record(source, row)


def test_rows_with_offers_are_told_apart_in_the_same_order():
    rows = [{"key": "1", "image": f"https://a.example/{number}.jpg"} for number in range(4)]
    source = MetSource(name="met")
    with_offers = [{**row, "offers": {"tags": ["Birds"], "row": place}} for place, row in enumerate(rows)]
    assert records.records_table(records.record(source, row) for row in with_offers) == records.records_table(
        records.record(source, row) for row in rows
    )


# --- the invented answers of sources without real ones


def test_flickr_offers_what_its_documentation_says():
    photo = {"id": "3743398102", "owner": "81931330@N00", "ownername": "Ana Bel", "pathalias": "anabel"}
    photo |= {"license": "4", "datetaken": "2009-07-21 11:45:06", "datetakengranularity": "6", "datetakenunknown": "0"}
    photo |= {"media": "photo", "originalformat": "png", "tags": "munch oslo", "dateupload": "1248480000"}
    photo |= {"title": "The Scream", "description": {"_content": "In <b>Oslo</b> &amp; seen"}}
    assert flickr_offers(photo) == {
        "photo_id": 3743398102,
        "title": "The Scream",
        "description": "In Oslo & seen",
        "photographer": "Ana Bel",
        "photographer_id": "81931330@N00",
        "photographer_alias": "anabel",
        "group": "34427469792@N01",
        "license_number": 4,
        "taken_at": "2009-07-21 11:45:06",
        "taken_granularity": 6,
        "original_format": "png",
        "tags": ["munch", "oslo"],
        "uploaded_on": "2009-07-25",
    }
    assert flickr_offers({**photo, "datetakenunknown": "1"})["taken_at"] is None  # the day of its upload
    assert flickr_offers({**photo, "pathalias": None, "ownername": ["Ana"]})["photographer"] is None


def flickr_offers(photo: dict[str, Any]) -> dict[str, Any]:
    source = source_of("flickr", more_offers=("tags", "description", "uploaded_on"))
    photos = {"page": 1, "pages": 1, "perpage": 500, "total": 1, "photo": [photo]}
    data = json.dumps({"photos": photos, "stat": "ok"}).encode()
    (row,) = flickr.parse(source, flickr.start_requests(source)[0], data).rows
    return dict(row["offers"])


def test_surrealism_offers_what_its_page_says():
    page = b'<title>Max Ernst - works</title><h1>Max Ernst</h1><img src="images/c%C3%A9l.jpg" alt="Celebes">'
    request = SourceRequest("https://surrealism.website/ernst.html", "artist", expects="html")
    (row,) = surrealism.parse(source_of("surrealism"), request, page).rows
    assert row["offers"] == {"page_title": "Max Ernst - works", "artist_page": "ernst.html", "file_name": "cél.jpg"}


# --- what is particular to a source


@pytest.mark.parametrize(
    ("fields", "offers"),
    [
        ({"objectBeginDate": 0, "objectEndDate": 0}, {"object_begin_year": None, "object_end_year": None}),
        ({"objectBeginDate": 0, "objectEndDate": 99}, {"object_begin_year": 0, "object_end_year": 99}),
        ({"objectBeginDate": -1479, "objectEndDate": -1458}, {"object_begin_year": -1479, "object_end_year": -1458}),
        ({"tags": None}, {"tags": None}),
        ({"tags": "Birds"}, {"tags": None}),
        ({"tags": [{"term": "Birds"}, {"term": 7}, "Leaves", None]}, {"tags": ["Birds"]}),
        ({"constituents": [{"name": "A"}, {"role": "Maker"}]}, {"constituents": ["A"]}),
        (
            {"medium": ["Oil"], "culture": ""},
            dict.fromkeys(("medium", "culture", "is_highlight")),
        ),
        ({}, {"image_position": None, "image_count": 0}),
    ],
)
def test_odd_fields_of_the_met(fields: dict[str, Any], offers: dict[str, Any]):
    (row,) = parse_object(MetSource(name="met"), {"objectID": 5, "isPublicDomain": True, **fields})
    assert {name: row["offers"][name] for name in offers} == offers


def test_the_met_counts_the_images_that_the_recipe_leaves_out():
    images = [f"https://images.example/{number}.jpg" for number in range(5)]
    fields = {"objectID": 5, "isPublicDomain": True, "primaryImage": images[0], "additionalImages": images}
    rows = parse_object(MetSource(name="met", images_per_object=2), fields)
    assert [(row["offers"]["image_position"], row["offers"]["image_count"]) for row in rows] == [(0, 5), (1, 5)]


@pytest.mark.parametrize(
    ("fields", "offers"),
    [
        ({"genre": "portrait, sketch and study"}, {"genres": ["portrait", "sketch and study"]}),
        (
            {"genres": ["portrait", ""], "media": ["oil", "canvas"]},
            {"genres": ["portrait"], "media": ["oil", "canvas"]},
        ),
        ({"material": "oil", "technique": None}, {"media": ["oil"]}),
        ({"tags": "Arles, stars-and-planets"}, {"tags": ["Arles", "stars-and-planets"]}),
        ({"tags": ["Arles"]}, {"tags": ["Arles"]}),
        ({"tags": ""}, {"tags": None}),
        ({"galleryName": "Louvre, Paris, France"}, {"gallery": "Louvre, Paris, France"}),
        ({"galleries": ["Louvre"], "galleryName": None}, {"gallery": "Louvre"}),
        ({"galleries": [""]}, {"gallery": None}),
        ({"sizeX": 33, "sizeY": 24.1, "diameter": "9"}, {"size_x_cm": 33.0, "size_y_cm": 24.1, "diameter_cm": None}),
        (
            {"artistUrl": "max-ernst", "url": "celebes"},
            {
                "url": "https://www.wikiart.org/en/max-ernst/celebes",
                "artist_url": "https://www.wikiart.org/en/max-ernst",
            },
        ),
        ({"artistUrl": None, "url": 7}, {"url": None, "artist_url": None}),
    ],
)
def test_odd_fields_of_wikiart(fields: dict[str, Any], offers: dict[str, Any]):
    request = SourceRequest("https://www.wikiart.org/en/App/Painting/ImageJson/7", "work", "7")
    (row,) = wikiart.parse(source_of("wikiart"), request, json.dumps({"contentId": 7, **fields}).encode()).rows
    assert {name: row["offers"][name] for name in offers} == offers


@pytest.mark.parametrize("year", [-1824528578, 5000001, True, [1850], None])
def test_years_of_the_art_institute_that_mean_unknown(year: Any):
    (row,) = any_rows("artic", {"id": 5, "date_start": year, "date_end": -500, "is_public_domain": True})
    assert (row["offers"]["date_start"], row["offers"]["date_end"]) == (None, -500)
    fields = {"image": "https://a.example/b.jpg", "key": "5"}
    found = records.record(source_of("artic"), {**row, **fields})
    assert (found["year_first"], found["year_last"]) == (None, -500)


# --- any answer


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def met_answer(fields: dict[str, Any]) -> dict[str, Any]:
    known = {"objectID": 5, "isPublicDomain": True, "primaryImage": "https://images.example/a.jpg"}
    return {**fields, **known, "additionalImages": None}


def artic_answer(fields: dict[str, Any]) -> dict[str, Any]:
    return {"data": [fields], "pagination": {"total": 1, "limit": 100, "current_page": 1}}


def commons_answer(fields: dict[str, Any]) -> dict[str, Any]:
    info = {**fields, "extmetadata": {field: {"value": value} for field, value in fields.items()}}
    return {"query": {"pages": [{"pageid": 7, "title": "File:a.jpg", **fields, "imageinfo": [info]}]}}


def flickr_answer(fields: dict[str, Any]) -> dict[str, Any]:
    return {"stat": "ok", "photos": {"page": 1, "pages": 1, "total": 1, "photo": [fields]}}


def wikiart_answer(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "contentId": 7}


ANSWERS: dict[str, tuple[Callable[[dict[str, Any]], dict[str, Any]], SourceRequest]] = {
    "met": (met_answer, SourceRequest(f"{MET_OBJECTS}/5", "object", "5")),
    "artic": (artic_answer, artic.start_requests(source_of("artic"))[0]),
    "commons": (commons_answer, commons.start_requests(source_of("commons"))[1]),
    "flickr": (flickr_answer, flickr.start_requests(source_of("flickr"))[0]),
    "wikiart": (wikiart_answer, SourceRequest("https://www.wikiart.org/en/App/Painting/ImageJson/7", "work", "7")),
}


def any_rows(name: str, fields: dict[str, Any], spoil: Callable[[bytes], bytes] = lambda data: data) -> Rows:
    """Rows of an answer that says of one work what `fields` say, as far as the source needs no field of its own."""
    answer, request = ANSWERS[name]
    data = spoil(json.dumps(answer(fields)).encode())
    return list(MUSEUMS[name].parse(source_of(name), request, data).rows)


FIELDS = {
    name: sorted({offer.field for offer in (module.offers).values()})
    for name, module in {
        **{name: MUSEUMS[name] for name in ("met", "artic", "commons", "flickr")},
        "wikiart": MUSEUMS["wikiart"],
    }.items()
}
FIELDS["flickr"] += ["dateupload"]
FIELDS["artic"] += ["is_public_domain"]
FIELDS["wikiart"] += ["genre", "genres", "material", "technique", "galleries", "galleryName", "artistUrl", "image"]


@pytest.mark.parametrize("name", FIELDS)
@given(data=st.data())
def test_any_answer_gives_values_of_their_types(name: str, data: st.DataObject):
    fields = data.draw(st.dictionaries(st.sampled_from(FIELDS[name]), JUNK))
    offers = MUSEUMS[name].sentences()
    for row in any_rows(name, fields):
        given = {offer: value for offer, value in row.get("offers", {}).items() if value is not None}
        assert {offer for offer, value in given.items() if type(value) is not type_of(offers[offer])} == set()
        json.dumps(given, ensure_ascii=False).encode()  # what tables can hold


@pytest.mark.parametrize("depth", [5, 500])
@pytest.mark.parametrize("name", FIELDS)
def test_a_deep_answer_gives_no_value(name: str, depth: int):
    rows = any_rows(name, dict.fromkeys(FIELDS[name], "DEEP"), deepened(depth))
    for row in rows:
        assert records.record(source_of(name), row)["source"] is not None
        assert [value for value in row["offers"].values() if isinstance(value, list)] == []


@pytest.mark.parametrize("name", FIELDS)
def test_an_answer_too_deep_for_python_is_refused_in_one_sentence(name: str):
    with pytest.raises(BadAnswer, match=r"expected JSON, got .{0,90}\(RecursionError\)$"):
        any_rows(name, dict.fromkeys(FIELDS[name], "DEEP"), deepened(10_000))


def deepened(depth: int) -> Callable[[bytes], bytes]:
    return lambda data: data.replace(b'"DEEP"', b"[" * depth + b"]" * depth)


# --- what is said of them


@pytest.mark.parametrize("name", MUSEUMS)
def test_offers_have_names_types_and_sentences(name: str):
    for offer, sentence in MUSEUMS[name].sentences().items():
        assert re.fullmatch(r"[a-z][a-z0-9_]{0,62}", offer)
        assert re.fullmatch(rf"({'|'.join(TYPES)}): [^|\n]{{8,110}}[^.|\n]", sentence), sentence


@pytest.mark.parametrize("name", ["artic", "commons", "flickr"])
def test_what_is_not_asked_for_is_not_offered(name: str):
    """And the requests' addresses are then as they have always been: the kept answers' keys."""
    module = MUSEUMS[name]
    plain, more = source_of(name), module.more
    asked = source_of(name, more_offers=more)
    assert set(module.sentences(plain)) == set(module.offers) - set(more)
    assert module.sentences(asked) == module.sentences()
    urls = {request.url for request in module.start_requests(plain)}
    assert not urls >= {request.url for request in module.start_requests(asked)}
    assert "more_offers" not in plain.model_dump()
    assert asked.model_dump()["more_offers"] == more
    schema = type(plain).model_json_schema()["properties"]["more_offers"]["items"]
    assert tuple(schema["enum"]) == more


@pytest.mark.parametrize(
    ("name", "more", "part"),
    [
        ("artic", ("term_titles", "dimensions"), ",image_id,dimensions,term_titles&limit=100&page=1"),
        ("artic", (), ",image_id&limit=100&page=1"),
        ("flickr", ("uploaded_on",), "%2Curl_m%2Cdate_upload&per_page=500"),
        ("flickr", (), "%2Curl_m&per_page=500"),
        ("commons", ("uploader",), "mediatype%7Cextmetadata%7Cuser&iiextmetadatalanguage=en"),
        ("commons", ("description",), "%7CUsageTerms%7CImageDescription&iiurlwidth=1280"),
        ("commons", (), "%7CUsageTerms&iiurlwidth=1280"),
    ],
)
def test_what_is_asked_for_is_in_the_address(name: str, more: tuple[str, ...], part: str):
    source = source_of(name, more_offers=more)
    assert MUSEUMS[name].start_requests(source)[-1].url.count(part) == 1


@pytest.mark.parametrize(
    ("name", "settings", "field", "type_", "says"),
    [
        ("met", {}, "department", "string", None),
        ("met", {}, "department", "strings", None),
        ("met", {}, "department", "integer", None),  # a text may be a number
        ("met", {}, "tags", "strings", None),
        ("met", {}, None, "string", None),
        ("artic", {"more_offers": ("medium_display",)}, "medium_display", "string", None),
        ("met", {}, "tags", "string", "attributes.x.type: expected strings, which source 'met' offers as tags, got "),
        ("met", {}, "is_highlight", "integer", "expected boolean, which source 'met' offers as is_highlight"),
        ("met", {}, "departmnet", "string", "attributes.x.from: expected a name that the source offers, of source "),
        (
            "artic",
            {},
            "medium_display",
            "string",
            r"only with more_offers: \[medium_display\] \(docs",
        ),
        ("wikiart", {"by": "page"}, "genres", "strings", r"only with other settings \(docs/sources/wikiart.md\)"),
    ],
)
def test_an_attribute_is_taken_from_what_a_source_offers(
    name: str, settings: dict[str, Any], field: str | None, type_: Any, says: str | None
):
    wanted = {"x": AttributeField(type=type_, field=field)}
    with ExitStack() if says is None else pytest.raises(BadInput, match=says):
        answers.check_offers(source_of(name, **settings), wanted)


@pytest.mark.parametrize("wanted", TYPES)
@pytest.mark.parametrize("offered", TYPES)
def test_types_that_can_never_be_others_are_those_that_no_value_becomes(offered: str, wanted: Any):
    values = {"string": "1", "integer": 1, "number": 1.0, "boolean": True, "strings": ["1"]}
    try:
        typed_value(values[offered], wanted)
        is_possible = True
    except BadValue:
        is_possible = False
    assert can_become(offered, wanted) == is_possible


def test_nothing_more_is_offered_where_nothing_is_asked():
    offers = {"a": Offer("a", "string", "a"), "b": Offer("b", "string", "b", is_extra=True)}
    asked = SimpleNamespace(more_offers=())
    assert WebMuseum((), list, ParsedAnswer, offers).sentences(asked) == {"a": "string: a"}
    offers["b"] = offers["b"]._replace(is_extra=False)
    assert WebMuseum((), list, ParsedAnswer, offers).sentences(asked) == {"a": "string: a", "b": "string: b"}


def test_wikiarts_pages_offer_less():
    offers = wikiart.MUSEUM.sentences(source_of("wikiart", by="page"))
    assert offers == {name: wikiart.MUSEUM.sentences()[name] for name in ("url", "artist_url")}


@pytest.mark.parametrize("name", MUSEUMS)
def test_the_source_s_page_has_the_table_of_its_offers(name: str):
    rows = [["name", "type", "what it is"], ["---"] * 3]
    rows += [[f"`{offer}`", *sentence.split(": ", 1)] for offer, sentence in MUSEUMS[name].sentences().items()]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    page = (DOCS / f"{name}.md").read_text("utf-8")
    more = MUSEUMS[name].more
    assert not more or f"`more_offers: [{', '.join(more)}]`" in page
    assert f"\n\n{table}\n\n" in page, f"write this table into docs/sources/{name}.md:\n{table}"
