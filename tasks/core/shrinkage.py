"""Which sources list clearly fewer works than they did."""

from collections.abc import Mapping, Sequence

_FRACTION = 0.01
"""Works come and go in every collection; a listing that has lost more than a hundredth of them is worth a look."""


def shrunk_sources(
    names: Sequence[str], before: Mapping[str, int], now: Mapping[str, int]
) -> list[tuple[str, int, int]]:
    """(source, works before, works now) of each of these sources that has lost more than a hundredth of its works.

    before, now: numbers of works by source, where there are any. A source that is not among the names was taken out of
    the recipe: it has not shrunk.

    >>> shrunk_sources(["met", "artic"], {"met": 200, "artic": 100, "flickr": 50}, {"met": 197, "artic": 99})
    [('met', 200, 197)]
    """
    counts = [(name, before.get(name, 0), now.get(name, 0)) for name in names]
    return [(name, then, left) for name, then, left in counts if left < then * (1 - _FRACTION)]
