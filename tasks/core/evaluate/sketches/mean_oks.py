"""mOKS: how well a sketch keeps the poses of its photo (SketchRef, Eq. 1)."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.oks import oks


def mean_oks(
    truth_xyv: NDArray[np.float64],
    area_px2: NDArray[np.float64],
    predicted_xyv: NDArray[np.float64],
    sigmas: NDArray[np.float64],
) -> float:
    """The best one-to-one assignment's sum of OKS between true and predicted poses, divided by the larger number.

    truth_xyv: (N, K, 3), area_px2: (N,), predicted_xyv: (M, K, 3) or (M, K, 2), sigmas: (K,), as of `oks`. 0..1; a
    pose too many or too few has no partner and counts 0. NaN where nobody is, N = M = 0 (ours).
    """
    pairs = oks(truth_xyv[:, None], predicted_xyv[None], area_px2[:, None], sigmas)
    return assignment_mean(pairs)


def assignment_mean(similarity: NDArray[np.float64]) -> float:
    """Sum of the best one-to-one assignment between rows and columns, divided by the larger of their numbers.

    similarity: (N, M), 0..1. That is the mean over pairs of the square matrix that 0s fill up. NaN without any row or
    column, 0 without one of them.

    >>> assignment_mean(np.array([[0.9, 0.5]])), assignment_mean(np.zeros((2, 0)))
    (0.45, 0.0)
    """
    larger, smaller = int(max(similarity.shape)), int(min(similarity.shape))
    if not larger:
        return float("nan")
    if smaller < 2:
        return float(similarity.max(initial=0.0)) / larger
    from scipy.optimize import linear_sum_assignment  # nearly half a second to import

    return float(similarity[linear_sum_assignment(similarity, maximize=True)].sum()) / larger
