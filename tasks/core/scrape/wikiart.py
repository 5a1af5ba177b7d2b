"""WikiArt: the requests of each route, and the parsers of its listings. A work's own answer: `wikiart_work`.

Listings by style stop at 3,600 works (page 60). A style with more is collected through the artists, and the number
found is compared with the number that WikiArt states. Formats and their sources: docs/sources/wikiart.md.
"""

import functools
import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote, unquote

from schemas.manners import Credential
from schemas.sources.wikiart import WikiartSource
from tasks.core.passed_over import Tally
from tasks.core.scrape.web_source import (
    BadAnswer,
    ClaimedCount,
    ParsedAnswer,
    SourceRequest,
    WebMuseum,
    json_of,
    object_of_json,
    of_containers,
)
from tasks.core.scrape.wikiart_work import (
    OFFERS,
    SITE,
    comparable_style,
    hyphenated,
    last_path_part,
    page_row,
    row,
    row_without_key,
    split_styles,
    text,
)

HOSTS = ("www.wikiart.org",)
_PAGE_WORKS = 60
_LAST_PAGE_OF_STYLE = 60
_ID = re.compile(r"[0-9a-f]{24}")
_OFFERED_BY_PAGE = ("url", "artist_url")
_CONTENT_ID = re.compile(r"[0-9]{1,20}")


def start_requests(source: WikiartSource) -> list[SourceRequest]:
    """Listings: of the named artists, else of the wanted styles (by json only to count works), else of all artists."""
    if source.artists != "all":
        return _requests_of_named_artists(source, source.artists)
    styles = () if source.styles == "all" else source.styles
    by_style = [style_request(source, style) for style in styles]
    if source.by == "json":
        return [all_artists_request(source), *(by_style if source.copyright == "any" else [])]
    return by_style or [all_artists_request(source)]


def parse(source: WikiartSource, request: SourceRequest, data: bytes) -> ParsedAnswer:
    """The content of one answer. Raises BadAnswer."""
    try:
        return _PARSERS[request.kind](source, request, data)
    except RecursionError:
        raise request.bad_answer("no deep nesting", data) from None


def _requests_of_named_artists(source: WikiartSource, artists: Iterable[str]) -> list[SourceRequest]:
    """Listings of artists' works; by json in the public domain, and for names by api2, first that of all artists."""
    if source.by == "api2":
        by_id = [api2_works_request(artist) for artist in artists if _ID.fullmatch(artist)]
        return by_id + ([all_artists_request(source)] if any(not _ID.fullmatch(artist) for artist in artists) else [])
    if source.by == "json" and source.copyright == "public_domain":
        return [all_artists_request(source)]
    return [artist_works_request(source, artist) for artist in artists]


def _parse_artists(source: WikiartSource, request: SourceRequest, data: bytes) -> ParsedAnswer:
    """AlphabetJson: artists with their address in `url`; UpdatedArtists: with an `id` too; else dropped rows."""
    items, more = _items(request, data)
    is_api2 = request.kind == "api2_artists"
    rows, requests, left_out = [], [], Tally()
    for item in items:
        fields = item if isinstance(item, dict) else {}
        name, place = last_path_part(fields.get("url")), last_path_part(fields.get("id" if is_api2 else "url"))
        if place is None or (is_api2 and not _ID.fullmatch(place)):
            rows.append(row_without_key(item))
        elif source.artists == "all" or name in source.artists:
            requests.append(api2_works_request(place) if is_api2 else artist_works_request(source, place))
        else:
            left_out.add("artists that the recipe does not name", name or place)
    return ParsedAnswer(tuple(rows), (*requests, *more), passed_over=of_containers("artists", items, left_out))


def _parse_works(source: WikiartSource, request: SourceRequest, data: bytes) -> ParsedAnswer:
    """PaintingsByArtist, json=2: a bare list with all of an artist's works, by `contentId`; of the API: by `id`."""
    works, more = _items(request, data)
    is_api2 = request.kind == "api2_works"
    if not is_api2 and not works and source.artists != "all":
        raise BadAnswer(f"{request.url}: expected works of an artist that the recipe names, got an empty list")
    rows, requests = _rows_and_requests(source, works, _api2_id if is_api2 else _content_id)
    return ParsedAnswer(rows, requests + more)


