"""The first numbers of many of the museum's generators at once: what `seeds.generator` would draw, row by row, in
arrays.

A million generators of numpy's own take a minute; their arithmetic on arrays takes seconds. Followed here are
SeedSequence (O'Neill's seed_seq_fe, as in numpy/random/bit_generator.pyx), PCG64 XSL-RR (O'Neill 2014) and Lemire's
bounded integers (2019).
"""

from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_POOL = 4
_LOW = np.uint64(0xFFFFFFFF)
_MULTIPLIER = (np.uint64(2549297995355413924), np.uint64(4865540595714422341))


class Draws:
    """One generator for each of some rows, each as it is when it is new; a draw moves those it is asked of.

    `is_sure` is False for a row whose bounded draw numpy might have thrown away and drawn again: ask numpy about that
    one.
    """

    def __init__(self, seed: int, what: str, rows: NDArray[np.int64]) -> None:
        digests = b"".join(sha256(f"{seed}\t{what}\t{row}".encode()).digest()[:16] for row in rows.tolist())
        # the digest is one big-endian number; SeedSequence takes its words from the lowest on
        words = np.frombuffer(digests, dtype=">u4").reshape(-1, _POOL)[:, ::-1].astype(np.uint32)
        state = _seeded([words[:, place].copy() for place in range(_POOL)])
        one = np.uint64(1)
        self._add = (state[2] << one | state[3] >> np.uint64(63), state[3] << one | one)
        self._state = _sum(self._add, (state[0], state[1]))
        self._step(np.ones(len(rows), dtype=bool))
        self._spare = np.zeros(len(rows), dtype=np.uint64)
        self._has_spare = np.zeros(len(rows), dtype=bool)
        self.is_sure = np.ones(len(rows), dtype=bool)

    def uniform(self, where: NDArray[np.bool_]) -> NDArray[np.float64]:
        """A number from 0 to 1 of each generator that is meant; 0 of the others, which stay as they are."""
        return (self._next_64(where) >> np.uint64(11)).astype(np.float64) * (where * 2.0**-53)

    def below(self, counts: NDArray[np.int64], where: NDArray[np.bool_]) -> NDArray[np.int64]:
        """A whole number from 0 to below each count (at least 1, under 2^32).

        A count of 1 takes no draw, as in numpy.
        """
        draws = where & (counts > 1)
        wide = self._next_32(draws) * counts.astype(np.uint64)
        self.is_sure &= ~draws | ((wide & _LOW) >= counts.astype(np.uint64))
        return (wide >> np.uint64(32)).astype(np.int64) * draws

    def _next_32(self, where: NDArray[np.bool_]) -> Words:
        fresh = where & ~self._has_spare
        drawn = self._next_64(fresh)
        value = np.where(fresh, drawn & _LOW, self._spare)
        self._spare = np.where(fresh, drawn >> np.uint64(32), self._spare)
        self._has_spare = self._has_spare ^ where
        return value

    def _next_64(self, where: NDArray[np.bool_]) -> Words:
        self._step(where)
        high, low = self._state
        turn, mixed = high >> np.uint64(58), high ^ low
        turned: Words = np.bitwise_or(mixed >> turn, mixed << ((np.uint64(64) - turn) & np.uint64(63)))
        return turned

    def _step(self, where: NDArray[np.bool_]) -> None:
        high, low = _sum(_product(self._state), self._add)
        self._state = np.where(where, high, self._state[0]), np.where(where, low, self._state[1])


def _seeded(words: list[NDArray[np.uint32]]) -> list[Words]:
    """SeedSequence's `generate_state(4, uint64)` of four words each."""
    constant = 0x43B0D7E5

    def hashed(value: NDArray[np.uint32]) -> NDArray[np.uint32]:
        nonlocal constant
        value = value ^ np.uint32(constant)
        constant = constant * 0x931E8875 & 0xFFFFFFFF
        value = value * np.uint32(constant)
        return value ^ value >> np.uint32(16)

    pool = [hashed(word) for word in words]
    for source in range(_POOL):
        for target in range(_POOL):
            if source != target:
                mixed = np.uint32(0xCA01F9DD) * pool[target] - np.uint32(0x4973F715) * hashed(pool[source])
                pool[target] = mixed ^ mixed >> np.uint32(16)
    found, constant = [], 0x8B51F9DD
    for place in range(2 * _POOL):
        value = pool[place % _POOL] ^ np.uint32(constant)
        constant = constant * 0x58F38DED & 0xFFFFFFFF
        value = value * np.uint32(constant)
        found.append((value ^ value >> np.uint32(16)).astype(np.uint64))
    return [found[2 * place] | found[2 * place + 1] << np.uint64(32) for place in range(_POOL)]


def _sum(one: tuple[Words, Words], other: tuple[Words, Words]) -> tuple[Words, Words]:
    """Of two numbers of 128 bits, as high and low words."""
    low = one[1] + other[1]
    return one[0] + other[0] + (low < one[1]), low


def _product(number: tuple[Words, Words]) -> tuple[Words, Words]:
    """Of a number of 128 bits and PCG64's multiplier."""
    high, low = number
    return _high_word(low, _MULTIPLIER[1]) + high * _MULTIPLIER[1] + low * _MULTIPLIER[0], low * _MULTIPLIER[1]


def _high_word(one: Words, other: np.uint64) -> Words:
    """The upper 64 bits of a product of 128."""
    half = np.uint64(32)
    a, b, c, d = one >> half, one & _LOW, other >> half, other & _LOW
    cross = (b * d >> half) + (a * d & _LOW) + (b * c & _LOW)
    high: Words = a * c + (a * d >> half) + (b * c >> half) + (cross >> half)
    return high
