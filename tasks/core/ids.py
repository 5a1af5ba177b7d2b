"""Whole numbers for ids: taken from a hash of the name, so that they stay when rows come and go."""

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tasks.core.columns import Column

MASK = 2**53 - 1
"""Every JSON reader holds whole numbers up to here exactly."""
_BATCH = 8192
"""Names that are Python's own texts at one time."""

_Ints = NDArray[np.int64]


def natural_id(name: str) -> int:
    """The first 53 bits of SHA-256(name); 0, which COCO tools take for "none", becomes 1.

    >>> natural_id("met:1") < 2**53
    True
    """
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:7], "big") >> 3 or 1


def ids(names: Column, known: Column | None = None) -> pa.Array:
    """(N,) int64: an id for each name, the known one, else its natural one, else the next free number after it.

    names: (N,), no name twice; served in their sorted order, whatever order they come in. known: (N,) int64, null where
    none is known. Wraps round to 1 after 2**53 - 1.

    >>> ids(pa.array(["b", "a"]), known=pa.array([7, None]))[0].as_py()
    7
    """
    given = np.empty(len(names), np.int64)
    for start in range(0, len(names), _BATCH):
        batch = names.slice(start, _BATCH).to_pylist()
        given[start : start + len(batch)] = [natural_id(name) for name in batch]
    is_known = np.zeros(len(given), np.bool_)
    if known is not None:
        is_known = np.asarray(pc.is_valid(known), np.bool_)
        given[is_known] = np.asarray(known.drop_null(), np.int64)
    contested = np.flatnonzero(_is_contested(given))
    used = set(given[contested[is_known[contested]]].tolist())
    free = contested[~is_known[contested]]
    for name, place in sorted(zip(names.take(pa.array(free)).to_pylist(), free.tolist(), strict=True)):
        number = natural_id(name)
        while number in used:
            number = number + 1 if number < MASK else 1
        used.add(number)
        given[place] = number
    return pa.array(given)


def _is_contested(wanted: _Ints) -> NDArray[np.bool_]:
    """(N,) whether another number is equal, or was moved onto this one; the rest may have what they want.

    In any order the same numbers are taken in the end: each run of them begins where none before was moved as far.
    """
    if len(wanted) == len(np.unique(wanted)):
        return np.zeros(len(wanted), np.bool_)
    order = np.argsort(wanted, kind="stable")
    place = np.arange(len(order))
    least = wanted[order]
    taken = np.maximum.accumulate(least - place) + place
    if taken[-1] > MASK:  # round to 1, where anything may be
        return np.ones(len(wanted), np.bool_)
    run = np.cumsum(np.concatenate([[True], least[1:] > taken[:-1]])) - 1
    contested = np.empty(len(wanted), np.bool_)
    contested[order] = np.bincount(run)[run] > 1
    return contested
