"""Which poses are right, and COCO's ten numbers for one pose estimator, where images count several times."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.keypoints.poses import PosedFigures, Poses
from tasks.core.evaluate.matching import AreaRanges, Matches, match_findings, precisions_and_recalls, summarised
from tasks.core.evaluate.oks import object_keypoint_similarity
from tasks.core.evaluate.systems import Scorer

MEASURES = ("AP", "AP50", "AP75", "APM", "APL", "AR", "AR50", "AR75", "ARM", "ARL")
"""pycocotools' ten numbers: similarity .50:.95 except where it is named; medium and large figures by their areas."""
AREAS_PX2: AreaRanges = ((0.0, 1e10), (32.0**2, 96.0**2), (96.0**2, 1e10))
"""COCO's for keypoints: all, medium, large. Both ends belong to a range. Small figures have no keypoints in COCO."""


def match_poses(truth: PosedFigures, poses: Poses, sigmas: NDArray[np.float64], at_most: int = 20) -> Matches:
    """Which poses are right, by pycocotools' rules: the best `at_most` of each image, the best first, each figure once.

    `Matches.verdicts` is (3, 10, D) by AREAS_PX2 and similarity from 0.50 to 0.95. A crowd, and a figure without
    keypoints, is neither found nor missed, and a pose that takes it does not count; a crowd takes any number.
    """
    drawn = truth.drawn

    def similarity(found: slice, figures: slice) -> NDArray[np.float64]:
        own = (truth.keypoints_xyv[figures], drawn.xywh_px[figures], drawn.area_px2[figures])
        return object_keypoint_similarity(poses.keypoints_xy[found], *own, sigmas)

    found = poses.image, poses.score, poses.area_px2
    return match_findings(drawn, ~truth.is_labelled, *found, similarity, AREAS_PX2, at_most)


def keypoint_scorer(matched: Matches) -> Scorer:
    """A function of (N,) `times` to MEASURES, 0..1; NaN where there is no figure to find.

    It gives what pycocotools computes for data in which each image is there so many times, as long as no image has a
    right and a wrong pose of one score.
    """

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        values = precisions_and_recalls(matched, times)
        return dict(zip(MEASURES, summarised(values[..., 0]) + summarised(values[..., 1]), strict=True))

    return score
