"""Whole numbers for ids: taken from a hash of the name, so that they stay when rows come and go."""

import hashlib
from collections.abc import Collection, Iterable, Mapping

MASK = 2**53 - 1
"""Every JSON reader holds whole numbers up to here exactly."""


def natural_id(name: str) -> int:
    """The first 53 bits of SHA-256(name); 0, which COCO tools take for "none", becomes 1.

    >>> natural_id("met:1") < 2**53
    True
    """
    first = int.from_bytes(hashlib.sha256(name.encode()).digest()[:7], "big") >> 3
    return first or 1


def ids(names: Iterable[str], known: Mapping[str, int] | None = None, taken: Collection[int] = ()) -> dict[str, int]:
    """An id for each name: the known one, else its natural one, else the next free number after it.

    Names are served in their sorted order, so that the result does not depend on how they came. `taken` are ids that
    are in use elsewhere. Wraps round to 1 after 2**53 - 1.

    >>> ids(["b", "a"], known={"b": 7})["b"]
    7
    """
    wanted = sorted(set(names))
    given = {name: known[name] for name in wanted if known and name in known}
    used = {*taken, *given.values()}
    for name in wanted:
        if name not in given:
            given[name] = _next_free(natural_id(name), used)
            used.add(given[name])
    return given


def _next_free(start: int, used: set[int]) -> int:
    while start in used:
        start = start + 1 if start < MASK else 1
    return start
