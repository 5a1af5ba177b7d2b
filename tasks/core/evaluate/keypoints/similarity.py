"""Object keypoint similarity of poses to figures that they may be matched to, as COCO's evaluation has it.

Beside `oks` for two reasons. A figure without joints is compared by its box here, and only here: it takes poses that
would be wrong otherwise. And a figure's given joints are summed alone, in pycocotools' order, where `oks` sums all of
them, with 0 for those that are not given: the last bit decides whether a similarity is at least 0.50.
"""

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.oks import joint_nearness

Floats = NDArray[np.float64]


def object_keypoint_similarity(
    keypoints_xy: Floats, figures_xyv: Floats, xywh_px: Floats, area_px2: Floats, sigmas: Floats
) -> Floats:
    """(D, G) similarity of poses (D, K, 2) to figures (G, K, 3), 0..1, as COCO defines it.

    The mean over the figure's given joints (v > 0) of exp(-d^2 / (2 A (2 s)^2)): d the distance in px, A the figure's
    area, area_px2 (G,), s the joint's sigma (K,). Whether the system has found a joint makes no difference.

    For a figure without a given joint d is the distance to its box, xywh_px (G, 4), grown to three times its sides
    around the same centre, and the mean goes over all joints: a pose beside it is similar to it, so that it takes a
    figure that does not count, and is not wrong. An area of 0 leaves 0, but for poses without any error. Source:
    computeOks of pycocotools, and https://cocodataset.org/#keypoints-eval.

    >>> nose = np.array([[[10.0, 0.0]]])  # 10 px off, in a figure of 100 x 100 px
    >>> truth, box = np.array([[[0.0, 0.0, 2.0]]]), np.array([[0.0, 0.0, 100.0, 100.0]])
    >>> object_keypoint_similarity(nose, truth, box, np.array([1e4]), np.array([0.026])).round(4)
    array([[0.1574]])
    """
    similarity = np.zeros((len(keypoints_xy), len(figures_xyv)))
    for figure, (points, box, area) in enumerate(zip(figures_xyv, xywh_px, area_px2, strict=True)):
        is_given = points[:, 2] > 0
        with np.errstate(over="ignore"):  # of 1e308 px
            if is_given.any():
                away = keypoints_xy[:, is_given] - points[is_given, :2]
            else:
                is_given = ~is_given
                away = _beyond(keypoints_xy, box[:2] - box[2:], box[:2] + 2 * box[2:])
            near = joint_nearness(away, area, sigmas[is_given])
        # row by row in memory: summed in the order of pycocotools, so that both have the same last bit
        similarity[:, figure] = np.ascontiguousarray(near).sum(axis=1) / np.count_nonzero(is_given)
    return similarity


def _beyond(keypoints_xy: Floats, low: Floats, high: Floats) -> Floats:
    """(D, K, 2) how far each point lies outside of a box, by axis."""
    return np.maximum(0.0, low - keypoints_xy) + np.maximum(0.0, keypoints_xy - high)
