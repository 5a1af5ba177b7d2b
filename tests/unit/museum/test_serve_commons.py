import json
from collections import Counter
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from examples.museum.serve import commons as served
from examples.museum.serve.hall import Answer, Entry, Request
from schemas.sources.commons import CommonsSource
from tasks.core.scrape import commons
from tasks.core.scrape.dates import one_year, read_date
from tasks.core.scrape.records import record, unique

STYLES = ("Baroque", "Impressionism", "Mosaic")
ARTISTS = ("Émile <Bord> & Co", "Ilse Cordt", "Unknown")


class SmallHall:
    """Sixty works: 50 of one style, so that a batch comes in parts; odd labels first."""

    size = 60

    def entry(self, row: int) -> Entry:
        style = STYLES[1] if row >= 10 else STYLES[row % 3]
        date, known = ("c. 550", 550) if row == 0 else ("", None) if row == 1 else (f"circa {1600 + row}", 1600 + row)
        title = ("A & B | <C>", "Ümläut: {x} #1", "Sea")[row % 3]
        suffix = (".jpg", ".tif", ".png", ".webp")[row % 4]
        return Entry(row, f"19.{row}", title, ARTISTS[row % 3], style, date, known, 300 + 20 * row, 400, suffix)

    def artists(self) -> list[str]:
        return sorted(ARTISTS)

    def rows_of_artist(self, artist: str) -> list[int]:
        return [row for row in range(self.size) if self.entry(row).artist == artist]

    def styles(self) -> list[str]:
        return sorted(STYLES)

    def rows_of_style(self, style: str) -> list[int]:
        return [row for row in range(self.size) if self.entry(row).style == style]


HALL = SmallHall()


def asked(url):
    parts = urlsplit(url)
    request = Request(parts.netloc, unquote(parts.path), dict(parse_qsl(parts.query)), {"user-agent": "test"})
    return served.answer(HALL, request)


def scraped(source):
    """All that the source says, asked as the driver asks: each URL once."""
    requests, seen, rows, claims = commons.start_requests(source), set(), Counter(), {}
    records = []
    while requests:
        request = requests.pop(0)
        if request.url in seen:
            continue
        seen.add(request.url)
        parsed = commons.parse(source, request, asked(request.url).body)
        requests += parsed.requests
        claims |= {claim.name: max(claim.count, claims.get(claim.name, 0)) for claim in parsed.claims}
        rows.update({claim.name: len(parsed.rows) for claim in parsed.claims})
        records += [record(source, row) for row in parsed.rows]
    return unique(records), claims, rows, seen


def source(**settings):
    return CommonsSource(**{"name": "commons", "categories": (served.ROOT,), "depth": 1, **settings})


@pytest.mark.parametrize(
    "settings",
    [
        {"depth": 3},
        {"depth": 1, "width_px": None},
        {"categories": ("Paintings by artist",)},
        {"categories": tuple(served.category_of_style(style) for style in STYLES), "depth": 0},
        {"categories": (served.ROOT, "Mosaics", "category: mosaics"), "width_px": 330},
    ],
    ids=["through the loop", "originals", "by artist", "named one by one", "named twice"],
)
def test_the_whole_museum_is_found_once(settings):
    records, claims, rows, _ = scraped(source(**settings))
    assert [row["record_id"] for row in records] == [f"commons:{40_000_000 + row}" for row in range(HALL.size)]
    assert not any(row["reason"] for row in records)
    for row, parsed in zip(records, map(HALL.entry, range(HALL.size)), strict=True):
        assert (row["title"], row["artist"]) == (" ".join(parsed.title.split()), parsed.artist)
        assert (row["date_text"], row["year"]) == (
            parsed.date_text or None,
            one_year(read_date(parsed.date_text).years, None, parsed.date_text),
        )
    assert claims == rows


