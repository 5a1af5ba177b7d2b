"""Flickr: photographs of a group's pool, or of a search, a page at a time.

Shape from documentation, not verified against the site: https://www.flickr.com/services/api/flickr.photos.search.html,
https://www.flickr.com/services/api/flickr.groups.pools.getPhotos.html
"""

import re
from datetime import date, timedelta
from typing import Any, cast
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from schemas.manners import Credential
from schemas.sources.flickr import FlickrSource
from tasks.core.passed_over import Tally
from tasks.core.scrape.html_pages import text_of_html
from tasks.core.scrape.web_source import (
    BadAnswer,
    ClaimedCount,
    Offer,
    OfferedValues,
    ParsedAnswer,
    SourceRequest,
    WebMuseum,
    extra_fields,
    object_of_json,
    quoted,
    split_texts,
)

HOSTS = ("www.flickr.com",)

_API = "https://www.flickr.com/services/rest/"
# after these, a search gives only what it gave before: https://github.com/douwekiela/mmfeat/issues/9
_MOST_FOUND = 4000
_SIZES = {1024: "url_l", 800: "url_c", 640: "url_z", 500: "url_m"}
_EXTRAS = ("license", "owner_name", "date_taken", "original_format", "media", "path_alias", "url_o", *_SIZES.values())
_CC = "https://creativecommons.org/"
# flickr.photos.licenses.getInfo; 11 to 16 came in June 2025 and are as another program has them, see
# docs/sources/flickr.md
_LICENSES = {
    0: ("All Rights Reserved", None),
    1: ("CC BY-NC-SA 2.0", f"{_CC}licenses/by-nc-sa/2.0/"),
    2: ("CC BY-NC 2.0", f"{_CC}licenses/by-nc/2.0/"),
    3: ("CC BY-NC-ND 2.0", f"{_CC}licenses/by-nc-nd/2.0/"),
    4: ("CC BY 2.0", f"{_CC}licenses/by/2.0/"),
    5: ("CC BY-SA 2.0", f"{_CC}licenses/by-sa/2.0/"),
    6: ("CC BY-ND 2.0", f"{_CC}licenses/by-nd/2.0/"),
    7: ("No known copyright restrictions", None),
    8: ("United States Government Work", None),
    9: ("Public Domain Dedication (CC0)", f"{_CC}publicdomain/zero/1.0/"),
    10: ("Public Domain Mark", f"{_CC}publicdomain/mark/1.0/"),
    11: ("CC BY 4.0", f"{_CC}licenses/by/4.0/"),
    12: ("CC BY-SA 4.0", f"{_CC}licenses/by-sa/4.0/"),
    13: ("CC BY-ND 4.0", f"{_CC}licenses/by-nd/4.0/"),
    14: ("CC BY-NC 4.0", f"{_CC}licenses/by-nc/4.0/"),
    15: ("CC BY-NC-SA 4.0", f"{_CC}licenses/by-nc-sa/4.0/"),
    16: ("CC BY-NC-ND 4.0", f"{_CC}licenses/by-nc-nd/4.0/"),
}
_OFFERS = {
    "photo_id": Offer("id", "integer", "Flickr's number of the photograph"),
    "title": Offer("title", "string", "the photographer's title, as in the column `title`"),
    "photographer": Offer("ownername", "string", "the name that the photographer goes by"),
    "photographer_id": Offer("owner", "string", "the photographer's NSID, which never changes"),
    "photographer_alias": Offer("pathalias", "string", "the photographer's name in addresses, if there is one"),
    "group": Offer("group", "string", "NSID of the group that the recipe asks for: the source's group_id"),
    "license_number": Offer("license", "integer", "Flickr's number of the licence, e.g. 4 for CC BY 2.0"),
    "taken_at": Offer("taken_at", "string", "day and time of the photograph; none where Flickr only knows its upload"),
    "taken_granularity": Offer("datetakengranularity", "integer", "0: exact, 4: a month, 6: a year, 8: about a year"),
    "original_format": Offer("originalformat", "string", "the original file's extension, if its owner shows the file"),
    "tags": Offer(
        "tags", "strings", "the photographer's tags, as Flickr writes them: small letters, no blanks", is_extra=True
    ),
    "description": Offer("description", "string", "what the photographer says of it, without HTML", is_extra=True),
    "uploaded_on": Offer("date_upload", "string", "the day of the upload (UTC), e.g. 2015-03-01", is_extra=True),
}
_OWNER = re.compile(r"[0-9]{1,15}@N[0-9]{2}")
_URL = re.compile(r"https?://[a-zA-Z0-9.-]+\.[a-zA-Z]+/[^\s\\]{1,1000}")
_TAKEN = re.compile(r"([12][0-9]{3})-([0-9]{2})-[0-9]{2}( [0-9:]{8})?")


