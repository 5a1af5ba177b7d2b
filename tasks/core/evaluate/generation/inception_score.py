"""The Inception score: how sure a classifier is of each sample, and how many classes there are among all of them.

Salimans et al., "Improved Techniques for Training GANs", 2016, section 4. It looks at the samples alone.
"""

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput
from tasks.core.evaluate.generation.features import BLOCK, Features, check_features
from tasks.core.evaluate.probabilities import TOLERANCE


class InceptionScore(NamedTuple):
    """mean: of the parts, from 1 (one class, or no idea of any) to the number of classes. sd: divided by their number;
    0 of one part.
    """

    mean: float
    sd: float


def check_probabilities(name: str, probabilities: Features) -> None:
    """Refuse what is no (N, C) array of rows that are at least 0 and sum to 1 within TOLERANCE. Raises BadInput."""
    check_features(name, probabilities)
    for start in range(0, len(probabilities), BLOCK):
        block = probabilities[start : start + BLOCK].astype(np.float64)
        if block.min() < 0:
            row, column = np.argwhere(block < 0)[0]
            raise BadInput(
                f"{name}: expected class probabilities of at least 0, got {block[row, column]:.6g} "
                f"in row {start + int(row)}"
            )
        sums = block.sum(axis=1)
        not_one = np.flatnonzero(np.abs(sums - 1) > TOLERANCE)
        if len(not_one):
            raise BadInput(
                f"{name}: expected class probabilities whose sum is 1 within {TOLERANCE:g}, "
                f"got a sum of {sums[not_one[0]]:.6g} in row {start + int(not_one[0])}"
            )


def inception_score(probabilities: Features, parts: int = 10, seed: int | None = 2020) -> InceptionScore:
    """Mean and standard deviation, over parts of the samples, of exp(mean KL(p(y|x) || p(y))).

    probabilities: (N, C) of classes, as of a softmax; each row is divided by its sum, in 64 bits. p(y) is the mean of a
    part. Part i of n holds the rows from i N // n to (i + 1) N // n, once all rows are shuffled by numpy's
    RandomState(seed), as torch-fidelity does by default; None leaves them in their order, so that samples of one class
    in a row stay together and lower the score. Raises BadInput, see `check_probabilities`, and where there are fewer
    rows than parts.

    >>> inception_score(np.eye(2), parts=1)
    InceptionScore(mean=2.0, sd=0.0)
    """
    check_probabilities("probabilities", probabilities)
    rows = len(probabilities)
    if rows < parts:
        raise BadInput(f"probabilities: expected at least one sample in each of {parts} parts, got {rows} samples")
    order = np.arange(rows) if seed is None else np.random.RandomState(seed).permutation(rows)
    ends = [part * rows // parts for part in range(parts + 1)]
    scores = [_score(probabilities, order[start:end]) for start, end in itertools.pairwise(ends)]
    return InceptionScore(float(np.mean(scores)), float(np.std(scores)))


def _score(probabilities: Features, rows: NDArray[np.int64]) -> float:
    """Of one part: mean KL is the entropy of the mean less the mean entropy."""
    total, sureness = np.zeros(probabilities.shape[1]), 0.0
    for start in range(0, len(rows), BLOCK):
        block = probabilities[rows[start : start + BLOCK]].astype(np.float64)
        block /= block.sum(axis=1, keepdims=True)
        total += block.sum(axis=0)
        sureness += float(_times_log(block).sum())
    divergence = sureness / len(rows) - float(_times_log(total / len(rows)).sum())
    return float(np.exp(max(0.0, divergence)))


def _times_log(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """P log p, 0 at 0."""
    return values * np.log(np.where(values > 0, values, 1.0))
