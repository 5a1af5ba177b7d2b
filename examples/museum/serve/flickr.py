"""The museum as Flickr would have it: a group for all works and one for each style, by the API's lists of photographs.

Shape from documentation, not verified against the site.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from examples.museum.serve.facts import facts_of
from examples.museum.serve.hall import NOT_FOUND, Answer, Entry, Hall, Request

HOSTS = ("www.flickr.com", "live.staticflickr.com")
EVERYTHING = "34427469792@N01"

_FIRST_GROUP, _FIRST_PHOTO, _FIRST_MEMBER = 34427469793, 50_000_000_000, 100_000_000
_FIRST_UPLOAD_S = 1_400_000_000  # in May 2014
_MOST_FOUND = 4000
# one licence after the other, the whole collection through
LICENSES = (4, 9, 10, 5, 7, 0, 12, 8)
_SIZES = {"o": (10**9, "_o"), "l": (1024, "_b"), "c": (800, "_c"), "z": (640, "_z"), "m": (500, "")}
_METHODS = ("flickr.groups.pools.getPhotos", "flickr.photos.search")


def answer(hall: Hall, request: Request) -> Answer | None:
    """What Flickr answers, or None where the request is for somebody else's host."""
    if request.host == "live.staticflickr.com":
        return _image(hall, request.path)
    if request.host != "www.flickr.com":
        return None
    if request.path != "/services/rest/":
        return NOT_FOUND
    text = json.dumps(_content(hall, request.query), ensure_ascii=False)
    return Answer(body=(text if request.query.get("nojsoncallback") == "1" else f"jsonFlickrApi({text})").encode())


def group_of_style(hall: Hall, style: str) -> str:
    """The NSID of a style's group."""
    return f"{_FIRST_GROUP + list(hall.styles()).index(style)}@N01"


def _content(hall: Hall, query: Mapping[str, str]) -> dict[str, Any]:
    if not query.get("api_key"):
        return _fail(100, "Invalid API Key (Key not found)")
    method = query.get("method", "")
    if method not in _METHODS:
        return _fail(112, f'Method "{method}" not found')
    is_search = method == "flickr.photos.search"
    if is_search and not any(query.get(name) for name in ("group_id", "user_id", "text", "tags")):
        return _fail(3, "Parameterless searches have been disabled. Please use flickr.photos.getRecent instead.")
    rows = _rows(hall, query, is_search)
    if rows is None:
        return _fail(1, "Group not found")
    return {"photos": _listing(hall, rows, query, is_search), "stat": "ok"}


