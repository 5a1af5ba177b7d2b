"""The museum as Wikimedia Commons would have it: a category for each style and artist, in a tree that holds a loop.

Shapes as in recorded answers (with formatversion 2 in place of 1), where what is known of a batch of files comes in
parts.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from examples.museum.serve.facts import facts_of, with_odd_values
from examples.museum.serve.hall import NOT_FOUND, Answer, Entry, Hall, Request

HOSTS = ("commons.wikimedia.org", "upload.wikimedia.org", "thumb.wikimedia.org")
ROOT = "Paintings in the Museum"

_STEPS = (20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920, 3840)
_FIRST_PAGE = 40_000_000
# how many files are described in one answer: the API scales 50, and stops sooner where an answer grows too large
_DESCRIBED = 20
_MOST = 500
_MIMES = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".gif": "image/gif",
    ".bmp": "image/x-bmp",
}
_ADJECTIVES = {
    "Romanticism": "Romantic",
    "Realism": "Realist",
    "Impressionism": "Impressionist",
    "Pointillism": "Pointillist",
    "Post-Impressionism": "Post-Impressionist",
    "Fauvism": "Fauvist",
    "Expressionism": "Expressionist",
    "Cubism": "Cubist",
}
_THINGS = {
    "Ukiyo-e": "Ukiyo-e",
    "Ink Wash Painting": "Ink wash paintings",
    "Etching": "Etchings",
    "Icon Painting": "Icons",
    "Naive Art": "Naïve art",
    "Pop Art": "Pop art",
    "Fresco": "Frescos",
    "Stained Glass": "Stained glass",
    "Mosaic": "Mosaics",
    "Watercolor": "Watercolor paintings",
}
_CREDITS = (
    '<span class="int-own-work" lang="en">Own work</span>',
    '<a rel="nofollow" class="external free" href="https://museum.example/1">https://museum.example/1</a> The Museum',
)
_FILE = re.compile(r"/wikipedia/commons/[0-9a-f]/[0-9a-f]{2}/([^/]+)")
_THUMB = re.compile(r"/wikipedia/commons/thumb/[0-9a-f]/[0-9a-f]{2}/([^/]+)/(?:lossy-page1-)?([0-9]{1,5})px-[^/]+")


def answer(hall: Hall, request: Request) -> Answer | None:
    """What Commons answers, or None where the request is for somebody else's host."""
    if request.host not in HOSTS:
        return None
    if request.host == "commons.wikimedia.org":
        return _api(hall, request.query) if request.path == "/w/api.php" else NOT_FOUND
    if found := _THUMB.fullmatch(request.path):
        if int(found[2]) not in _STEPS:
            return Answer(400, b"Use thumbnail steps listed on https://w.wiki/GHai.", "text/plain; charset=utf-8")
        return _image(hall, found[1])
    found = _FILE.fullmatch(request.path)
    return _image(hall, found[1]) if found and request.host == "upload.wikimedia.org" else NOT_FOUND


def category_of_style(style: str) -> str:
    """What Commons calls the works of a style.

    >>> category_of_style("Impressionism"), category_of_style("Mosaic"), category_of_style("Baroque")
    ('Impressionist paintings', 'Mosaics', 'Baroque paintings')
    """
    return _THINGS.get(style) or f"{_ADJECTIVES.get(style, style)} paintings"


def file_name(entry: Entry) -> str:
    """The title of a work's file, with its row, since many works have one title."""
    words = re.sub(r"[#<>\[\]|{}/:_\s]+", " ", f"{entry.artist} - {entry.title}")[:150].strip()
    return f"{words[:1].upper()}{words[1:]} - M{entry.row}{entry.extension}"


def _api(hall: Hall, query: Any) -> Answer:
    if query.get("action") != "query" or query.get("format") != "json" or query.get("formatversion") != "2":
        return _error("badvalue", 'Unrecognized value for parameter "action".')
    if titles := query.get("titles"):
        pages = [_category(hall, title.removeprefix("Category:")) for title in titles.split("|")[:50]]
        return _json({"batchcomplete": True, "query": {"pages": pages}})
    title = query.get("gcmtitle", "")
    if query.get("generator") != "categorymembers" or not title.startswith("Category:"):
        return _error("invalidcategory", "The category name you entered is not valid.")
    limit = query.get("gcmlimit", "10")
    if not limit.isdecimal() or not 1 <= int(limit) <= _MOST:
        return _error("badinteger", f'Invalid value "{limit}" for integer parameter "gcmlimit".')
    name = title.removeprefix("Category:").replace("_", " ")
    query = {**query, "gcmlimit": limit}
    echo = {"requestid": query["requestid"]} if "requestid" in query else {}
    if query.get("gcmtype") == "subcat":
        return _subcategories(hall, _subcategories_of(hall, name), query, echo)
    return _files(hall, _rows_of(hall, name), query, echo)


