"""The kernel distance of two sets of features: KID, where the features are the 2048 of an Inception network.

Bińkowski, Sutherland, Arbel & Gretton, "Demystifying MMD GANs", 2018, section 4: the unbiased estimate of the squared
maximum mean discrepancy with the kernel (x.y / d + 1)^3. Unlike FID it does not depend on how many images there are.
Its spread over subsets says how exact it is; resamples of images, in which some stand twice, would bias it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput
from tasks.core.evaluate.generation.features import BLOCK, Features, check_pair


class KernelDistance(NamedTuple):
    """mean: over subsets, below 0 now and then where both sets are alike. sd: of the subsets' values, divided by their
    number; 0 of a single one.
    """

    mean: float
    sd: float


def kernel_distance(
    samples: Features, reference: Features, subsets: int = 100, subset_size: int = 1000, seed: int = 2020
) -> KernelDistance:
    """Mean and standard deviation of the distance of random subsets of both sets.

    samples: (M, d), reference: (N, d). A subset's rows are drawn without replacement, first those of the samples, then
    those of the reference, by numpy's RandomState(seed): the draws of torch-fidelity, with its defaults, so that both
    have the same numbers; and numpy promises that this stream stays as it is. Raises BadInput for features that don't
    fit (`check_pair`), and for sets of fewer than `subset_size` images.
    """
    check_pair(samples, reference)
    for name, features in (("samples", samples), ("reference", reference)):
        if len(features) < subset_size:
            raise BadInput(
                f"{name}: expected at least {subset_size:,} images for each subset of KID (kid_subset_size), "
                f"got {len(features):,}"
            )
    draw = np.random.RandomState(seed)
    values = np.empty(subsets)
    for subset in range(subsets):
        one = samples[draw.choice(len(samples), subset_size, replace=False)]
        other = reference[draw.choice(len(reference), subset_size, replace=False)]
        values[subset] = _distance(one, other)
    return KernelDistance(float(values.mean()), float(values.std()))


def _distance(samples: Features, reference: Features) -> float:
    count, others = len(samples), len(reference)
    return (
        _sum_of_pairs(samples) / (count * (count - 1))
        + _sum_of_pairs(reference) / (others * (others - 1))
        - 2 * _sum_across(samples, reference) / (count * others)
    )


def _sum_of_pairs(features: Features) -> float:
    """The kernel's sum over all ordered pairs of two different rows."""
    total = 0.0
    for start in range(0, len(features), BLOCK):
        block = features[start : start + BLOCK].astype(np.float64)
        inside = _kernel(block, block)
        total += float(inside.sum() - np.trace(inside))
        for later in range(start + BLOCK, len(features), BLOCK):
            total += 2 * float(_kernel(block, features[later : later + BLOCK].astype(np.float64)).sum())
    return total


def _sum_across(samples: Features, reference: Features) -> float:
    """The kernel's sum over all pairs of a row of each."""
    total = 0.0
    for start in range(0, len(samples), BLOCK):
        block = samples[start : start + BLOCK].astype(np.float64)
        for other in range(0, len(reference), BLOCK):
            total += float(_kernel(block, reference[other : other + BLOCK].astype(np.float64)).sum())
    return total


def _kernel(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    inner = one @ other.T
    inner /= one.shape[1]
    inner += 1
    cube = inner * inner
    cube *= inner  # ten times as fast as ** 3
    return cube
