"""What the units of a comparison are grouped by: the values of their attributes, as text."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import error_line, quoted

Groups = Mapping[str, Sequence[str | None]]
"""By attribute, the value of each unit; null where it is not known."""
UNKNOWN = "unknown"
MOST_VALUES = 20_000
"""Of an attribute: each is scored by itself, and makes rows of the tables."""


class UnitGroup(NamedTuple):
    """Some of the units. attribute, value: what they have in common; both null: all units. is_in: (N,)."""

    attribute: str | None
    value: str | None
    is_in: NDArray[np.bool_]

    def seed(self, seed: int) -> list[int]:
        """A seed for this group alone: its resamples stay the same when other groups come or go."""
        own = hashlib.sha256(repr((self.attribute, self.value)).encode()).digest()
        return [seed, int.from_bytes(own[:8], "big")]


def unit_groups(units: int, groups: Groups) -> Iterator[UnitGroup]:
    """All units, then those of each group: attributes in the order given, values by name.

    Units without a value are a group of their own, whatever the values are called. Raises BadInput for an attribute of
    more than MOST_VALUES values.
    """
    yield UnitGroup(None, None, np.ones(units, np.bool_))
    for attribute, values in groups.items():
        if (count := len(set(values))) > MOST_VALUES:
            raise BadInput(
                f"--by: expected an attribute of at most {MOST_VALUES:,} values, got {quoted(attribute)} with "
                f"{count:,}; make a column of coarser ones, such as decades of years"
            )
        missing = UNKNOWN
        while missing in values:
            missing = f"({missing})"
        named = np.array([missing if value is None else value for value in values], dtype=object)
        names, place = np.unique(named, return_inverse=True)
        for number, value in enumerate(names.tolist()):
            yield UnitGroup(attribute, value, place == number)


def groups_of(table: pa.Table, by: Sequence[str]) -> dict[str, list[str | None]]:
    """By each column of the table, the value of each row as text; null where there is none, and for NaN.

    Raises BadInput for a column whose values have no text, such as lists, times that no calendar has and bytes.
    """
    return {column: _texts(column, table[column]) for column in by}


def _texts(name: str, column: pa.ChunkedArray) -> list[str | None]:
    expected = f"--by: expected a column of texts, numbers or times, got {quoted(name)}"
    is_floating = pa.types.is_floating(column.type)
    if is_floating:
        column = pc.if_else(pc.is_nan(column), None, column)
    try:
        texts: list[str | None] = column.cast(pa.string()).to_pylist()
    except (pa.ArrowException, ValueError) as problem:
        raise BadInput(f"{expected} with {error_line(problem)}") from problem
    if pa.types.is_temporal(column.type) and any(text and text.startswith("<") for text in texts):
        raise BadInput(f"{expected} with a time that no calendar has")
    return ["0" if text == "-0" else text for text in texts] if is_floating else texts
