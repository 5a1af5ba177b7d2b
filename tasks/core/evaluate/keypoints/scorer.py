"""Which poses are right, and COCO's ten numbers for one pose estimator, where images count several times."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.keypoints.poses import PosedFigures, Poses
from tasks.core.evaluate.matching import (
    THRESHOLDS,
    AreaRanges,
    Matches,
    count_figures,
    precisions_and_recalls,
    rank_matches,
    rows_by_image,
    verdicts_by_range,
)
from tasks.core.evaluate.oks import object_keypoint_similarity
from tasks.core.evaluate.systems import Scorer

MEASURES = ("AP", "AP50", "AP75", "APM", "APL", "AR", "AR50", "AR75", "ARM", "ARL")
"""pycocotools' ten numbers: similarity .50:.95 except where it is named; medium and large figures by their areas."""
ALL, MEDIUM, LARGE = range(3)
"""Places in AREAS_PX2."""
AREAS_PX2: AreaRanges = ((0.0, 1e10), (32.0**2, 96.0**2), (96.0**2, 1e10))
"""COCO's for keypoints: all, medium, large. Both ends belong to a range. Small figures have no keypoints in COCO."""
_AT_50, _AT_75 = (int(np.argmin(np.abs(THRESHOLDS - at))) for at in (0.5, 0.75))


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


def keypoint_scorer(matched: Matches) -> Scorer:
    """A function of (N,) `times` to MEASURES, 0..1; NaN where there is no figure to find.

    It gives what pycocotools computes for data in which each image is there so many times, as long as no image has a
    right and a wrong pose of one score.
    """

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        values = precisions_and_recalls(matched, times)
        return dict(zip(MEASURES, summarise(values[..., 0]) + summarise(values[..., 1]), strict=True))

    return score


def summarise(values: NDArray[np.float64]) -> tuple[float, ...]:
    """Five numbers of one kind, out of (3, 10) by area and similarity: all, at .50, at .75, medium, large."""
    by_area = values.mean(axis=1)
    picked = (by_area[ALL], values[ALL, _AT_50], values[ALL, _AT_75], by_area[MEDIUM], by_area[LARGE])
    return tuple(float(value) for value in picked)
