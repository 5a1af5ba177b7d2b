"""Who made each row of a museum and in which style, for a million rows in seconds: what `catalogue.label` says, in
arrays.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from examples.museum.catalogue import ARTISTS, UNKNOWN, artists, label
from examples.museum.holdings import COPIES_FRACTION, FAULTS_FRACTION, MOTIF_STEP, SERIES_FRACTION, holding
from examples.museum.repaint import sketch_of
from examples.museum.seeds import generator
from examples.museum.serve.draws import Draws
from examples.museum.styles import STYLES

_BATCH_ROWS = 1 << 16
_CHECKED_ROWS = 64
_WORK, _COPY, _FAULT, _SERIES = range(4)
# as in catalogue.label
_UNKNOWN_FRACTION = 0.06
_FLATTENING = 4.0


class Rows(Sequence[int]):
    """Row numbers kept in an array, given out as plain ints, which JSON knows how to write."""

    def __init__(self, rows: NDArray[np.int32]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows.tolist())

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> list[int]: ...
    def __getitem__(self, place: int | slice) -> int | list[int]:
        return self._rows[place].tolist() if isinstance(place, slice) else int(self._rows[place])


class Register(NamedTuple):
    """Rows of every artist and of every style, both by name in sorted order, rows ascending."""

    artists: dict[str, Rows]
    styles: dict[str, Rows]


def register(seed: int, size: int) -> Register:
    """The register of a museum's first `size` rows; about ten bytes a row.

    Raises:
        RuntimeError: numpy draws otherwise than is followed here.
    """
    whose, which = _numbers(seed, size)
    names = [artist.name for artist in artists(seed)] + [UNKNOWN]
    _check(seed, names, whose, which)
    return Register(_grouped(whose, names), _grouped(which, [style.name for style in STYLES]))


def _numbers(seed: int, size: int) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Of each row the artist's number (the last is nobody's name) and the style's."""
    kinds = _joined(_kinds(seed, rows) for rows in _batches(np.arange(size)))
    works = np.arange(size)
    for again in _batches(np.flatnonzero(kinds == _SERIES)):
        works[again] = _firsts(seed, again, kinds)
    for copies in _batches(np.flatnonzero(kinds == _COPY)):
        works[copies] = works[_originals(seed, copies, kinds)]
    labelled = [_labelled(seed, rows) for rows in _batches(np.arange(size))]
    whose, which = (_joined(part) for part in zip(*labelled, strict=True))
    return whose[works], which[works]


def _batches(rows: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    return (rows[first : first + _BATCH_ROWS] for first in range(0, len(rows), _BATCH_ROWS))


def _joined(parts: Iterator[NDArray[np.int16]] | Sequence[NDArray[np.int16]]) -> NDArray[np.int16]:
    return np.concatenate(list(parts))


def _kinds(seed: int, rows: NDArray[np.int64]) -> NDArray[np.int16]:
    """What each row is: _WORK, _COPY, _FAULT or _SERIES."""
    draw = Draws(seed, "kind", rows).uniform(np.ones(len(rows), dtype=bool))
    limits = np.cumsum([COPIES_FRACTION, FAULTS_FRACTION, SERIES_FRACTION])
    kinds = np.array([_COPY, _FAULT, _SERIES, _WORK])[np.searchsorted(limits, draw, side="right")]
    return np.where(rows == 0, _WORK, kinds).astype(np.int16)


def _originals(seed: int, copies: NDArray[np.int64], kinds: NDArray[np.int16]) -> NDArray[np.int64]:
    """The row that each copy is a copy of."""
    draws = Draws(seed, "holding", copies)
    is_looking = np.ones(len(copies), dtype=bool)
    draws.uniform(is_looking)  # how it was copied
    found = np.zeros(len(copies), dtype=np.int64)
    while is_looking.any():
        found = np.where(is_looking, draws.below(copies, is_looking), found)
        is_looking = is_looking & (kinds[found] != _WORK) & (kinds[found] != _SERIES)
    for place in np.flatnonzero(~draws.is_sure):
        found[place] = holding(seed, int(copies[place])).original or 0
    return found


def _firsts(seed: int, again: NDArray[np.int64], kinds: NDArray[np.int16]) -> NDArray[np.int64]:
    """The row of which each work of a series shows the motif."""
    draws = Draws(seed, "holding", again)
    is_looking = np.ones(len(again), dtype=bool)
    found = np.zeros(len(again), dtype=np.int64)
    while is_looking.any():
        found = np.where(is_looking, MOTIF_STEP * draws.below(-(-again // MOTIF_STEP), is_looking), found)
        is_looking = is_looking & (kinds[found] != _WORK)
    for place in np.flatnonzero(~draws.is_sure):
        found[place] = holding(seed, int(again[place])).first or 0
    return found


def _labelled(seed: int, rows: NDArray[np.int64]) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Numbers of the artists and styles of works."""
    everybody = [artist.styles for artist in artists(seed)] + [tuple(range(len(STYLES)))]
    counts = np.array([len(styles) for styles in everybody])
    table = np.array([[*styles, *[0] * (len(STYLES) - len(styles))] for styles in everybody])
    chances = np.cumsum(1.0 / (np.arange(ARTISTS) + _FLATTENING) / (1.0 / (np.arange(ARTISTS) + _FLATTENING)).sum())
    draws = Draws(seed, "work", rows)
    is_known = draws.uniform(np.ones(len(rows), dtype=bool)) >= _UNKNOWN_FRACTION
    drawn = np.searchsorted(chances / chances[-1], draws.uniform(is_known), side="right")
    whose = np.where(is_known, drawn, ARTISTS)
    which = table[whose, draws.below(counts[whose], np.ones(len(rows), dtype=bool))]
    names = {artist.name: number for number, artist in enumerate(artists(seed))}
    for place in np.flatnonzero(~draws.is_sure):
        said = label(seed, generator(seed, "work", int(rows[place])))
        whose[place], which[place] = names.get(said.artist, ARTISTS), STYLES.index(said.style)
    return whose.astype(np.int16), which.astype(np.int16)


def _check(seed: int, names: list[str], whose: NDArray[np.int16], which: NDArray[np.int16]) -> None:
    """A few rows as numpy's own generators have them: another release of numpy may draw in another way."""
    for row in range(min(_CHECKED_ROWS, len(whose))):
        said = sketch_of(seed, holding(seed, row)).caption
        met = names[whose[row]], STYLES[which[row]].name
        if met != (said.artist, said.style.name):
            raise RuntimeError(f"expected row {row} by {said.artist}, {said.style.name}, got {met}")


def _grouped(numbers: NDArray[np.int16], names: Sequence[str]) -> dict[str, Rows]:
    order = np.argsort(numbers, kind="stable").astype(np.int32)
    ends = np.cumsum(np.bincount(numbers, minlength=len(names)))
    slices = {
        name: order[end - count : end] for name, end, count in zip(names, ends, np.diff(ends, prepend=0), strict=True)
    }
    return {name: Rows(slices[name]) for name in sorted(slices) if len(slices[name])}
