"""The museum as the Art Institute of Chicago would publish it: pages of artworks, single artworks, and IIIF images."""

import hashlib
import json
import re

from examples.museum.serve.facts import facts_of, with_odd_values
from examples.museum.serve.hall import NOT_FOUND, Answer, Entry, Hall, Request

HOSTS = ("api.artic.edu", "www.artic.edu")

_ARTWORKS = "/api/v1/artworks"
_API = "https://api.artic.edu/api/v1/artworks"
_CONFIG = {"iiif_url": "https://www.artic.edu/iiif/2", "website_url": "http://www.artic.edu"}
_INFO = {
    "license_text": "The `description` field in this response is licensed under a Creative Commons Attribution "
    "4.0 Generic "
    "License (CC-By) and the Terms and Conditions of artic.edu. All other data in this response is licensed "
    "under a Creative "
    "Commons Zero (CC0) 1.0 designation and the Terms and Conditions of artic.edu.",
    "license_links": ["https://creativecommons.org/publicdomain/zero/1.0/", "https://www.artic.edu/terms"],
    "version": "1.13",
}
# the Art Institute calls techniques classifications, and an Asian style a culture; it has no style at all for most
# works
_STYLES = {
    "Ukiyo-e": ["Japanese (culture or style)", "ukiyo-e"],
    "Ink Wash Painting": ["Chinese (culture or style)"],
    "Icon Painting": ["Byzantine (culture or style)"],
    "Naive Art": ["folk art"],
}
_KINDS = {
    "Etching": "etching",
    "Fresco": "fresco",
    "Stained Glass": "stained glass",
    "Mosaic": "mosaic",
    "Watercolor": "watercolor",
}
_IMAGE = re.compile(
    r"/iiif/2/([0-9a-f]{8})(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/full/(200|400|600|843|1686),/0/default\.jpg"
)


def answer(hall: Hall, request: Request) -> Answer | None:
    """The Art Institute's answer, or None where the request is for somebody else's host."""
    if request.host == "www.artic.edu":
        return _image(hall, request.path)
    if request.host != "api.artic.edu":
        return None
    if request.path == _ARTWORKS:
        return _page(hall, request)
    if request.path.startswith(f"{_ARTWORKS}/"):
        return _single(hall, request)
    return NOT_FOUND


def id_of_row(row: int) -> int:
    """The artwork's number, which leaves gaps as the Art Institute's do."""
    return 5 * row + 4


def is_open(row: int) -> bool:
    """Whether the artwork is in the public domain; its image is there all the same."""
    return row % 13 != 5


def has_image(row: int) -> bool:
    """Whether the artwork has an image."""
    return row % 17 != 11


def image_id(row: int) -> str:
    """A UUID that begins with the row, so that the row is found again at once."""
    rest = hashlib.sha256(f"artic {row}".encode()).hexdigest()
    return f"{row:08x}-{rest[:4]}-{rest[4:8]}-{rest[8:12]}-{rest[12:24]}"


def styles(entry: Entry) -> list[str]:
    """The style in the Art Institute's words; none for what it calls a technique."""
    return [] if entry.style in _KINDS else _STYLES.get(entry.style, [entry.style])


