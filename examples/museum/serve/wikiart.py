"""The museum as WikiArt would show it: API (2), older JSON answers, listings by style and artist, pages, images.

Shapes are those of real answers where there are any; docs/sources/wikiart.md says which are not.
"""

import base64
import html
import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from examples.museum.serve.facts import facts_of, with_odd_values
from examples.museum.serve.hall import NOT_FOUND, Answer, Hall, Request
from examples.museum.serve.wikiart_works import (
    Work,
    address_of_style,
    addresses,
    image_url,
    is_public_domain,
    last_first,
    wikiart_style,
    work_at,
    work_of_row,
)

SITE = "www.wikiart.org"
HOSTS: tuple[str, ...] = (SITE, *(f"uploads{shard}.wikiart.org" for shard in range(9)))

_PAGE = 60
_LAST_PAGE_OF_STYLE = 60
_CONTENT_IDS_FROM = 200_000
_WORK_ID, _ARTIST_ID = "57726fedc2cb3880", "57726dedc2cb3880"
_Query = Mapping[str, str]


def answer(hall: Hall, request: Request) -> Answer | None:
    """What WikiArt answers; None where the host is not WikiArt's."""
    if request.host not in HOSTS:
        return None
    if request.host != SITE:
        return _image(hall, request.path)
    for pattern, route in _ROUTES:
        found = re.fullmatch(pattern, request.path)
        if found:
            return route(hall, request.query, *found.groups())
    return NOT_FOUND


def _alphabet(hall: Hall, query: _Query) -> Answer:
    is_limited = query.get("inPublicDomain") == "true"
    shown = [_artist(at, address, name) for at, (address, name) in enumerate(addresses(hall).items())]
    return _json([artist for artist in shown if not is_limited or is_public_domain(artist["artistName"])])


def _artist(at: int, address: str, name: str) -> dict[str, Any]:
    return {
        "contentId": _CONTENT_IDS_FROM - 1 - at,
        "artistName": name,
        "url": address,
        "lastNameFirst": last_first(name),
        "birthDay": None,
        "deathDay": None,
        "birthDayAsString": "",
        "deathDayAsString": "",
        "image": None,
        "wikipediaUrl": None,
        "dictionaries": [],
    }


def _works(hall: Hall, query: _Query) -> Answer:
    name = addresses(hall).get(query.get("artistUrl", ""))
    rows = hall.rows_of_artist(name) if name is not None else ()
    return _json([_short(work_of_row(hall, row)) for row in rows])


def _short(work: Work) -> dict[str, Any]:
    entry = work.entry
    return {
        "title": entry.title,
        "contentId": _CONTENT_IDS_FROM + entry.row,
        "artistContentId": _CONTENT_IDS_FROM - 1,
        "artistName": last_first(entry.artist),
        "completitionYear": entry.year,
        "yearAsString": "" if entry.year is None else str(entry.year),
        "width": entry.width_px,
        "image": image_url(work, "!Large.jpg"),
        "height": entry.height_px,
    }


def _image_json(hall: Hall, query: _Query, content_id: str) -> Answer:
    row = int(content_id) - _CONTENT_IDS_FROM
    if not 0 <= row < hall.size:
        return NOT_FOUND
    work = work_of_row(hall, row)
    unsaid = ("serie", "material", "technique", "diameter", "auction", "yearOfTrade", "lastPrice", "description")
    facts = facts_of(work.entry)
    described = {
        "location": f"{facts.city}{facts.country}",
        "period": facts.period or None,
        "genre": facts.genre,
        "sizeX": facts.width_cm,
        "sizeY": facts.height_cm,
        "galleryName": facts.gallery or None,
        "tags": ", ".join(word.replace(" ", "-") for word in facts.tags) or None,
    }
    fields = {"artistUrl": work.artist, "url": work.page, "dictionaries": [], "style": work.style}
    return _json({**_short(work), **fields, **dict.fromkeys(unsaid), **with_odd_values(described, row, described)})


