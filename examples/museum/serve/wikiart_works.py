"""The museum's works under WikiArt's addresses, names of styles, and hosts of images."""

import re
import unicodedata
import zlib
from functools import lru_cache
from typing import NamedTuple

from examples.museum.serve.hall import Entry, Hall

# by the museum's name; the others are called alike, or WikiArt has no style of the kind
STYLES = {
    "Art Nouveau": "Art Nouveau (Modern)",
    "Icon Painting": "Byzantine",
    "Ink Wash Painting": "Ink and wash painting",
    "Naive Art": "Naïve Art (Primitivism)",
}

ADDRESSES = {"Naïve Art (Primitivism)": "na-ve-art-primitivism"}  # real, and not what the name would give


class Work(NamedTuple):
    """One work under WikiArt's addresses; `page` ends in the row's number, by which it is found again."""

    entry: Entry
    artist: str
    page: str
    style: str


def is_public_domain(artist: str) -> bool:
    """Whether the pretend WikiArt counts an artist as in the public domain: four of five, by name."""
    return zlib.crc32(artist.encode()) % 5 != 0


def wikiart_style(style: str) -> str:
    """WikiArt's name of one of the museum's styles."""
    return STYLES.get(style, style)


def image_url(work: Work, size: str) -> str:
    """Like the real ones: on one of nine hosts, mostly with the name of a size at the end."""
    row, extension = work.entry.row, work.entry.extension.lstrip(".")
    suffix = size if row % 10 else ""
    return f"https://uploads{row % 9}.wikiart.org/images/{work.artist}/{work.page}.{extension}{suffix}"


def work_of_row(hall: Hall, row: int) -> Work:
    """A row's work under its addresses."""
    entry = hall.entry(row)
    artist = _addresses_of_names(tuple(hall.artists()))[entry.artist]
    return Work(entry, artist, f"{hyphened(entry.title) or 'untitled'}-{row}", wikiart_style(entry.style))


def work_at(hall: Hall, artist: str, page: str) -> Work | None:
    """The work at an address; None where there is none, also where the row is another's."""
    found = re.fullmatch(r".*-([0-9]{1,9})", page)
    row = int(found[1]) if found else hall.size
    work = work_of_row(hall, row) if row < hall.size else None
    return work if work is not None and (work.artist, work.page) == (artist, page) else None


def addresses(hall: Hall) -> dict[str, str]:
    """Names of artists by their addresses, sorted by name."""
    return {address: name for name, address in _addresses_of_names(tuple(hall.artists())).items()}


@lru_cache(maxsize=4)
def _addresses_of_names(names: tuple[str, ...]) -> dict[str, str]:
    """The last part of each artist's address; of names that are written alike in it, the later get a number."""
    found: dict[str, str] = {}
    for name in names:
        base = hyphened(name) or "artist"
        found[name] = base if base not in found.values() else f"{base}-{len(found)}"
    return found


def hyphened(name: str) -> str:
    """A name as addresses have it: in lower case, without accents, hyphens between words."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"[a-z0-9]+", plain.lower()))


def address_of_style(style: str) -> str:
    """The last part of the address of a style's page."""
    return ADDRESSES.get(style) or hyphened(style)


def last_first(name: str) -> str:
    """The surname first, as ImageJson of 2018 has it ("van Gogh Vincent")."""
    given, _, rest = name.partition(" ")
    return f"{rest} {given}".strip()
