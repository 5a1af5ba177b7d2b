"""Surrealism.website: one page that links to the artists, and one page of images for each artist.

The shape is not verified against the site, so this is strict: what is not as `docs/sources/surrealism.md` says is
refused.
"""

import re
from typing import Any
from urllib.parse import unquote

from schemas.sources.surrealism import SurrealismSource
from tasks.core.scrape.html_pages import Element, Page, link, page
from tasks.core.scrape.web_source import Ask, BadAnswer, Credential, Said, quoted

CREDENTIAL: Credential | None = None
HOSTS: tuple[str, ...] = ("surrealism.website",)
_ARTIST = re.compile(r"/(?:[A-Za-z0-9._~%-]+/)*[A-Za-z0-9._~%-]+\.html?")
_WORK = re.compile(r"/(?P<key>(?:[^/]+/)*[^/]+)\.(?:jpe?g|png)", re.IGNORECASE)


def first(source: SurrealismSource) -> list[Ask]:
    """The index of artists."""
    return [Ask(f"https://{HOSTS[0]}{source.index}", "index", expects="html")]


def read(source: SurrealismSource, ask: Ask, data: bytes) -> Said:
    """Of the index: the artists' pages. Of an artist's page: its works. Raises BadAnswer."""
    if ask.kind == "index":
        return _index(ask, page(data))
    if ask.kind == "artist":
        return _artist(source, ask, page(data))
    raise BadAnswer(f"expected an ask for the index or an artist, got {quoted(ask.kind)} ({ask.url})")


def _index(ask: Ask, index: Page) -> Said:
    urls = {}
    for anchor in index.all("a"):
        place = link(ask.url, anchor.attributes.get("href", ""))
        is_artist = place and place.hostname in HOSTS and not place.query and _ARTIST.fullmatch(place.path)
        if place and is_artist and place.geturl() != ask.url and index.text(anchor):
            urls[place.geturl()] = True
    if not urls:
        title = quoted(index.title)
        raise BadAnswer(
            f"expected links to artists' pages (a, *.html, with a name), got none; title {title} ({ask.url})"
        )
    return Said(asks=tuple(Ask(url, "artist", expects="html") for url in urls))


def _artist(source: SurrealismSource, ask: Ask, works: Page) -> Said:
    names = [works.text(heading) for heading in works.all("h1")]
    if len(names) != 1 or not names[0]:
        raise BadAnswer(
            f"expected one h1 with the artist's name, got {quoted(names)}; title {quoted(works.title)} ({ask.url})"
        )
    images = works.all("img")
    if not images:
        raise BadAnswer(f"expected images of works (img), got none; title {quoted(works.title)} ({ask.url})")
    return Said(rows=tuple(_row(source, ask, names[0], image) for image in images))


def _row(source: SurrealismSource, ask: Ask, artist: str, image: Element) -> dict[str, Any]:
    """A work, or a row that `record` drops, with what was met in its title."""
    src, alt = image.attributes.get("src", ""), image.attributes.get("alt", "")
    place = link(ask.url, src)
    found = _WORK.fullmatch(place.path) if place and place.hostname in HOSTS else None
    if place is None or found is None:
        return {"title": f"no image of {HOSTS[0]} at {quoted(src)}: {alt}", "artist": artist}
    return {
        "key": unquote(found["key"]),
        "image": place._replace(query="").geturl(),
        "source_url": ask.url,
        "title": alt or None,
        "artist": artist,
        "style": source.style,
    }
