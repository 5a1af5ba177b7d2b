"""Scores that are means over samples, where each sample counts as often as one likes: for groups and for intervals.

These are precision, density, the share of copies and the similarity of the nearest training image, as long as the
reference stays as it is. All other scores of a generator belong to whole sets. FID, KID, recall and coverage change
their meaning when a sample stands twice: it is its own neighbour then, and adds pairs and no spread. The parts of the
Inception score have a deviation of their own.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput
from tasks.core.evaluate.generation.manifold import ManifoldUnits
from tasks.core.evaluate.systems import Scorer

SIMILARITY_SCORES = ("copy_share", "nearest_similarity")


def sample_values(
    units: ManifoldUnits | None, similarities: NDArray[np.float32] | None, copy_similarity: float
) -> dict[str, NDArray[np.float64]]:
    """What each sample contributes to each score, (M,).

    similarities: (M, k) as of `nearest_training_images`; a sample is a copy if its nearest training image is at least
    so similar. What is None has no scores.
    """
    values: dict[str, NDArray[np.float64]] = {}
    if units is not None:
        values |= {"precision": units.is_precise.astype(np.float64), "density": units.density}
    if similarities is not None:
        nearest = similarities[:, 0].astype(np.float64)
        is_copy = similarities[:, 0] >= np.float32(copy_similarity)
        values |= {"copy_share": is_copy.astype(np.float64), "nearest_similarity": nearest}
    return values


def mean_scorer(values: Mapping[str, NDArray[np.float64]]) -> Scorer:
    """The means of values, (M,) each, of which each counts so many times. Raises BadInput if their lengths differ.

    >>> mean_scorer({"precision": np.array([1.0, 0.0])})(np.array([3, 1]))
    {'precision': 0.75}
    """
    lengths = sorted({len(one) for one in values.values()})
    if len(lengths) > 1:
        raise BadInput(f"expected values of the same samples, got {' and '.join(map(str, lengths))}")

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        total = int(times.sum())
        return {name: float(times @ one) / total if total else float("nan") for name, one in values.items()}

    return score
