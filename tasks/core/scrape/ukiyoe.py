"""Ukiyo-e.org: pages that list a museum's prints, and a page for each print. The site has no API.

Listings have the format of its author's own templates (github.com/jeresig/ukiyoe-web, app/views/images): a total,
cards, a link to the next page. The tests have real excerpts of a print's page and a card.
"""

import re
from typing import Any
from urllib.parse import quote, unquote

from schemas.sources.ukiyoe import UkiyoeSource
from tasks.core.scrape.html_pages import Element, Page, parse_page, resolve_link
from tasks.core.scrape.web_source import (
    ClaimedCount,
    Offer,
    OfferedValues,
    ParsedAnswer,
    SourceRequest,
    WebMuseum,
    quoted,
)

HOSTS: tuple[str, ...] = ("ukiyo-e.org",)
_OFFERS = {
    "museum": Offer("museum", "string", "the museum or dealer that shows the print"),
    "museum_code": Offer("museum_code", "string", "the site's word for it, one of the source's `museums`"),
    "museum_page": Offer("museum_page", "string", "the address of the print's page at the museum"),
    "artist_caption": Offer("artist_caption", "string", "the artist in the image's caption, with the Japanese name"),
}
_IMAGE_HOST = "data.ukiyo-e.org"
_PRINT = re.compile(r"/image/([a-z0-9_-]+)/([^/]+)/?")
_START = re.compile(r"start=[0-9]{1,9}")
_ALT = re.compile(r'Japanese Print "(?P<title>.*)" by (?P<artist>.*)', re.DOTALL)
_TOTAL = re.compile(r"([0-9][0-9,]{0,14}) prints? found")
_VIEWING = re.compile(r"Viewing prints ([0-9][0-9,]{0,14}) to ([0-9][0-9,]{0,14})")


def start_requests(source: UkiyoeSource) -> list[SourceRequest]:
    """The first page of each museum's listing."""
    urls = (f"https://{HOSTS[0]}/source/{museum}" for museum in source.museums)
    return [SourceRequest(url, "listing", expects="html") for url in urls]


def parse(source: UkiyoeSource, request: SourceRequest, data: bytes) -> ParsedAnswer:
    """Of a listing: its prints' pages, and its next page. Of a print's page: the print. Raises BadAnswer."""
    if request.kind == "listing":
        return _parse_listing(request, parse_page(data))
    if request.kind == "print" and request.source_key:
        return ParsedAnswer(rows=(_parse_print(source, request, parse_page(data)),))
    raise request.bad_page("a request for a listing or a print", f"{quoted(request.kind)}")


def _parse_listing(request: SourceRequest, listing: Page) -> ParsedAnswer:
    cards, total = listing.all("div", "img"), _number(_TOTAL, listing.text(listing.one("span", "total")))
    if not cards and total != 0:
        raise request.bad_page("prints (div.img)", f"none; title {quoted(listing.title)}")
    museum = request.url.partition("/source/")[2].partition("?")[0]
    found = [_print_request(request, museum, listing, card) for card in cards]
    rows = tuple(row for row in found if not isinstance(row, SourceRequest))
    requests = (print_ for print_ in found if isinstance(print_, SourceRequest))
    # the same on each page; the prints of all pages are added up
    claims = (ClaimedCount(f"source/{museum}", total),) if total is not None else ()
    return ParsedAnswer(rows, (*requests, *_next_page_requests(request, museum, listing, total)), claims)


