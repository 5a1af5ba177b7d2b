"""What catalogues say of a work beyond its label: material, place, tags and the like, invented from the label alone.

Some of it is odd, as it is on the web: missing, empty, null, or of another type than usual.
"""

import zlib
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from examples.museum.serve.hall import Entry

_MEDIA = (
    "Oil on canvas",
    "Tempera on panel",
    "Ink and color on paper",
    "Etching; first state",
    "Fresco",
    "Oil on copper",
)
_PLACES = (
    ("Dutch", "Netherlands", "Delft"),
    ("French", "France", "Paris"),
    ("Japanese", "Japan", "Edo (Tōkyō)"),
    ("Italian", "Italy", "Venice"),
    ("Austrian", "Austria", "Vienna"),
)
_GENRES = ("portrait", "landscape", "genre painting", "still life", "religious painting", "cityscape")
_WORDS = ("Birds", "Women", "Men", "Boats", "Trees", "Houses", "Horses", "Flowers & Leaves", "Self-portraits")
_GALLERIES = ("Museum of the Third Bridge, Vellmar", "Private Collection", "")
_PERIODS = ("Early work", "Later Period", "")
_HUNDREDTHS = 100
_ODD = ("missing", "empty", "null", "wrong type")
"""One value in twenty-five is odd, of each kind as many."""


class Facts(NamedTuple):
    """What there is to say of one work; empty text where a catalogue has nothing to say. Sizes in cm."""

    medium: str
    nationality: str
    country: str
    city: str
    genre: str
    tags: tuple[str, ...]
    gallery: str
    period: str
    credit_line: str
    accession_year: int
    height_cm: float
    width_cm: float


def facts_of(entry: Entry) -> Facts:
    """The facts about a work, always the same; those about its artist are the same for all of the artist's works."""
    number = zlib.crc32(entry.key.encode())
    nationality, country, city = _PLACES[zlib.crc32(entry.artist.encode()) % len(_PLACES)]
    year = 1870 + number % 130
    return Facts(
        medium=_MEDIA[number // 7 % len(_MEDIA)],
        nationality=nationality,
        country=country,
        city=city,
        genre=_GENRES[number // 11 % len(_GENRES)],
        tags=_WORDS[number % 5 : number % 5 + number // 13 % 5],
        gallery=_GALLERIES[number // 17 % len(_GALLERIES)],
        period=_PERIODS[number // 19 % len(_PERIODS)],
        credit_line=f"Gift of the Brush, {year}",
        accession_year=year,
        height_cm=entry.height_px / 10,
        width_cm=entry.width_px / 10,
    )


def with_odd_values(fields: Mapping[str, Any], row: int, may_be_odd: Collection[str]) -> dict[str, Any]:
    """The fields of one answer; of those that may be odd a few are."""
    odd = {name: _oddity(name, row) if name in may_be_odd else "" for name in fields}
    kept = {name: value for name, value in fields.items() if odd[name] != "missing"}
    return {name: _spoiled(value, odd[name]) for name, value in kept.items()}


def _oddity(name: str, row: int) -> str:
    place = zlib.crc32(f"{name} {row}".encode()) % _HUNDREDTHS
    return _ODD[place] if place < len(_ODD) else ""


def _spoiled(value: Any, oddity: str) -> Any:
    spoiled = {"empty": type(value)(), "null": None, "wrong type": {"value": [[value]]}} if value is not None else {}
    return spoiled.get(oddity, value)
