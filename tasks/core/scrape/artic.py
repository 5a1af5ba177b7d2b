"""The Art Institute of Chicago: the pages of its API's list of artworks, with all fields."""

import re
from typing import Any

from schemas.sources.artic import ArticSource
from tasks.core.passed_over import Tally
from tasks.core.scrape.web_source import (
    QUALIFIER,
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
    text_without_tags,
)

HOSTS = ("api.artic.edu",)

_ARTWORKS = "https://api.artic.edu/api/v1/artworks"
_PAGE = "https://www.artic.edu/artworks"
_IIIF = "https://www.artic.edu/iiif/2"
_CC0 = "https://creativecommons.org/publicdomain/zero/1.0/"
_FIELDS = (
    "id,title,artist_title,artist_display,date_display,date_start,date_end,style_title,style_titles,"
    "classification_title,classification_titles,department_title,is_public_domain,copyright_notice,image_id"
)
_OFFERS = {
    "object_id": Offer("id", "integer", "the museum's number of the work"),
    "department_title": Offer("department_title", "string", "the museum's department that has the work"),
    "classification_title": Offer("classification_title", "string", "the museum's main class of it, e.g. etching"),
    "classification_titles": Offer("classification_titles", "strings", "all classes of the work, the main one first"),
    "artist_display": Offer("artist_display", "string", "the artist's name, nationality and years in words"),
    "date_start": Offer("date_start", "integer", "the first year in which it may be made, negative before Christ"),
    "date_end": Offer("date_end", "integer", "the last year in which it may be made, negative before Christ"),
    "is_public_domain": Offer("is_public_domain", "boolean", "whether the museum counts it as in the public domain"),
    "image_id": Offer("image_id", "string", "the museum's name of the image"),
    "medium_display": Offer("medium_display", "string", "materials and technique in words", is_extra=True),
    "place_of_origin": Offer("place_of_origin", "string", "where the work was made", is_extra=True),
    "artwork_type_title": Offer("artwork_type_title", "string", "what kind of work it is, e.g. Print", is_extra=True),
    "dimensions": Offer("dimensions", "string", "the work's size in words", is_extra=True),
    "credit_line": Offer("credit_line", "string", "how the work came to the museum, in words", is_extra=True),
    "accession_number": Offer("main_reference_number", "string", "the work's inventory number", is_extra=True),
    "term_titles": Offer("term_titles", "strings", "all words that the museum has given the work", is_extra=True),
    "subject_titles": Offer("subject_titles", "strings", "words for what it shows", is_extra=True),
    "material_titles": Offer("material_titles", "strings", "words for its materials", is_extra=True),
    "artist_titles": Offer("artist_titles", "strings", "names of all artists, the main one first", is_extra=True),
}
_MOST_WORKS = 10_000_000
_IMAGE_ID = re.compile(r"[0-9A-Za-z-]{8,64}")


def start_requests(source: ArticSource) -> list[SourceRequest]:
    """The first page of the list."""
    return [_page_request(source, 1)]


