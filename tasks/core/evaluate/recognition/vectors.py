"""Descriptors of images: pooled feature maps, sums over scales, vectors of length 1, and PCA whitening learned from the
gallery alone (The Met dataset, section 3; Jégou & Chum, 2012).
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_images import MOST_DIMENSIONS
from schemas.phrases import counted

Vectors = NDArray[np.float32]
Floats = NDArray[np.float64]

AT_ONCE = 8192
"""Rows that are in memory as 64-bit numbers at once."""

LEAST_VARIANCE = 1e-9
"""As a share of the largest. A direction with less has none but the rounding of 32-bit numbers: it is left out."""
_LEAST_EXPONENT = -1022
"""Of 64-bit floats with all their digits; smaller numbers are scaled by this, too, for a finite factor."""


def normalise(vectors: NDArray[Any]) -> Vectors:
    """(N, d) the vectors divided by their lengths (L2), also of 1e308 or 1e-308; a zero vector stays zero.

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
    """(N, d) the sum of descriptors (S, N, d) of length 1 over S scales, divided by its length, or zero (Eq. 1).

    The paper's scales are 1, 2^-0.5 and 2^-1. Raises BadInput without a scale.
    """
    if descriptors.ndim != 3 or not len(descriptors):
        raise BadInput(f"expected descriptors of shape (scales, images, dimensions), got {descriptors.shape}")
    return normalise(np.asarray(descriptors, np.float64).sum(axis=0))


class Whitening(NamedTuple):
    """mean: (d,) of vectors x 2^-exponent, so that no square is too large or too small. projection: (d, kept)
    eigenvectors by falling variance, each divided by its standard deviation. exponent: of the power of two above the
    gallery's largest number.
    """

    mean: Floats
    projection: Floats
    exponent: int

    @property
    def dimensions(self) -> int:
        """How many are kept."""
        return int(self.projection.shape[1])


def learn_whitening(gallery: NDArray[Any], at_most: int | None = 512) -> Whitening:
    """The whitening of a gallery (G, d), which may be a memory map: it is read three times, in blocks.

    m = mean, C = (X - m)^T (X - m) / G in 64 bits, P = V diag(variance^-1/2) for the `at_most` eigenvectors V with the
    largest variance (null: all; the paper: 512). Directions below LEAST_VARIANCE are left out, so that fewer may be
    kept: G images have at most G - 1. Of each eigenvector the entry that is farthest from 0 is positive (the first of
    equal ones). Raises BadInput for fewer than two images, for images that are all equal, and for more than
    MOST_DIMENSIONS or a covariance that does not fit into memory.
    """
    if len(gallery) < 2:
        raise BadInput(f"expected at least 2 gallery images to learn a whitening from, got {len(gallery)}")
    if gallery.shape[1] > MOST_DIMENSIONS:
        expected = f"expected at most {MOST_DIMENSIONS:,} dimensions to learn a whitening from"
        raise BadInput(f"{expected}, got {gallery.shape[1]:,} (--set whiten=false takes any number)")
    blocks = [slice(start, start + AT_ONCE) for start in range(0, len(gallery), AT_ONCE)]
    exponent = max(int(_exponents(gallery[block]).max()) for block in blocks)
    mean = np.sum([_scaled(gallery[block], exponent).sum(axis=0) for block in blocks], axis=0) / len(gallery)
    try:
        variance, vectors = _directions(gallery, blocks, mean, exponent)
    except MemoryError as problem:
        expected = f"expected memory for the covariance of {counted(len(mean), 'dimension')}"
        raise BadInput(f"{expected}, got too little (--set whiten=false needs none)") from problem
    rank = int(np.count_nonzero(variance > LEAST_VARIANCE * max(float(variance[0]), np.finfo(np.float64).tiny)))
    if not rank or variance[0] <= float(mean @ mean) * 1e-24:  # the mean's own rounding
        raise BadInput("expected gallery images with different vectors to learn a whitening from, got equal ones")
    kept = rank if at_most is None else min(at_most, rank)
    directions = vectors[:, :kept]
    farthest = np.take_along_axis(directions, np.abs(directions).argmax(axis=0)[None], axis=0)
    return Whitening(mean, directions * np.where(farthest < 0, -1.0, 1.0) / np.sqrt(variance[:kept]), exponent)


def whiten(vectors: NDArray[Any], whitening: Whitening) -> Vectors:
    """(N, kept) the vectors (N, d) whitened, y = (x - m) P, and divided by their lengths again, as in the authors'
    code; the gallery's mean itself becomes zero and stays it.
    """
    nothing = np.empty((0, whitening.dimensions), np.float32)
    return np.concatenate([nothing, *whiten_blocks(vectors, whitening)])


def whiten_blocks(vectors: NDArray[Any], whitening: Whitening) -> Iterator[Vectors]:
    """`whiten` for a gallery that is too large to be copied: its rows in their order, AT_ONCE at once."""
    for start in range(0, len(vectors), AT_ONCE):
        block = vectors[start : start + AT_ONCE]
        # only the direction counts, so a vector that is far larger than the gallery's is scaled by its own size
        exponents = np.maximum(_exponents(block), whitening.exponent)[:, None]
        centred = _scaled(block, exponents)
        centred -= whitening.mean * np.ldexp(1.0, whitening.exponent - exponents)
        yield normalise(centred @ whitening.projection)


def _directions(gallery: NDArray[Any], blocks: Sequence[slice], mean: Floats, exponent: int) -> tuple[Floats, Floats]:
    """Variances (d,) of the scaled gallery, falling, and the eigenvectors (d, d) of its covariance."""
    covariance = np.zeros((len(mean), len(mean)))
    for block in blocks:
        centred = _scaled(gallery[block], exponent)
        centred -= mean
        covariance += centred.T @ centred
    variance, vectors = np.linalg.eigh(covariance / len(gallery))
    return variance[::-1], vectors[:, ::-1]


def _exponents(vectors: NDArray[Any]) -> NDArray[np.int64]:
    """(N,) of the power of two above the largest number of each vector, at least _LEAST_EXPONENT, as of zeros."""
    largest = np.maximum(vectors.max(axis=1), -vectors.min(axis=1)).astype(np.float64)
    exponents = np.where(largest > 0, np.frexp(largest)[1], _LEAST_EXPONENT)
    return np.maximum(exponents, _LEAST_EXPONENT).astype(np.int64)


def _scaled(vectors: NDArray[Any], exponents: int | NDArray[np.int64]) -> Floats:
    """(N, d) the vectors x 2^-exponents, exactly but for what vanishes."""
    wide = vectors.astype(np.float64)
    wide *= np.ldexp(1.0, -np.asarray(exponents))
    return np.asarray(wide)
