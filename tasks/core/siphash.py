"""SipHash-2-4 of many strings (Aumasson & Bernstein, 2012, "SipHash: a fast short-input PRF", section 2)."""

# mypy: disable-error-code="operator, assignment"
import numpy as np
from numpy.typing import NDArray

from tasks.core.jit import compiled

_STARTS = np.array([0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573], np.uint64)
_C, _D = 2, 4
_U = np.uint64


@compiled
def _rotate(word: np.uint64, bits: int) -> np.uint64:
    return (word << _U(bits)) | (word >> _U(64 - bits))


@compiled
def _mix(state: NDArray[np.uint64], rounds: int) -> None:
    a, b, c, d = state
    for _ in range(rounds):
        a, c = a + b, c + d
        b, d = _rotate(b, 13) ^ a, _rotate(d, 16) ^ c
        a = _rotate(a, 32)
        c, a = c + b, a + d
        b, d = _rotate(b, 17) ^ c, _rotate(d, 21) ^ a
        c = _rotate(c, 32)
    state[0], state[1], state[2], state[3] = a, b, c, d


@compiled
def siphash(
    starts: NDArray[np.int64],
    letters: NDArray[np.uint8],
    keys: NDArray[np.uint64],
    key_of: NDArray[np.int64],
    out: NDArray[np.uint64],
) -> None:
    """Fill `out` (N,) with the hash of each of N strings.

    String n is letters[starts[n] : starts[n + 1]], its key keys[key_of[n]]. keys: (K, 2). starts: (N + 1,).
    """
    state = np.empty(4, np.uint64)
    for row in range(len(out)):
        start, stop = starts[row], starts[row + 1]
        for place in range(4):
            state[place] = _STARTS[place] ^ keys[key_of[row], place % 2]
        for word in range((stop - start) // 8 + 1):
            block, first = _U(0), start + 8 * word
            for place in range(min(8, stop - first)):
                block |= _U(letters[first + place]) << _U(8 * place)
            if stop - first < 8:  # the last word ends in the string's length
                block |= _U((stop - start) & 0xFF) << _U(56)
            state[3] ^= block
            _mix(state, _C)
            state[0] ^= block
        state[2] ^= _U(0xFF)
        _mix(state, _D)
        out[row] = state[0] ^ state[1] ^ state[2] ^ state[3]