def parse(source: ArticSource, request: SourceRequest, data: bytes) -> ParsedAnswer:
    """A row for each wanted work of a page. The first leads to all others, so none needs another. Raises BadAnswer."""
    answer = object_of_json(request, data)
    page, works = _page_number(request), answer.get("data")
    total = _total(source, request, answer.get("pagination"))
    if not isinstance(works, list) or len(works) > source.page_size:
        got = f"a list of {len(works)}" if isinstance(works, list) else quoted(works)
        raise BadAnswer(f"{request.url}: expected data to be a list of at most {source.page_size} works, got {got}")
    iiif = _iiif(request, answer.get("config"))
    rows, left_out = [], Tally()
    for work in works:
        if kind := _why_unwanted(source, work):
            left_out.add(kind, str(work.get("id")))
        else:
            rows.append(_row(source, iiif, work))
    last = -(-total // source.page_size)
    following = range(2, last + 1) if page == 1 else range(page + 1, min(page + 1, last) + 1)
    expected = min(max(total - (page - 1) * source.page_size, 0), source.page_size)
    return ParsedAnswer(
        tuple(rows),
        tuple(_page_request(source, number) for number in following),
        (ClaimedCount(f"artworks, page {page}", max(expected - len(works) + len(rows), 0)),),
        left_out.kinds(),
    )


def _page_request(source: ArticSource, number: int) -> SourceRequest:
    fields = ",".join([_FIELDS, *extra_fields(source, _OFFERS)])
    return SourceRequest(f"{_ARTWORKS}?fields={fields}&limit={source.page_size}&page={number}", "page")


def _page_number(request: SourceRequest) -> int:
    return int(request.url.rpartition("=")[2])


def _total(source: ArticSource, request: SourceRequest, pagination: Any) -> int:
    """How many works there are in all. Raises BadAnswer if this is not the requested page."""
    request.checked(pagination, dict, "pagination to be an object")
    for name, value in (("limit", source.page_size), ("current_page", _page_number(request))):
        if (got := pagination.get(name)) != value:
            raise request.bad_answer(f"pagination.{name} {value}", got)
    total = pagination.get("total")
    if type(total) is not int or not 0 <= total <= _MOST_WORKS:
        raise request.bad_answer(f"pagination.total from 0 to {_MOST_WORKS}", total)
    return total


def _iiif(request: SourceRequest, config: Any) -> str:
    """The base address of images as the answer gives it, which the museum recommends; else the usual one."""
    given = config.get("iiif_url") if isinstance(config, dict) else None
    address = _IIIF if given is None else given
    if not (isinstance(address, str) and re.fullmatch(r"https?://[^/\s]+(/[^\s?#]*)?", address)):
        raise request.bad_answer("config.iiif_url to be an http address", given)
    return address.rstrip("/")


def _why_unwanted(source: ArticSource, work: Any) -> str:
    """What works the recipe does not want, if this is one; else "", as of an item that is none: its row is a drop."""
    if not isinstance(work, dict):
        return ""
    if source.open_access_only and work.get("is_public_domain") is not True:
        return "works that are not in the public domain"
    if not _is_among(source.departments, [work.get("department_title")]):
        return "works of other departments than the recipe's"
    kinds = [work.get("classification_title"), *_list(work.get("classification_titles"))]
    return "" if _is_among(source.classifications, kinds) else "works of other classifications than the recipe's"


def _is_among(wanted: tuple[str, ...], given: list[Any]) -> bool:
    names = {value.strip().casefold() for value in given if isinstance(value, str)}
    return not wanted or any(name.strip().casefold() in names for name in wanted)


def _row(source: ArticSource, iiif: str, work: Any) -> dict[str, Any]:
    if not isinstance(work, dict):
        return {"title": quoted(work)}
    number, image = work.get("id"), work.get("image_id")
    has_key = type(number) is int and 0 < number < 10**12
    has_image = isinstance(image, str) and _IMAGE_ID.fullmatch(image)
    # a qualifier stands before the name in artist_display: "Workshop of Peter Paul Rubens"
    name, display = text_without_tags(work.get("artist_title")), text_without_tags(work.get("artist_display"))
    qualifier, match, _ = display.splitlines()[0].partition(name) if name and display else ("", "", "")
    return {
        "key": str(number) if has_key else None,
        "image": f"{iiif}/{image}/full/{source.image_width_px},/0/default.jpg" if has_image else None,
        "source_url": f"{_PAGE}/{number}" if has_key else None,
        "title": text_without_tags(work.get("title")),
        "artist": f"{qualifier}{name}" if name and match and QUALIFIER.search(qualifier) else name,
        "style": text_without_tags(work.get("style_title")),
        "styles": [style for value in _list(work.get("style_titles")) if (style := text_without_tags(value))],
        "date_text": text_without_tags(work.get("date_display")),
        "year_first": work.get("date_start"),
        "year_last": work.get("date_end"),
        "rights_uri": _CC0 if work.get("is_public_domain") is True else None,
        "rights_text": text_without_tags(work.get("copyright_notice")),
        "offers": OfferedValues(_OFFERS, _offered_fields, work),
    }


def _offered_fields(work: dict[str, Any]) -> dict[str, Any]:
    """The work, without years that are reported to mean unknown, such as -1824528578 and 5000001."""
    years = {field: work.get(field) for field in ("date_start", "date_end")}
    unknown = (field for field, year in years.items() if type(year) is not int or not -1_000_000 <= year <= 2099)
    return {**work, **dict.fromkeys(unknown)}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


MUSEUM = WebMuseum(HOSTS, start_requests, parse, _OFFERS)
