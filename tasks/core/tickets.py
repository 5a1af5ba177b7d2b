"""Chance that depends on a seed and a name alone: the same draw in any order, in any parts, on any machine."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_ROWS = 1 << 18
"""Rows whose logarithms are taken at once: what they need on the way stays in the processor's cache."""


def tickets(
    names: pa.ChunkedArray, seed: int, purpose: str, strata: Sequence[str], stratum: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """(N,) a number drawn for each name in its stratum; empty in, empty out.

    names: (N,) strings without nulls; stratum: (N,) which of `strata` each is in. A ticket is the 64 bits of
    SipHash-2-4 (Aumasson & Bernstein, 2012) of the name in UTF-8, with the first 16 bytes of the SHA-256 of "seed TAB
    purpose TAB stratum" as its key (both halves least byte first): one stratum's draw says nothing of another's.

    >>> names = pa.chunked_array([["wikiart:1", "wikiart:2"]])
    >>> tickets(names, 7, "sample", ["Cubism"], np.zeros(2, np.int64)).tolist()
    [10756580579186980126, 16657548657536605038]
    """
    # the compiler takes half a second to load, and most builds draw nothing anew
    from tasks.core.siphash import siphash

    digests = [hashlib.sha256(f"{seed}\t{purpose}\t{name}".encode()).digest()[:16] for name in strata]
    keys = np.frombuffer(b"".join(digests), "<u8").reshape(-1, 2).astype(np.uint64)
    found = np.empty(len(names), np.uint64)
    done = 0
    for chunk in names.chunks:
        text = chunk.cast(pa.large_string())
        end = done + len(text)
        starts = np.frombuffer(text.buffers()[1], np.int64)[text.offset : text.offset + len(text) + 1]
        letters = np.frombuffer(text.buffers()[2] or b"", np.uint8)
        siphash(starts, letters, keys, np.ascontiguousarray(stratum[done:end], np.int64), found[done:end])
        done = end
    return found


def waiting_times(drawn: NDArray[np.uint64]) -> NDArray[np.float64]:
    """(N,) exponential waiting times of rate 1, in [0, 37.5), for tickets: -ln((first 53 bits + 0.5) / 2**53).

    The order of (waiting time / weight), smallest first, is that of draws without replacement with odds in proportion
    to the weights (Efraimidis & Spirakis, 2006). The keys u ** (1 / weight) have the same law, but underflow to ties
    where an artist has a thousand works. The logarithm is our own, in plain sums and products: those of two libraries,
    or two processors, may differ in the last bit.

    >>> waiting_times(np.array([2**63, 0, 2**64 - 1], np.uint64)).round(3).tolist()
    [0.693, 37.43, 0.0]
    """
    waits = np.empty(len(drawn))
    for start in range(0, len(drawn), _ROWS):
        waits[start : start + _ROWS] = _minus_log(((drawn[start : start + _ROWS] >> np.uint64(11)) + 0.5) / 2**53)
    return waits


def order_by_stratum(stratum: NDArray[np.int64], value: NDArray[Any], names: pa.ChunkedArray) -> NDArray[np.int64]:
    """(N,) the rows by stratum, then by key, smallest first; rows that are equal in both by name. Names are unique.

    stratum: (N,) whole numbers from 0 on. key: (N,) uint64, or float64 from 0 on.
    """
    if not len(stratum):
        return np.empty(0, np.int64)
    # Stratum, as much of the key as there is room for, and the row, in one number: to sort numbers takes a tenth of the
    # time that it takes to sort their places. Numbers from 0 on are ordered as their bits are, floats too
    whole = value.view(np.uint64) if value.dtype == np.float64 else value
    packed = whole - whole.min()
    rows, strata, bits = (int(most).bit_length() for most in (len(packed), stratum.max(), packed.max()))
    packed >>= np.uint64(max(0, bits + strata + rows - 64))
    packed |= stratum.astype(np.uint64) << np.uint64(min(bits, 64 - strata - rows))
    packed <<= np.uint64(rows)
    packed |= np.arange(len(packed), dtype=np.uint64)
    packed.sort()
    order = (packed & np.uint64((1 << rows) - 1)).astype(np.int64)
    packed >>= np.uint64(rows)
    # by twos: the first of some rows that are the same in this, and the last of them
    ends = np.flatnonzero(np.diff(packed[1:] == packed[:-1], prepend=False, append=False))
    for first, last in ends.reshape(-1, 2).tolist():
        run = order[first : last + 1].tolist()
        order[first : last + 1] = sorted(run, key=lambda row: (int(whole[row]), str(names[row].as_py())))
    return np.asarray(order, np.int64)


def _minus_log(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of numbers in (0, 1]."""
    mantissa, exponent = np.frexp(u)
    is_low = mantissa < np.sqrt(0.5)
    mantissa, exponent = np.where(is_low, 2 * mantissa, mantissa), exponent - is_low
    x = (mantissa - 1) / (mantissa + 1)
    squared, series = x * x, np.zeros_like(x)
    # ln m = 2 artanh(x) = 2 (x + x^3 / 3 + ...); |x| < 0.172, so that x^25 is below one bit
    for odd in range(23, 0, -2):
        series = series * squared + 1 / odd
    return np.asarray(np.abs(2 * x * series + exponent * np.log(2)))