def start_requests(source: FlickrSource) -> list[SourceRequest]:
    """The first page: of the pool, or of a search where the settings take one."""
    return [_page_request(source, 1)]


def parse(source: FlickrSource, request: SourceRequest, data: bytes) -> ParsedAnswer:
    """A row for each photograph of a page, and the next page. Raises BadAnswer, also where Flickr says that it failed.

    Each page claims as many photographs as Flickr says there are in all, even where a search gives but 4,000 of them.
    """
    photos = _photos(request, data)
    numbers = {name: _number(photos.get(name)) for name in ("page", "pages", "total")}  # some have come as text
    for name, number in numbers.items():
        if number is None:
            raise request.bad_answer(f"photos.{name} to be a number from 0", photos.get(name))
    page, pages, total = (number or 0 for number in numbers.values())
    listed, requested_page = photos.get("photo"), int(dict(parse_qsl(urlsplit(request.url).query))["page"])
    if not isinstance(listed, list) or len(listed) > source.page_size:
        raise request.bad_answer(f"photos.photo to be a list of {source.page_size} at most", listed)
    claims = (ClaimedCount(request.kind, total),)
    # a page beyond the last one comes as the last one: https://github.com/alexis-mignon/python-flickr-api/issues/54
    if page != requested_page:
        again = Tally()
        again.add("photographs of a page that came in place of one beyond the last", count=len(listed))
        return ParsedAnswer(claims=claims, passed_over=again.kinds())
    is_within = not source.is_search or page * source.page_size < _MOST_FOUND
    following = (_page_request(source, page + 1),) if listed and page < pages and is_within else ()
    return ParsedAnswer(tuple(_row(source, photo) for photo in listed), following, claims)


def _page_request(source: FlickrSource, page: int) -> SourceRequest:
    method = "flickr.photos.search" if source.is_search else "flickr.groups.pools.getPhotos"
    searched = _search_parameters(source) if source.is_search else {}
    given = {"group_id": source.group_id, "user_id": source.user_id, **searched}
    parameters = {
        "method": method,
        **{name: value for name, value in given.items() if value},
        "extras": ",".join([*_EXTRAS, *extra_fields(source, _OFFERS)]),
        "per_page": str(source.page_size),
        "page": str(page),
        "format": "json",
        "nojsoncallback": "1",
    }
    kind = "photographs found" if source.is_search else f"pool {source.group_id}"
    return SourceRequest(f"{_API}?{urlencode(parameters, quote_via=quote, errors='replace')}", kind, needs_secret=True)


def _search_parameters(source: FlickrSource) -> dict[str, str]:
    """What a search is asked for: photographs alone, oldest first, so that what is new does not move the pages."""
    since, before = source.uploaded_from, source.uploaded_before
    return {
        "text": source.text or "",
        "tags": ",".join(source.tags),
        "tag_mode": "all" if source.tags else "",
        "license": ",".join(str(number) for number in source.licenses),
        "min_upload_date": str(_midnight_s(since)) if since else "",
        "max_upload_date": str(_midnight_s(before) - 1) if before else "",
        "media": "photos",
        "sort": "date-posted-asc",
    }


