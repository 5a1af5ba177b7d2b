"""Dealing single images: how many of each stratum each split gets (`seats_of`), and which (`deal_images`)."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tasks.core.split.units import Ranks
from tasks.core.strata import Strata, counts
from tasks.core.tickets import order_by_stratum, tickets

_Ints = NDArray[np.int64]
_TRIES, _ROWS_TRIED = 64, 4_000_000
_NEAR = 0.005
"""Share of all figures by which a split may be off before the seats are dealt anew."""


class FigureCounts(NamedTuple):
    """What is balanced besides images. of: (N,) figures of each image that is dealt; by_split: (S,) of those before."""

    of: _Ints
    by_split: _Ints


def deal_images(
    names: pa.ChunkedArray,
    strata: Strata,
    quotas: _Ints,
    seats: _Ints,
    figures: FigureCounts | None,
    seed: int,
    purpose: str,
) -> Ranks:
    """(N,) a split for each image, 0..S-1; of each stratum each split gets as many as its quota.

    names: (N,) unique. quotas: (K, S), `seats_of`. seats: (S,) of one batch. Inside each stratum the images, most
    figures first, are walked in batches of as many as there are seats (3 train, 1 val, 1 test); in each batch chance
    deals the seats (PoPArt, section 3.3). Ties in figures, and all without figures, fall by chance.

    A few crowded paintings hold many of all figures. So the seats are dealt anew, up to 64 times, until each split's
    share of the figures is within half a point of its share of seats (or half of the largest image's figures, if that
    is more); else the nearest deal is taken: rerandomization of PoPArt's law (Morgan & Rubin, 2012).
    """
    if not len(names):
        return np.empty(0, np.int8)
    drawn = tickets(names, seed, f"{purpose}/order", strata.names, strata.stratum_index)
    order = order_by_stratum(strata.stratum_index, drawn if figures is None else _by_figures(figures.of, drawn), names)
    batch, seat = _batches(counts(strata.stratum_index, len(strata.names)), quotas, seats)
    batch_of = np.empty(len(names), np.int64)
    batch_of[order] = batch
    best, least_deviation = np.empty(0, np.int8), np.inf
    for number in range(1 if figures is None else max(1, min(_TRIES, _ROWS_TRIED // len(names)))):
        drawn = tickets(names, seed, f"{purpose}/seat/{number}", strata.names, strata.stratum_index)
        split = np.empty(len(names), np.int8)
        split[order_by_stratum(batch_of, drawn, names)] = seat
        deviation = 0.0 if figures is None else _imbalance(figures, split, seats)
        if deviation < least_deviation:
            best, least_deviation = split, deviation
        if deviation <= 0:
            break
    return best


def _by_figures(figures: _Ints, drawn: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Most figures first, then by ticket: one whole number each."""
    rank = (figures.max() - figures).astype(np.uint64)
    bits = np.uint64(int(rank.max()).bit_length())
    return np.asarray((rank << (np.uint64(64) - bits) if bits else rank) | (drawn >> bits))


def _imbalance(figures: FigureCounts, split: Ranks, seats: _Ints) -> float:
    """How much farther the shares of figures are from those of the seats than they may be; 0 or less: near enough."""
    figures_by_split = figures.by_split + np.bincount(split, figures.of, len(seats))
    whole = figures_by_split.sum()
    if not whole:
        return 0.0
    max_deviation = max(_NEAR, figures.of.max() / whole / 2)
    return float(np.abs(figures_by_split / whole - seats / seats.sum()).max() - max_deviation)


def _batches(sizes: _Ints, quotas: _Ints, seats: _Ints) -> tuple[_Ints, Ranks]:
    """(N,) of images by stratum, in order: the number of the batch of each, and the seats of its batch, in rank order.
    A full batch has its seats, as far as the quotas go; places that are left over go to the split with most left. What
    no full batch takes makes up the short last one.
    """
    size = int(seats.sum())
    full = sizes // size
    is_plain = np.all(quotas >= full[:, None] * seats, axis=1)
    batches = full + (sizes % size > 0)
    first = np.concatenate([[0], np.cumsum(batches)])
    seats_by_batch = np.tile(seats, (int(first[-1]), 1))
    ends = is_plain & (sizes % size > 0)
    seats_by_batch[first[1:][ends] - 1] = (quotas - full[:, None] * seats)[ends]
    for place in np.flatnonzero(~is_plain):
        seats_by_batch[first[place] : first[place + 1]] = _uneven_batches(quotas[place], seats, int(batches[place]))
    return np.repeat(np.arange(len(seats_by_batch)), seats_by_batch.sum(axis=1)), np.repeat(
        np.tile(np.arange(len(seats), dtype=np.int8), len(seats_by_batch)), seats_by_batch.ravel()
    )


def _uneven_batches(quotas: _Ints, seats: _Ints, batches: int) -> _Ints:
    """(B, S) the seats of each batch of a stratum in which some splits are full before the end."""
    seats_by_batch = np.tile(seats, (batches, 1))
    plain = int(min(batches, np.min(quotas // seats)))
    left = (quotas - plain * seats).tolist()
    for batch in range(plain, batches):
        takes = [min(seat, has) for seat, has in zip(seats.tolist(), left, strict=True)]
        for _ in range(min(int(seats.sum()), sum(left)) - sum(takes)):
            most = max(range(len(left)), key=lambda split: left[split] - takes[split])
            takes[most] += 1
        left = [has - took for has, took in zip(left, takes, strict=True)]
        seats_by_batch[batch] = takes
    return seats_by_batch


_SEAT_TRIES = 32


def seats_of(settled: _Ints, new: _Ints, seats: _Ints, names: Sequence[str], seed: int, purpose: str) -> _Ints:
    """(K, S) how many of the new images of each stratum each split gets; rows sum to `new`.

    settled: (K, S) images that lie in each split already. new: (K,). seats: (S,) of one batch, such as 3, 1, 1. names:
    (K,) of the strata. A stratum of 5 m + r images has m full batches of seats, and for its short last batch chance
    draws r of the five (PoPArt, section 3.3); settled images have their seats already. Where a split has more than all
    its seats, the others share what is left in proportion to what they lack.

    A short batch is drawn anew, up to 32 times, where it would take all strata together farther from the ratios than
    one short batch alone may: else many strata would add up to more than chance in one. Chance orders them.
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
    """Seats drawn without replacement, and how they move all: the first draw within the deviation, or the nearest."""
    best, best_step, farthest = free, free, np.inf
    listed = np.repeat(np.arange(len(free)), free)
    for number in range(_SEAT_TRIES):
        order = np.argsort(_bits(len(listed), (*named, number)), kind="stable")
        draw = np.bincount(listed[order[:count]], minlength=len(free))
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


def _bits(count: int, named: tuple[object, ...]) -> NDArray[np.uint64]:
    """(count,) 64 bits each, for this name. Unlike what draws from it, PCG64's raw stream is the same in all numpys."""
    return np.asarray(np.random.PCG64(int.from_bytes(_chance(*named)[:16], "big")).random_raw(count), np.uint64)


def _chance(*named: object) -> bytes:
    return hashlib.sha256("\t".join(map(str, named)).encode()).digest()
