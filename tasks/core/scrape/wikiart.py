"""WikiArt: what to ask for by which route, and what its listings say. A work's own answer is read in `wikiart_work`.

Listings by style stop at 3,600 works (page 60). A style with more is collected through the artists, and what was found
is compared with the number that WikiArt itself gives. Shapes and their sources: docs/sources/wikiart.md.
"""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote, unquote

from schemas.sources.wikiart import WikiartSource
from tasks.core.scrape.web_source import Ask, BadAnswer, Claim, Credential, Said, quoted
from tasks.core.scrape.wikiart_addresses import all_artists, api2_works, artist_works, listing_url, style_ask, work_ask
from tasks.core.scrape.wikiart_page import page_row
from tasks.core.scrape.wikiart_work import SITE, address, keyless, listed_styles, row, text

HOSTS = ("www.wikiart.org",)
CREDENTIAL = Credential(
    host="www.wikiart.org",
    parameter="authSessionKey",
    login_url=f"{SITE}/en/Api/2/login",
    login_parameters=("accessCode", "secretCode"),
    session_field="SessionKey",
    session_s=3000.0,  # an hour, less what a slow build may need to notice
)

_PAGE_WORKS = 60
_LAST_PAGE_OF_STYLE = 60
_ID = re.compile(r"[0-9a-f]{24}")
_CONTENT_ID = re.compile(r"[0-9]{1,20}")


def needs_secret(source: WikiartSource) -> bool:
    """Whether works are asked for with the key that WikiArt hands out; listings by style need none by any route."""
    return source.by == "api2"


def first(source: WikiartSource) -> list[Ask]:
    """Listings to begin with: of the named artists, else of the wanted styles, else of all artists.

    By json, listings by style have no contentId, so they are asked for their number of works only, and only where all
    of a style is wanted.
    """
    if source.artists != "all":
        return _of_named_artists(source, source.artists)
    styles = () if source.styles == "all" else source.styles
    by_style = [style_ask(source, style) for style in styles]
    if source.by == "json":
        return [all_artists(source), *(by_style if source.copyright == "any" else [])]
    return by_style or [all_artists(source)]


def read(source: WikiartSource, ask: Ask, data: bytes) -> Said:
    """What one answer says. Raises BadAnswer."""
    try:
        return _READERS[ask.kind](source, ask, data)
    except RecursionError:
        raise BadAnswer(f"{ask.url}: expected no deep nesting, got {quoted(data)}") from None


def _of_named_artists(source: WikiartSource, artists: Iterable[str]) -> list[Ask]:
    """Listings of artists' works.

    By json in the public domain and by api2 the list of artists has to be asked first.
    """
    if source.by == "api2":
        known = [api2_works(artist) for artist in artists if _ID.fullmatch(artist)]
        return known + ([all_artists(source)] if any(not _ID.fullmatch(artist) for artist in artists) else [])
    if source.by == "json" and source.copyright == "public_domain":
        return [all_artists(source)]
    return [artist_works(source, artist) for artist in artists]


def _read_artists(source: WikiartSource, ask: Ask, data: bytes) -> Said:
    """AlphabetJson: a list of artists, each with its address under `url`."""
    return _said_of_artists(
        source, _list(_json(ask, data), "artists", ask), "url", lambda name: artist_works(source, name)
    )


def _read_api2_artists(source: WikiartSource, ask: Ask, data: bytes) -> Said:
    """UpdatedArtists: artists with `id` and `url`, and where more of them are."""
    items, more = _api2_list(ask, data)
    said = _said_of_artists(source, items, "id", api2_works)
    return Said(said.rows, said.asks + more)


def _said_of_artists(source: WikiartSource, items: list[Any], field: str, asked: Callable[[str], Ask]) -> Said:
    """A listing of works for each wanted artist; an artist without an address or id becomes a row that is dropped."""
    rows, asks = [], []
    for item in items:
        fields = item if isinstance(item, dict) else {}
        name, place = address(fields.get("url")), address(fields.get(field))
        if place is None or (field == "id" and not _ID.fullmatch(place)):
            rows.append(keyless(item))
        elif source.artists == "all" or name in source.artists:
            asks.append(asked(place))
    return Said(tuple(rows), tuple(asks))


def _read_works(source: WikiartSource, ask: Ask, data: bytes) -> Said:
    """PaintingsByArtist, json=2: a bare list with all of an artist's works."""
    works = _list(_json(ask, data), "works", ask)
    if not works and source.artists != "all":
        raise BadAnswer(f"{ask.url}: expected works of an artist whom the recipe names, got an empty list")
    return _said_of_works(source, works, _content_id)


def _read_api2_works(source: WikiartSource, ask: Ask, data: bytes) -> Said:
    """PaintingsByArtist of the API: works with `id`, and where more of them are."""
    items, more = _api2_list(ask, data)
    said = _said_of_works(source, items, _api2_id)
    return Said(said.rows, said.asks + more)


