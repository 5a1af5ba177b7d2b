"""The museum's WikiArt, driven by the source that reads the real one: each work once, and claims that hold."""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import pytest

from examples.museum.serve import wikiart as served
from examples.museum.serve.hall import Entry, Request
from examples.museum.serve.wikiart_works import is_public_domain, wikiart_style
from schemas.sources.wikiart import WikiartSource
from tasks.core.scrape import wikiart
from tasks.core.scrape.records import record
from tasks.core.scrape.web_source import ClaimedCount
from tasks.core.scrape.wikiart_work import PUBLIC_DOMAIN

ARTISTS = ("Adelheid Corvenström", "Ilse Aldack", "Quirin Belñaya", "Unknown")
STYLES = ("Art Nouveau", "Baroque", "Naive Art", "Ukiyo-e")


class SmallHall:
    """Works whose artist and style follow from the row, so that the indexes need no table."""

    def __init__(self, size: int) -> None:
        self.size = size

    def entry(self, row: int) -> Entry:
        year = None if row % 7 == 0 else 1600 + row % 300
        parsed = "19th century" if year is None else f"c. {year}"
        title = ('Dancers & "Roofs" < Rain', "Ebbe bei Nöt", "")[row % 3]
        return Entry(row, f"1901.{row}.1", title, ARTISTS[row % 4], STYLES[row % 3], parsed, year, 640, 480, ".jpg")

    def artists(self) -> Sequence[str]:
        return ARTISTS

    def rows_of_artist(self, artist: str) -> Sequence[int]:
        return range(ARTISTS.index(artist), self.size, 4) if artist in ARTISTS else ()

    def styles(self) -> Sequence[str]:
        return STYLES[:3]

    def rows_of_style(self, style: str) -> Sequence[int]:
        return range(STYLES.index(style), self.size, 3) if style in STYLES[:3] else ()


def request(url: str, key: str | None = "session") -> Request:
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True)) | ({"authSessionKey": key} if key else {})
    return Request(parts.netloc, unquote(parts.path), query, {})


def collected(
    hall: SmallHall, **settings: Any
) -> tuple[WikiartSource, list[dict[str, Any]], list[ClaimedCount], set[str]]:
    source = WikiartSource(name="w", **settings)
    requests, seen, rows, claims = wikiart.start_requests(source), set(), [], []
    while requests:
        wanted = requests.pop()
        if wanted.url in seen:
            continue
        seen.add(wanted.url)
        answer = served.answer(hall, request(wanted.url, "session" if wanted.needs_secret else None))
        assert answer is not None, wanted.url
        assert answer.status == 200, wanted.url
        parsed = wikiart.parse(source, wanted, answer.body)
        # names of artists are normalised later; here they are as the source gives them
        rows += [{**record(source, row), "artist": row["artist"]} for row in parsed.rows]
        claims += parsed.claims
        requests += parsed.requests
    return source, rows, claims, seen


def row_of(found: dict[str, Any]) -> int:
    return int(found["image_url"].rpartition("-")[2].split(".")[0])


@pytest.mark.parametrize("by", ["json", "api2", "page"])
@pytest.mark.parametrize("styles", ["all", ("Baroque", "naive art (primitivism)")])
def test_each_work_that_is_wanted_is_one_record_with_what_the_label_says(by: str, styles: Any) -> None:
    hall = SmallHall(50)
    _, rows, claims, _ = collected(hall, by=by, styles=styles)
    wanted = [row for row in range(hall.size) if styles == "all" or STYLES[row % 3] in {"Baroque", "Naive Art"}]
    assert sorted(row_of(found) for found in rows) == wanted
    for found in rows:
        entry = hall.entry(row_of(found))
        assert (found["reason"], found["artist"], found["title"]) == (None, entry.artist, entry.title or None)
        assert found["year"] == entry.year
        style = {"Naive Art": "naive art (primitivism)"} if styles != "all" else {}
        assert found["style"] == style.get(entry.style, wikiart_style(entry.style))
        assert (found["rights_uri"] == PUBLIC_DOMAIN) == (by == "page" and is_public_domain(entry.artist))
    of_styles = {claim.style: claim.count for claim in claims if claim.style}
    assert of_styles == ({} if styles == "all" else {"Baroque": 17, "naive art (primitivism)": 16})
    assert all(sum(found["style"] == style for found in rows) == count for style, count in of_styles.items())


