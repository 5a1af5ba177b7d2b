"""Ukiyo-e.org: pages that list a museum's prints, and a page for each print.

The site has no API. Listings are as its author's own templates write them (github.com/jeresig/ukiyoe-web,
app/views/images): a total, cards, a link to the next page. Of the print's page and the card there are real excerpts.
"""

import re
from typing import Any
from urllib.parse import quote, unquote

from schemas.sources.ukiyoe import UkiyoeSource
from tasks.core.scrape.html_pages import Element, Page, link, page
from tasks.core.scrape.web_source import Ask, BadAnswer, Claim, Credential, Said, quoted

CREDENTIAL: Credential | None = None
HOSTS: tuple[str, ...] = ("ukiyo-e.org",)
_IMAGE_HOST = "data.ukiyo-e.org"
_PRINT = re.compile(r"/image/([a-z0-9_-]+)/([^/]+)/?")
_START = re.compile(r"start=[0-9]{1,9}")
_ALT = re.compile(r'Japanese Print "(?P<title>.*)" by (?P<artist>.*)', re.DOTALL)
_TOTAL = re.compile(r"([0-9][0-9,]{0,14}) prints? found")
_VIEWING = re.compile(r"Viewing prints ([0-9][0-9,]{0,14}) to ([0-9][0-9,]{0,14})")


def first(source: UkiyoeSource) -> list[Ask]:
    """The first page of each museum's listing."""
    return [Ask(f"https://{HOSTS[0]}/source/{museum}", "listing", expects="html") for museum in source.museums]


def read(source: UkiyoeSource, ask: Ask, data: bytes) -> Said:
    """Of a listing: its prints' pages, and its next page. Of a print's page: the print. Raises BadAnswer."""
    if ask.kind == "listing":
        return _listing(ask, page(data))
    if ask.kind == "print" and ask.key:
        return Said(rows=(_print(source, ask, page(data)),))
    raise BadAnswer(f"expected an ask for a listing or a print, got {quoted(ask.kind)} ({ask.url})")


def _listing(ask: Ask, listing: Page) -> Said:
    cards, total = listing.all("div", "img"), _number(_TOTAL, listing.text(listing.one("span", "total")))
    if not cards and total != 0:
        raise BadAnswer(f"expected prints (div.img), got none; title {quoted(listing.title)} ({ask.url})")
    museum = ask.url.partition("/source/")[2].partition("?")[0]
    rows, asks = [], []
    for card in cards:
        found = _asked(ask, museum, listing, card)
        if isinstance(found, Ask):
            asks.append(found)
        else:
            rows.append(found)
    # on each page, whose prints are counted so
    claims = (Claim(f"source/{museum}", total),) if total is not None else ()
    return Said(tuple(rows), (*asks, *_next(ask, museum, listing, total)), claims)


def _asked(ask: Ask, museum: str, listing: Page, card: Element) -> Ask | dict[str, Any]:
    """The ask for a card's page, or a row that `record` drops, with what was met in its title."""
    anchor, image = listing.one("a", "img", within=card), listing.one("img", within=card)
    href = anchor.attributes.get("href", "") if anchor else ""
    place = link(ask.url, href)
    found = _PRINT.fullmatch(place.path) if place and place.hostname in HOSTS else None
    name = unquote(found[2]) if found else ""
    if not found or found[1] != museum or not _is_plain(name):
        return {
            "title": f"no print of {museum} at {quoted(href)}: {(image.attributes if image else {}).get('alt', '')}"
        }
    url = f"https://{HOSTS[0]}/image/{museum}/{quote(name, safe='-._~')}"
    return Ask(url, "print", f"{museum}/{name}", expects="html")


def _next(ask: Ask, museum: str, listing: Page, total: int | None) -> list[Ask]:
    anchor = next((each for each in listing.all("a") if "next" in each.attributes.get("rel", "").split()), None)
    if anchor is None:
        last = _number(_VIEWING, listing.text(listing.one("span", "page")), 2)
        if total is not None and last is not None and last < total:
            raise BadAnswer(
                f"expected a link to the next page (rel=next), got none after {last} of {total} ({ask.url})"
            )
        return []
    href = anchor.attributes.get("href", "")
    place = link(ask.url, href)
    if (
        place is None
        or place.hostname not in HOSTS
        or place.path != f"/source/{museum}"
        or not _START.fullmatch(place.query)
    ):
        raise BadAnswer(f"expected the next page of /source/{museum}?start=N, got {quoted(href)} ({ask.url})")
    return [Ask(place.geturl(), "listing", expects="html")]


def _print(source: UkiyoeSource, ask: Ask, found: Page) -> dict[str, Any]:
    holder = found.one("div", "imageholder")
    if holder is None:
        raise BadAnswer(f"expected the print (div.imageholder), got none; title {quoted(found.title)} ({ask.url})")
    image = found.one("img", within=holder)
    said = _ALT.fullmatch(image.attributes.get("alt", "") if image else "")
    artists = [text for row in found.all("p", "row", "artist") if (text := _value(found, row))]
    return {
        "key": ask.key,
        "image": _image(source, ask, found, holder),
        "source_url": ask.url,
        "title": _value(found, found.one("p", "row", "title")) or (said["title"] if said else None),
        "artist": "|".join(artists) or (said["artist"] if said else None),
        "date_text": _value(found, found.one("p", "row", "date")) or None,
        "style": source.style,
    }


def _image(source: UkiyoeSource, ask: Ask, found: Page, holder: Element) -> str:
    tag, name = ("a", "href") if source.rendition == "full" else ("img", "src")
    element = found.one(tag, within=holder)
    href = element.attributes.get(name, "") if element else ""
    place = link(ask.url, href)
    if place is None or place.hostname != _IMAGE_HOST:
        raise BadAnswer(f"expected the image's URL at {_IMAGE_HOST} in {tag}.{name}, got {quoted(href)} ({ask.url})")
    return place.geturl()


def _value(found: Page, row: Element | None) -> str:
    """What stands beside a row's label."""
    return found.text(found.one("span", within=row)) if row else ""


def _number(pattern: re.Pattern[str], text: str, group: int = 1) -> int | None:
    found = pattern.search(text)
    return int(found[group].replace(",", "")) if found else None


def _is_plain(name: str) -> bool:
    return name not in {".", ".."} and name.isprintable() and not set(name) & set("/\\\ufffd") and len(name) <= 200
