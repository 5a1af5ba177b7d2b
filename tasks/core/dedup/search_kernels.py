"""The inner loops of the search for near hashes: compiled, and free of Python's lock.

Imported only where there is much to search.

An index holds hashes in the order of a few of their bits, a band; a bucket holds the hashes whose band has one value.
Buckets whose values lie next to each other in number are a tile: small enough for a core's cache, and what one thread
is given to do.
"""

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from tasks.core.jit import compiled

Hashes = NDArray[np.uint64]

LANES = 8  # hashes that are looked at in one step; most buckets hold fewer, so there is no inner loop to guess wrong
_FIRST_ROOM = 1024


class Index(NamedTuple):
    """hashes: (N + LANES,), by band value, then row. rows: (N,) where each stood. starts: bucket v is
    starts[v]..starts[v + 1].
    """

    hashes: Hashes
    rows: NDArray[np.uint32]
    starts: NDArray[np.uint32]


class Band(NamedTuple):
    """Which bits the index is by, which pairs count, and which an earlier band has found: within its tolerance on its
    bits.
    """

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
    """Least distance of `hash_` to hashes[at : at + LANES], in bits, as one vector: loops over scalars took twice as
    long.
    """
    return types.uint64(hashes, types.uint64, types.uint64), _least_distance_code


_least_distance: Any = intrinsic(_least_distance_of)


@compiled
def permute_bits(hash_: np.uint64, table: Hashes) -> np.uint64:
    """The hash with its bits in another order, which leaves all distances as they are.

    (8, 256) `table` says where each byte's go.
    """
    found = np.uint64(0)
    for byte in range(8):
        found |= table[byte, (hash_ >> np.uint64(8 * byte)) & np.uint64(255)]
    return found


@compiled
def build_index(hashes: Hashes, table: Hashes, shift: np.uint64, width_bits: int) -> Index:
    """The dealt hashes in the order of `width_bits` bits from `shift` on, by counting.

    Equal ones in the order of their rows.
    """
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
def _bits(word: np.uint64) -> np.uint64:
    """How many bits are set (Warren, Hacker's Delight, 5-1)."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@compiled
def _is_new(difference: np.uint64, band: Band) -> bool:
    is_known = _bits(difference) > band.radius_bits
    for number in range(len(band.earlier_bits)):
        is_known |= _bits(difference & band.earlier_bits[number]) <= band.earlier_tolerances[number]
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
    """The count after the pairs of buckets v and v ^ mask, for `length` values v from each base on (start, stop,
    length).
    """
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
    """(P,) pairs as row << 32 | other row, of the left buckets start..start + size and the right ones that differ by a
    mask.

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
