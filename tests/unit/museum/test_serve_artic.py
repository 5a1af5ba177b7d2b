"""The museum as the Art Institute of Chicago: what its parser finds there is what the museum gives, each work once."""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from examples.museum.serve import artic as served
from examples.museum.serve.hall import NOT_FOUND, Answer, Entry, Request
from schemas.sources.artic import ArticSource
from tasks.core.scrape import artic
from tasks.core.scrape.records import record
from tasks.core.scrape.web_source import ParsedAnswer

STYLES = ("Cubism", "Etching", "Ukiyo-e")
DATES: tuple[tuple[str, int | None], ...] = (("1871", 1871), ("c. 1870", 1870), ("19th century", None), ("", None))


class SmallHall:
    """Some works of five artists, of three styles."""

    def __init__(self, size: int = 60) -> None:
        self.size = size

    def entry(self, row: int) -> Entry:
        artist = "Unknown" if row % 5 == 4 else f"Artist {row % 5}"
        return Entry(row, f"1901.{row}", f"Title “{row}”", artist, STYLES[row % 3], *DATES[row % 4], 300, 200, "jpg")

    def artists(self) -> Sequence[str]:
        return sorted({self.entry(row).artist for row in range(self.size)})

    def rows_of_artist(self, artist: str) -> Sequence[int]:
        return [row for row in range(self.size) if self.entry(row).artist == artist]

    def styles(self) -> Sequence[str]:
        return STYLES

    def rows_of_style(self, style: str) -> Sequence[int]:
        return [row for row in range(self.size) if self.entry(row).style == style]


HALL = SmallHall()
API = "https://api.artic.edu/api/v1/artworks"


def _got(url: str, hall: SmallHall = HALL) -> Answer:
    parts = urlsplit(url)
    found = served.answer(hall, Request(parts.netloc, parts.path, dict(parse_qsl(parts.query)), {}))
    assert found is not None
    return found


def _scraped(source: ArticSource, hall: SmallHall) -> tuple[list[ParsedAnswer], list[dict[str, Any]]]:
    parsed, waiting, seen = [], artic.start_requests(source), set[str]()
    while waiting:
        request = waiting.pop(0)
        if request.url not in seen:
            seen.add(request.url)
            parsed.append(artic.parse(source, request, _got(request.url, hall).body))
            waiting += parsed[-1].requests
    return parsed, [dict(row) for one in parsed for row in one.rows]


@pytest.mark.parametrize("size", [0, 1, 20, 60, 150])
@pytest.mark.parametrize("fields", [{}, {"page_size": 7}, {"open_access_only": False}], ids=str)
def test_each_work_is_one_record(size: int, fields: dict[str, Any]):
    hall, source = SmallHall(size), ArticSource(name="artic", **fields)
    parsed, rows = _scraped(source, hall)
    wanted = {row for row in range(size) if served.is_open(row) or not source.open_access_only}
    assert sorted(int(row["key"]) for row in rows) == sorted(served.id_of_row(row) for row in wanted)
    assert sum(claim.count for one in parsed for claim in one.claims) == len(rows)
    found = {int(str(_got(row["image"], hall).image)): row for row in rows if row["image"]}
    assert set(found) == {row for row in wanted if served.has_image(row)}
    for number, row in found.items():
        entry, kept = hall.entry(number), record(source, row)
        assert (kept["title"], kept["year"]) == (entry.title, entry.year)
        assert row["artist"] == (None if entry.artist == "Unknown" else entry.artist)
        assert kept["styles"] == served.styles(entry)
        assert (kept["rights_uri"] == "NOASSERTION") == (not served.is_open(number))


def test_a_real_work_has_the_same_fields(shared_data):
    folder = shared_data / "artic_api/json"
    real = json.loads((folder / "artworks/20.json").read_text("utf-8"))
    answer = json.loads(_got(f"{API}/4").body)
    assert set(answer["data"]) <= set(real)
    for name, value in answer["data"].items():
        assert isinstance(real[name], type(value)) or real[name] is None or value is None, name
    assert answer["config"] == json.loads((folder / "config.json").read_text("utf-8"))
    assert answer["info"] == json.loads((folder / "info.json").read_text("utf-8"))["artworks"]


def test_a_page_in_full():
    page = json.loads(_got(f"{API}?page=3&limit=7&fields=id,title,titel").body)
    assert page["pagination"] == {
        "total": 60,
        "limit": 7,
        "offset": 14,
        "total_pages": 9,
        "current_page": 3,
        "prev_url": f"{API}?page=2&fields=id%2Ctitle%2Ctitel&limit=7",
        "next_url": f"{API}?page=4&fields=id%2Ctitle%2Ctitel&limit=7",
    }
    assert page["data"][0] == {"id": 74, "title": "Title “14”"}
    assert len(json.loads(_got(API).body)["data"]) == 12
    nothing = json.loads(_got(f"{API}?limit=0").body)["pagination"]
    assert (nothing["total"], nothing["total_pages"], nothing["current_page"]) == (60, None, None)


@pytest.mark.parametrize(
    ("url", "status", "error"),
    [
        pytest.param(f"{API}?limit=101", 403, "Invalid limit", id="too many a page"),
        pytest.param(f"{API}/5", 404, "Not found", id="a gap"),
        pytest.param(f"{API}/0", 404, "Not found", id="before the first"),
        pytest.param(f"{API}/99999", 404, "Not found", id="past the end"),
        pytest.param(f"{API}/abc", 400, "Invalid syntax", id="no number"),
    ],
)
def test_what_the_api_refuses(url: str, status: int, error: str):
    found = _got(url)
    assert (found.status, json.loads(found.body)["error"]) == (status, error)


def _image(row: int, width: str, **changed: str) -> str:
    return f"https://www.artic.edu/iiif/2/{changed.get('id', served.image_id(row))}/full/{width},/0/default.jpg"


@pytest.mark.parametrize(
    "url",
    [
        pytest.param(_image(60, "843"), id="past the end"),
        pytest.param(_image(11, "843"), id="a work without image"),
        pytest.param(_image(0, "844"), id="another width"),
        pytest.param(_image(5, "1686"), id="large, and under copyright"),
        pytest.param(_image(0, "843", id="00000000-0000-0000-0000-000000000000"), id="another image's name"),
        pytest.param("https://www.artic.edu/artworks/4", id="the page of a work"),
        pytest.param("https://api.artic.edu/docs/", id="the documentation"),
    ],
)
def test_addresses_that_are_not_there(url: str):
    assert _got(url) == NOT_FOUND


def test_large_images_of_the_public_domain():
    assert _got(_image(0, "1686")).image == 0
    assert _got(_image(5, "843")).image == 5


def test_other_hosts_are_not_answered_for():
    assert served.answer(HALL, Request("images.metmuseum.org", "/", {}, {})) is None
