"""How many of each stratum's new images go to each split: the seats of its batches, less those that are taken."""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_Ints = NDArray[np.int64]
_TRIES = 32


def seats_of(settled: _Ints, new: _Ints, seats: _Ints, names: Sequence[str], seed: int, purpose: str) -> _Ints:
    """(K, S) how many of the new images of each stratum each split gets; rows sum to `new`.

    settled: (K, S) images that lie in each split already. new: (K,). seats: (S,) of one batch, such as 3, 1, 1. names:
    (K,) of the strata. A stratum of 5 m + r images has m full batches of seats, and for its short last batch chance
    draws r of the five (PoPArt, section 3.3); settled images have their seats already. Where a split has more than all
    its seats, the others share what is left in proportion to what they lack.

    A short batch is drawn anew, up to 32 times, where it would take all strata together farther from the ratios than
    one short batch alone may: else the batches of many strata would add up to more than chance in one of them. Strata
    come in an order of chance.
    """
    batch = int(seats.sum())
    full = (settled.sum(axis=1) + new) // batch
    taken = settled - full[:, None] * seats
    lacking = np.maximum(-taken, 0)
    for place in np.flatnonzero(lacking.sum(axis=1) > new).tolist():
        lacking[place] = _share_out(lacking[place], int(new[place]), (seed, purpose, names[place], "shared"))
    short = new - lacking.sum(axis=1)
    free = seats - np.clip(taken, 0, seats)
    # how far all is from the ratios, in 1/batch of an image, before any short batch is drawn
    deviation = batch * (settled + lacking).sum(axis=0) - seats * (settled + lacking).sum()
    # as far as one short batch may be; one of hundreds of seats less
    max_deviation = min(int(np.max(seats * (batch - seats))), 3 * batch // 2)
    order = np.flatnonzero(short).tolist()
    for place in sorted(order, key=lambda place: _chance(seed, purpose, names[place], "order")):
        draw, step = _nearest_draw(
            free[place], int(short[place]), seats, deviation, max_deviation, (seed, purpose, names[place])
        )
        lacking[place] += draw
        deviation += step
    return np.asarray(lacking)


def _nearest_draw(
    free: _Ints, count: int, seats: _Ints, deviation: _Ints, max_deviation: int, named: tuple[object, ...]
) -> tuple[_Ints, _Ints]:
    """The first draw that leaves all within the deviation, or else the nearest; and by how much it moves them."""
    best, best_step, farthest = free, free, np.inf
    for number in range(_TRIES):
        draw = _draw(free, count, (*named, number))
        step = seats.sum() * draw - seats * count
        if (away := np.abs(deviation + step).max()) < farthest:
            best, best_step, farthest = draw, step, away
        if away <= max_deviation:
            break
    return best, best_step


def _share_out(lacking: _Ints, count: int, named: tuple[object, ...]) -> _Ints:
    """So many places in proportion to what is lacking, by largest remainders; equal ones by chance."""
    whole, left = np.divmod(lacking * count, lacking.sum())
    order = np.lexsort((_bits(len(left), named), -left))
    whole[order[: count - whole.sum()]] += 1
    return np.asarray(whole)


def _draw(free: _Ints, count: int, named: tuple[object, ...]) -> _Ints:
    """(S,) how many of each split's free seats are among `count` that are drawn without replacement."""
    listed = np.repeat(np.arange(len(free)), free)
    order = np.argsort(_bits(len(listed), named), kind="stable")
    return np.bincount(listed[order[:count]], minlength=len(free))


def _bits(count: int, named: tuple[object, ...]) -> NDArray[np.uint64]:
    """(count,) 64 bits each, for this name.

    The raw stream of PCG64 is the same in every version of numpy; what draws from it is not.
    """
    return np.asarray(np.random.PCG64(int.from_bytes(_chance(*named)[:16], "big")).random_raw(count), np.uint64)


def _chance(*named: object) -> bytes:
    return hashlib.sha256("\t".join(map(str, named)).encode()).digest()
