"""Object keypoint similarity: how near the predicted joints of a figure are to the true ones, as COCO defines it."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def oks(truth_xyv: ArrayLike, predicted: ArrayLike, area: ArrayLike, sigmas: ArrayLike) -> NDArray[np.float64]:
    """Mean over the true joints with v > 0 of exp(-d^2 / (2 area k^2)), k = 2 sigma, d the distance in pixels; 0..1.

    truth_xyv: (..., K, 3) x and y in pixels, v > 0 where a joint counts; x and y of the others are not looked at.
    predicted: (..., K, 2) x, y, or (..., K, 3), whose third number is not looked at. area: (...) of each true figure,
    in square pixels. sigmas: (K,). The leading axes are broadcast: N truths against M predictions, in pairs, are
    `oks(truth[:, None], predicted[None], area[:, None], sigmas)`, an (N, M) array.

    A figure without a joint that counts has 0, with any prediction (ours: COCO's tools measure to a box twice as large
    as the figure's). With an area of 0 a joint counts 1 exactly at its place and 0 elsewhere, as the formula's limit.
    Finite numbers are assumed. Source: https://cocodataset.org/#keypoints-eval.

    >>> truth = [[0.0, 0.0, 2.0], [50.0, 0.0, 0.0]]
    >>> oks(truth, [[10.0, 0.0], [0.0, 0.0]], 10_000, [0.026, 0.107]).round(4).tolist()
    0.1574
    """
    true, guess = np.asarray(truth_xyv, np.float64), np.asarray(predicted, np.float64)
    counts = true[..., 2] > 0
    reach_px = 2 * np.asarray(sigmas, np.float64) * np.sqrt(np.asarray(area, np.float64))[..., None]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        distance_px = np.hypot(true[..., 0] - guess[..., 0], true[..., 1] - guess[..., 1])
        near = np.exp(-((distance_px / reach_px) ** 2) / 2)
    near = np.where(counts & (distance_px == 0), 1.0, np.where(counts, near, 0.0))
    number = counts.sum(axis=-1)
    return np.asarray(near.sum(axis=-1) / np.maximum(number, 1), np.float64)
