import json
from collections import Counter
from urllib.parse import parse_qsl, urlsplit

import pytest

from examples.museum.serve import flickr as served
from examples.museum.serve.hall import Answer, Entry, Request
from schemas.sources.flickr import FlickrSource
from tasks.core.scrape import flickr
from tasks.core.scrape.records import record, unique

STYLES = ("Baroque", "Impressionism")
ARTISTS = ("Ilse Cordt", "Émile Bord", "Unknown")


class SmallHall:
    """Fifty works, or as many as the test wants; odd labels first."""

    def __init__(self, size: int = 50) -> None:
        self.size = size

    def entry(self, row: int) -> Entry:
        date, known = (
            ("c. 550", 550) if row == 0 else ("", None) if row == 1 else (f"c. {1600 + row % 300}", 1600 + row % 300)
        )
        date = date if row % 2 else str(known)
        sides_px = (300 + 30 * (row % 50), 200)
        return Entry(
            row, str(row), f"Sea & sky {row}", ARTISTS[row % 3], STYLES[row % 2], date, known, *sides_px, ".jpg"
        )

    def artists(self) -> list[str]:
        return sorted(ARTISTS)

    def rows_of_artist(self, artist: str) -> range:
        return range(ARTISTS.index(artist), self.size, 3) if artist in ARTISTS else range(0)

    def styles(self) -> list[str]:
        return sorted(STYLES)

    def rows_of_style(self, style: str) -> range:
        return range(STYLES.index(style), self.size, 2) if style in STYLES else range(0)


HALL = SmallHall()


def asked(url, hall=HALL, **more):
    parts = urlsplit(url)
    return served.answer(hall, Request(parts.netloc, parts.path, {**dict(parse_qsl(parts.query)), **more}, {}))


def scraped(source, hall=HALL):
    """All that the source says, asked as the driver asks: each URL once, with the key."""
    requests, rows, claims, records = flickr.start_requests(source), Counter(), {}, []
    while requests:
        request = requests.pop(0)
        assert request.needs_secret
        assert "api_key" not in request.url
        parsed = flickr.parse(
            source, request, asked(request.url, hall, **{flickr.MUSEUM.credential.parameter: "k"}).body
        )
        requests += parsed.requests
        claims |= {claim.name: claim.count for claim in parsed.claims}
        rows.update({claim.name: len(parsed.rows) for claim in parsed.claims})
        records += [record(source, row) for row in parsed.rows]
    return unique(records), claims, rows


def source(**settings):
    return FlickrSource(**{"name": "flickr", "group_id": served.EVERYTHING, **settings})


def rows_of(records):
    return [int(row["record_id"].partition(":")[2]) - 50_000_000_000 for row in records]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"licenses": (9, 10)}, [row for row in range(50) if row % 8 in (1, 2)]),
        ({"licenses": (99,)}, []),
        ({"group_id": None, "text": "Ilse Cordt", "licenses": (4,)}, [0, 24, 48]),
        ({"group_id": "34427469793@N01", "page_size": 3}, list(range(0, 50, 2))),
        ({"group_id": "34427469794@N01", "user_id": "100000000@N02"}, list(range(3, 50, 6))),
        ({"group_id": None, "tags": ("Baroque", "Ilse Cordt")}, list(range(0, 50, 6))),
        ({"page_size": 7}, list(range(50))),
        ({}, list(range(50))),
    ],
)
def test_each_photograph_is_found_once_and_as_many_as_are_claimed(settings, expected):
    records, claims, rows = scraped(source(**settings))
    assert rows_of(records) == expected
    assert claims == {name: rows[name] for name in claims}
    assert sum(claims.values()) == len(expected)


def test_records_are_as_their_labels_say():
    records, *_ = scraped(source())
    for row, parsed in zip(records, map(HALL.entry, range(50)), strict=True):
        assert (row["title"], row["artist"], row["reason"]) == (parsed.title, parsed.artist, None)
        assert row["year"] == (parsed.year if parsed.year and parsed.year >= 1000 else None)
    assert [row["date_text"] for row in records[:4]] == [None, None, "1602", "circa 1603"]
    assert records[1]["rights_uri"] == "https://creativecommons.org/publicdomain/zero/1.0/"
    assert (records[4]["rights_uri"], records[4]["rights_text"]) == ("NOASSERTION", "No known copyright restrictions")
    assert records[6]["rights_uri"] == "https://creativecommons.org/licenses/by-sa/4.0/"


def test_a_search_ends_at_4000_and_its_claim_says_so():
    hall = SmallHall(9000)
    records, claims, rows = scraped(source(licenses=(4, 9, 10, 5, 7)), hall)
    assert claims == {"photographs found": 5625}
    assert rows["photographs found"] == len(records) == 4000


def test_a_search_repeats_itself_after_4000():
    hall = SmallHall(9000)
    url = "https://www.flickr.com/services/rest/?method=flickr.photos.search&format=json&nojsoncallback=1&per_page=500"
    bodies = [
        json.loads(asked(f"{url}&group_id={served.EVERYTHING}&page={page}", hall, api_key="k").body)
        for page in (8, 9, 99)
    ]
    assert bodies[0]["photos"]["photo"] == bodies[1]["photos"]["photo"] == bodies[2]["photos"]["photo"]


@pytest.mark.parametrize("long_side_px", [None, 500, 1024])
def test_images_are_where_the_answers_say(long_side_px):
    records, *_ = scraped(source(long_side_px=long_side_px))
    for row, parsed in enumerate(records):
        assert asked(parsed["image_url"]) == Answer(image=row)
        is_whole = long_side_px is None or HALL.entry(row).width_px < 500
        assert parsed["image_url"].endswith("_o.jpg") == is_whole


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("method=flickr.groups.pools.getPhotos&group_id=34427469792@N01", 100),
        ("method=flickr.nothing&api_key=k", 112),
        ("method=flickr.photos.search&api_key=k", 3),
        ("method=flickr.groups.pools.getPhotos&group_id=1@N01&api_key=k", 1),
        ("method=flickr.groups.pools.getPhotos&group_id=%C2%B2@N01&api_key=k", 1),
    ],
)
def test_failures_have_the_documented_codes(query, code):
    answer = asked(f"https://www.flickr.com/services/rest/?format=json&nojsoncallback=1&{query}")
    assert answer.status == 200
    assert {"stat": "fail", "code": code}.items() <= json.loads(answer.body).items()
    with pytest.raises(flickr.BadAnswer, match=f"'fail', {code}, "):
        flickr.parse(source(), flickr.start_requests(source())[0], answer.body)


def test_without_nojsoncallback_it_is_javascript():
    assert asked("https://www.flickr.com/services/rest/?format=json").body.startswith(b"jsonFlickrApi({")


@pytest.mark.parametrize(
    "path", ["/65535/50000000000_0000000000_o.jpg", "/65535/x.jpg", "/", "/65535/50000000050_a.jpg"]
)
def test_images_that_are_not_there(path):
    assert asked(f"https://live.staticflickr.com{path}").status == 404
    assert asked(f"https://www.flickr.com{path}").status == 404


def test_other_hosts_are_somebody_elses():
    assert served.answer(HALL, Request("flickr.example", "/", {}, {})) is None