def _by_style(hall: Hall, query: _Query, address: str) -> Answer:
    style = next((name for name in hall.styles() if address_of_style(wikiart_style(name)) == address), None)
    return NOT_FOUND if style is None else _listing(hall, query, hall.rows_of_style(style), _LAST_PAGE_OF_STYLE)


def _by_artist(hall: Hall, query: _Query, address: str) -> Answer:
    name = addresses(hall).get(address)
    return NOT_FOUND if name is None else _listing(hall, query, hall.rows_of_artist(name), None)


def _listing(hall: Hall, query: _Query, rows: Sequence[int], last_page: int | None) -> Answer:
    page = int(query["page"]) if re.fullmatch(r"[1-9][0-9]{0,8}", query.get("page", "")) else 1
    shown = () if last_page is not None and page > last_page else rows[(page - 1) * _PAGE : page * _PAGE]
    unsaid = dict.fromkeys(("ArtistsHtml", "Artists", "PaintingsHtml", "PaintingsHtmlBeta", "TimeLog"))
    counts = {"CanLoadMoreArtists": False, "AllArtistsCount": 0, "AllPaintingsCount": len(rows), "PageSize": _PAGE}
    return _json({**unsaid, **counts, "Paintings": [_list_entry(work_of_row(hall, row)) for row in shown]})


def _list_entry(work: Work) -> dict[str, Any]:
    entry = work.entry
    return {
        "id": f"{_WORK_ID}{entry.row:08x}",
        "title": entry.title,
        "year": entry.date_text,
        "width": entry.width_px,
        "height": entry.height_px,
        "artistName": entry.artist,
        "image": image_url(work, ""),
        "map": "0123**67*",
        "paintingUrl": f"/en/{work.artist}/{work.page}",
        "artistUrl": f"/en/{work.artist}",
        "albums": None,
        "flags": 2,
        "images": None,
    }


def _page(hall: Hall, query: _Query, artist: str, page: str) -> Answer:
    work = work_at(hall, artist, page)
    return NOT_FOUND if work is None else Answer(200, _html(work).encode(), "text/html; charset=utf-8")


def _html(work: Work) -> str:
    painting = {"_t": "PaintingForGalleryNew", **_list_entry(work)}
    painting["_id"] = painting.pop("id")
    init = html.escape(f"paintingJson = {json.dumps(painting, ensure_ascii=False)}")
    alt = html.escape(", ".join(part for part in (work.entry.title, work.entry.date_text) if part))
    artist, style = html.escape(work.entry.artist), html.escape(work.style)
    is_free = is_public_domain(work.entry.artist)
    rights = '<i class="copyright-icon-public-domain"></i>Public domain' if is_free else "Copyright protected"
    return (
        f"<!DOCTYPE html><html><body><main>"
        '<div class="wiki-layout-artist-info wiki-layout-artwork-info" itemscope '
        'itemtype="https://schema.org/Painting">'
        f"<article><h3>{html.escape(work.entry.title)}</h3>"
        f'<h5 itemprop="creator"><span itemprop="name"><a href="/en/{work.artist}">{artist}</a></span></h5><ul>'
        '<li class="dictionary-values"><s>Style:</s> <span><a '
        f'href="/en/paintings-by-style/{address_of_style(work.style)}">'
        f"{style}</a></span></li></ul></article>"
        f'<aside><div class="copyright-wrapper"><a class="copyright" href="#">{rights}</a></div></aside></div>'
        f'<img itemprop="image" src="{image_url(work, "!Large.jpg")}" alt="{alt} - {artist}">'
        f'<div class="wiki-layout-painting-info-bottom" ng-init="{init}"></div></main></body></html>'
    )


def _login(hall: Hall, query: _Query) -> Answer:
    codes = [query.get(name, "") for name in ("accessCode", "secretCode")]
    if not all(codes):
        return _json({"Message": "No Authorization key found"}, 404)
    session = f"{zlib.crc32(':'.join(codes).encode()):012x}"
    return _json({"SessionKey": session, "MaxRequestsPerHour": 400, "MaxSessionsPerHour": 10})


