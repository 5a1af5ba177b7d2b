"""The museum as ukiyo-e.org would show it: its Ukiyo-e prints, parted among four museums.

Listings as the site's own templates write them (github.com/jeresig/ukiyoe-web, app/views/images); cards and the rows of
a print's page as in real excerpts.
"""

from bisect import bisect_left
from html import escape

from examples.museum.serve.hall import NOT_FOUND, Answer, Entry, Hall, Request

HOSTS: tuple[str, ...] = ("ukiyo-e.org", "data.ukiyo-e.org")
_STYLE = "Ukiyo-e"
_MUSEUMS = {
    "met": "Metropolitan Museum of Art",
    "mfa": "Museum of Fine Arts",
    "mia": "Minneapolis Institute of Arts",
    "famsf": "Fine Arts Museums of San Francisco",
}
_ON_A_PAGE = 100
_HTML = "text/html; charset=utf-8"


def answer(hall: Hall, request: Request) -> Answer | None:
    """A listing /source/<museum>?start=N, a print's page /image/<museum>/<name>, or an image of data.ukiyo-e.org."""
    if request.host not in HOSTS:
        return None
    parts = request.path.strip("/").split("/")
    if request.host == HOSTS[1]:
        return _image(hall, parts)
    if len(parts) == 2 and parts[0] == "source" and parts[1] in _MUSEUMS:
        return _listing(hall, parts[1], request.query.get("start", "0"))
    if len(parts) == 3 and parts[0] == "image" and (row := _row(hall, parts[1], parts[2])) is not None:
        return _page(hall, parts[1], hall.entry(row))
    return NOT_FOUND


def _image(hall: Hall, parts: list[str]) -> Answer:
    if len(parts) != 3 or parts[1] not in {"images", "scaled", "thumbs"}:
        return NOT_FOUND
    name, _, extension = parts[2].partition(".")
    row = _row(hall, parts[0], name)
    return Answer(image=row) if row is not None and f".{extension}" == hall.entry(row).extension else NOT_FOUND


def _row(hall: Hall, museum: str, name: str) -> int | None:
    """The row of a print by its name in a museum; None where this museum has no such print."""
    digits = name.removeprefix("sc")
    if (
        museum not in _MUSEUMS
        or not digits.isascii()
        or not digits.isdigit()
        or len(digits) > 12
        or name != _name(int(digits))
    ):
        return None
    rows, row = hall.rows_of_style(_STYLE), int(digits)
    at = bisect_left(rows, row)
    is_here = at < len(rows) and rows[at] == row and at % len(_MUSEUMS) == list(_MUSEUMS).index(museum)
    return row if is_here else None


def _name(row: int) -> str:
    return f"sc{row:07d}"


def _listing(hall: Hall, museum: str, start: str) -> Answer:
    if not start.isascii() or not start.isdigit() or len(start) > 12:
        return NOT_FOUND
    rows, first, step = hall.rows_of_style(_STYLE), list(_MUSEUMS).index(museum), len(_MUSEUMS)
    total = max(0, -(-(len(rows) - first) // step))
    begin, end = int(start), min(int(start) + _ON_A_PAGE, total)
    cards = "\n".join(_card(museum, hall.entry(rows[first + step * at])) for at in range(begin, end))
    following = (
        f'<span class="next"><a href="/source/{museum}?start={end}" class="btn btn-primary" rel="next">Next '
        "&raquo;</a></span>"
    )
    return _html(
        _MUSEUMS[museum],
        f'<div class="row"><h1 class="col-md-12">{_MUSEUMS[museum]}</h1></div><div id="results">'
        f'<div class="state row"><div class="col-md-12"><span class="total"><strong>{total:,}</strong> prints '
        "found.</span>\n"
        f'<span class="page">Viewing prints {begin + 1:,} to {end:,}.</span></div></div>\n<div '
        f'class="row">\n{cards}\n</div>\n'
        f'<div class="search-nav row col-md-12">{following if end < total else ""}</div></div>',
    )


def _card(museum: str, entry: Entry) -> str:
    name, artist = _name(entry.row), escape(entry.artist)
    return (
        f'<div class="img col-xs-6 col-sm-4 col-md-3"><a href="/image/{museum}/{name}" class="img">'
        f'<img src="https://{HOSTS[1]}/{museum}/thumbs/{name}{entry.extension}" alt="{_alt(entry)}"/></a>\n'
        f'<div class="details"><div class="wrap"><a title="{artist}" href="/artist/a" class="artist">{artist}</a>\n'
        f'<a title="{_MUSEUMS[museum]}" href="/source/{museum}" class="source">{museum.upper()}</a></div></div></div>'
    )


def _alt(entry: Entry) -> str:
    return escape(f'Japanese Print "{entry.title}" by {entry.artist}')


def _page(hall: Hall, museum: str, entry: Entry) -> Answer:
    name, place = _name(entry.row), f"https://{HOSTS[1]}/{museum}"
    values = {
        "artist": f'<a href="/artist/a">{escape(entry.artist)}</a>',
        "title": escape(entry.title),
        "date": escape(entry.date_text),
        "source": f'<a href="https://museum.example/">{_MUSEUMS[museum]}</a><br/><small><a href="/source/{museum}">'
        "Browse all prints...</a></small>",
    }
    if entry.row % 7:  # some museums have no page for a print
        values["details"] = f'<a href="https://museum.example/objects/{entry.row}">More</a>'
    rows = "\n".join(
        f'<p class="row {label}"><strong class="col-xs-3 right">{label.title()}:</strong><span '
        f'class="col-xs-9">{value}</span></p>'
        for label, value in values.items()
        if value
    )
    others = [row for row in hall.rows_of_artist(entry.artist)[:8] if row != entry.row]
    similar = [_card(museum, hall.entry(row)) for row in others if _row(hall, museum, _name(row)) is not None]
    return _html(
        entry.title,
        f'<div class="col-xs-12 col-md-6 imageholder"><a href="{place}/images/{name}{entry.extension}">'
        f'<img src="{place}/scaled/{name}{entry.extension}" alt="{_alt(entry)}"/></a></div>\n{rows}\n'
        f"<h2>Similar Prints</h2>{''.join(similar)}",
    )


def _html(title: str, content: str) -> Answer:
    text = (
        f'<!DOCTYPE html>\n<html lang="en-US"><head><title>{escape(title)} - Ukiyo-e '
        f"Search</title></head><body>{content}</body></html>"
    )
    return Answer(200, text.encode("utf-8", "replace"), _HTML)