def _styles(hall: Hall) -> dict[str, str]:
    return {category_of_style(style): style for style in hall.styles()}


def _rows_of(hall: Hall, name: str) -> Sequence[int]:
    if style := _styles(hall).get(name):
        return hall.rows_of_style(style)
    return hall.rows_of_artist(name.removeprefix("Paintings by ")) if name.startswith("Paintings by ") else ()


def _subcategories_of(hall: Hall, name: str) -> list[str]:
    """Styles lie below the root, and the root below the first of them: the loop, as there are on Commons."""
    styles = list(_styles(hall))
    if name == ROOT:
        return [*styles, "Paintings by artist"]
    if name == "Paintings by artist":
        return [f"Paintings by {artist}" for artist in hall.artists()]
    return [ROOT] if name in styles[:1] else []


def _category(hall: Hall, name: str) -> dict[str, Any]:
    files, subcats = len(_rows_of(hall, name)), len(_subcategories_of(hall, name))
    if not files + subcats:
        return {"ns": 14, "title": f"Category:{name}", "missing": True}
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:3], "big") + 1
    info = {"size": files + subcats, "pages": 0, "files": files, "subcats": subcats, "hidden": False}
    return {"pageid": number, "ns": 14, "title": f"Category:{name}", "categoryinfo": info}


def _subcategories(hall: Hall, names: list[str], query: Any, echo: dict[str, Any]) -> Answer:
    begin, limit = query.get("gcmcontinue", "subcat||0").rpartition("|")[2], int(query["gcmlimit"])
    if not begin.isdecimal():
        return _bad_continue()
    last = int(begin) + limit
    more = (
        {"continue": {"gcmcontinue": f"subcat|{_hex(names[last])}|{last}", "continue": "gcmcontinue||"}}
        if last < len(names)
        else {}
    )
    pages = [_category(hall, name) for name in names[int(begin) : last]]
    return _json({"batchcomplete": True, **more, **echo, **({"query": {"pages": pages}} if pages else {})})


def _files(hall: Hall, rows: Sequence[int], query: Any, echo: dict[str, Any]) -> Answer:
    """A batch of files, described a part at a time; only the last part knows of the next batch."""
    begin, place = query.get("gcmcontinue", "file||0").rpartition("|")[2], query.get("iicontinue", "0")
    place = place.rpartition("|")[2]
    if not begin.isdecimal() or not place.isdecimal():
        return _bad_continue()
    first, described = int(begin), int(place)
    last = min(first + int(query["gcmlimit"]), len(rows))
    pages = [
        _page(hall.entry(row), query, described <= at < described + _DESCRIBED)
        for at, row in enumerate(rows[first:last])
    ]
    if described + _DESCRIBED < last - first:
        token = (
            f"{file_name(hall.entry(rows[first + described + _DESCRIBED])).replace(' ', '_')}|{described + _DESCRIBED}"
        )
        begun = {"gcmcontinue": query["gcmcontinue"]} if "gcmcontinue" in query else {}
        more: dict[str, Any] = {"iicontinue": token, **begun, "continue": "gcmcontinue||" if begun else "||"}
        return _json({"continue": more, **echo, "query": {"pages": pages}})
    next_batch = {"gcmcontinue": f"file|{_hex(str(last))}|{last}", "continue": "gcmcontinue||"}
    known = {"continue": next_batch} if last < len(rows) else {}
    return _json({"batchcomplete": True, **known, **echo, **({"query": {"pages": pages}} if pages else {})})


def _page(entry: Entry, query: Any, is_described: bool) -> dict[str, Any]:
    name = file_name(entry)
    page: dict[str, Any] = {"pageid": _FIRST_PAGE + entry.row, "ns": 6, "title": f"File:{name}"}
    if is_described and "imageinfo" in query.get("prop", ""):
        page |= {"imagerepository": "local", "imageinfo": [_info(entry, name, query)]}
    return page


def _info(entry: Entry, name: str, query: Any) -> dict[str, Any]:
    width, asked = query.get("iiurlwidth", ""), query.get("iiextmetadatafilter", "").split("|")
    more = {"ImageDescription": f"<p>{escape(entry.title)}</p>"} if "ImageDescription" in asked else {}
    path = _path(name)
    original = f"https://upload.wikimedia.org/wikipedia/commons/{path}"
    page = quote(name.replace(" ", "_"), safe="(),;:!*'")
    return {
        "size": entry.width_px * entry.height_px // 4,
        "width": entry.width_px,
        "height": entry.height_px,
        **(_thumb(entry, name, int(width)) if width.isdecimal() else {}),
        "url": original,
        "descriptionurl": f"https://commons.wikimedia.org/wiki/File:{page}",
        "descriptionshorturl": f"https://commons.wikimedia.org/w/index.php?curid={_FIRST_PAGE + entry.row}",
        "mime": _MIMES.get(entry.extension.lower(), "image/jpeg"),
        "mediatype": "BITMAP",
        **({"user": f"Uploader {entry.row % 5}"} if "user" in query.get("iiprop", "").split("|") else {}),
        "extmetadata": _metadata(entry, more),
    }


