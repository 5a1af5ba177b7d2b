"""Scores of whole sets of images: FID, KID and the Inception score, as they are called where the network is Inception.

`feature_distance`, the Fréchet distance (FID): Heusel et al., "GANs Trained by a Two Time-Scale Update Rule Converge to
a Local Nash Equilibrium", 2017, equation 6. It is no mean over images, and grows where there are fewer.

`kernel_distance` (KID): Bińkowski, Sutherland, Arbel & Gretton, "Demystifying MMD GANs", 2018, section 4: the unbiased
estimate of the squared maximum mean discrepancy with the kernel (x.y / d + 1)^3. It does not depend on how many images
there are. Its spread over subsets says how exact it is; resamples of images, in which some stand twice, would bias it.

`inception_score`: how sure a classifier is of each sample, and how many classes there are among all of them. Salimans
et al., "Improved Techniques for Training GANs", 2016, section 4. It looks at the samples alone.
"""

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import counted
from tasks.core.evaluate.generation.features import (
    BLOCK,
    Features,
    Floats,
    check_features,
    check_pair,
    check_probabilities,
    common_exponent,
    scaled_blocks,
    wide_blocks,
)

MOST_COLUMNS = 16_384
"""A covariance has a number for each pair of columns: 2 GiB for so many, of which some are held at once."""


class MeanScore(NamedTuple):
    """Mean and standard deviation (divided by their number, 0 of one) of the values of subsets or parts."""

    mean: float
    sd: float


class Moments(NamedTuple):
    """What the distance knows of a set. mean: (d,). covariance: (d, d), symmetric. rows: how many images it has."""

    mean: Floats
    covariance: Floats
    rows: int


def feature_distance(samples: Features, reference: Features) -> float:
    """`frechet_distance` of two sets of features, (M, d) and (N, d), of any scale: 2^e, near the largest, is taken out.

    Raises BadInput as `check_pair` and `moments`.

    >>> feature_distance(np.array([[0.0], [2.0]]), np.array([[3.0], [5.0]]))
    9.0
    """
    check_pair(samples, reference)
    exponent = common_exponent(samples, reference)
    one, other = (
        moments(name, features, exponent) for name, features in (("samples", samples), ("reference", reference))
    )
    return float(np.ldexp(frechet_distance(one, other), 2 * exponent))


def moments(name: str, features: Features, exponent: int = 0) -> Moments:
    """Mean and covariance of features, in 64 bits; the covariance is divided by N - 1, as `numpy.cov` does.

    features: (N, d), which are divided by 2^exponent before. Blocks of rows are joined as in Chan, Golub & LeVeque,
    "Updating formulae", 1979, so that features far from 0 lose no digits. name: how a message calls the set. Raises
    BadInput (`check_features`), also for fewer than two rows and for more than MOST_COLUMNS columns.

    >>> mean, covariance, rows = moments("samples", np.array([[0.0, 1.0], [2.0, 5.0]]))
    >>> mean.tolist(), covariance.tolist(), rows
    ([1.0, 3.0], [[2.0, 4.0], [4.0, 8.0]], 2)
    """
    check_features(name, features)
    if features.shape[1] > MOST_COLUMNS:
        raise BadInput(f"{name}: expected at most {MOST_COLUMNS:,} columns for FID, got {features.shape[1]:,}")
    rows, mean, scatter = 0, np.zeros(0), np.zeros((0, 0))
    for block in scaled_blocks(features, exponent):
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
    """|mu1 - mu2|^2 + Tr(S1 + S2 - 2 (S1 S2)^(1/2)) of as many columns: 0 for equal moments, never negative, symmetric.

    >>> frechet_distance(Moments(np.zeros(2), np.eye(2), 9), Moments(np.array([3.0, 4.0]), 4 * np.eye(2), 9))
    27.0
    """
    step = one.mean - other.mean
    if not step.any() and np.array_equal(one.covariance, other.covariance):
        return 0.0
    spread = float(np.trace(one.covariance) + np.trace(other.covariance))
    return max(0.0, float(step @ step) + spread - 2 * root_trace(one.covariance, other.covariance))


def root_trace(one: Floats, other: Floats) -> float:
    """Tr((S1 S2)^(1/2)) of two covariances: (d, d), symmetric, without a negative eigenvalue.

    With S = R^T R, the eigenvalues of S1 S2 are the squares of the singular values of R1 R2^T, whose sum is the answer.
    The usual way, the roots of the eigenvalues of S1 S2 itself, is slower, and with fewer images than columns the
    rounding errors of hundreds of zeros, 1e-16 each, have roots of 1e-8 each, which add up. R comes from a Cholesky
    decomposition with pivots, which leaves out directions without spread, and with them these zeros.

    >>> root_trace(np.diag([4.0, 0.0]), np.diag([9.0, 1.0]))
    6.0
    """
    cross = _root(one) @ _root(other).T
    if cross.shape[0] > cross.shape[1]:
        cross = cross.T
    squares = np.linalg.eigvalsh(cross @ cross.T) if cross.size else np.zeros(0)
    return float(np.sqrt(np.clip(squares, 0, None)).sum())