def _page(hall: Hall, request: Request) -> Answer:
    limit, page = _number(request, "limit", 12), max(_number(request, "page", 1), 1)
    if limit > 100:
        detail = "You have requested too many resources per page. Please set a smaller limit."
        return _json({"status": 403, "error": "Invalid limit", "detail": detail}, 403)
    last = -(-hall.size // limit) if limit else None
    pagination = {
        "total": hall.size,
        "limit": limit,
        "offset": (page - 1) * limit,
        "total_pages": last,
        "current_page": page if limit else None,
        **({"prev_url": _url(request, page - 1, limit)} if page > 1 else {}),
        **({"next_url": _url(request, page + 1, limit)} if last and page < last else {}),
    }
    rows = range((page - 1) * limit, min(page * limit, hall.size))
    works = [_asked_fields(request, _artwork(hall.entry(row))) for row in rows]
    return _json({"pagination": pagination, "data": works, "info": _INFO, "config": _CONFIG})


def _single(hall: Hall, request: Request) -> Answer:
    text = request.path.removeprefix(f"{_ARTWORKS}/")
    if not text.isdecimal() or len(text) > 12:
        return _json({"status": 400, "error": "Invalid syntax", "detail": "The identifier syntax is invalid."}, 400)
    row, rest = divmod(int(text) - 4, 5)
    if rest or not 0 <= row < hall.size:
        detail = "The item you requested cannot be found."
        return _json({"status": 404, "error": "Not found", "detail": detail}, 404)
    return _json({"data": _asked_fields(request, _artwork(hall.entry(row))), "info": _INFO, "config": _CONFIG})


def _artwork(entry: Entry) -> dict[str, object]:
    """The fields of a real answer that anybody asks for."""
    row, named = entry.row, styles(entry)
    name = None if entry.artist == "Unknown" else entry.artist
    begin, end = _years(entry)
    kind = _KINDS.get(entry.style, "painting")
    return {
        "id": id_of_row(row),
        "api_model": "artworks",
        "api_link": f"{_API}/{id_of_row(row)}",
        "title": entry.title,
        "main_reference_number": entry.key,
        "date_start": begin,
        "date_end": end,
        "date_display": entry.date_text or None,
        "artist_display": f"{name}\nItalian, 1790-1857" if name else "Artist unknown",
        "is_public_domain": is_open(row),
        "copyright_notice": None if is_open(row) else f"© {name or 'the maker'}",
        "department_title": "Prints and Drawings",
        "artist_title": name,
        "artist_titles": [name] if name else [],
        "style_title": named[0] if named else None,
        "style_titles": named,
        "classification_title": kind,
        "classification_titles": [kind, "prints and drawing"],
        "image_id": image_id(row) if has_image(row) else None,
        "alt_image_ids": [],
    } | _description(entry)


def _description(entry: Entry) -> dict[str, object]:
    """Fields that no listing is filtered by, a few of them odd."""
    facts = facts_of(entry)
    fields = {
        "place_of_origin": facts.country,
        "medium_display": facts.medium,
        "dimensions": f"{facts.height_cm:g} × {facts.width_cm:g} cm",
        "credit_line": facts.credit_line,
        "artwork_type_title": "Print" if entry.style in _KINDS else "Painting",
        "term_titles": [word.lower() for word in facts.tags],
        "subject_titles": [word.lower() for word in facts.tags[:1]],
        "material_titles": [facts.medium.split()[-1]],
    }
    return with_odd_values(fields, entry.row, fields)


def _years(entry: Entry) -> tuple[int | None, int | None]:
    """First and last year. "c. 1890" becomes ten years; without a year, nothing."""
    if entry.year is None:
        return None, None
    return (entry.year, entry.year) if entry.date_text == str(entry.year) else (entry.year - 5, entry.year + 5)


def _asked_fields(request: Request, work: dict[str, object]) -> dict[str, object]:
    """The fields that are asked for, all without; names that nobody knows are passed over."""
    asked = request.query.get("fields")
    return {name: value for name, value in work.items() if name in asked.split(",")} if asked else work


def _url(request: Request, page: int, limit: int) -> str:
    fields = request.query.get("fields")
    return f"{_API}?page={page}" + (f"&fields={fields.replace(',', '%2C')}" if fields else "") + f"&limit={limit}"


def _number(request: Request, name: str, default: int) -> int:
    text = request.query.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 10 else default


def _image(hall: Hall, path: str) -> Answer:
    found = _IMAGE.fullmatch(path)
    row = int(found[1], 16) if found else hall.size
    is_there = found and row < hall.size and has_image(row) and image_id(row) == found[1] + found[2]
    is_small = found and (is_open(row) or found[3] != "1686")
    return Answer(image=row) if is_there and is_small else NOT_FOUND


def _json(value: object, status: int = 200) -> Answer:
    return Answer(status, json.dumps(value, ensure_ascii=False).encode())
