"""Pairs of hashes through bands of their bits: the compiled inner loops, how the bands are chosen, the search by band.

Imported only where there is much to search; what is compiled is free of Python's lock.

Multi-index hashing (Norouzi, Punjani & Fleet, Fast search in Hamming space with multi-index hashing, CVPR 2012), with a
tolerance for each band: hashes within r bits of each other are within t_k bits in some band k if the tolerances and
their number add up to r + 1, for otherwise they differ by t_k + 1 bits in every band.

An index holds hashes in the order of the bits of one band; a bucket those whose band has one value. Buckets whose
values follow each other are a tile: small enough for a core's cache, and what one thread is given to do.
"""

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from tasks.core.dedup.bits import count_bits, permutation, permute_bits
from tasks.core.jit import compiled

Hashes = NDArray[np.uint64]

LANES = 8  # hashes that are looked at in one step; most buckets hold fewer, so there is no inner loop to guess wrong
_FIRST_ROOM = 1024


class Index(NamedTuple):
    """hashes: (N + LANES,), by band value, then row. rows: (N,) where each stood. Bucket v begins at starts[v]."""

    hashes: Hashes
    rows: NDArray[np.uint32]
    starts: NDArray[np.uint32]


class Band(NamedTuple):
    """Which bits the index is by, which pairs count, and which an earlier band has found, within its tolerance."""

    shift: np.uint64
    values: np.uint64
    radius_bits: np.uint64
    earlier_bits: Hashes
    earlier_tolerances: Hashes


def _least_distance_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    hashes, at, hash_ = arguments
    word, lanes = ir.IntType(64), ir.VectorType(ir.IntType(64), LANES)
    data = context.make_array(signature.args[0])(context, builder, hashes).data
    here = builder.load(builder.bitcast(builder.gep(data, [at]), lanes.as_pointer()), align=8)
    nothing = ir.Constant(lanes, ir.Undefined)
    first = builder.insert_element(nothing, hash_, ir.Constant(ir.IntType(32), 0))
    everywhere = builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))
    counted = _declared(builder.module, f"llvm.ctpop.v{LANES}i64", lanes, lanes)
    least = _declared(builder.module, f"llvm.vector.reduce.umin.v{LANES}i64", word, lanes)
    return builder.call(least, [builder.call(counted, [builder.xor(here, everywhere)])])


def _declared(module: Any, name: str, result: Any, argument: Any) -> Any:
    return module.globals.get(name) or ir.Function(module, ir.FunctionType(result, [argument]), name)


def _least_distance_of(typing_context: Any, hashes: Any, at: Any, hash_: Any) -> Any:
    """The least distance of `hash_` to hashes[at : at + LANES] in bits, as one vector, in half a scalar loop's time."""
    return types.uint64(hashes, types.uint64, types.uint64), _least_distance_code


_least_distance: Any = intrinsic(_least_distance_of)


@compiled
def build_index(hashes: Hashes, table: Hashes, shift: np.uint64, width_bits: int) -> Index:
    """The hashes by `width_bits` bits from `shift` on, by counting; equal ones in the order of their rows."""
    values = np.uint64((1 << width_bits) - 1)
    starts = np.zeros((1 << width_bits) + 2, np.uint32)
    for row in range(len(hashes)):
        starts[((permute_bits(hashes[row], table) >> shift) & values) + np.uint64(2)] += np.uint32(1)
    for value in range(2, len(starts)):
        starts[value] += starts[value - 1]
    ordered, rows = np.zeros(len(hashes) + LANES, np.uint64), np.empty(len(hashes), np.uint32)
    for row in range(len(hashes)):
        hash_ = permute_bits(hashes[row], table)
        after = ((hash_ >> shift) & values) + np.uint64(1)
        at = starts[after]
        starts[after] = at + np.uint32(1)
        ordered[at], rows[at] = hash_, row
    return Index(ordered, rows, starts)


@compiled
def _is_new(difference: np.uint64, band: Band) -> bool:
    is_known = count_bits(difference) > band.radius_bits
    for number in range(len(band.earlier_bits)):
        is_known |= count_bits(difference & band.earlier_bits[number]) <= band.earlier_tolerances[number]
    return not is_known


@compiled
def _note_pairs(
    found: Hashes,
    count: int,
    hash_: np.uint64,
    row: np.uint64,
    right: Index,
    at: np.uint64,
    stop: np.uint64,
    band: Band,
    is_self: bool,
) -> int:
    """The count after the pairs of `hash_` with up to LANES hashes; what `found` has no room for is counted only."""
    for place in range(at, min(at + np.uint64(LANES), stop)):
        if _is_new(hash_ ^ right.hashes[place], band):
            if count < len(found):
                other = np.uint64(right.rows[place])
                first, last = (min(row, other), max(row, other)) if is_self else (row, other)
                found[count] = (first << np.uint64(32)) | last
            count += 1
    return count


