from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from examples.museum.serve.hall import Entry, Request
from examples.museum.serve.surrealism import HOSTS, answer
from schemas.sources.surrealism import SurrealismSource
from tasks.core.scrape import surrealism
from tasks.core.scrape.records import record

STYLE = "Naive Art"


class SmallHall:
    """Works by row, of which two in three are of the style; titles and artists with signs that HTML knows."""

    def __init__(self, size):
        self.size = size
        self.found = [row for row in range(size) if self.entry(row).style == STYLE]

    def entry(self, row):
        artist = ["Ito <K> & Sons", "Ogata Kōrin", "Unknown", 'The "Master" | of\'s'][row % 4]
        style = STYLE if row % 3 else "Realism"
        year = None if row % 5 == 0 else 1800 + row % 100
        date_text = "" if year is None else f"c. {year}"
        return Entry(
            row,
            f"key/{row}",
            f'No. {row} "<b>" & co',
            artist,
            style,
            date_text,
            year,
            640,
            480,
            [".jpg", ".png"][row % 2],
        )

    def artists(self):
        return sorted({self.entry(row).artist for row in range(self.size)})

    def rows_of_artist(self, artist):
        return [row for row in range(self.size) if self.entry(row).artist == artist]

    def styles(self):
        return sorted({self.entry(row).style for row in range(self.size)})

    def rows_of_style(self, style):
        return self.found if style == STYLE else []


def asked(hall, url):
    parts = urlsplit(url)
    return answer(hall, Request(parts.netloc, unquote(parts.path), dict(parse_qsl(parts.query)), {}))


def driven(hall, source):
    """Every record that the source gives of the museum, and what it claims, found by asking until nothing is left to
    ask.
    """
    waiting, seen, rows, claims = surrealism.start_requests(source), set(), [], []
    while waiting:
        request = waiting.pop()
        if request.url in seen:
            continue
        seen.add(request.url)
        given = asked(hall, request.url)
        assert (given.status, given.content_type) == (200, "text/html; charset=utf-8"), request.url
        parsed = surrealism.parse(source, request, given.body)
        rows += parsed.rows
        claims += parsed.claims
        waiting += parsed.requests
    return [record(source, row) for row in rows], claims


@pytest.mark.parametrize("size", [2, 60])
def test_every_work_is_found_once(size):
    hall, source = SmallHall(size), SurrealismSource(name="works")
    records, claims = driven(hall, source)
    images = {found["record_id"]: asked(hall, found["image_url"]).image for found in records}
    assert (len(images), claims) == (len(records), [])
    assert sorted(images.values()) == hall.rows_of_style(STYLE)
    for found in records:
        entry = hall.entry(images[found["record_id"]])
        assert (found["title"], found["artist"], found["year"]) == (entry.title, entry.artist, None)
        assert (found["reason"], found["style"], found["rights_uri"]) == (None, "surrealism", "NOASSERTION")


@pytest.mark.parametrize(
    "path",
    ["x", "artist-9.html", "artist-01.html", "artist-.html", "images/0.jpg", "images/1.jpg", "images/99.jpg", "1.png"],
)
def test_unknown_things_are_not_found(path):
    assert asked(SmallHall(60), f"https://surrealism.website/{path}").status == 404


def test_an_artist_without_works_of_the_style_has_no_page():
    assert asked(SmallHall(1), "https://surrealism.website/artist-0.html").status == 404


def test_other_hosts_are_not_ours():
    assert asked(SmallHall(40), "https://example.org/") is None
    assert HOSTS == surrealism.HOSTS