def _midnight_s(day: date) -> int:
    """A day's begin, UTC, in seconds since 1970, which is no question of anybody's time zone."""
    return (day - date(1970, 1, 1)).days * 86400


def _photos(request: SourceRequest, data: bytes) -> dict[str, Any]:
    answer = object_of_json(request, data)
    if answer.get("stat") != "ok":
        status = [answer.get(name) for name in ("stat", "code", "message")]
        raise BadAnswer(f"{request.url}: expected stat 'ok', got stat, code and message {quoted(status)}")
    return cast("dict[str, Any]", request.checked(answer.get("photos"), dict, "photos to be an object"))


def _number(value: Any) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,15}", value):
        return int(value)
    return value if type(value) is int and 0 <= value < 10**15 else None


def _row(source: FlickrSource, photo: Any) -> dict[str, Any]:
    if not isinstance(photo, dict):
        return {"title": quoted(photo)}
    given, owner = photo.get("id"), _text(photo.get("owner"))
    key = given if isinstance(given, str) and re.fullmatch(r"[0-9]{1,20}", given) else None
    has_page = key and owner and _OWNER.fullmatch(owner)
    licence = _number(photo.get("license"))
    rights = (None, None) if licence is None else _LICENSES.get(licence, (f"Flickr licence {licence}", None))
    return {
        "key": key,
        "image": _image(source, photo),
        "source_url": f"https://www.flickr.com/photos/{owner}/{key}/" if has_page else None,
        "title": _text(photo.get("title")),
        "artist": _text(photo.get("ownername")),
        "date_text": _date(photo),
        "rights_uri": rights[1],
        "rights_text": rights[0],
        "offers": OfferedValues(_OFFERS, _offered_fields, source, photo),
    }


def _offered_fields(source: FlickrSource, photo: dict[str, Any]) -> dict[str, Any]:
    uploaded_s = _number(photo.get("dateupload")) or 0
    return {
        **photo,
        "title": _text(photo.get("title")),
        "description": text_of_html(_text(photo.get("description"))),
        "group": source.group_id,
        "taken_at": photo.get("datetaken") if _has_date(photo) else None,
        "tags": split_texts(photo.get("tags"), " "),
        "date_upload": str(date(1970, 1, 1) + timedelta(seconds=uploaded_s)) if 0 < uploaded_s < 2**32 else None,
    }


def _text(value: Any) -> str | None:
    """Text as lists have it, or in an object's _content, as Flickr writes it where it has more to say."""
    text = value.get("_content") if isinstance(value, dict) else value
    return text if isinstance(text, str) else None


def _image(source: FlickrSource, photo: dict[str, Any]) -> str | None:
    """Of a photograph the wished size, else the next smaller one, the original if that is all; None of a film."""
    names = [name for side_px, name in _SIZES.items() if source.long_side_px is None or side_px <= source.long_side_px]
    wished = [*names, "url_o"] if source.long_side_px else ["url_o", *names]
    urls = (url for name in wished if isinstance(url := photo.get(name), str) and _URL.fullmatch(url))
    url = next(urls, None) if photo.get("media", "photo") == "photo" else None
    return url and re.sub(r"^http:", "https:", url)


def _date(photo: dict[str, Any]) -> str | None:
    """When it was taken, no finer than its owner knows; None where Flickr put in the day of its upload."""
    taken = photo.get("datetaken")
    match = _TAKEN.fullmatch(taken) if isinstance(taken, str) else None
    if match is None or not _has_date(photo):
        return None
    year, month = match[1], match[2]
    # 0 is to the second: https://www.flickr.com/services/api/misc.dates.html
    by_granularity = {4: f"{year}-{month}", 6: year, 8: f"circa {year}"}
    return by_granularity.get(_number(photo.get("datetakengranularity", 0)) or 0, match[0])


def _has_date(photo: dict[str, Any]) -> bool:
    return _number(photo.get("datetakenunknown", 0)) == 0


MUSEUM = WebMuseum(HOSTS, start_requests, parse, _OFFERS, Credential("www.flickr.com", "api_key"))
