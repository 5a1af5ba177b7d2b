"""The museum as the Met: what its parser finds there is what the museum gives, each image once."""

import csv
import io
import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from examples.museum.serve import met as served
from examples.museum.serve.hall import NOT_FOUND, Answer, Entry, Request
from schemas.sources.met import MetSource
from tasks.core.scrape import met
from tasks.core.scrape.records import record
from tasks.core.scrape.web_source import ParsedAnswer

DATES: tuple[tuple[str, int | None], ...] = (("1871", 1871), ("c. 1870", 1870), ("19th century", None), ("", None))


class SmallHall:
    """Some works of five artists."""

    def __init__(self, size: int = 60) -> None:
        self.size = size

    def entry(self, row: int) -> Entry:
        artist = "Unknown" if row % 5 == 4 else f"Artist {row % 5}"
        return Entry(row, f"1901.{row}", f"Title, “{row}”", artist, "Etching", *DATES[row % 4], 300, 200, "jpg")

    def artists(self) -> Sequence[str]:
        return sorted({self.entry(row).artist for row in range(self.size)})

    def rows_of_artist(self, artist: str) -> Sequence[int]:
        return [row for row in range(self.size) if self.entry(row).artist == artist]

    def styles(self) -> Sequence[str]:
        return ["Etching"]

    def rows_of_style(self, style: str) -> Sequence[int]:
        return range(self.size) if style == "Etching" else ()


HALL = SmallHall()


def _got(url: str, hall: SmallHall = HALL, **headers: str) -> Answer:
    parts = urlsplit(url)
    found = served.answer(hall, Request(parts.netloc, unquote(parts.path), dict(parse_qsl(parts.query)), headers))
    assert found is not None
    return found


def _scraped(source: MetSource, hall: SmallHall = HALL) -> tuple[list[ParsedAnswer], list[dict[str, Any]]]:
    parsed, waiting, seen = [], met.start_requests(source), set[str]()
    while waiting:
        request = waiting.pop(0)
        if request.url not in seen:
            seen.add(request.url)
            parsed.append(met.parse(source, request, _got(request.url, hall).body))
            waiting += parsed[-1].requests
    return parsed, [dict(row) for one in parsed for row in one.rows]


def _given(hall: SmallHall, most: int) -> dict[int, int]:
    """Row of each image that may be had: the first row of its object."""
    return {
        row: rows[0]
        for place in range(served.objects(hall))
        if served.is_open(place) and served.has_image(place)
        for rows in [served.rows_of_object(hall, place)]
        for row in rows[:most]
    }


@pytest.mark.parametrize("size", [0, 1, 3, 20, 60, 200])
@pytest.mark.parametrize("fields", [{}, {"images_per_object": 100}, {"listing": "api"}], ids=str)
def test_each_image_is_one_record(size: int, fields: dict[str, Any]):
    hall, source = SmallHall(size), MetSource(name="met", **fields)
    parsed, rows = _scraped(source, hall)
    images = [row for row in rows if row["image"]]
    first_of = _given(hall, source.images_per_object)
    found = {int(str(_got(row["image"], hall).image)): row for row in images}
    assert (sorted(found), len(images)) == (sorted(first_of), len(first_of))
    assert len({row["key"] for row in rows}) == len(rows)
    for number, row in found.items():
        entry, kept = hall.entry(first_of[number]), record(source, row)
        assert (kept["title"], row["artist"]) == (entry.title, None if entry.artist == "Unknown" else entry.artist)
        assert (kept["year"], kept["rights_basis"]) == (entry.year, "source")
    assert [(claim.name, claim.count) for one in parsed for claim in one.claims] == [
        ("objects", len(parsed[0].requests))
    ]


def test_objects_take_the_rows_in_turn():
    for size in range(140):
        hall = SmallHall(size)
        owned = [row for place in range(served.objects(hall)) for row in served.rows_of_object(hall, place)]
        assert owned == list(range(size))


def test_the_real_table_has_the_same_head(shared_data):
    table = _got("https://media.githubusercontent.com/media/metmuseum/openaccess/master/MetObjects.csv").body
    rows = list(csv.reader(io.StringIO(table.decode("utf-8-sig"), newline="")))
    with (shared_data / "met_openaccess/metmuseum_curated_full_columns_2000.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        assert rows[0] == next(csv.reader(file))
    assert {len(row) for row in rows} == {54}
    assert table.startswith(b"\xef\xbb\xbf")
    assert any("\n" in cell for row in rows for cell in row)


def test_the_real_object_has_the_same_fields(shared_data):
    real = json.loads(
        (shared_data / "provider_responses/metropolitan_museum_of_art/sample_response.json").read_text("utf-8")
    )
    given = json.loads(_got("https://collectionapi.metmuseum.org/public/collection/v1/objects/1").body)
    assert set(real) <= set(given)
    # these came after the real answer was kept
    assert set(given) - set(real) == {"measurements", "GalleryNumber"}
    of_one_type = {name for name in real if type(real[name]) is type(given[name])}
    assert of_one_type == set(real)


def test_who_has_the_table_is_not_given_it_again():
    url = "https://media.githubusercontent.com/media/metmuseum/openaccess/master/MetObjects.csv"
    tag = _got(url).headers["ETag"]
    assert re.fullmatch(r'"[0-9a-f]{64}"', tag)
    again = _got(url, **{"if-none-match": tag})
    assert (again.status, again.body, again.headers["ETag"]) == (304, b"", tag)
    assert _got(url, SmallHall(61), **{"if-none-match": tag}).status == 200


API = "https://collectionapi.metmuseum.org/public/collection/v1"


@pytest.mark.parametrize(
    ("url", "status", "message"),
    [
        pytest.param(f"{API}/objects/0", 404, "ObjectID not found", id="object 0"),
        pytest.param(f"{API}/objects/2", 404, "ObjectID not found", id="a gap"),
        pytest.param(f"{API}/objects/999999999", 404, "ObjectID not found", id="past the end"),
        pytest.param(f"{API}/objects/abc", 400, "could not parse objectID", id="no number"),
        pytest.param(f"{API}/objects/²", 400, "could not parse objectID", id="a digit that is no digit"),
    ],
)
def test_objects_that_are_not_there(url: str, status: int, message: str):
    found = _got(url)
    assert (found.status, json.loads(found.body)) == (status, {"message": message})


@pytest.mark.parametrize(
    "url",
    [
        "https://images.metmuseum.org/CRDImages/ep/original/DP-0000000.jpg",  # another department's
        "https://images.metmuseum.org/CRDImages/as/original/DP-9999999.jpg",
        "https://images.metmuseum.org/CRDImages/as/original/DP-²²²²²²².jpg",
        "https://images.metmuseum.org/",
        "https://media.githubusercontent.com/media/metmuseum/openaccess/main/MetObjects.csv",
    ],
)
def test_addresses_that_are_not_there(url: str):
    assert _got(url) == NOT_FOUND


def test_other_hosts_are_not_answered_for():
    assert served.answer(HALL, Request("www.artic.edu", "/", {}, {})) is None


def test_departments_narrow_the_list():
    whole = json.loads(_got(f"{API}/objects").body)
    some = json.loads(_got(f"{API}/objects?departmentIds=9%7C11").body)
    assert whole["total"] == len(whole["objectIDs"]) == served.objects(HALL)
    assert 0 < some["total"] < whole["total"]
    assert set(some["objectIDs"]) < set(whole["objectIDs"])
    small = json.loads(_got(f"{API}/objects/{whole['objectIDs'][0]}").body)["primaryImageSmall"]
    assert _got(small).image == 0
