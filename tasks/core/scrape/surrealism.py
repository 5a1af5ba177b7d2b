"""Surrealism.website: one page that links to the artists, and one page of images for each artist.

Not verified against the site, so everything that is not as in `docs/sources/surrealism.md` is refused.
"""

import re
from typing import Any
from urllib.parse import unquote

from schemas.sources.surrealism import SurrealismSource
from tasks.core.scrape.html_pages import Element, Page, parse_page, resolve_link
from tasks.core.scrape.web_source import Offer, OfferedValues, ParsedAnswer, SourceRequest, WebMuseum, quoted

HOSTS: tuple[str, ...] = ("surrealism.website",)
_OFFERS = {
    "page_title": Offer("page_title", "string", "the title of the artist's page"),
    "artist_page": Offer("artist_page", "string", "the name of the artist's page, e.g. ernst.html"),
    "file_name": Offer("file_name", "string", "the name of the image's file, e.g. celebes.jpg"),
}
_ARTIST = re.compile(r"/(?:[A-Za-z0-9._~%-]+/)*[A-Za-z0-9._~%-]+\.html?")
_WORK = re.compile(r"/(?P<key>(?:[^/]+/)*[^/]+)\.(?:jpe?g|png)", re.IGNORECASE)


def start_requests(source: SurrealismSource) -> list[SourceRequest]:
    """The index of artists."""
    return [SourceRequest(f"https://{HOSTS[0]}{source.index}", "index", expects="html")]


def parse(source: SurrealismSource, request: SourceRequest, data: bytes) -> ParsedAnswer:
    """Of the index: the artists' pages. Of an artist's page: its works. Raises BadAnswer."""
    if request.kind == "index":
        return _parse_index(request, parse_page(data))
    if request.kind == "artist":
        return _parse_artist(source, request, parse_page(data))
    raise request.bad_page("a request for the index or an artist", quoted(request.kind))


def _parse_index(request: SourceRequest, index: Page) -> ParsedAnswer:
    urls = []
    for anchor in index.all("a"):
        place = resolve_link(request.url, anchor.attributes.get("href", ""))
        is_artist = place and place.hostname in HOSTS and not place.query and _ARTIST.fullmatch(place.path)
        if place and is_artist and place.geturl() != request.url and index.text(anchor):
            urls.append(place.geturl())
    if not urls:
        got = f"none; title {quoted(index.title)}"
        raise request.bad_page("links to artists' pages (a, *.html, with a name)", got)
    return ParsedAnswer(requests=tuple(SourceRequest(url, "artist", expects="html") for url in dict.fromkeys(urls)))


def _parse_artist(source: SurrealismSource, request: SourceRequest, works: Page) -> ParsedAnswer:
    names = [works.text(heading) for heading in works.all("h1")]
    if len(names) != 1 or not names[0]:
        raise request.bad_page("one h1 with the artist's name", f"{quoted(names)}; title {quoted(works.title)}")
    images = works.all("img")
    if not images:
        raise request.bad_page("images of works (img)", f"none; title {quoted(works.title)}")
    return ParsedAnswer(rows=tuple(_row(source, request, works, names[0], image) for image in images))


def _row(source: SurrealismSource, request: SourceRequest, works: Page, artist: str, image: Element) -> dict[str, Any]:
    """The row of a work; of anything else a row that `record` drops, with its address in the title."""
    src, alt = image.attributes.get("src", ""), image.attributes.get("alt", "")
    place = resolve_link(request.url, src)
    match = _WORK.fullmatch(place.path) if place and place.hostname in HOSTS else None
    if place is None or match is None:
        return {"title": f"no image of {HOSTS[0]} at {quoted(src)}: {alt}", "artist": artist}
    return {
        "key": unquote(match["key"]),
        "image": place._replace(query="").geturl(),
        "source_url": request.url,
        "title": alt or None,
        "artist": artist,
        "style": source.style,
        "offers": OfferedValues(_OFFERS, _offered_fields, request, works, place.path),
    }


def _offered_fields(request: SourceRequest, works: Page, path: str) -> dict[str, Any]:
    page, name = (unquote(place.rpartition("/")[2]) for place in (request.url, path))
    return {"page_title": works.title, "artist_page": page, "file_name": name}


MUSEUM = WebMuseum(HOSTS, start_requests, parse, _OFFERS)
