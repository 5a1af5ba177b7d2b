"""What each row of the museum's table is: a work, a copy of an earlier row, or a fault. Any row alone, in any order."""

from typing import Literal, NamedTuple

import numpy as np

from examples.museum.seeds import generator

Relation = Literal["exact", "reencoded", "resized", "recoloured", "cropped", "framed", "mirrored", "rephotographed"]
Fault = Literal["truncated", "html", "missing", "empty"]

COPIES_FRACTION = 0.12
FAULTS_FRACTION = 0.004
SERIES_FRACTION = 0.06
# only works of every so manieth row are painted again: a series has two works or three, seldom five or more
MOTIF_STEP = 24

_RELATIONS: dict[Relation, float] = {
    "exact": 0.12,
    "reencoded": 0.2,
    "resized": 0.18,
    "recoloured": 0.14,
    "cropped": 0.12,
    "framed": 0.06,
    "mirrored": 0.09,
    "rephotographed": 0.09,
}
_FAULTS: tuple[Fault, ...] = ("truncated", "html", "missing", "empty")

YEARS, LOTS, ITEMS = 150, 400, 40
NUMBERS = YEARS * LOTS * ITEMS
# coprime to NUMBERS = 2^8 * 3 * 5^5, so that multiplying only shuffles
STRIDE = 1_234_567


class Holding(NamedTuple):
    """One row. original: the row that this one copies; relation says how. A row with a fault is never copied.

    first: the earlier work whose motif this work, which is no copy, shows again; None for a motif of its own.
    """

    row: int
    key: str
    original: int | None = None
    relation: Relation | None = None
    fault: Fault | None = None
    first: int | None = None


def holding(seed: int, row: int) -> Holding:
    """The row of that number; a museum of more records begins with the same rows."""
    key, kind = key_of_row(seed, row), _kind(seed, row)
    rng = generator(seed, "holding", row)
    if kind == "copy":
        relation = list(_RELATIONS)[int(rng.choice(len(_RELATIONS), p=list(_RELATIONS.values())))]
        return Holding(row, key, original=_original(seed, row, rng), relation=relation)
    if kind == "fault":
        return Holding(row, key, fault=_FAULTS[int(rng.integers(len(_FAULTS)))])
    return Holding(row, key, first=_first(seed, row, rng) if kind == "series" else None)


def key_of_row(seed: int, row: int) -> str:
    """A catalogue number such as 1901.23.4, different for every row of a museum."""
    offset = int(generator(seed, "keys", 0).integers(NUMBERS))
    number = (row * STRIDE + offset) % NUMBERS
    item, rest = number % ITEMS + ITEMS * (row // NUMBERS), number // ITEMS
    return f"{1870 + rest // LOTS}.{rest % LOTS + 1}.{item + 1}"


def _kind(seed: int, row: int) -> Literal["work", "series", "copy", "fault"]:
    draw = generator(seed, "kind", row).uniform()
    if row == 0 or draw >= COPIES_FRACTION + FAULTS_FRACTION + SERIES_FRACTION:
        return "work"
    if draw >= COPIES_FRACTION + FAULTS_FRACTION:
        return "series"
    return "copy" if draw < COPIES_FRACTION else "fault"


def _original(seed: int, row: int, rng: np.random.Generator) -> int:
    """An earlier row that is a work, perhaps of a series; the first row always is one."""
    while True:
        earlier = int(rng.integers(row))
        if _kind(seed, earlier) in ("work", "series"):
            return earlier


def _first(seed: int, row: int, rng: np.random.Generator) -> int:
    """An earlier row that is a work of its own; the first row always is."""
    while True:
        earlier = MOTIF_STEP * int(rng.integers(-(-row // MOTIF_STEP)))
        if _kind(seed, earlier) == "work":
            return earlier