def _parse_listing(source: WikiartSource, request: SourceRequest, data: bytes) -> ParsedAnswer:
    """A page of a style or an artist: 60 works, and how many there are in all; the next page, while there are more."""
    answer = _object(request, data)
    works = request.checked(answer.get("Paintings") or [], list, "a list of Paintings")
    total = answer.get("AllPaintingsCount")
    if type(total) is not int or total < 0:
        raise request.bad_answer("AllPaintingsCount, a number", total)
    match = re.fullmatch(re.escape(SITE) + r"/en/([^?]+)\?.*\bpage=([0-9]{1,6})\b.*", request.url)
    if match is None:
        raise BadAnswer(f"{request.url}: expected an address with page=<number>")
    path, page = match[1], int(match[2])
    claims = _claimed_counts(source, request, path, total)
    if source.by == "json":
        return ParsedAnswer(claims=claims)
    rows, requests = _rows_and_requests(source, works, _api2_id if source.by == "api2" else _page_key)
    if works and page * _PAGE_WORKS < total and (request.kind == "artist" or page < _LAST_PAGE_OF_STYLE):
        requests += (SourceRequest(listing_url(path, page + 1), request.kind),)
    if request.kind == "style" and page == 1 and total > _PAGE_WORKS * _LAST_PAGE_OF_STYLE:
        requests += (all_artists_request(source),)
    return ParsedAnswer(rows, requests, claims)


def _claimed_counts(source: WikiartSource, request: SourceRequest, path: str, total: int) -> tuple[ClaimedCount, ...]:
    """The number of works that each page states: of an artist, or of a style if all of its works are wanted."""
    if request.kind == "artist":
        return (ClaimedCount(unquote(path), total),)
    wanted = () if source.styles == "all" or source.copyright == "public_domain" else source.styles
    whole = (name for name in wanted if style_request(source, name).url == listing_url(path, 1))
    return tuple(ClaimedCount(unquote(path), total, name) for name in whole)


def _rows_and_requests(
    source: WikiartSource, works: list[Any], key_of: Callable[[dict[str, Any]], str | None]
) -> tuple[tuple[dict[str, Any], ...], tuple[SourceRequest, ...]]:
    """A request for each work; a work without a source key becomes a row that is dropped."""
    keys = [key_of(work) if isinstance(work, dict) else None for work in works]
    rows = (row_without_key(work) for work, key in zip(works, keys, strict=True) if key is None)
    return tuple(rows), tuple(work_request(source, key) for key in keys if key is not None)


def _key_in(field: str, pattern: re.Pattern[str], work: dict[str, Any]) -> str | None:
    key = text(work.get(field))
    return key if key and pattern.fullmatch(key) else None


_content_id = functools.partial(_key_in, "contentId", _CONTENT_ID)
_api2_id = functools.partial(_key_in, "id", _ID)


def _page_key(work: dict[str, Any]) -> str | None:
    """artist/work, of an address such as /en/claude-monet/haystacks-1890."""
    path = work.get("paintingUrl")
    parts = path.split("/") if isinstance(path, str) else []
    names = [last_path_part(part) for part in parts[2:]]
    is_work = len(parts) == 4 and parts[:2] == ["", "en"] and all(names)
    return f"{names[0]}/{names[1]}" if is_work else None


def _parse_work(source: WikiartSource, request: SourceRequest, data: bytes) -> ParsedAnswer:
    """ImageJson, Painting of the API, and a work's page; counted where the recipe does not want the work."""
    key = str(request.source_key)
    if request.kind == "page":
        fields = page_row(source, key, request.url, data)
    else:
        work = _object(request, data)
        is_api2 = request.kind == "api2_work"
        field, found = ("id", _api2_id(work)) if is_api2 else ("contentId", _content_id(work))
        if found != request.source_key:
            raise request.bad_answer(f"{field} {request.source_key}", work.get(field))
        fields = row(source, key, work, split_styles(work.get("styles" if is_api2 else "style")))
    if fields is not None:
        return ParsedAnswer(rows=(fields,))
    left_out = Tally()
    left_out.add("works that are not of the styles or rights that the recipe wants", key)
    return ParsedAnswer(passed_over=left_out.kinds())


def _items(request: SourceRequest, data: bytes) -> tuple[list[Any], tuple[SourceRequest, ...]]:
    """Artists or works: a bare list; or `data` of the API, and the request for more, whose token is percent-encoded."""
    if not request.kind.startswith("api2"):
        return request.checked(json_of(request, data), list, f"a list of {request.kind}"), ()
    answer = _object(request, data)
    items = request.checked(answer.get("data"), list, "a list of data")
    if answer.get("hasMore") is not True:
        return items, ()
    token = answer.get("paginationToken")
    if not isinstance(token, str) or not re.fullmatch(r"[\x21-\x7e]{1,1000}", token):
        raise request.bad_answer("a paginationToken, since hasMore is true", token)
    base = re.split(r"[?&]paginationToken=", request.url)[0]
    url = f"{base}{'&' if '?' in base else '?'}paginationToken={quote(unquote(token), safe='')}"
    return items, (SourceRequest(url, request.kind, needs_secret=True),)


