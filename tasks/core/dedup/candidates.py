"""Pairs of blobs that are worth a comparison: those whose hashes, or whose views' hashes, are near each other."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tasks.core.dedup.groups import pair_numbers

DEGENERATE_BITS = 8
"""Flat and striped pictures have few waves and so few bits set, or few unset; one with 64 different waves has 32."""

MOST_PER_HASH = 12
"""Blobs of one hash that are all compared with each other, as copies of one picture are: they seldom are more."""

LEADERS = 8
"""Of more blobs than MOST_PER_HASH, so many are compared with all others of that hash, the others not among them."""

VIEW_COST_BITS = 6
"""A view stands for a pair in place of the whole pictures where it is nearer by more: only the whole can say that two
pictures are two works, and only the nearer one where to begin."""

MOST_NEIGHBOURS = 64
"""Nearest hashes of each hash that are compared: more versions are joined by others."""

MOST_BY_VIEWS = 16
"""Nearest pictures by views with which one is compared. Of 636 paintings and four copies of each, all that views find
are among the nearest 12; in a large collection others, which are near by chance, are the many."""

MOST_BY_HASH = 64
MOST_BY_PLACES = 8
"""Pictures with which one is compared for their distance by another hash, or for most places in common: pages of one
font share places with all others, and of 18,000 painted works nearly half share a few by chance."""


_Number = TypeVar("_Number", bound=np.integer[Any])


_LOOKED_AT_ONCE = 2**20
"""Hashes of views: of 400,000 pictures there are 24 million, of which few are near another picture's."""


class RadiiBits(NamedTuple):
    """Up to how many bits hashes are near: of two whole pictures, and of a view and a whole picture."""

    wholes: int
    views: int


class NearHashes(NamedTuple):
    """Pairs of distinct hashes that a search has found. values: (P, 2) uint64, distance_bits: (P,) 0..64."""

    values: NDArray[np.uint64]
    distance_bits: NDArray[np.uint8]


class ViewHashes(NamedTuple):
    """Hashes of how each picture would look as another's copy, and which of them are near a whole picture's hash.

    hashes: (N, V); numbers: (V,) ascending, the number of each view (from 1 on: 0 is the whole); near: pairs of a
    view's hash and a whole picture's, equal ones included.
    """

    hashes: NDArray[np.uint64]
    numbers: NDArray[np.int16]
    near: NearHashes


class Candidates(NamedTuple):
    """View `view` of blob `a` is `distance_bits` from the whole of blob `b`; each (C,), sorted by the smaller blob.

    Of pairs that `add_pairs` adds, distance_bits is between the wholes. crowded: how many blobs share their hash with
    so many that not all of them are compared with each other.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    view: NDArray[np.int16]
    distance_bits: NDArray[np.uint8]
    crowded: int


class _Buckets(NamedTuple):
    """Blobs by hash: bucket i holds those of values[i], ascending, at starts[i] .. starts[i] + sizes[i] of blobs."""

    values: NDArray[np.uint64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    blobs: NDArray[np.int64]
    views: NDArray[np.int16]


_BlobPairs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int16], NDArray[np.uint8]]


def is_degenerate(hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether so few or so many bits are set that equality says little: at most 8, or at least 56. Any shape.

    >>> is_degenerate(np.array([0, 0xFF, 0x1FF, 2**64 - 1], np.uint64)).tolist()
    [True, True, False, True]
    """
    ones = np.bitwise_count(hashes)
    return (ones <= DEGENERATE_BITS) | (ones >= 64 - DEGENERATE_BITS)


def distinct(values: NDArray[_Number]) -> NDArray[_Number]:
    """The distinct values, sorted, in a twentieth of the time of `np.unique`. Any shape, and nothing in, nothing out.

    >>> distinct(np.array([[7, 3], [3, 9]], np.uint64)).tolist()
    [3, 7, 9]
    """
    ordered = np.sort(values, axis=None)
    return ordered[_is_first(ordered)]


