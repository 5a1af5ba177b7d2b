"""Wikimedia Commons: categories, their subcategories, and the files in them, by the API of MediaWiki.

An answer may be incomplete: files first come without their metadata, which follow in the answers that continue it
(https://www.mediawiki.org/wiki/API:Continue). So only the answer with a file's `imageinfo` gives its row.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from schemas.sources.commons import CommonsSource
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
    object_of_json,
    of_containers,
    quoted,
    split_texts,
)

HOSTS = ("commons.wikimedia.org",)

_API = "https://commons.wikimedia.org/w/api.php"
_COMMON = {"action": "query", "format": "json", "formatversion": "2"}
_METADATA = "Artist|Categories|Credit|DateTimeOriginal|License|LicenseShortName|LicenseUrl|ObjectName|UsageTerms"
_OFFERS = {
    "page_id": Offer("pageid", "integer", "the number of the file's page"),
    "file_name": Offer("title", "string", "the file's name with its extension"),
    "author": Offer("Artist", "string", "who made the file, as its page says; of a photograph the photographer"),
    "categories": Offer("Categories", "strings", "names of the categories that the file is in, hidden ones too"),
    "credit": Offer("Credit", "string", "where the file comes from, e.g. Own work or a museum's address"),
    "license": Offer("License", "string", "the licence's template in lower case, e.g. pd or cc-by-sa-4.0"),
    "license_short_name": Offer("LicenseShortName", "string", "the licence's name, e.g. CC BY-SA 4.0"),
    "license_url": Offer("LicenseUrl", "string", "the licence's address, as the file's page gives it"),
    "usage_terms": Offer("UsageTerms", "string", "the terms of use in words"),
    "mime": Offer("mime", "string", "the original file's type, e.g. image/jpeg"),
    "original_width_px": Offer("width", "integer", "the original file's width in pixels"),
    "original_height_px": Offer("height", "integer", "the original file's height in pixels"),
    "original_bytes": Offer("size", "integer", "the original file's size in bytes"),
    "uploader": Offer("user", "string", "the user who put the file on Commons", is_extra=True),
    "description": Offer("ImageDescription", "string", "what the file's page says that it shows", is_extra=True),
}
_HTML_FIELDS = ("Artist", "Credit", "ImageDescription", "LicenseShortName", "UsageTerms")
# with a width, the API scales 50 files at most in one answer; without one, 250 keep answers below its limit of 12 MiB
_FILES_SCALED, _FILES_UNSCALED, _SUBCATEGORIES = 50, 250, 500
_CONTINUATION = re.compile(r"[a-z]{0,16}(continue|offset)")
_BITMAPS = frozenset(
    {"image/jpeg", "image/png", "image/gif", "image/tiff", "image/webp", "image/bmp", "image/x-bmp", "image/x-ms-bmp"}
)
_BITMAP_NAME = re.compile(r"\.(jpe?g|png|gif|tiff?|webp|bmp)$", re.I)
_OPEN = re.compile(
    r"(?:https?:)?//(?:www\.)?creativecommons\.org/"
    r"(licenses/[a-z]+(?:-[a-z]+)*/\d\.\d(?:/[a-z]{2,5})?|publicdomain/(?:zero|mark)/1\.0)(?:/(?:deed|legalcode)[\w.-]*)?/?",
    re.I,
)
_STATEMENT = re.compile(
    r"(?:https?:)?//(?:www\.)?rightsstatements\.org/(?:vocab|page)/([A-Z-]+/1\.0)/?(?:\?\S*)?", re.I
)
_TEMPLATE = re.compile(r"cc-(by(?:-nc)?(?:-sa|-nd)?)-(\d\.\d)(?:-([a-z]{2}))?")
_CC = "https://creativecommons.org/"
_ADDRESS = re.compile(r"(https?:)?//[^/\s?#@\\]+\.[^\s\\]*")


def start_requests(source: CommonsSource) -> list[SourceRequest]:
    """Requests for each category's number of files, its files and, as far as `depth` says, its subcategories."""
    requests = []
    for name in dict.fromkeys(source.categories):
        title = f"Category:{name}"
        requests.append(_request(title, {"prop": "categoryinfo", "titles": title}))
        requests.extend(_member_requests(source, name, source.depth))
    return requests


def parse(source: CommonsSource, request: SourceRequest, data: bytes) -> ParsedAnswer:
    """A row for each file with `imageinfo`, by its page's number, which outlasts its name. Raises BadAnswer.

    A category claims the number of its files, each answer of the files in it, so that their sum can be compared.
    """
    answer = object_of_json(request, data)
    if (fault := answer.get("error")) is not None:
        message = [fault.get("code"), fault.get("info")] if isinstance(fault, dict) else fault
        raise BadAnswer(f"{request.url}: expected an answer, got the error {quoted(message)}")
    parameters = dict(parse_qsl(urlsplit(request.url).query))
    pages, following = _pages(request, answer), _continuation(request, parameters, answer)
    if "titles" in parameters:
        return ParsedAnswer((), following, tuple(_claimed_counts(request, pages)))
    if parameters.get("gcmtype") == "subcat":
        return _subcategories(source, parameters, pages, following)
    continued = {name for name in parameters if name.endswith("continue")}
    is_whole = "batchcomplete" in answer and continued <= {"continue", "gcmcontinue"}
    rows, left_out = [], Tally()
    for page in pages:
        if (row := _row(source, page, is_whole)) is None:
            left_out.add("files that another answer has with all that is known of them", str(page.get("title")))
        else:
            rows.append(row)
    # the category's own number of files is compared with all its answers
    claims = (ClaimedCount(parameters.get("gcmtitle", ""), len(rows)),)
    return ParsedAnswer(tuple(rows), following, claims, left_out.kinds())


