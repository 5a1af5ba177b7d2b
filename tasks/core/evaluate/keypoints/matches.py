"""Which poses are right: matched to figures once by similarity, so that resamples only have to count."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.keypoints.poses import PosedFigures, Poses
from tasks.core.evaluate.keypoints.similarity import object_keypoint_similarity
from tasks.core.evaluate.matching import (
    THRESHOLDS,
    AreaRanges,
    Matches,
    count_figures,
    rank_matches,
    rows_by_image,
    verdicts_by_range,
)

AREAS_PX2: AreaRanges = ((0.0, 1e10), (32.0**2, 96.0**2), (96.0**2, 1e10))
"""COCO's for keypoints: all, medium, large. Both ends belong to a range. Small figures have no keypoints in COCO."""


def match_poses(truth: PosedFigures, poses: Poses, sigmas: NDArray[np.float64], at_most: int = 20) -> Matches:
    """Which poses are right, by pycocotools' rules: the best `at_most` of each image, the best first, each figure once.

    `Matches.verdicts` is (3, 10, D) by AREAS_PX2 and similarity from 0.50 to 0.95. A crowd, and a figure without
    keypoints, is neither found nor missed, and a pose that takes it does not count; a crowd takes any number.
    """
    drawn = truth.drawn
    is_ignored = ~truth.is_labelled
    verdicts, rows = [np.zeros((len(AREAS_PX2), len(THRESHOLDS), 0), np.uint8)], [np.zeros(0, np.int64)]
    for figures, found in rows_by_image(drawn, poses.image, at_most):
        similarity = object_keypoint_similarity(
            poses.keypoints_xy[found],
            truth.keypoints_xyv[figures],
            drawn.xywh_px[figures],
            drawn.area_px2[figures],
            sigmas,
        )
        verdicts.append(
            verdicts_by_range(
                similarity,
                drawn.area_px2[figures],
                drawn.is_crowd[figures],
                is_ignored[figures],
                poses.area_px2[found],
                AREAS_PX2,
            )
        )
        rows.append(np.arange(found.start, found.stop))
    return rank_matches(verdicts, rows, poses, count_figures(drawn, is_ignored, AREAS_PX2))
