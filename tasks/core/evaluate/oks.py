"""Object keypoint similarity: how near the joints of two figures are, 0 to 1 (COCO's keypoint evaluation)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
_SMALLEST = np.spacing(1)
"""What COCO adds to an area, so that none is 0."""


def oks(
    truth_xyv: ArrayLike,
    predicted: ArrayLike,
    area: ArrayLike,
    sigmas: ArrayLike,
    *,
    without_joints: float = 0.0,
) -> NDArray[np.float64]:
    """Mean of exp(-d^2 / (2 area k^2)) over the true figure's joints with v > 0; k is twice the joint's sigma.

    truth_xyv: (..., K, 3) x, y in px and visibility. predicted: (..., K, 2) or (..., K, 3); its visibility is not read,
    as in COCO. A predicted joint at infinity counts 0. area: (...,) of the true figure, in px^2, at least 0. sigmas:
    (K,), above 0. All but predicted are finite. The leading axes are broadcast: true figures of shape (N, 1, K, 3) and
    predicted ones of (M, K, 3) give the (N, M) matrix.

    A true figure without a joint of v > 0 has the value `without_joints` (what is matched as COCO does needs its box:
    `object_keypoint_similarity`). Raises ValueError where the number of joints differs, or a sigma or an area is out of
    its range.

    >>> nose = [[0, 0, 2]]
    >>> round(float(oks(nose, [[10, 0]], 10_000, [0.026])), 4)
    0.1574
    """
    true, other = np.asarray(truth_xyv, np.float64), np.asarray(predicted, np.float64)
    sigma, area_px2 = np.asarray(sigmas, np.float64), np.asarray(area, np.float64)
    _check(true, other, area_px2, sigma)
    is_labelled = true[..., 2] > 0
    with np.errstate(over="ignore", invalid="ignore"):
        near = joint_nearness(other[..., :2] - true[..., :2], area_px2[..., None], sigma)
    # a joint that is not labelled may be anything, also at infinity
    total = np.where(is_labelled, near, 0.0).sum(axis=-1)
    count = np.broadcast_to(is_labelled.sum(axis=-1), total.shape)
    return np.where(count > 0, total / np.maximum(count, 1), without_joints)


def joint_nearness(away_px: Floats, area_px2: Floats, sigmas: Floats) -> Floats:
    """exp(-d^2 / (2 A k^2)) of each joint, 0..1: COCO's formula, in the order in which pycocotools divides.

    away_px: (..., K, 2) how far the joint is off in x and y. area_px2, A: broadcast with (..., K). sigmas: (K,), half
    of k. Both have the same last bit: matches at a similarity of just 0.50 are the same ones.
    """
    squares = away_px[..., 0] ** 2 + away_px[..., 1] ** 2
    return np.asarray(np.exp(-(squares / (2 * sigmas) ** 2 / (area_px2 + _SMALLEST) / 2)))


def _check(true: Floats, other: Floats, area_px2: Floats, sigma: Floats) -> None:
    joints = (len(sigma),) if sigma.ndim == 1 else sigma.shape
    if true.shape[-2:] != (*joints, 3) or other.shape[-2:] not in {(*joints, 2), (*joints, 3)}:
        expected = "(..., K, 3) joints, (..., K, 2) or (..., K, 3) predicted ones and (K,) sigmas"
        raise ValueError(f"expected {expected}, got {true.shape}, {other.shape} and {sigma.shape}")
    if not (sigma > 0).all() or not (area_px2 >= 0).all():
        raise ValueError(f"expected sigmas above 0 and areas of at least 0, got {sigma.min()} and {area_px2.min()}")


def object_keypoint_similarity(
    keypoints_xy: Floats, figures_xyv: Floats, xywh_px: Floats, area_px2: Floats, sigmas: Floats
) -> Floats:
    """(D, G) similarity of poses (D, K, 2) to figures (G, K, 3) that they may be matched to, 0..1, as COCO defines it.

    Beside `oks` for two reasons. A figure without joints is compared by its box here: it takes poses that would be
    wrong otherwise. And a figure's given joints are summed alone, in pycocotools' order, where `oks` sums all of them,
    with 0 for those that are not given: the last bit decides whether a similarity is at least 0.50.

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
                low, high = box[:2] - box[2:], box[:2] + 2 * box[2:]
                away = np.maximum(0.0, low - keypoints_xy) + np.maximum(0.0, keypoints_xy - high)
            near = joint_nearness(away, area, sigmas[is_given])
        # row by row in memory: summed in the order of pycocotools, so that both have the same last bit
        similarity[:, figure] = np.ascontiguousarray(near).sum(axis=1) / np.count_nonzero(is_given)
    return similarity