def _member_requests(source: CommonsSource, name: str, levels: int) -> Iterator[SourceRequest]:
    """Requests for a category's files, and for its subcategories; the number of levels left is part of the request."""
    members = {"generator": "categorymembers", "gcmtitle": f"Category:{name}"}
    files = {
        "gcmtype": "file",
        "gcmlimit": str(_FILES_SCALED if source.width_px else _FILES_UNSCALED),
        "prop": "imageinfo",
        "iiprop": "url|size|mime|mediatype|extmetadata" + ("|user" if "uploader" in source.more_offers else ""),
        "iiextmetadatalanguage": "en",
        "iiextmetadatafilter": _METADATA + ("|ImageDescription" if "description" in source.more_offers else ""),
        **({"iiurlwidth": str(source.width_px)} if source.width_px else {}),
    }
    yield _request(f"Category:{name}", members | files)
    if levels > 0:
        below = {"gcmtype": "subcat", "gcmlimit": str(_SUBCATEGORIES), "prop": "categoryinfo"}
        yield _request(f"subcategories of Category:{name}", members | below | {"requestid": f"levels-{levels}"})


def _request(kind: str, parameters: Mapping[str, str]) -> SourceRequest:
    return SourceRequest(f"{_API}?{urlencode({**_COMMON, **parameters}, quote_via=quote, errors='replace')}", kind)


def _pages(request: SourceRequest, answer: dict[str, Any]) -> list[Any]:
    """The pages in an answer; none for an empty category, whose answer has no `query` but is marked as complete."""
    query = answer.get("query")
    if query is None and ("batchcomplete" in answer or "continue" in answer):
        return []
    pages = query.get("pages") if isinstance(query, dict) else None
    if isinstance(pages, dict):  # formatversion=1, in stored answers
        pages = list(pages.values())
    if not isinstance(pages, list):
        raise request.bad_answer("query.pages to be a list", answer if query is None else query)
    return pages


def _continuation(
    request: SourceRequest, parameters: dict[str, str], answer: dict[str, Any]
) -> tuple[SourceRequest, ...]:
    """The request that continues this one: its parameters and everything in `continue`."""
    more = request.checked(answer.get("continue", {}), dict, "continue to be an object")
    for name, value in more.items():
        if not _CONTINUATION.fullmatch(name) or type(value) not in {str, int} or len(str(value)) > 2000:
            raise request.bad_answer("continue to hold tokens", {name: value})
    begin = {name: value for name, value in parameters.items() if not _CONTINUATION.fullmatch(name)}
    tokens = {name: str(more[name]) for name in sorted(more)}
    return (_request(request.kind, begin | tokens),) if more else ()


def _claimed_counts(request: SourceRequest, pages: list[Any]) -> Iterator[ClaimedCount]:
    for page in pages:
        name, count = _category(page), _file_count(page)
        if name is None or count is None:
            raise request.bad_answer("a category that exists", page)
        yield ClaimedCount(f"Category:{name}", count)


def _subcategories(
    source: CommonsSource, parameters: dict[str, str], pages: list[Any], following: tuple[SourceRequest, ...]
) -> ParsedAnswer:
    level = parameters.get("requestid", "").removeprefix("levels-")
    left = int(level) - 1 if level.isdecimal() and len(level) < 3 else 0
    rows, requests, claims, left_out = [], list(following), [], Tally()
    for page in pages:
        name = _category(page)
        if name is None:
            rows.append({"title": quoted(page)})
        elif name in source.exclude:
            left_out.add("subcategories that the recipe excludes", name)
        else:
            requests.extend(_member_requests(source, name, left))
            if (count := _file_count(page)) is not None:
                claims.append(ClaimedCount(f"Category:{name}", count))
    return ParsedAnswer(tuple(rows), tuple(requests), tuple(claims), of_containers("categories", pages, left_out))


def _category(page: Any) -> str | None:
    title = page.get("title") if isinstance(page, dict) else None
    if not isinstance(title, str) or not title.startswith("Category:") or len(title) > 300 or "|" in title:
        return None
    return title.removeprefix("Category:").strip() or None


def _file_count(page: Any) -> int | None:
    info = page.get("categoryinfo") if isinstance(page, dict) else None
    count = info.get("files") if isinstance(info, dict) else None
    return count if type(count) is int and 0 <= count < 2**53 else None