@compiled
def _scan_buckets(
    left: Index,
    right: Index,
    band: Band,
    mask: np.uint64,
    bases: tuple[int, int, int],
    is_self: bool,
    found: Hashes,
    count: int,
) -> int:
    """The count after the pairs of buckets v and v ^ mask; bases: (start, stop, length) of runs of values v."""
    start, stop, length = bases
    is_within = is_self and mask == np.uint64(0)
    # a whole run of buckets is gone through hash by hash: most are empty or hold one
    for base in range(start, stop, length if length == stop - start else 2 * length):
        for place in range(np.int64(left.starts[base]), np.int64(left.starts[base + length])):
            hash_, row = left.hashes[place], np.uint64(left.rows[place])
            value = ((hash_ >> band.shift) & band.values) ^ mask
            at, end = np.uint64(right.starts[value]), np.uint64(right.starts[value + np.uint64(1)])
            if is_within:
                at = np.uint64(place + 1)
            if _least_distance(right.hashes, at, hash_) <= band.radius_bits:
                count = _note_pairs(found, count, hash_, row, right, at, end, band, is_self)
            at += np.uint64(LANES)
            while at < end:
                if _least_distance(right.hashes, at, hash_) <= band.radius_bits:
                    count = _note_pairs(found, count, hash_, row, right, at, end, band, is_self)
                at += np.uint64(LANES)
    return count


@compiled
def _lower_half(mask: np.uint64, start: int, size: int) -> int:
    """How many values v in a row have v < v ^ mask, from `start` on, in a tile of `size`; 0: none of the tile."""
    if mask == np.uint64(0):
        return size
    top = 1
    while np.uint64(top + top) <= mask:
        top += top
    if top < size:
        return top
    return 0 if start & top else size


@compiled
def tile_pairs(left: Index, right: Index, band: Band, masks: Hashes, start: int, size: int, is_self: bool) -> Hashes:
    """(P,) pairs, row << 32 | other row, of left buckets start..start + size and right ones that differ by a mask.

    masks: ascending, so that what follows each other stays in one tile on the right. is_self: both sides are one index,
    each pair is looked at once, the lower row comes first.
    """
    found, count = np.empty(_FIRST_ROOM, np.uint64), 0
    for mask in masks:
        length = _lower_half(mask, start, size) if is_self else size
        if length == 0:
            continue
        bases = (start, start + size, length)
        after = _scan_buckets(left, right, band, mask, bases, is_self, found, count)
        if after > len(found):
            # the hot loop never holds an array that it might have to replace: that made it six times slower
            larger = np.empty(2 * after, np.uint64)
            larger[:count] = found[:count]
            found = larger
            after = _scan_buckets(left, right, band, mask, bases, is_self, found, count)
        count = after
    return found[:count].copy()


_WIDTHS = range(4, 25)  # 2^24 buckets take 64 MiB
_TOLERANCES = range(7)
_SAMPLE = 600
_TILE_HASHES = 1 << 14  # with their buckets they fit a core's own cache
# nanoseconds on one core, measured on random and on skewed hashes: only their proportions matter, and only to speed
_INDEX_NS, _BUCKET_NS, _VISIT_NS, _SPARSE_NS, _LANE_NS = 40.0, 2.0, 2.0, 0.7, 0.18


class SearchSize(NamedTuple):
    """How many hashes are gone through, how many are indexed, and whether these are the same."""

    streamed: int
    kept: int
    is_self: bool


class BandShape(NamedTuple):
    """How many bits a band has, and in how many of them hashes may differ, before it is known which bits these are."""

    width_bits: int
    tolerance_bits: int


def banded_pairs(left: Hashes, right: Hashes | None, radius_bits: int, threads: int) -> Hashes:
    """(P,) row in `left` << 32 | row in `right`, sorted; without `right`, pairs within `left`, the lower row first.
    Distinct in themselves. Memory: 12 bytes a hash and at most 64 MiB a side, and 16 bytes a pair.
    """
    kept = left if right is None else right
    order, shares = _balance(kept)
    bands = plan_bands(SearchSize(len(left), len(kept), right is None), radius_bits, shares)
    table = _bit_permutation(order, [band.width_bits for band in bands])
    with ThreadPoolExecutor(threads) as pool:
        found = [
            _pairs_of_band(left, right, table, (width, band), pool, _tile_size(len(left), width.width_bits, threads))
            for width, band in zip(bands, _kernel_bands(bands, radius_bits), strict=True)
        ]
    pairs = np.concatenate(found)
    pairs.sort()
    return pairs


def _pairs_of_band(
    left: Hashes, right: Hashes | None, table: Hashes, band: tuple[BandShape, Band], pool: Executor, size: int
) -> Hashes:
    """Pairs that this band is the first to find, in no order; its index is gone when the next one's is made."""
    width, bits = band
    streamed = build_index(left, table, bits.shift, width.width_bits)
    indexed = streamed if right is None else build_index(right, table, bits.shift, width.width_bits)
    masks = masks_of(width)

    def tile(start: int) -> Hashes:
        return tile_pairs(streamed, indexed, bits, masks, start, size, right is None)

    return np.concatenate(list(pool.map(tile, range(0, 1 << width.width_bits, size))))