def _api2(hall: Hall, query: _Query, method: str) -> Answer:
    """The API answers who has a session; without one the real site gives little, the museum nothing."""
    if not query.get("authSessionKey"):
        return _json({"Message": "Authorization required"}, 403)
    route = {"updatedartists": _api2_artists, "paintingsbyartist": _api2_works, "painting": _api2_work}.get(
        method.lower()
    )
    return NOT_FOUND if route is None else route(hall, query)


def _api2_artists(hall: Hall, query: _Query) -> Answer:
    artists = list(addresses(hall).items())

    def artist(at: int) -> dict[str, Any]:
        return {"id": f"{_ARTIST_ID}{at:08x}", **_artist(at, *artists[at])}

    return _api2_list(range(len(artists)), artist, query)


def _api2_works(hall: Hall, query: _Query) -> Answer:
    at, names = _number(query, _ARTIST_ID), list(addresses(hall).values())
    if at is None or at >= len(names):
        return NOT_FOUND
    rows = hall.rows_of_artist(names[at])
    return _api2_list(rows, lambda row: _api2_short(work_of_row(hall, row)), query)


def _api2_work(hall: Hall, query: _Query) -> Answer:
    row = _number(query, _WORK_ID)
    if row is None or row >= hall.size:
        return NOT_FOUND
    work = work_of_row(hall, row)
    facts = facts_of(work.entry)
    described = {
        "genres": [facts.genre],
        "media": facts.medium.lower().split(" on "),
        "galleries": [facts.gallery],
        "tags": [word.replace(" ", "-") for word in facts.tags] or [""],
        "period": facts.period or None,
        "location": facts.city,
        "sizeX": facts.width_cm,
        "sizeY": facts.height_cm,
    }
    fields = {"dictionaries": [], "styles": [work.style], "serie": None, "diameter": None, "description": ""}
    return _json({**_api2_short(work), **fields, **with_odd_values(described, row, described)})


def _api2_short(work: Work) -> dict[str, Any]:
    entry = work.entry
    return {
        "id": f"{_WORK_ID}{entry.row:08x}",
        "title": entry.title,
        "url": work.page,
        "artistUrl": work.artist,
        "artistName": entry.artist,
        "artistId": None,
        "completitionYear": entry.year,
        "width": entry.width_px,
        "image": image_url(work, "!Large.jpg"),
        "height": entry.height_px,
    }


def _api2_list(items: Sequence[int], said: Callable[[int], dict[str, Any]], query: _Query) -> Answer:
    """60 at a time; the token holds where to go on, percent-encoded as the real one is."""
    try:
        start = max(0, int(base64.b64decode(query.get("paginationToken", ""), validate=True) or b"0"))
    except ValueError:
        return NOT_FOUND
    shown, end = items[start : start + _PAGE], start + _PAGE
    token = quote(base64.b64encode(str(end).encode()).decode(), safe="")
    return _json({"data": [said(item) for item in shown], "paginationToken": token, "hasMore": end < len(items)})


def _number(query: _Query, prefix: str) -> int | None:
    found = re.fullmatch(prefix + r"([0-9a-f]{8})", query.get("id", ""))
    return int(found[1], 16) if found else None


def _image(hall: Hall, path: str) -> Answer:
    found = re.fullmatch(r"/images/([^/]+)/([^/]+?)\.\w+(!\w+\.\w+)?", path)
    work = work_at(hall, found[1], found[2]) if found else None
    return NOT_FOUND if work is None else Answer(image=work.entry.row)


def _json(value: Any, status: int = 200) -> Answer:
    return Answer(status, json.dumps(value, ensure_ascii=False).encode())


_ROUTES: tuple[tuple[str, Callable[..., Answer]], ...] = (
    (r"/en/App/Artist/AlphabetJson", _alphabet),
    (r"/en/App/Painting/PaintingsByArtist", _works),
    (r"/en/App/Painting/ImageJson/([0-9]{1,18})", _image_json),
    (r"/en/paintings-by-style/([^/]+)", _by_style),
    (r"/en/([^/]+)/mode/all-paintings", _by_artist),
    (r"/en/[Aa]pi/2/login", _login),
    (r"/en/[Aa]pi/2/(\w+)", _api2),
    (r"/en/([^/]+)/([^/]+)", _page),
)