def distance_note(images: int, columns: int) -> str | None:
    """What a reader of the distance must know of so few images or so many columns; None where there is nothing."""
    if columns > MOST_COLUMNS:
        most = f"at most {MOST_COLUMNS:,}, which fill 2 GiB"
        return f"no FID: features have {columns:,} columns; a covariance is computed of {most}"
    if images > columns:
        return None
    why = "with no more images than columns it is far too high; compare only figures of equally many images"
    return f"FID of {counted(images, 'image')} and {columns:,} columns: {why}"


def kernel_distance(
    samples: Features, reference: Features, subsets: int = 100, subset_size: int = 1000, seed: int = 2020
) -> MeanScore:
    """Mean and standard deviation of the distance of random subsets of both sets.

    samples: (M, d), reference: (N, d), both of at least `subset_size` rows. A subset's rows are drawn without
    replacement, first those of the samples, then those of the reference, by numpy's RandomState(seed): the draws of
    torch-fidelity, with its defaults, so that both have the same numbers; and numpy promises that this stream stays as
    it is. Raises BadInput for features that don't fit (`check_pair`). Below 0 now and then where both sets are alike.
    """
    check_pair(samples, reference)
    draw = np.random.RandomState(seed)
    values = np.empty(subsets)
    pairs = subset_size * (subset_size - 1)
    for subset in range(subsets):
        one = samples[draw.choice(len(samples), subset_size, replace=False)]
        other = reference[draw.choice(len(reference), subset_size, replace=False)]
        across = sum(float(_kernel(ours, theirs).sum()) for ours in wide_blocks(one) for theirs in wide_blocks(other))
        inside = _sum_of_pairs(one) / pairs + _sum_of_pairs(other) / pairs
        values[subset] = inside - 2 * across / subset_size**2
    return MeanScore(float(values.mean()), float(values.std()))


def inception_score(probabilities: Features, parts: int = 10, seed: int | None = 2020) -> MeanScore:
    """Mean and standard deviation, over parts of the samples, of exp(mean KL(p(y|x) || p(y))), 1 to C.

    probabilities: (N, C) of classes, as of a softmax; each row is divided by its sum, in 64 bits. p(y) is the mean of a
    part. Part i of n holds the rows from i N // n to (i + 1) N // n, once all rows are shuffled by numpy's
    RandomState(seed), as torch-fidelity does by default; None leaves them in their order, so that samples of one class
    in a row stay together and lower the score. Raises BadInput (`check_probabilities`), also for fewer rows than parts.

    >>> inception_score(np.eye(2), parts=1)
    MeanScore(mean=2.0, sd=0.0)
    """
    check_probabilities("probabilities", probabilities)
    rows = len(probabilities)
    if rows < parts:
        raise BadInput(f"probabilities: expected at least one sample in each of {parts} parts, got {rows} samples")
    order = np.arange(rows) if seed is None else np.random.RandomState(seed).permutation(rows)
    ends = [part * rows // parts for part in range(parts + 1)]
    scores = [_part_score(probabilities, order[start:end]) for start, end in itertools.pairwise(ends)]
    return MeanScore(float(np.mean(scores)), float(np.std(scores)))


def _root(covariance: Floats) -> Floats:
    """(r, d) R with R^T R = the covariance, r its rank, to rounding."""
    from scipy.linalg.lapack import dpstrf  # scipy.linalg takes a fifth of a second to import

    scale = float(np.diagonal(covariance).max(initial=0.0))
    if scale <= 0:
        return np.zeros((0, len(covariance)))
    upper, order, rank, _ = dpstrf(covariance / scale)
    root = np.empty((rank, len(covariance)))
    root[:, order - 1] = np.triu(upper[:rank])
    return np.asarray(root * np.sqrt(scale))


def _sum_of_pairs(features: Features) -> float:
    """The kernel's sum over all ordered pairs of two different rows."""
    total, end = 0.0, 0
    for block in wide_blocks(features):
        end += len(block)
        inside = _kernel(block, block)
        total += float(inside.sum() - np.trace(inside))
        for later in wide_blocks(features, end):
            total += 2 * float(_kernel(block, later).sum())
    return total


def _kernel(one: Floats, other: Floats) -> Floats:
    inner = one @ other.T
    inner /= one.shape[1]
    inner += 1
    cube = inner * inner
    cube *= inner  # ten times as fast as ** 3
    return cube


def _part_score(probabilities: Features, rows: NDArray[np.int64]) -> float:
    """Of one part: mean KL is the entropy of the mean less the mean entropy."""
    total, sureness = np.zeros(probabilities.shape[1]), 0.0
    for start in range(0, len(rows), BLOCK):
        block = probabilities[rows[start : start + BLOCK]].astype(np.float64)
        block /= block.sum(axis=1, keepdims=True)
        total += block.sum(axis=0)
        sureness += float(_times_log(block).sum())
    divergence = sureness / len(rows) - float(_times_log(total / len(rows)).sum())
    return float(np.exp(max(0.0, divergence)))


def _times_log(values: Floats) -> Floats:
    """P log p, 0 at 0."""
    return values * np.log(np.where(values > 0, values, 1.0))