def _row(source: CommonsSource, page: Any, is_whole: bool) -> dict[str, Any] | None:
    """A file's row; None if another answer has its metadata."""
    if not isinstance(page, dict):
        return {"title": quoted(page)}
    number, name, infos = page.get("pageid"), page.get("title"), page.get("imageinfo")
    title = name if isinstance(name, str) else None
    key = str(number) if type(number) is int and 0 < number < 2**53 else None
    info = infos[0] if isinstance(infos, list) and infos else None
    if not isinstance(info, dict):
        is_lost = is_whole or "imageinfo" in page or "missing" in page or "imagerepository" in page
        return {"key": key, "title": title} if is_lost else None
    metadata = _metadata(info)
    categories = {category.strip().replace("_", " ") for category in metadata.get("Categories", "").split("|")}
    styles = list(dict.fromkeys(style for category, style in source.styles.items() if category in categories))
    file_name = re.sub(r"\.\w{2,5}$", "", title.removeprefix("File:")) if title else None
    return {
        "key": key,
        "image": _image(source, info),
        "source_url": _url(info.get("descriptionurl")) or _url(info.get("descriptionshorturl")),
        "title": text_of_html(metadata.get("ObjectName")) or file_name,
        "artist": text_of_html(metadata.get("Artist")),
        "style": styles[0] if styles else None,
        "styles": styles,
        "date_text": text_of_html(metadata.get("DateTimeOriginal")),
        **_rights(metadata),
        "offers": OfferedValues(_OFFERS, _offered_fields, page, info, metadata),
    }


def _offered_fields(page: dict[str, Any], info: dict[str, Any], metadata: Mapping[str, str]) -> dict[str, Any]:
    title = page.get("title")
    return {
        **info,
        **metadata,
        "pageid": page.get("pageid"),
        "title": title.removeprefix("File:") if isinstance(title, str) else None,
        "Categories": [name.replace("_", " ") for name in split_texts(metadata.get("Categories"), "|")],
        **{name: text_of_html(metadata.get(name)) for name in _HTML_FIELDS},
    }


def _metadata(info: dict[str, Any]) -> dict[str, str]:
    fields = info.get("extmetadata")
    given = fields.items() if isinstance(fields, dict) else ()
    values = {name: field.get("value") for name, field in given if isinstance(field, dict)}
    return {name: value for name, value in values.items() if isinstance(value, str)}


def _image(source: CommonsSource, info: dict[str, Any]) -> str | None:
    """The address of a bitmap, in the wished width; None of another file."""
    original, mime, media = _url(info.get("url")), info.get("mime"), info.get("mediatype")
    is_bitmap = bool(_BITMAP_NAME.search(urlsplit(original or "").path))
    if isinstance(media, str):
        is_bitmap = media == "BITMAP"
    if isinstance(mime, str):
        is_bitmap = mime in _BITMAPS
    return ((source.width_px and _url(info.get("thumburl"))) or original) if is_bitmap else None


def _url(value: Any) -> str | None:
    """An address on the web, over https, without the utm_ parameters with which Wikimedia identifies the caller."""
    if not (isinstance(value, str) and _ADDRESS.fullmatch(value) and len(value) <= 2000):
        return None
    try:
        parts = urlsplit(value)
        is_named = bool(parts.hostname and parts.hostname.isascii() and parts.port != 0)
    except ValueError:
        return None
    query = "&".join(part for part in parts.query.split("&") if not part.startswith("utm_"))
    return parts._replace(scheme="https", query=query).geturl() if is_named else None


def _rights(metadata: Mapping[str, str]) -> dict[str, str | None]:
    """The licence's URI, and its words; with its address behind them where that is no URI of an open licence."""
    uri = _rights_uri(metadata)
    words = text_of_html(metadata.get("LicenseShortName")) or text_of_html(metadata.get("UsageTerms"))
    elsewhere = None if uri else _url(metadata.get("LicenseUrl", "").strip())
    return {"rights_uri": uri, "rights_text": f"{words or 'Licence'}: {elsewhere}" if elsewhere else words}


def _rights_uri(metadata: Mapping[str, str]) -> str | None:
    """The licence's URI: from its field, or from the name of its template; None if neither gives one."""
    given, template = metadata.get("LicenseUrl", "").strip(), metadata.get("License", "").strip().lower()
    if match := _OPEN.fullmatch(given):
        return f"{_CC}{match[1].lower()}/"
    if match := _STATEMENT.fullmatch(given):
        return f"http://rightsstatements.org/vocab/{match[1]}/"
    if given:
        return None
    if template == "pd" or template.startswith("pd-"):
        return f"{_CC}publicdomain/mark/1.0/"
    if template in {"cc0", "cc-zero"}:
        return f"{_CC}publicdomain/zero/1.0/"
    match = _TEMPLATE.fullmatch(template)
    return f"{_CC}licenses/{'/'.join(filter(None, match.groups()))}/" if match else None


MUSEUM = WebMuseum(HOSTS, start_requests, parse, _OFFERS)
