"""Quality and variety apart: balls round the images of one set, and which images of the other lie in them.

A set's images are the centres of balls that reach to their k-th nearest neighbour in their own set. *Precision* is the
share of samples in a ball of the reference, *recall* the share of the reference in a ball of the samples (Kynkäänniemi
et al., "Improved Precision and Recall Metric for Assessing Generative Models", 2019, section 2). *Density* is in how
many balls of the reference a sample lies, on average, divided by k, *coverage* the share of the reference whose ball
holds a sample (Naeem et al., "Reliable Fidelity and Diversity Metrics for Generative Models", 2020, section 3).

Distances are Euclidean. A ball has its border, as in the code of Kynkäänniemi et al. and in torch-fidelity; the code of
Naeem et al. leaves it out. It matters for images of equal features only. All is exact (`balls`), tile by tile.
Both sets are divided by one power of two first, so that squares of very small features do not vanish.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput
from tasks.core.evaluate.generation.features import Features, Floats, check_pair, common_exponent, scaled_blocks


class ManifoldScores(NamedTuple):
    """Precision, recall and coverage in 0..1; density from 0, about 1 where both sets are alike."""

    precision: float
    recall: float
    density: float
    coverage: float


class ManifoldUnits(NamedTuple):
    """What each image contributes. is_precise: (M,) whether each sample lies in a ball of the reference. density: (M,)
    in how many, by k. is_recalled: (N,) whether each image of the reference lies in a ball of the samples. is_covered:
    (N,) whether its ball holds one.
    """

    is_precise: NDArray[np.bool_]
    density: Floats
    is_recalled: NDArray[np.bool_]
    is_covered: NDArray[np.bool_]


def manifold_scores(
    samples: Features, reference: Features, neighbours: int = 3, density_neighbours: int = 5
) -> ManifoldScores:
    """`unit_means` of `manifold_units`.

    >>> real, fake = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[0.5], [10.0]])
    >>> manifold_scores(fake, real, neighbours=1, density_neighbours=1)
    ManifoldScores(precision=0.5, recall=1.0, density=1.0, coverage=0.5)
    """
    return unit_means(manifold_units(samples, reference, neighbours, density_neighbours))


def unit_means(units: ManifoldUnits) -> ManifoldScores:
    """What the images contribute, on average."""
    precise, density, recalled, covered = (float(np.mean(values)) for values in units)
    return ManifoldScores(precise, recalled, density, covered)


def manifold_units(
    samples: Features, reference: Features, neighbours: int = 3, density_neighbours: int = 5
) -> ManifoldUnits:
    """Which samples and which images of the reference lie in the other set's balls.

    samples: (M, d), reference: (N, d). neighbours: k of precision and recall; density_neighbours: k of density and
    coverage. Raises BadInput for features that don't fit (`check_pair`), and where a set has no k-th neighbour.

    Units for means and intervals are the samples in `is_precise` and `density`, where the reference stays as it is.
    Recall and coverage have no such units: a sample that stands twice is its own neighbour, and its ball is a point.
    """
    check_pair(samples, reference)
    _check_neighbours("samples", samples, neighbours)
    _check_neighbours("reference", reference, max(neighbours, density_neighbours))
    exponent = common_exponent(samples, reference)
    sample_radii = squared_radii(samples, [neighbours], exponent)[0]
    reference_radii = squared_radii(reference, [neighbours, density_neighbours], exponent)
    counts, is_hit, is_inside = _memberships(samples, reference, sample_radii, reference_radii, exponent)
    return ManifoldUnits(counts[0] > 0, counts[1] / density_neighbours, is_inside, is_hit[1])


def squared_radii(features: Features, neighbours: Sequence[int], exponent: int = 0) -> Floats:
    """(K, N) squared distances from each row to its k-th nearest other row; rows that are equal are at 0.

    neighbours: K of them, each at least 1 and below N. exponent: features are divided by 2^exponent before.
    """
    from tasks.core.evaluate.generation.balls import insert_nearest  # numba takes half a second to import

    slack = _slack(features)
    nearest = np.full((len(features), max(neighbours)), np.inf)
    for mine, rows, row_sizes in _tiles(features, exponent):
        for theirs, others, other_sizes in _tiles(features, exponent, mine.start):
            is_same, inner = mine == theirs, rows @ others.T
            insert_nearest(nearest[mine], rows, others, inner, row_sizes, other_sizes, slack, is_same)
            if not is_same:
                turned = np.ascontiguousarray(inner.T)
                insert_nearest(nearest[theirs], others, rows, turned, other_sizes, row_sizes, slack, is_same)
    return np.ascontiguousarray(nearest[:, np.array(neighbours) - 1].T)


def _memberships(
    samples: Features, reference: Features, sample_radii: Floats, reference_radii: Floats, exponent: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """`counts`, `is_hit` and `is_inside` of `count_balls`, of all samples and images of the reference."""
    from tasks.core.evaluate.generation.balls import count_balls

    slack, sizes = _slack(samples), len(reference_radii)
    counts = np.zeros((sizes, len(samples)), np.int64)
    is_hit, is_inside = np.zeros((sizes, len(reference)), np.bool_), np.zeros(len(reference), np.bool_)
    for mine, rows, row_sizes in _tiles(samples, exponent):
        for theirs, others, other_sizes in _tiles(reference, exponent):
            written = counts[:, mine], is_hit[:, theirs], is_inside[theirs]
            inner, radii = rows @ others.T, (sample_radii[mine], reference_radii[:, theirs])
            count_balls(*written, rows, others, inner, row_sizes, other_sizes, *radii, slack)
    return counts, is_hit, is_inside


def _tiles(features: Features, exponent: int, start: int = 0) -> Iterator[tuple[slice, Floats, Floats]]:
    """Where they are, `scaled_blocks`, and |x|^2 of their rows."""
    for rows in scaled_blocks(features, exponent, start):
        yield slice(start, start + len(rows)), rows, np.einsum("nd,nd->n", rows, rows)
        start += len(rows)


def _slack(features: Features) -> float:
    """How far |x|^2 + |y|^2 - 2 x.y can be from |x - y|^2, as a share of |x|^2 + |y|^2.

    A sum of d products is off by at most d eps / 2 of the sum of their sizes (Higham, "Accuracy and Stability of
    Numerical Algorithms", 2002, section 3.1): three such sums, the last steps, and the differences' own rounding.
    """
    return float(4 * (features.shape[1] + 8) * np.finfo(np.float64).eps)


def _check_neighbours(name: str, features: Features, neighbours: int) -> None:
    if len(features) <= neighbours:
        expected = f"more than {neighbours} images, so that each has {neighbours} neighbours"
        raise BadInput(f"{name}: expected {expected}, got {len(features)}")