def _print_request(request: SourceRequest, museum: str, listing: Page, card: Element) -> SourceRequest | dict[str, Any]:
    """The request for a card's page; or a row that `record` drops, with its address in the title."""
    anchor, image = listing.one("a", "img", within=card), listing.one("img", within=card)
    href = anchor.attributes.get("href", "") if anchor else ""
    place = resolve_link(request.url, href)
    match = _PRINT.fullmatch(place.path) if place and place.hostname in HOSTS else None
    name = unquote(match[2]) if match else ""
    is_plain = name not in {".", ".."} and name.isprintable() and not set(name) & set("/\\\ufffd") and len(name) <= 200
    if not match or match[1] != museum or not is_plain:
        alt = image.attributes.get("alt", "") if image else ""
        return {"title": f"no print of {museum} at {quoted(href)}: {alt}"}
    url = f"https://{HOSTS[0]}/image/{museum}/{quote(name, safe='-._~')}"
    return SourceRequest(url, "print", f"{museum}/{name}", expects="html")


def _next_page_requests(request: SourceRequest, museum: str, listing: Page, total: int | None) -> list[SourceRequest]:
    anchor = next((each for each in listing.all("a") if "next" in each.attributes.get("rel", "").split()), None)
    if anchor is None:
        last = _number(_VIEWING, listing.text(listing.one("span", "page")), 2)
        if total is not None and last is not None and last < total:
            raise request.bad_page("a link to the next page (rel=next)", f"none after {last} of {total}")
        return []
    href = anchor.attributes.get("href", "")
    place = resolve_link(request.url, href)
    is_here = place and place.hostname in HOSTS and place.path == f"/source/{museum}"
    if not (place and is_here and _START.fullmatch(place.query)):
        raise request.bad_page(f"the next page of /source/{museum}?start=N", f"{quoted(href)}")
    return [SourceRequest(place.geturl(), "listing", expects="html")]


def _parse_print(source: UkiyoeSource, request: SourceRequest, page: Page) -> dict[str, Any]:
    holder = page.one("div", "imageholder")
    if holder is None:
        raise request.bad_page("the print (div.imageholder)", f"none; title {quoted(page.title)}")
    image = page.one("img", within=holder)
    alt_text = _ALT.fullmatch(image.attributes.get("alt", "") if image else "")
    title, artist = (alt_text["title"], alt_text["artist"]) if alt_text else (None, None)
    artists = [text for row in page.all("p", "row", "artist") if (text := _value(page, row))]
    return {
        "key": request.source_key,
        "image": _image(source, request, page, holder),
        "source_url": request.url,
        "title": _value(page, page.one("p", "row", "title")) or title,
        "artist": "|".join(artists) or artist,
        "date_text": _value(page, page.one("p", "row", "date")) or None,
        "style": source.style,
        "offers": OfferedValues(_OFFERS, _offered_fields, request, page, artist),
    }


def _offered_fields(request: SourceRequest, page: Page, artist_caption: str | None) -> dict[str, Any]:
    source_row, details = page.one("p", "row", "source"), page.one("p", "row", "details")
    museum = page.one("a", within=source_row) if source_row else None
    link = page.one("a", within=details) if details else None
    place = resolve_link(request.url, link.attributes.get("href", "")) if link else None
    return {
        "museum": page.text(museum),
        "museum_code": (request.source_key or "").partition("/")[0],
        "museum_page": place.geturl() if place and place.hostname not in HOSTS else None,
        "artist_caption": artist_caption,
    }


def _image(source: UkiyoeSource, request: SourceRequest, page: Page, holder: Element) -> str:
    tag, name = ("a", "href") if source.rendition == "full" else ("img", "src")
    element = page.one(tag, within=holder)
    href = element.attributes.get(name, "") if element else ""
    place = resolve_link(request.url, href)
    if place is None or place.hostname != _IMAGE_HOST:
        raise request.bad_page(f"the image's URL at {_IMAGE_HOST} in {tag}.{name}", f"{quoted(href)}")
    return place.geturl()


def _value(page: Page, row: Element | None) -> str:
    return page.text(page.one("span", within=row)) if row else ""


def _number(pattern: re.Pattern[str], text: str, group: int = 1) -> int | None:
    match = pattern.search(text)
    return int(match[group].replace(",", "")) if match else None


MUSEUM = WebMuseum(HOSTS, start_requests, parse, _OFFERS)
