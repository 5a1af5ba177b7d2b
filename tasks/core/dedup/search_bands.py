"""Pairs of hashes through bands of their bits: how the bands are chosen, and the search band by band.

Multi-index hashing (Norouzi, Punjani & Fleet, Fast search in Hamming space with multi-index hashing, CVPR 2012), with a
tolerance for each band: hashes within r bits of each other are within t_k bits in some band k if the tolerances and
their number add up to r + 1, for otherwise they differ by t_k + 1 bits in every band.
"""

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.dedup import search_kernels as kernels

Hashes = NDArray[np.uint64]

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

    Both (N,), without equal hashes in themselves. Memory: 12 bytes a hash and at most 64 MiB a side, and 16 bytes
    a pair.
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
    left: Hashes, right: Hashes | None, table: Hashes, band: tuple[BandShape, kernels.Band], pool: Executor, size: int
) -> Hashes:
    """Pairs that this band is the first to find, in no order; its index is gone when the next one's is made."""
    width, bits = band
    streamed = kernels.build_index(left, table, bits.shift, width.width_bits)
    indexed = streamed if right is None else kernels.build_index(right, table, bits.shift, width.width_bits)
    masks = masks_of(width)

    def tile(start: int) -> Hashes:
        return kernels.tile_pairs(streamed, indexed, bits, masks, start, size, right is None)

    return np.concatenate(list(pool.map(tile, range(0, 1 << width.width_bits, size))))


def masks_of(band: BandShape) -> Hashes:
    """(M,) all ways in which the values of two buckets may differ, ascending; 0 first."""
    places = range(band.width_bits)
    ways = (way for weight in range(band.tolerance_bits + 1) for way in combinations(places, weight))
    return np.sort(np.array([sum(1 << place for place in way) for way in ways], np.uint64))


def plan_bands(size: SearchSize, radius_bits: int, shares: dict[BandShape, float]) -> list[BandShape]:
    """The bands that cost least: at most 64 bits, tolerances and number of bands together radius_bits + 1.

    Widest first.

    shares: which part of all pairs a band would have to look at.
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
    looks = max(0.0, halved * size.streamed * size.kept * share - visits * kernels.LANES / 2)
    index = _INDEX_NS * (size.kept + (0 if size.is_self else size.streamed)) + _BUCKET_NS * buckets
    return index + visits * (_VISIT_NS + _SPARSE_NS * min(8.0, buckets / size.kept)) + looks * _LANE_NS


def _masks(band: BandShape) -> int:
    return sum(comb(band.width_bits, weight) for weight in range(band.tolerance_bits + 1))


def _balance(hashes: Hashes) -> tuple[list[int], dict[BandShape, float]]:
    """Bits by how evenly they are set, most evenly first, and the share of pairs within each band's tolerance, by a
    sample.

    Perceptual hashes are far from random: always half of their bits are set, and those of low frequencies go together.
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
    values = np.arange(256, dtype=np.uint64)
    table = np.zeros((8, 256), np.uint64)
    for bit, place in place_of.items():
        table[bit // 8] |= ((values >> np.uint64(bit % 8)) & np.uint64(1)) << np.uint64(place)
    return table


def _kernel_bands(bands: list[BandShape], radius_bits: int) -> Iterator[kernels.Band]:
    shift, earlier, tolerances = 0, list[int](), list[int]()
    for band in bands:
        values = (1 << band.width_bits) - 1
        yield kernels.Band(
            np.uint64(shift),
            np.uint64(values),
            np.uint64(radius_bits),
            np.array(earlier, np.uint64),
            np.array(tolerances, np.uint64),
        )
        earlier.append(values << shift)
        tolerances.append(band.tolerance_bits)
        shift += band.width_bits


def _tile_size(hashes: int, width_bits: int, threads: int) -> int:
    """Buckets in a tile: a power of two."""
    tiles = max(hashes // _TILE_HASHES, 4 * threads if threads > 1 else 1)
    return 1 << max(0, width_bits - tiles.bit_length())