def masks_of(band: BandShape) -> Hashes:
    """(M,) all ways in which the values of two buckets may differ, ascending; 0 first."""
    places = range(band.width_bits)
    ways = (way for weight in range(band.tolerance_bits + 1) for way in combinations(places, weight))
    return np.sort(np.array([sum(1 << place for place in way) for way in ways], np.uint64))


def plan_bands(size: SearchSize, radius_bits: int, shares: dict[BandShape, float]) -> list[BandShape]:
    """The bands that cost least, widest first: at most 64 bits, tolerances and number together radius_bits + 1. shares:
    which part of all pairs a band would have to look at.
    """
    costs = {band: _cost_ns(band, size, share) for band, share in shares.items()}
    best: dict[tuple[int, int], tuple[float, tuple[BandShape, ...]]] = {(0, bits): (0.0, ()) for bits in range(65)}
    for need in range(1, radius_bits + 2):
        for bits in range(65):
            ways = [
                (cost + best[rest][0], (band, *best[rest][1]))
                for band, cost in costs.items()
                if (rest := (need - band.tolerance_bits - 1, bits - band.width_bits)) in best
            ]
            if ways:
                best[need, bits] = min(ways)
    return sorted(best[radius_bits + 1, 64][1], reverse=True)


def _cost_ns(band: BandShape, size: SearchSize, share: float) -> float:
    halved = 0.5 if size.is_self else 1.0
    buckets, masks = 1 << band.width_bits, _masks(band)
    visits = halved * size.streamed * masks
    looks = max(0.0, halved * size.streamed * size.kept * share - visits * LANES / 2)
    index = _INDEX_NS * (size.kept + (0 if size.is_self else size.streamed)) + _BUCKET_NS * buckets
    return index + visits * (_VISIT_NS + _SPARSE_NS * min(8.0, buckets / size.kept)) + looks * _LANE_NS


def _masks(band: BandShape) -> int:
    return sum(comb(band.width_bits, weight) for weight in range(band.tolerance_bits + 1))


def _balance(hashes: Hashes) -> tuple[list[int], dict[BandShape, float]]:
    """Bits, most evenly set first, and the share of pairs within each band's tolerance, by a sample. Perceptual hashes
    are far from random: always half of their bits are set, and those of low frequencies go together.
    """
    sample = hashes[:: max(1, len(hashes) // _SAMPLE)]
    ones = ((sample[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).mean(axis=0)
    order = np.argsort(np.abs(ones - 0.5), kind="stable").tolist()
    first, second = np.triu_indices(len(sample), 1)
    differences = sample[first] ^ sample[second]
    shares = {}
    for width in _WIDTHS:
        bits = np.bitwise_or.reduce([np.uint64(1) << np.uint64(order[place * 64 // width]) for place in range(width)])
        distances = np.bincount(np.bitwise_count(differences & bits), minlength=65)
        for tolerance in _TOLERANCES:
            band = BandShape(width, tolerance)
            share = distances[: tolerance + 1].sum() / max(1, len(differences))
            shares[band] = max(float(share), _masks(band) / 2**width)
    return order, shares


def _bit_permutation(order: list[int], widths: list[int]) -> Hashes:
    """(8, 256) where the bits of each byte go, so that every band, from the lowest on, gets even and uneven bits alike.
    The evenest come to a band's top: they tell its tiles apart, which shall be alike in size.
    """
    starts = np.cumsum([0, *widths]).tolist()
    filled = [0] * len(widths)
    place_of = {}
    for bit in order[: sum(widths)]:
        band = min(range(len(widths)), key=lambda band: filled[band] / widths[band])
        filled[band] += 1
        place_of[bit] = starts[band + 1] - filled[band]
    place_of |= {bit: place for place, bit in enumerate(order[sum(widths) :], start=sum(widths))}
    return permutation(place_of)


def _kernel_bands(bands: list[BandShape], radius_bits: int) -> Iterator[Band]:
    shift, earlier, tolerances = 0, list[int](), list[int]()
    for band in bands:
        values = (1 << band.width_bits) - 1
        before = np.array(earlier, np.uint64), np.array(tolerances, np.uint64)
        yield Band(np.uint64(shift), np.uint64(values), np.uint64(radius_bits), *before)
        earlier.append(values << shift)
        tolerances.append(band.tolerance_bits)
        shift += band.width_bits


def _tile_size(hashes: int, width_bits: int, threads: int) -> int:
    """Buckets in a tile: a power of two."""
    tiles = max(hashes // _TILE_HASHES, 4 * threads if threads > 1 else 1)
    return 1 << max(0, width_bits - tiles.bit_length())
