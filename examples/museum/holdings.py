"""What each row of the museum's table is: a work, a copy of an earlier row, or a fault. Any row alone, in any order."""

from typing import Literal, NamedTuple, get_args

import numpy as np

from examples.museum.seeds import generator

Relation = Literal["exact", "reencoded", "resized"]
Fault = Literal["truncated", "html", "missing", "empty"]

COPIES_FRACTION = 0.12
FAULTS_FRACTION = 0.004

YEARS, LOTS, ITEMS = 150, 400, 40
NUMBERS = YEARS * LOTS * ITEMS
# coprime to NUMBERS = 2^8 * 3 * 5^5, so that multiplying only shuffles
STRIDE = 1_234_567


class Holding(NamedTuple):
    """One row. original: the row that this one copies; relation says how. A row with a fault is never copied."""

    row: int
    key: str
    original: int | None = None
    relation: Relation | None = None
    fault: Fault | None = None


def holding(seed: int, row: int) -> Holding:
    """The row of that number; a museum of more records begins with the same rows."""
    key, kind = key_of_row(seed, row), _kind(seed, row)
    rng = generator(seed, "holding", row)
    if kind == "copy":
        relations: tuple[Relation, ...] = get_args(Relation)
        relation = relations[int(rng.choice(3, p=[0.25, 0.4, 0.35]))]
        return Holding(row, key, original=_original(seed, row, rng), relation=relation)
    if kind == "fault":
        faults: tuple[Fault, ...] = get_args(Fault)
        return Holding(row, key, fault=faults[int(rng.integers(len(faults)))])
    return Holding(row, key)


def key_of_row(seed: int, row: int) -> str:
    """A catalogue number such as 1901.23.4, different for every row of a museum."""
    offset = int(generator(seed, "keys", 0).integers(NUMBERS))
    number = (row * STRIDE + offset) % NUMBERS
    item, rest = number % ITEMS + ITEMS * (row // NUMBERS), number // ITEMS
    return f"{1870 + rest // LOTS}.{rest % LOTS + 1}.{item + 1}"


def _kind(seed: int, row: int) -> Literal["work", "copy", "fault"]:
    draw = generator(seed, "kind", row).uniform()
    if row == 0 or draw >= COPIES_FRACTION + FAULTS_FRACTION:
        return "work"
    return "copy" if draw < COPIES_FRACTION else "fault"


def _original(seed: int, row: int, rng: np.random.Generator) -> int:
    """An earlier row that is a work; the first row always is."""
    while True:
        earlier = int(rng.integers(row))
        if _kind(seed, earlier) == "work":
            return earlier