def test_rights_are_those_of_the_three_kinds_of_licence():
    records, *_ = scraped(source())
    assert {row["rights_uri"] for row in records[0::3]} == {"https://creativecommons.org/publicdomain/mark/1.0/"}
    assert {row["rights_uri"] for row in records[1::3]} == {"https://creativecommons.org/publicdomain/zero/1.0/"}
    assert {row["rights_uri"] for row in records[2::3]} == {"https://creativecommons.org/licenses/by-sa/4.0/"}


def test_styles_are_those_of_the_files_own_categories():
    records, *_ = scraped(source(styles={"Impressionist paintings": "Impressionism"}))
    assert sum(row["style"] == "Impressionism" for row in records) == len(HALL.rows_of_style("Impressionism"))


def test_a_batch_comes_in_parts_and_only_the_last_one_leads_on():
    request = commons.start_requests(source(categories=("Impressionist paintings",), depth=0))[1]
    answers = []
    while request:
        answer = asked(request.url).body
        answers.append(json.loads(answer))
        request = next(iter(commons.parse(source(), request, answer).requests), None)
    assert [sum("imageinfo" in page for page in answer["query"]["pages"]) for answer in answers] == [20, 20, 10, 3]
    assert [sorted(answer.get("continue", {})) for answer in answers] == [
        ["continue", "iicontinue"],
        ["continue", "iicontinue"],
        ["continue", "gcmcontinue"],
        [],
    ]
    assert ["batchcomplete" in answer for answer in answers] == [False, False, True, True]


def test_what_is_excluded_is_not_entered():
    _, claims, rows, _ = scraped(source(exclude=("Impressionist paintings", "Paintings by artist")))
    assert "Category:Impressionist paintings" not in claims
    assert sum(rows.values()) == HALL.size - len(HALL.rows_of_style("Impressionism"))


@pytest.mark.parametrize("width_px", [None, 330, 3840])
def test_images_are_where_the_answers_say(width_px):
    records, *_ = scraped(source(width_px=width_px))
    for row, parsed in enumerate(records):
        assert asked(parsed["image_url"]) == Answer(image=row)
        assert "utm_" not in parsed["image_url"]
        is_thumb = width_px == 330 and HALL.entry(row).width_px > 330
        assert urlsplit(parsed["image_url"]).netloc == ("thumb.wikimedia.org" if is_thumb else "upload.wikimedia.org")


@pytest.mark.parametrize(
    ("url", "status", "body"),
    [
        ("https://commons.wikimedia.org/w/api.php?action=query", 200, b"badvalue"),
        (
            "https://commons.wikimedia.org/w/api.php?action=query&format=json&formatversion=2&generator=x",
            200,
            b"invalidcat",
        ),
        ("https://commons.wikimedia.org/wiki/File:x.jpg", 404, b"404"),
        ("https://upload.wikimedia.org/wikipedia/commons/a/ab/x_-_M1.jpg", 404, b"404"),
        ("https://upload.wikimedia.org/wikipedia/commons/a/ab/x_-_M999999999.jpg", 404, b"404"),
        ("https://thumb.wikimedia.org/wikipedia/commons/thumb/a/ab/x.jpg/600px-x.jpg", 400, b"thumbnail steps"),
    ],
)
def test_what_is_not_there_is_answered_as_commons_does(url, status, body):
    answer = asked(url)
    assert answer.status == status
    assert body in answer.body


def test_other_hosts_are_somebody_elses():
    assert served.answer(HALL, Request("www.flickr.com", "/", {}, {})) is None


@pytest.mark.parametrize("more", ["gcmcontinue=file|x|y", "gcmtype=subcat&gcmcontinue=z", "iicontinue=x"])
def test_a_continuation_that_was_never_given_is_an_error(more):
    request = commons.start_requests(source(categories=("Mosaics",), depth=0))[1]
    with pytest.raises(commons.BadAnswer, match="badcontinue"):
        commons.parse(source(), request, asked(f"{request.url}&{more}").body)


def test_a_category_that_is_not_there_is_an_error():
    missing = source(categories=("Nothing at all",))
    with pytest.raises(commons.BadAnswer, match=r"expected a category that exists, got .*Nothing at all"):
        scraped(missing)
