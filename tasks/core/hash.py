"""Perceptual hashes as numbers: 64 bits, most significant first, in imagehash's row order."""

import numpy as np
from numpy.typing import NDArray

_WEIGHTS = np.uint64(1) << np.arange(63, -1, -1, dtype=np.uint64)


def uint64_from_bits(bits: NDArray[np.bool_]) -> int:
    """The number whose binary digits are the 64 bits, read row by row. `bits` has shape (8, 8).

    >>> uint64_from_bits(np.eye(8, dtype=bool)) == 0x8040201008040201
    True
    """
    if bits.shape != (8, 8):
        raise ValueError(f"expected bits of shape (8, 8), got {bits.shape}")
    return int((_WEIGHTS * bits.ravel().astype(np.uint64)).sum(dtype=np.uint64))
