"""The Fréchet distance of two sets of features: FID, where the features are the 2048 of an Inception network.

Heusel et al., "GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash Equilibrium", 2017, equation 6.
A score of two whole sets: it is no mean over images, and grows where there are fewer. So there is no interval from
resamples of it, in which images stand twice.
"""

from typing import NamedTuple

import numpy as np

from schemas.errors import BadInput
from schemas.phrases import counted
from tasks.core.evaluate.generation.features import (
    Features,
    Floats,
    RowBlocks,
    blocks_of,
    check_pair,
    common_exponent,
    scaled_blocks,
)

MOST_COLUMNS = 16_384
"""A covariance has a number for each pair of columns: 2 GiB for so many, of which some are held at once."""


class Moments(NamedTuple):
    """What the distance knows of a set. mean: (d,). covariance: (d, d), symmetric. rows: how many images it has."""

    mean: Floats
    covariance: Floats
    rows: int


def feature_distance(samples: Features, reference: Features) -> float:
    """`frechet_distance` of two sets of features, (M, d) and (N, d), of any scale: 2^e, near the largest, is taken out.

    Raises BadInput for features that don't fit (`check_pair`), for more than MOST_COLUMNS columns, for fewer than two
    images.

    >>> feature_distance(np.array([[0.0], [2.0]]), np.array([[3.0], [5.0]]))
    9.0
    """
    check_pair(samples, reference)
    exponent = common_exponent(samples, reference)
    one, other = (
        moments(name, scaled_blocks(features, exponent))
        for name, features in (("samples", samples), ("reference", reference))
    )
    return float(np.ldexp(frechet_distance(one, other), 2 * exponent))


def moments(name: str, features: RowBlocks) -> Moments:
    """Mean and covariance of features, in 64 bits; the covariance is divided by N - 1, as `numpy.cov` does.

    features: (N, d), or blocks of rows; the moments are the same, to the last bit, in whatever blocks the rows come.
    Blocks are joined as in Chan, Golub & LeVeque, "Updating formulae", 1979, so that features far from 0 lose no
    digits. name: how a message calls the set. Raises BadInput for fewer than two rows, for more
    than MOST_COLUMNS columns, and see `blocks_of`.

    >>> mean, covariance, rows = moments("samples", np.array([[0.0, 1.0], [2.0, 5.0]]))
    >>> mean.tolist(), covariance.tolist(), rows
    ([1.0, 3.0], [[2.0, 4.0], [4.0, 8.0]], 2)
    """
    rows, mean, scatter = 0, np.zeros(0), np.zeros((0, 0))
    for block in blocks_of(name, features):
        if block.shape[1] > MOST_COLUMNS:
            raise BadInput(f"{name}: expected at most {MOST_COLUMNS:,} columns for FID, got {block.shape[1]:,}")
        middle = block.mean(axis=0)
        block -= middle
        inner = block.T @ block
        if not rows:
            rows, mean, scatter = len(block), middle, inner
            continue
        both = rows + len(block)
        step = middle - mean
        scatter += inner
        scatter += np.outer(step, step) * (rows * len(block) / both)
        mean += step * (len(block) / both)
        rows = both
    if rows < 2:
        raise BadInput(f"{name}: expected features of at least two images for a covariance, got one")
    return Moments(mean, scatter / (rows - 1), rows)


def frechet_distance(one: Moments, other: Moments) -> float:
    """|mu1 - mu2|^2 + Tr(S1 + S2 - 2 (S1 S2)^(1/2)): 0 for equal moments, never negative, symmetric.

    What rounding leaves below 0 becomes 0. Raises BadInput where the numbers of columns differ, and see `root_trace`.

    >>> frechet_distance(Moments(np.zeros(2), np.eye(2), 9), Moments(np.array([3.0, 4.0]), 4 * np.eye(2), 9))
    27.0
    """
    if one.mean.shape != other.mean.shape:
        raise BadInput(
            "expected samples and reference of one feature extractor, "
            f"got {len(one.mean)} and {len(other.mean)} columns"
        )
    step = one.mean - other.mean
    if not step.any() and np.array_equal(one.covariance, other.covariance):
        return 0.0
    spread = float(np.trace(one.covariance) + np.trace(other.covariance))
    return max(0.0, float(step @ step) + spread - 2 * root_trace(one.covariance, other.covariance))


def root_trace(one: Floats, other: Floats) -> float:
    """Tr((S1 S2)^(1/2)) of two covariances: (d, d), symmetric, without a negative eigenvalue.

    With S = R^T R, the eigenvalues of S1 S2 are the squares of the singular values of R1 R2^T, whose sum is the answer.
    The usual way takes the roots of the eigenvalues of S1 S2 itself: slower, and where there are fewer images than
    columns, the rounding errors of hundreds of zeros, 1e-16 each, have roots of 1e-8 each, which add up. R comes from
    a Cholesky decomposition with pivots, which leaves out directions without spread, and with them these zeros.

    >>> root_trace(np.diag([4.0, 0.0]), np.diag([9.0, 1.0]))
    6.0
    """
    cross = _root("one", one) @ _root("other", other).T
    if cross.shape[0] > cross.shape[1]:
        cross = cross.T
    squares = np.linalg.eigvalsh(cross @ cross.T) if cross.size else np.zeros(0)
    return float(np.sqrt(np.clip(squares, 0, None)).sum())


def distance_note(images: int, columns: int) -> str | None:
    """What a reader of the distance must know of so few images or so many columns; None where there is nothing.

    >>> distance_note(2049, 2048)
    """
    if columns > MOST_COLUMNS:
        return (
            f"no FID: features have {columns:,} columns; a covariance is computed of at most {MOST_COLUMNS:,}, which "
            "fill 2 GiB"
        )
    if images > columns:
        return None
    return (
        f"FID of {counted(images, 'image')} and {columns:,} columns: with no more images than columns it is far too "
        "high; compare only figures of equally many images"
    )


def _root(name: str, covariance: Floats) -> Floats:
    """(r, d) R with R^T R = the covariance, r its rank, to rounding."""
    from scipy.linalg.lapack import dpstrf  # scipy.linalg takes a fifth of a second to import

    if not np.isfinite(covariance).all() or not np.array_equal(covariance, covariance.T):
        raise BadInput(f"expected a covariance of finite numbers, the same above and below the diagonal, for {name}")
    scale = float(np.diagonal(covariance).max(initial=0.0))
    if scale <= 0:
        return np.zeros((0, len(covariance)))
    upper, order, rank, _ = dpstrf(covariance / scale)
    root = np.empty((rank, len(covariance)))
    root[:, order - 1] = np.triu(upper[:rank])
    return np.asarray(root * np.sqrt(scale))