def is_among(values: NDArray[np.uint64], known: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """(N,) whether each value is among sorted ones, in pieces: numpy's own sorts both together.

    >>> is_among(np.array([7, 3, 8], np.uint64), np.array([3, 7, 9], np.uint64)).tolist()
    [True, True, False]
    """
    parts = (values[start : start + _LOOKED_AT_ONCE] for start in range(0, len(values), _LOOKED_AT_ONCE))
    return np.concatenate([np.empty(0, np.bool_), *(_find_sorted(known, part)[1] for part in parts)])


def candidates(hashes: NDArray[np.uint64], near: NearHashes, views: Sequence[ViewHashes] = ()) -> Candidates:
    """Pairs of blobs to compare, each unordered pair once: by the whole (VIEW_COST_BITS) or by the nearest view.

    hashes: (N,) of blobs 0 .. N - 1. For the whole picture's view (0), a < b; of two finds by one other view the one
    with the smaller a stands. Degenerate hashes and hashes that no blob has take no part. Nothing in, nothing out.

    Of s blobs with one hash, or s and t with two near ones, all pairs come up to M = MOST_PER_HASH each: at most
    s (M - 1) / 2 and, as s t <= (s + t)^2 / 4, (s + t) M / 2. Of more, only those with one of the first LEADERS of a
    hash: at most LEADERS s and LEADERS (s + t), so that a million blobs of one hash give eight million pairs. Of pairs
    that views have found, those stay in which either blob is among the other's MOST_BY_VIEWS nearest: views of pages
    of one layout are near all the other pages, each by another of its many hashes.
    """
    wholes = _buckets(hashes[:, None], np.zeros(1, np.int16))
    found = [_pairs_within(wholes), _pairs_between(wholes, wholes, nearest(near))]
    found += [_pairs_between(_buckets(of.hashes, of.numbers, of.near.values[:, 0]), wholes, of.near) for of in views]
    crowded = int(wholes.sizes[wholes.sizes > MOST_PER_HASH].sum())
    return Candidates(*_best_pairs(found, len(hashes)), crowded)


def candidates_between(
    one: NDArray[np.uint64],
    other: NDArray[np.uint64],
    near: NearHashes,
    views_of_one: Sequence[ViewHashes] = (),
    views_of_other: Sequence[ViewHashes] = (),
) -> Candidates:
    """Pairs of a blob of one collection and one of another, by the rules of `candidates`.

    one, other: (N,) and (M,) hashes; in the answer the other's blobs are N .. N + M - 1. near: pairs of a hash of the
    one and a hash of the other; of views, of a view's hash and a whole picture's of the other side. Each blob that is
    near any of the other side is in a pair, also where not all of a crowd are compared. crowded: 0.
    """
    first, no_view = len(one), np.zeros(1, np.int16)
    mine, its = _buckets(one[:, None], no_view), _moved(_buckets(other[:, None], no_view), first)
    found = [_pairs_between(mine, its, nearest(near))]
    for views, start, wholes in ((views_of_one, 0, its), (views_of_other, first, mine)):
        for of in views:
            buckets = _moved(_buckets(of.hashes, of.numbers, of.near.values[:, 0]), start)
            found.append(_pairs_between(buckets, wholes, of.near))
    return Candidates(*_best_pairs(found, first + len(other)), 0)


def _best_pairs(found: Sequence[_BlobPairs], blobs: int) -> _BlobPairs:
    """Each pair once, and of those that views have found the nearest."""
    together = [np.concatenate(column) for column in zip(*found, strict=True)]
    a, b, view, bits = _unique_pairs(together, blobs)
    stays = view == 0
    by_view = ~stays
    stays[by_view] = _is_among_nearest(a[by_view], b[by_view], bits[by_view], MOST_BY_VIEWS)
    return a[stays], b[stays], view[stays], bits[stays]


def _moved(buckets: _Buckets, first: int) -> _Buckets:
    """The buckets with their blobs numbered from `first` on."""
    return buckets._replace(blobs=buckets.blobs + first)


def add_pairs(
    found: Candidates,
    a_new: NDArray[np.int64],
    b_new: NDArray[np.int64],
    rank: NDArray[np.int64],
    view: int,
    hashes: NDArray[np.uint64],
    most: int = MOST_BY_HASH,
) -> Candidates:
    """The pairs that were found, and those of new ones (a < b) that were not, with this view.

    A new pair is added if either blob is among the other's `most` of smallest rank, such as the distance by another
    hash; of equal ones the smaller blob comes first. hashes: (N,) of the wholes, for distance_bits.
    """
    is_new = ~np.isin(a_new * len(hashes) + b_new, pair_numbers(found.a, found.b, len(hashes)))
    is_new[is_new] = _is_among_nearest(a_new[is_new], b_new[is_new], rank[is_new], most)
    a_new, b_new = a_new[is_new], b_new[is_new]
    a, b = np.append(found.a, a_new), np.append(found.b, b_new)
    views = np.append(found.view, np.full(len(a_new), view, np.int16))
    bits = np.append(found.distance_bits, np.bitwise_count(hashes[a_new] ^ hashes[b_new]))
    order = np.lexsort((np.maximum(a, b), np.minimum(a, b)))
    return Candidates(a[order], b[order], views[order], bits[order], found.crowded)


def is_added(found: Candidates, before: Candidates) -> NDArray[np.bool_]:
    """(C,) which of the pairs were not found before."""
    size = 1 + max((int(pairs.max(initial=0)) for pairs in (*found[:2], *before[:2])), default=0)
    return ~np.isin(pair_numbers(found.a, found.b, size), pair_numbers(before.a, before.b, size))


class NearBlobs(NamedTuple):
    """Blob a and blob b are `distance_bits` apart by one hash; each (P,), a < b, sorted. crowded: as of Candidates."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    distance_bits: NDArray[np.int64]
    crowded: int


def near_by_words(words: NDArray[np.uint64], near: Sequence[NearHashes], radius_bits: int) -> NearBlobs:
    """Pairs of blobs whose hashes of several words differ in at most `radius_bits`.

    words: (N, W). near: for each of the W, the pairs of its values within radius_bits / W: where all words together
    differ in radius_bits, one differs in no more. Degenerate words and crowds are as in `candidates`.
    """
    found = [candidates(column, pairs) for column, pairs in zip(words.T, near, strict=True)]
    codes = distinct(np.concatenate([each.a * len(words) + each.b for each in found]))
    a, b = np.divmod(codes, max(len(words), 1))
    bits = np.bitwise_count(words[a] ^ words[b]).sum(axis=1).astype(np.int64)
    is_near = bits <= radius_bits
    return NearBlobs(a[is_near], b[is_near], bits[is_near], max(each.crowded for each in found))


def nearest(near: NearHashes) -> NearHashes:
    """The pairs in which either hash is among the other's MOST_NEIGHBOURS nearest, in their order.

    Of equal distances the smaller hash comes first. Pairs of a crowd, such as blank pages, would grow with its square.
    """
    if not len(near.values):
        return near
    stays = _is_among_nearest(near.values[:, 0], near.values[:, 1], near.distance_bits, MOST_NEIGHBOURS)
    return NearHashes(near.values[stays], near.distance_bits[stays])


def _is_among_nearest(one: NDArray[Any], other: NDArray[Any], distance: NDArray[Any], most: int) -> NDArray[np.bool_]:
    """(P,) whether either end of a pair is among the other's `most` nearest; ties: the smaller end."""
    nodes, others = np.concatenate([one, other]), np.concatenate([other, one])
    order = np.lexsort((others, np.tile(distance, 2), nodes))
    starts = np.flatnonzero(_is_first(nodes[order]))
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    is_near = np.zeros(len(order), np.bool_)
    is_near[order] = rank < most
    return np.asarray(is_near.reshape(2, -1).any(axis=0))


def _buckets(hashes: NDArray[np.uint64], numbers: NDArray[np.int16], of: NDArray[np.uint64] | None = None) -> _Buckets:
    """The blobs of each hash that is not degenerate, or only of these; once in a bucket, by their first view there."""
    flat = hashes.ravel()
    wanted = None if of is None else distinct(of)
    found = [np.empty(0, np.int64)]
    for start in range(0, len(flat), _LOOKED_AT_ONCE):
        part = flat[start : start + _LOOKED_AT_ONCE]
        is_here = ~is_degenerate(part)
        if wanted is not None:
            is_here &= is_among(part, wanted)
        found.append(start + np.flatnonzero(is_here))
    places = np.concatenate(found)
    places = places[np.argsort(flat[places], kind="stable")]
    values, blobs = flat[places], places // len(numbers)
    is_new = _is_first(values) | _is_first(blobs)
    first, starts, sizes = np.unique(values[is_new], return_index=True, return_counts=True)
    return _Buckets(first, starts, sizes, blobs[is_new], numbers[places[is_new] % len(numbers)])


def _pairs_within(buckets: _Buckets) -> _BlobPairs:
    """Pairs of blobs of one bucket: each with all after it, in a crowded one only the leaders."""
    size = np.repeat(buckets.sizes, buckets.sizes)
    row = np.arange(len(buckets.blobs))
    rank = row - np.repeat(buckets.starts, buckets.sizes)
    one, other = _runs(row + 1, np.where((size <= MOST_PER_HASH) | (rank < LEADERS), size - 1 - rank, 0))
    return buckets.blobs[one], buckets.blobs[other], buckets.views[one], np.zeros(len(one), np.uint8)


def _pairs_between(left: _Buckets, right: _Buckets, near: NearHashes) -> _BlobPairs:
    """Pairs of blobs of near buckets: each with all of the other bucket, if one is crowded only where one leads."""
    from_, has_left = _find_sorted(left.values, near.values[:, 0])
    to, has_right = _find_sorted(right.values, near.values[:, 1])
    has_both = has_left & has_right
    from_, to, bits = from_[has_both], to[has_both], near.distance_bits[has_both]
    pair, one = _runs(left.starts[from_], left.sizes[from_])
    size = right.sizes[to]
    compares_all = ((left.sizes[from_] <= MOST_PER_HASH) & (size <= MOST_PER_HASH))[pair] | (
        one - left.starts[from_][pair] < LEADERS
    )
    which, other = _runs(right.starts[to][pair], np.where(compares_all, size[pair], np.minimum(size[pair], LEADERS)))
    return left.blobs[one[which]], right.blobs[other], left.views[one[which]], bits[pair[which]]


def _is_first(values: NDArray[Any]) -> NDArray[np.bool_]:
    """(N,) whether each value differs from the one before it; true of the first."""
    is_first = np.ones(len(values), np.bool_)
    is_first[1:] = values[1:] != values[:-1]
    return is_first


def _find_sorted(values: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each wanted value stands among the sorted ones, and whether it does."""
    place = np.searchsorted(values, wanted)
    is_there = place < len(values)
    is_there[is_there] = values[place[is_there]] == wanted[is_there]
    return place, is_there


def _runs(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers start, start + 1 .. of each run, all in one row, each beside the place of its run.

    >>> [row.tolist() for row in _runs(np.array([5, 0, 7]), np.array([2, 0, 1]))]
    [[0, 0, 2], [5, 6, 7]]
    """
    run = np.repeat(np.arange(len(starts)), lengths)
    before = np.cumsum(lengths) - lengths
    return run, np.arange(len(run)) + (starts - before)[run]


def _unique_pairs(found: Sequence[NDArray[Any]], blobs: int) -> _BlobPairs:
    """Each unordered pair once, sorted: of the least distance (VIEW_COST_BITS more for a view), then view, then a."""
    apart = found[0] != found[1]
    a, b, view, bits = (column[apart] for column in found)
    low, high = np.minimum(a, b), np.maximum(a, b)
    turned = (a > b) & (view != 0)
    pair = low * blobs + high
    worth = ((bits + VIEW_COST_BITS * (view != 0)).astype(np.int32) << 17) | (view.astype(np.int32) << 1) | turned
    order = np.lexsort((worth, pair))
    best = order[_is_first(pair[order])]
    goes_back = turned[best]
    a, b = np.where(goes_back, high[best], low[best]), np.where(goes_back, low[best], high[best])
    return a, b, view[best], bits[best]
