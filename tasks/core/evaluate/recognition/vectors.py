"""Descriptors of images: pooled feature maps, sums over scales, and vectors of length 1."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput

Vectors = NDArray[np.float32]
Floats = NDArray[np.float64]

AT_ONCE = 8192
"""Rows that are in memory as 64-bit numbers at once."""


def normalise(vectors: NDArray[Any]) -> Vectors:
    """(N, d) the vectors divided by their lengths (L2). A zero vector stays zero: it is as near to everything.

    Computed in 64 bits; also vectors of 1e308 or 1e-308 come out with length 1. Empty in, empty out.

    >>> normalise(np.array([[3, 4], [0, 0]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    wide = np.asarray(vectors, np.float64)
    largest = np.abs(wide).max(axis=-1, keepdims=True, initial=0.0)
    wide = wide / np.where(largest > 0, largest, 1.0)  # so that no square is too large or too small
    length = np.linalg.norm(wide, axis=-1, keepdims=True)
    return (wide / np.where(length > 0, length, 1.0)).astype(np.float32)


def normal_blocks(vectors: NDArray[Any], rows: int = AT_ONCE) -> Iterator[Vectors]:
    """`normalise` for a gallery that is too large to be copied: its rows in their order, so many at once."""
    for start in range(0, len(vectors), rows):
        yield normalise(vectors[start : start + rows])


def pool_gem(maps: NDArray[Any], p: float = 3.0, least: float = 1e-6) -> Floats:
    """(..., C) generalised means over the positions of feature maps (..., C, H, W): (mean of max(x, least)^p)^(1/p).

    The paper names GeM only (section 3, after Radenovic et al., 2019); p = 3 and 1e-6 are those of its authors' code.
    p = 1 is the mean, a large p comes near the maximum. Raises BadInput for maps without a position.

    >>> pool_gem(np.array([[[1, 2], [3, 4]]])).round(4).tolist()
    [2.924]
    """
    if maps.ndim < 3 or not maps.shape[-1] * maps.shape[-2]:
        raise BadInput(f"expected feature maps of shape (..., channels, height, width), none 0, got {maps.shape}")
    values = np.maximum(np.asarray(maps, np.float64), least)
    largest = values.max(axis=(-2, -1), keepdims=True)  # so that no power is too large
    means = np.mean((values / largest) ** p, axis=(-2, -1))
    return np.asarray(largest[..., 0, 0] * means ** (1 / p))


def sum_scales(descriptors: NDArray[Any]) -> Vectors:
    """(N, d) the sum of descriptors (S, N, d) over S scales, divided by its length (Eq. 1).

    Each is of length 1 before, so that every scale counts the same; one scale leaves it as it is. Where the sum is
    zero, it stays zero. The paper's scales are 1, 2^-0.5 and 2^-1. Raises BadInput without a scale.
    """
    if descriptors.ndim != 3 or not len(descriptors):
        raise BadInput(f"expected descriptors of shape (scales, images, dimensions), got {descriptors.shape}")
    return normalise(np.asarray(descriptors, np.float64).sum(axis=0))