def _read_listing(source: WikiartSource, ask: Ask, data: bytes) -> Said:
    """A page of a style or an artist: 60 works, and how many there are in all; the next page, while there are more."""
    answer = _object(ask, data)
    works = _list(answer.get("Paintings") or [], "Paintings", ask)
    total = answer.get("AllPaintingsCount")
    if isinstance(total, bool) or not isinstance(total, int) or total < 0:
        raise BadAnswer(f"{ask.url}: expected AllPaintingsCount, a number, got {quoted(total)}")
    path, page = _path_and_page(ask)
    claims = _claims(source, ask, path, total)
    if source.by == "json":
        return Said(claims=claims)
    has_next = bool(works) and page * _PAGE_WORKS < total and (ask.kind == "artist" or page < _LAST_PAGE_OF_STYLE)
    following = (Ask(listing_url(path, page + 1), ask.kind),) if has_next else ()
    is_cut = ask.kind == "style" and page == 1 and total > _PAGE_WORKS * _LAST_PAGE_OF_STYLE
    more = (all_artists(source),) if is_cut else ()
    said = _said_of_works(source, works, _api2_id if source.by == "api2" else _page_key)
    return Said(said.rows, said.asks + following + more, claims)


def _claims(source: WikiartSource, ask: Ask, path: str, total: int) -> tuple[Claim, ...]:
    """What the source has, said again on each page: of an artist, or of a style if all of its works are wanted."""
    if ask.kind == "artist":
        return (Claim(unquote(path), total),)
    wanted = () if source.styles == "all" or source.copyright == "public_domain" else source.styles
    whole = (name for name in wanted if style_ask(source, name).url == listing_url(path, 1))
    return tuple(Claim(unquote(path), total, name) for name in whole)


def _path_and_page(ask: Ask) -> tuple[str, int]:
    found = re.fullmatch(re.escape(SITE) + r"/en/([^?]+)\?.*\bpage=([0-9]{1,6})\b.*", ask.url)
    if found is None:
        raise BadAnswer(f"{ask.url}: expected an address with page=<number>")
    return found[1], int(found[2])


def _said_of_works(source: WikiartSource, works: list[Any], key_of: Callable[[dict[str, Any]], str | None]) -> Said:
    """An ask for each work; a work without a key becomes a row that is dropped."""
    rows, asks = [], []
    for work in works:
        key = key_of(work) if isinstance(work, dict) else None
        if key is None:
            rows.append(keyless(work))
        else:
            asks.append(work_ask(source, key))
    return Said(tuple(rows), tuple(asks))


def _content_id(work: dict[str, Any]) -> str | None:
    found = text(work.get("contentId"))
    return found if found and _CONTENT_ID.fullmatch(found) else None


def _api2_id(work: dict[str, Any]) -> str | None:
    found = text(work.get("id"))
    return found if found and _ID.fullmatch(found) else None


def _page_key(work: dict[str, Any]) -> str | None:
    """artist/work, of an address such as /en/claude-monet/haystacks-1890."""
    said = work.get("paintingUrl")
    parts = said.split("/") if isinstance(said, str) else []
    artist, page = (
        (address(part) for part in parts[2:]) if len(parts) == 4 and parts[:2] == ["", "en"] else (None, None)
    )
    return f"{artist}/{page}" if artist and page else None


def _read_work(source: WikiartSource, ask: Ask, data: bytes) -> Said:
    """ImageJson, and Painting of the API: an object about the work that was asked for."""
    work = _object(ask, data)
    field, key_of = ("id", _api2_id) if ask.kind == "api2_work" else ("contentId", _content_id)
    if key_of(work) != ask.key:
        raise BadAnswer(f"{ask.url}: expected {field} {ask.key}, got {quoted(work.get(field))}")
    styles = listed_styles(work.get("styles" if ask.kind == "api2_work" else "style"))
    found = row(source, str(ask.key), work, styles)
    return Said(rows=() if found is None else (found,))


def _read_page(source: WikiartSource, ask: Ask, data: bytes) -> Said:
    found = page_row(source, str(ask.key), ask.url, data)
    return Said(rows=() if found is None else (found,))


def _api2_list(ask: Ask, data: bytes) -> tuple[list[Any], tuple[Ask, ...]]:
    """`data` of an answer of the API, and the ask for more. The token is percent-encoded already where it is given."""
    answer = _object(ask, data)
    items = _list(answer.get("data"), "data", ask)
    if answer.get("hasMore") is not True:
        return items, ()
    token = answer.get("paginationToken")
    if not isinstance(token, str) or not re.fullmatch(r"[\x21-\x7e]{1,1000}", token):
        raise BadAnswer(f"{ask.url}: expected a paginationToken, since hasMore is true, got {quoted(token)}")
    base = re.split(r"[?&]paginationToken=", ask.url)[0]
    joint = "&" if "?" in base else "?"
    more = Ask(f"{base}{joint}paginationToken={quote(unquote(token), safe='')}", ask.kind, needs_secret=True)
    return items, (more,)


def _json(ask: Ask, data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadAnswer(f"{ask.url}: expected JSON, got {quoted(data)} ({type(error).__name__})") from None


def _object(ask: Ask, data: bytes) -> dict[str, Any]:
    answer = _json(ask, data)
    if not isinstance(answer, dict):
        raise BadAnswer(f"{ask.url}: expected an object, got {quoted(answer)}")
    return answer


def _list(value: Any, name: str, ask: Ask) -> list[Any]:
    if not isinstance(value, list):
        raise BadAnswer(f"{ask.url}: expected a list of {name}, got {quoted(value)}")
    return value


_READERS: dict[str, Callable[[WikiartSource, Ask, bytes], Said]] = {
    "artists": _read_artists,
    "works": _read_works,
    "work": _read_work,
    "api2_artists": _read_api2_artists,
    "api2_works": _read_api2_works,
    "api2_work": _read_work,
    "style": _read_listing,
    "artist": _read_listing,
    "page": _read_page,
}