@pytest.mark.parametrize("by", ["json", "page"])
def test_the_public_domain_is_the_artists_whom_the_source_counts_in_it(by: str) -> None:
    hall = SmallHall(40)
    _, rows, claims, _ = collected(hall, by=by, copyright="public_domain")
    free = {name for name in ARTISTS if is_public_domain(name)}
    assert {found["artist"] for found in rows} == free
    assert 0 < len(free) < len(ARTISTS)
    assert [claim for claim in claims if claim.style] == []


@pytest.mark.parametrize("by", ["json", "api2", "page"])
def test_works_of_named_artists_are_found_over_several_pages(by: str) -> None:
    hall = SmallHall(300)
    _, rows, claims, _ = collected(hall, by=by, artists=("adelheid-corvenstrom",))
    assert sorted(row_of(found) for found in rows) == list(range(0, 300, 4))
    assert all(claim.count == 75 for claim in claims)
    assert len(claims) == (2 if by == "page" else 0)  # each of the two pages says it


@pytest.mark.parametrize("by", ["api2", "page"])
def test_a_style_of_more_than_3600_works_is_collected_through_the_artists(by: str) -> None:
    hall = SmallHall(3 * 3600 + 30)
    _, rows, claims, seen = collected(hall, by=by, styles=("Baroque",))
    assert claims[0].count == 3610
    assert len({found["record_id"] for found in rows}) == len(rows) == 3610
    pages = [url for url in seen if "paintings-by-style" in url]
    assert len(pages) == 60
    beyond = served.answer(hall, request(pages[0].split("?")[0] + "?json=2&page=61"))
    assert beyond is not None
    assert json.loads(beyond.body)["Paintings"] == []


@pytest.mark.parametrize(
    ("url", "key", "status"),
    [
        ("https://www.wikiart.org/en/Api/2/login", None, 404),
        ("https://www.wikiart.org/en/api/2/UpdatedArtists", None, 403),  # no session
        ("https://www.wikiart.org/en/api/2/Nothing", "k", 404),
        ("https://www.wikiart.org/en/api/2/Painting?id=57726fedc2cb3880ffffffff", "k", 404),
        ("https://www.wikiart.org/en/api/2/PaintingsByArtist?id=x", "k", 404),
        ("https://www.wikiart.org/en/api/2/UpdatedArtists?paginationToken=!!", "k", 404),
        ("https://www.wikiart.org/en/App/Painting/ImageJson/1", None, 404),
        ("https://www.wikiart.org/en/paintings-by-style/pop-art?json=2", None, 404),
        ("https://www.wikiart.org/en/nobody/mode/all-paintings?json=2", None, 404),
        ("https://www.wikiart.org/en/unknown/ebbe-bei-not-5", None, 404),  # row 5 is another artist's
        ("https://uploads3.wikiart.org/images/nobody/nothing-3.jpg", None, 404),
    ],
)
def test_what_is_not_there_is_not_found(url: str, key: str | None, status: int) -> None:
    answer = served.answer(SmallHall(9), request(url, key))
    assert answer is not None
    assert answer.status == status


def test_other_hosts_are_not_answered() -> None:
    assert served.answer(SmallHall(9), request("https://museum.example/en/api/2/login")) is None


def test_a_log_in_gives_the_same_session_for_the_same_codes() -> None:
    login, names = wikiart.MUSEUM.credential.login_url, wikiart.MUSEUM.credential.login_parameters
    answers = [
        served.answer(SmallHall(9), request(f"{login}?{names[0]}=a&{names[1]}={second}", None)) for second in "bbc"
    ]
    keys = [json.loads(answer.body)[wikiart.MUSEUM.credential.session_field] for answer in answers if answer]
    assert keys[0] == keys[1] != keys[2]


@pytest.mark.parametrize("size", ["original", "Large"])
def test_every_image_is_its_works_own(size: str) -> None:
    hall = SmallHall(24)
    _, rows, _, _ = collected(hall, image_size=size)
    for found in rows:
        answer = served.answer(hall, request(found["image_url"]))
        assert answer is not None
        assert answer.image == row_of(found)
        assert found["image_url"] == quote(found["image_url"], safe=":/!")