_object = functools.partial(object_of_json, expected="an object", shown=None)

_PARSERS: dict[str, Callable[[WikiartSource, SourceRequest, bytes], ParsedAnswer]] = {
    **dict.fromkeys(("artists", "api2_artists"), _parse_artists),
    **dict.fromkeys(("works", "api2_works"), _parse_works),
    **dict.fromkeys(("style", "artist"), _parse_listing),
    **dict.fromkeys(("work", "api2_work", "page"), _parse_work),
}


# the styles of UpdatedDictionaries (group 2) whose address is not their name in lower case with hyphens
_ADDRESSES = {
    "archaic": "archaic-period",
    "classical": "classical-period",
    "earlydynastic": "early-dynastic-period",
    "geometric": "geometric-period",
    "hellenistic": "hellenistic-period",
    "kanoschoolstyle": "kano-school",
    "lartpompier": "lart-pompier",
    "latebyzantinepalaeologanrenaissancec12611453": "late-byzantine-c-1261-1453",
    "naiveartprimitivism": "na-ve-art-primitivism",
    "nouveaurealisme": "nouveau-r-alisme",
    "sosakuhanga": "s-saku-hanga",
    "sumiesuibokuga": "suiboku-ga-0",
}


def address_of_style(style: str) -> str:
    """The last part of the address of a style's page.

    >>> address_of_style("Post-Impressionism"), address_of_style("Naïve Art (Primitivism)")
    ('post-impressionism', 'na-ve-art-primitivism')
    """
    return _ADDRESSES.get(comparable_style(style)) or hyphenated(style)


def all_artists_request(source: WikiartSource) -> SourceRequest:
    """The list of all artists; by json, where only the public domain is wanted, of those whose works are in it."""
    if source.by == "api2":
        return SourceRequest(f"{SITE}/en/api/2/UpdatedArtists", "api2_artists", needs_secret=True)
    limit = "&inPublicDomain=true" if source.by == "json" and source.copyright == "public_domain" else ""
    return SourceRequest(f"{SITE}/en/App/Artist/AlphabetJson?v=new{limit}", "artists")


def artist_works_request(source: WikiartSource, artist: str) -> SourceRequest:
    """The listing of an artist's works by address: by page with 60 works at a time, by json all at once."""
    name = quote(artist, safe="")
    if source.by == "page":
        return SourceRequest(listing_url(f"{name}/mode/all-paintings", 1), "artist")
    return SourceRequest(f"{SITE}/en/App/Painting/PaintingsByArtist?artistUrl={name}&json=2", "works")


def api2_works_request(artist_id: str) -> SourceRequest:
    """The API's listing of an artist's works by id."""
    return SourceRequest(f"{SITE}/en/api/2/PaintingsByArtist?id={artist_id}", "api2_works", needs_secret=True)


def style_request(source: WikiartSource, style: str) -> SourceRequest:
    """The first page of the listing of a style."""
    place = quote(source.style_addresses.get(style) or address_of_style(style), safe="")
    return SourceRequest(listing_url(f"paintings-by-style/{place}", 1), "style")


def listing_url(path: str, page: int) -> str:
    """A page of a listing of works, as JSON; the parameters are those of the site's own gallery."""
    return f"{SITE}/en/{path}?json=2&layout=new&page={page}&resultType=masonry"


def work_request(source: WikiartSource, key: str) -> SourceRequest:
    """The answer about one work; in addresses of pages nothing but the slash between artist and work stays as it is."""
    if source.by == "json":
        return SourceRequest(f"{SITE}/en/App/Painting/ImageJson/{key}", "work", key)
    if source.by == "api2":
        return SourceRequest(f"{SITE}/en/api/2/Painting?id={key}", "api2_work", key, needs_secret=True)
    return SourceRequest(f"{SITE}/en/{quote(key)}", "page", key, expects="html")


MUSEUM = WebMuseum(
    HOSTS,
    start_requests,
    parse,
    OFFERS,
    credential=Credential(
        host="www.wikiart.org",
        parameter="authSessionKey",
        login_url=f"{SITE}/en/Api/2/login",
        login_parameters=("accessCode", "secretCode"),
        session_field="SessionKey",
        session_s=3000.0,  # less than the hour that it is valid, since a slow build notices late
    ),
    needs_secret=lambda source: bool(source.by == "api2"),
    does_offer=lambda source, name: source.by != "page" or name in _OFFERED_BY_PAGE,
)
