"""What the museum's servers say beyond labels: each source's offers, odd ones among them, which lose no record."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from examples.museum.serve.facts import facts_of, with_odd_values
from examples.museum.serve.hall import Entry, Request
from examples.museum.serve.routes import routes
from schemas.sources.artic import ArticSource
from schemas.sources.commons import CommonsSource
from schemas.sources.flickr import FlickrSource
from schemas.sources.met import MetSource
from schemas.sources.surrealism import SurrealismSource
from schemas.sources.ukiyoe import UkiyoeSource
from schemas.sources.wikiart import WikiartSource
from tasks.core.scrape import artic, flickr
from tasks.core.scrape.answers import MUSEUMS
from tasks.core.scrape.records import record

TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "strings": list}
STYLES = ("Naive Art", "Ukiyo-e")


class SmallHall:
    """Works of three artists in two styles."""

    size = 400

    def entry(self, row: int) -> Entry:
        label = (f"1901.{row}.1", f"Title {row}", f"Artist {row % 3}", STYLES[row % 2], "1871", 1871)
        return Entry(row, *label, 300, 200, ".jpg")

    def artists(self) -> Sequence[str]:
        return [f"Artist {number}" for number in range(3)]

    def rows_of_artist(self, artist: str) -> Sequence[int]:
        return [row for row in range(self.size) if self.entry(row).artist == artist]

    def styles(self) -> Sequence[str]:
        return STYLES

    def rows_of_style(self, style: str) -> Sequence[int]:
        return [row for row in range(self.size) if self.entry(row).style == style]


HALL = SmallHall()
SOURCES = {
    "met": MetSource(name="met"),
    "artic": ArticSource(name="artic", more_offers=artic.MUSEUM.more),
    "commons": CommonsSource(
        name="commons", categories=("Ukiyo-e", "Naïve art"), more_offers=("uploader", "description")
    ),
    "flickr": FlickrSource(name="flickr", group_id="34427469792@N01", more_offers=flickr.MUSEUM.more),
    "wikiart": WikiartSource(name="wikiart"),
    "api2": WikiartSource(name="wikiart", by="api2", secret="key"),
    "ukiyoe": UkiyoeSource(name="prints"),
    "surrealism": SurrealismSource(name="surrealists"),
}
NEVER = {
    "met": {"dynasty", "reign", "portfolio", "artist_prefix", "artist_suffix", "artist_display_bio", "artist_gender"}
    | {"artist_begin_year", "artist_end_year", "artist_ulan_url", "artist_wikidata_url", "object_wikidata_url"}
    | {"state", "county", "region", "subregion", "locale", "locus", "excavation", "river"},
    "wikiart": {"series", "media", "auction", "diameter_cm"},
    "api2": {"series", "auction", "diameter_cm"},
}
"""What the museum has nothing to say about."""


@cache
def rows_of(name: str) -> tuple[Mapping[str, Any], ...]:
    """Every row that a source gives of the hall."""
    source: Any = SOURCES[name]
    module, answers = MUSEUMS[source.source], routes()
    waiting, rows = {request.url: request for request in module.start_requests(source)}, []
    asked = set()
    while waiting:
        url, request = waiting.popitem()
        asked.add(url)
        parts = urlsplit(url)
        query = {**dict(parse_qsl(parts.query)), "api_key": "key", "authSessionKey": "key"}
        answer = answers[parts.netloc](HALL, Request(parts.netloc, unquote(parts.path), query, {}))
        assert answer is not None
        parsed = module.parse(source, request, answer.body)
        rows += parsed.rows
        waiting |= {more.url: more for more in parsed.requests if more.url not in asked}
    return tuple(rows)


@pytest.mark.parametrize("name", SOURCES)
def test_each_offer_is_given_in_its_type(name: str):
    offers = MUSEUMS[SOURCES[name].source].sentences()
    seen = set()
    for row in rows_of(name):
        given = {offer: value for offer, value in row["offers"].items() if value is not None}
        assert {
            offer for offer, value in given.items() if type(value) is not TYPES[offers[offer].partition(":")[0]]
        } == set()
        seen |= set(given)
    assert set(offers) - seen == NEVER.get(name, set())


@pytest.mark.parametrize("name", ["met", "artic", "commons", "wikiart", "api2"])
def test_odd_values_lose_no_record(name: str):
    """Of what has an image; and some work lacks what most have."""
    rows = rows_of(name)
    source: Any = SOURCES[name]
    assert {record(source, row)["reason"] for row in rows if row["image"]} == {None}
    often = {"met": "medium", "artic": "medium_display", "commons": "credit"}.get(name, "location")
    count = sum(row["offers"][often] is None for row in rows)
    assert 0 < count < len(rows) / 8


def test_a_work_has_the_same_facts_wherever_it_is():
    by_key = {row["key"]: row["offers"] for row in rows_of("wikiart")}
    entry = HALL.entry(7)
    told = by_key[str(200_000 + 7)]
    assert told["genres"] in (None, [facts_of(entry).genre])
    assert facts_of(entry) == facts_of(entry._replace(title="Another"))
    same_artist = HALL.entry(10)
    assert facts_of(entry).country == facts_of(same_artist).country


def test_odd_values_are_of_every_kind():
    fields = {"text": "a", "list": ["a"], "number": 1.5, "none": None, "sane": "a"}
    found = [with_odd_values(fields, row, set(fields) - {"sane"}) for row in range(2000)]
    assert found == [with_odd_values(fields, row, set(fields) - {"sane"}) for row in range(2000)]
    assert {fields.get("sane") for fields in found} == {"a"}
    texts = [repr(fields.get("text", "missing")) for fields in found]
    assert set(texts) == {"'a'", "''", "None", "'missing'", "{'value': [['a']]}"}
    assert 0.92 < texts.count("'a'") / len(texts) < 0.99
    assert {repr(fields["list"]) for fields in found if "list" in fields} == {
        "['a']",
        "[]",
        "None",
        "{'value': [[['a']]]}",
    }
