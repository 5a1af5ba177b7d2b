"""The museum as surrealism.website might show it: an index of artists, and a page of images for each.

The site's own shape is not known here; these pages are what `docs/sources/surrealism.md` asks for. The museum has no
surrealists: its naive painters stand in for them.
"""

from bisect import bisect_left
from html import escape

from examples.museum.serve.hall import NOT_FOUND, Answer, Hall, Request

HOSTS: tuple[str, ...] = ("surrealism.website",)
_STYLE = "Naive Art"


def answer(hall: Hall, request: Request) -> Answer | None:
    """The index /, an artist's page /artist-N.html, or an image /images/N.<extension>."""
    if request.host not in HOSTS:
        return None
    path = request.path.lstrip("/")
    if path in {"", "index.html"}:
        return _index(hall)
    stem, _, extension = path.rpartition(".")
    if extension == "html" and (at := _number(stem, "artist-")) is not None and at < len(hall.artists()):
        return _artist(hall, hall.artists()[at])
    row = _number(stem, "images/")
    is_here = (
        row is not None
        and row < hall.size
        and hall.entry(row).style == _STYLE
        and hall.entry(row).extension == f".{extension}"
    )
    return Answer(image=row) if is_here else NOT_FOUND


def _index(hall: Hall) -> Answer:
    """All who have a work here; the one request that looks at every work of the style, and is made once in a build."""
    everybody = hall.artists()
    here = sorted({hall.entry(row).artist for row in hall.rows_of_style(_STYLE)})
    links = "\n".join(
        f'<li><a href="artist-{bisect_left(everybody, artist)}.html">{escape(artist)}</a></li>' for artist in here
    )
    return _html("The surrealism website", f"<h1>Surrealist artists</h1>\n<ul>\n{links}\n</ul>")


def _artist(hall: Hall, artist: str) -> Answer:
    rows = sorted(set(hall.rows_of_artist(artist)) & set(hall.rows_of_style(_STYLE)))
    if not rows:
        return NOT_FOUND
    images = "\n".join(
        f'<p><img src="images/{row}{entry.extension}" alt="{escape(entry.title)}"></p>'
        for row, entry in ((row, hall.entry(row)) for row in rows)
    )
    return _html(artist, f"<h1>{escape(artist)}</h1>\n{images}")


def _number(text: str, prefix: str) -> int | None:
    digits = text.removeprefix(prefix)
    is_number = text.startswith(prefix) and digits.isascii() and digits.isdigit() and len(digits) <= 12
    return int(digits) if is_number and str(int(digits)) == digits else None


def _html(title: str, content: str) -> Answer:
    text = f"<!DOCTYPE html>\n<html><head><title>{escape(title)}</title></head><body>\n{content}\n</body></html>"
    return Answer(200, text.encode("utf-8", "replace"), "text/html; charset=utf-8")