def _listing(hall: Hall, rows: Sequence[int], query: Mapping[str, str], is_search: bool) -> dict[str, Any]:
    """A page; a search's pages after the first 4,000 photographs have only what has been."""
    size, page = _number(query, "per_page", 100, 500), _number(query, "page", 1, 10_000)
    pages = -(-len(rows) // size)
    shown = min(page, pages, max(1, _MOST_FOUND // size)) if is_search else min(page, pages)
    artists, extras = hall.artists(), set(query.get("extras", "").split(","))
    found = rows[max(shown - 1, 0) * size : shown * size]
    members = {artist: number for number, artist in enumerate(artists)} if found else {}
    photos = [_photo(entry, members[entry.artist], extras) for entry in map(hall.entry, found)]
    return {
        "page": page if is_search else max(shown, 1),
        "pages": pages,
        "perpage": size,
        "total": len(rows),
        "photo": photos,
    }


def _number(query: Mapping[str, str], name: str, default: int, most: int) -> int:
    value = query.get(name, "")
    return min(max(int(value), 1), most) if value.isdecimal() and len(value) < 9 else default


def _rows(hall: Hall, query: Mapping[str, str], is_search: bool) -> Sequence[int] | None:
    """Rows of a group, of a member, with words that are an artist's or a style's name.

    None for a group that is not there.
    """
    group = query.get("group_id", EVERYTHING)
    if group == EVERYTHING:
        rows: Sequence[int] = range(hall.size)
    else:
        number, style = group.partition("@")[0], ""
        if number.isdecimal():
            style = next(islice(hall.styles(), max(int(number) - _FIRST_GROUP, 0), None), "")
        if not style or group != group_of_style(hall, style):
            return None
        rows = hall.rows_of_style(style)
    for wanted in _wanted(hall, query, is_search):
        known = set(wanted)
        rows = wanted if rows == range(hall.size) else [row for row in rows if row in known]
    licenses = query.get("license", "") if is_search else ""
    return (
        _licensed(rows, {int(part) for part in licenses.split(",") if part.isdecimal()}, hall.size)
        if licenses
        else rows
    )


def _wanted(hall: Hall, query: Mapping[str, str], is_search: bool) -> list[Sequence[int]]:
    wanted = []
    if member := query.get("user_id", ""):
        number = member.partition("@")[0]
        artist = (
            next(islice(hall.artists(), max(int(number) - _FIRST_MEMBER, 0), None), "") if number.isdecimal() else ""
        )
        wanted.append(hall.rows_of_artist(artist))
    if is_search:
        words = [query.get("text", ""), *query.get("tags", "").split(",")]
        wanted += [hall.rows_of_artist(word) or hall.rows_of_style(word) for word in words if word]
    return wanted


def _licensed(rows: Sequence[int], licenses: set[int], size: int) -> Sequence[int]:
    """Rows with one of these licences; of the whole collection, without looking at each."""
    places = [place for place, number in enumerate(LICENSES) if number in licenses]
    return _Every(places, size) if rows == range(size) else [row for row in rows if row % len(LICENSES) in places]


class _Every(Sequence[int]):
    """Rows below `size` that lie at these places of each round of licences."""

    def __init__(self, places: list[int], size: int) -> None:
        whole, rest = divmod(size, len(LICENSES))
        self._places, self._length = places, whole * len(places) + sum(place < rest for place in places)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(self._length))]
        if not 0 <= at < self._length:
            raise IndexError(f"expected a place from 0 to {self._length - 1}, got {at}")
        whole, rest = divmod(at, len(self._places))
        return whole * len(LICENSES) + self._places[rest]


def _photo(entry: Entry, member: int, extras: set[str]) -> dict[str, Any]:
    number, secret = str(_FIRST_PHOTO + entry.row), _secret(entry.row)
    photo: dict[str, Any] = {
        "id": number,
        "owner": f"{_FIRST_MEMBER + member}@N02",
        "secret": secret,
        "server": "65535",
        "farm": 66,
        "title": entry.title,
        "ispublic": 1,
        "isfriend": 0,
        "isfamily": 0,
    }
    asked: dict[str, dict[str, Any]] = {
        "license": {"license": str(LICENSES[entry.row % len(LICENSES)])},
        "owner_name": {"ownername": entry.artist},
        "media": {"media": "photo", "media_status": "ready"},
        "path_alias": {"pathalias": f"museum{member}" if member % 3 == 1 else None},
        "original_format": {"originalsecret": secret, "originalformat": entry.extension.lstrip(".")},
        "date_taken": _taken(entry),
        "tags": {"tags": " ".join(re.findall(r"[a-z]+", " ".join(facts_of(entry).tags).lower()))},
        "description": {"description": {"_content": f"<i>{entry.title}</i>, by {entry.artist}"}},
        "date_upload": {"dateupload": str(_FIRST_UPLOAD_S + 3600 * entry.row)},
    }
    for extra, fields in asked.items():
        photo |= fields if extra in extras else {}
    for letter in _SIZES:
        photo |= _sized(entry, letter) if f"url_{letter}" in extras else {}
    return photo


def _taken(entry: Entry) -> dict[str, Any]:
    """As lists have it: a day even where but a year is known; the day of the upload where nothing is."""
    if entry.year is None or not 1000 <= entry.year <= 2099:
        return {"datetaken": "2024-05-01 12:00:00", "datetakengranularity": "0", "datetakenunknown": "1"}
    granularity = "6" if entry.date_text == str(entry.year) else "8"
    return {"datetaken": f"{entry.year}-01-01 00:00:00", "datetakengranularity": granularity, "datetakenunknown": "0"}


def _sized(entry: Entry, letter: str) -> dict[str, Any]:
    """The size, where the original is at least as large."""
    side_px, suffix = _SIZES[letter]
    longer_px = max(entry.width_px, entry.height_px)
    if letter != "o" and longer_px < side_px:
        return {}
    scale = min(1.0, side_px / longer_px)
    leaf = f"{_FIRST_PHOTO + entry.row}_{_secret(entry.row)}{suffix}{entry.extension if letter == 'o' else '.jpg'}"
    return {
        f"url_{letter}": f"https://live.staticflickr.com/65535/{leaf}",
        f"height_{letter}": round(entry.height_px * scale),
        f"width_{letter}": round(entry.width_px * scale),
    }


def _secret(row: int) -> str:
    return hashlib.sha256(f"photo {row}".encode()).hexdigest()[:10]


def _image(hall: Hall, path: str) -> Answer:
    parts = path.removeprefix("/65535/").partition(".")[0].split("_")
    row = int(parts[0]) - _FIRST_PHOTO if parts[0].isdecimal() and len(parts[0]) < 20 else -1
    if not 0 <= row < hall.size or parts[1:2] != [_secret(row)]:
        return NOT_FOUND
    return Answer(image=row)


def _fail(code: int, message: str) -> dict[str, Any]:
    return {"stat": "fail", "code": code, "message": message}