def _thumb(entry: Entry, name: str, width_px: int) -> dict[str, Any]:
    """The next standard step; of a file that is not so wide, the file itself. Both with the marks of who asks."""
    marks = "utm_source=commons.wikimedia.org&utm_campaign=imageinfo&utm_content=thumbnail"
    step = next((step for step in _STEPS if step >= width_px), _STEPS[-1])
    path = _path(name)
    if step >= entry.width_px:
        url, step = f"https://upload.wikimedia.org/wikipedia/commons/{path}?{marks}_unscaled", entry.width_px
    else:
        # a TIFF is scaled to a JPEG, a WebP to a PNG
        prefix, suffix = {".tif": ("lossy-page1-", ".jpg"), ".webp": ("", ".png")}.get(entry.extension, ("", ""))
        leaf = f"{prefix}{step}px-{path.rpartition('/')[2]}{suffix}"
        url = f"https://thumb.wikimedia.org/wikipedia/commons/thumb/{path}/{leaf}?{marks}"
    return {"thumburl": url, "thumbwidth": step, "thumbheight": max(1, round(entry.height_px * step / entry.width_px))}


def _metadata(entry: Entry, more: dict[str, str]) -> dict[str, Any]:
    facts = facts_of(entry)
    own = [
        category_of_style(entry.style),
        f"Paintings by {entry.artist}",
        "CC-PD-Mark",
        f"{facts.genre.title()}_in_art",
    ]
    values = {
        "Artist": _artist(entry),
        "Categories": "|".join(sorted(own)),
        **with_odd_values({"Credit": _CREDITS[entry.row % len(_CREDITS)]}, entry.row, {"Credit"}),
        "DateTimeOriginal": f'{escape(entry.date_text)}<div style="display: none;">date '
        "QS:P,+0000-00-00T00:00:00Z/9</div>",
        "ObjectName": _title(entry),
        **_licence(entry.row),
        **more,
    }
    return {name: {"value": value, "source": "commons-desc-page", "hidden": ""} for name, value in values.items()}


def _artist(entry: Entry) -> str:
    """A name as templates of Commons write it: linked, as an hCard, or plain."""
    name = escape(entry.artist, quote=False)
    page = quote(entry.artist.replace(" ", "_"))
    linked = (
        f'<bdi><a href="https://en.wikipedia.org/wiki/en:{page}" class="extiw" '
        f'title="w:en:{escape(entry.artist)}">{name}</a>\n</bdi>'
    )
    return (linked, f'<div class="fn value">\n{name}</div>', name)[entry.row % 3]


def _title(entry: Entry) -> str:
    title = escape(entry.title, quote=False)
    hidden = f'<div style="display: none;">label QS:Len,"{title}"</div>'
    card = (
        '<div class="fn">\n<span style="font-weight:bold"><span dir="ltr" '
        f'lang="en"><i>{title}</i></span></span>{hidden}\n</div>'
    )
    return card if entry.row % 2 else title


def _licence(row: int) -> dict[str, str]:
    return (
        {"License": "pd", "LicenseShortName": "Public domain", "UsageTerms": "Public domain"},
        {
            "License": "cc0",
            "LicenseShortName": "CC0",
            "LicenseUrl": "http://creativecommons.org/publicdomain/zero/1.0/deed.en",
        },
        {
            "License": "cc-by-sa-4.0",
            "LicenseShortName": "CC BY-SA 4.0",
            "LicenseUrl": "https://creativecommons.org/licenses/by-sa/4.0",
        },
    )[row % 3]


def _path(name: str) -> str:
    stored = name.replace(" ", "_")
    digest = hashlib.md5(stored.encode(), usedforsecurity=False).hexdigest()
    return f"{digest[0]}/{digest[:2]}/{quote(stored)}"


def _image(hall: Hall, stored: str) -> Answer:
    found = re.search(r"_-_M([0-9]{1,9})\.\w+$", stored)
    row = int(found[1]) if found else hall.size
    if row >= hall.size or file_name(hall.entry(row)).replace(" ", "_") != stored:
        return NOT_FOUND
    return Answer(image=row)


def _hex(text: str) -> str:
    return text.encode().hex()[:40]


def _bad_continue() -> Answer:
    return _error(
        "badcontinue", "Invalid continue param. You should pass the original value returned by the previous query."
    )


def _error(code: str, info: str) -> Answer:
    more = "See https://commons.wikimedia.org/w/api.php for API usage."
    return _json({"error": {"code": code, "info": info, "docref": more}, "servedby": "mw-api-ext.museum"})


def _json(value: Any) -> Answer:
    return Answer(body=json.dumps(value, ensure_ascii=False).encode())
