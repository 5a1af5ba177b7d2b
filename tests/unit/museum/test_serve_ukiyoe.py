from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from examples.museum.serve.hall import Entry, Request
from examples.museum.serve.ukiyoe import HOSTS, answer
from schemas.sources.ukiyoe import UkiyoeSource
from tasks.core.scrape import ukiyoe
from tasks.core.scrape.records import record

STYLE = "Ukiyo-e"


class SmallHall:
    """Works by row, of which two in three are of the style; titles and artists with signs that HTML knows."""

    def __init__(self, size):
        self.size = size
        self.found = [row for row in range(size) if self.entry(row).style == STYLE]
        self.by_artist = {}
        for row in range(size):
            self.by_artist.setdefault(self.entry(row).artist, []).append(row)

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
        return self.by_artist.get(artist, [])

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
    waiting, seen, rows, claims = ukiyoe.start_requests(source), set(), [], []
    while waiting:
        request = waiting.pop()
        if request.url in seen:
            continue
        seen.add(request.url)
        given = asked(hall, request.url)
        assert (given.status, given.content_type) == (200, "text/html; charset=utf-8"), request.url
        parsed = ukiyoe.parse(source, request, given.body)
        rows += parsed.rows
        claims += parsed.claims
        waiting += parsed.requests
    return [record(source, row) for row in rows], claims


@pytest.mark.parametrize("size", [5, 40, 700])  # one print or none in a museum; one page; several pages
def test_every_print_is_found_once(size):
    hall, source = SmallHall(size), UkiyoeSource(name="prints")
    records, claims = driven(hall, source)
    images = {found["record_id"]: asked(hall, found["image_url"]).image for found in records}
    assert len(images) == len(records) == sum(claim.count for claim in set(claims))
    assert sorted(images.values()) == hall.rows_of_style(STYLE)
    for found in records:
        entry = hall.entry(images[found["record_id"]])
        assert (found["title"], found["artist"], found["year"]) == (entry.title, entry.artist, entry.year)
        assert (found["reason"], found["style"], found["rights_uri"]) == (None, "ukiyo-e", "NOASSERTION")


def test_each_museum_claims_what_it_has():
    hall = SmallHall(700)
    for museum in ("met", "famsf"):
        records, claims = driven(hall, UkiyoeSource(name="x", museums=[museum], rendition="scaled"))
        (claim,) = set(claims)  # each page says it
        assert claim.name == f"source/{museum}"
        assert claim.count == len(records) > 100
        assert {found["record_id"].split("/")[0] for found in records} == {f"x:{museum}"}


@pytest.mark.parametrize(
    "url",
    [
        "https://ukiyo-e.org/",
        "https://ukiyo-e.org/source/louvre",
        "https://ukiyo-e.org/source/met?start=-1",
        "https://ukiyo-e.org/source/met?start=²",
        "https://ukiyo-e.org/image/met/sc0000000",
        "https://ukiyo-e.org/image/met/sc1",
        "https://ukiyo-e.org/image/met/x",
        "https://ukiyo-e.org/image/mfa/sc0000001",
        "https://data.ukiyo-e.org/met/images/sc0000001.gif",
        "https://data.ukiyo-e.org/met/sc0000001.png",
        "https://data.ukiyo-e.org/met/raw/sc0000001.png",
        "https://ukiyo-e.org/image/met/sc9999999",
    ],
)
def test_unknown_things_are_not_found(url):
    assert asked(SmallHall(40), url).status == 404


def test_other_hosts_are_not_ours():
    assert asked(SmallHall(40), "https://example.org/source/met") is None
    assert (*ukiyoe.HOSTS, "data.ukiyo-e.org") == HOSTS
