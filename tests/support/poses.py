"""Figures with keypoints and the poses of a system, in few words."""

from collections.abc import Sequence

import numpy as np

from tasks.core.evaluate.keypoints.poses import PosedFigures, Poses, sort_poses
from tasks.core.evaluate.matching import DrawnFigures

# two joints, with the sigmas of COCO's nose and hip
SIGMAS = np.array([0.026, 0.107])
HERE, THERE = [[20.0, 20.0], [60.0, 80.0]], [[520.0, 20.0], [560.0, 80.0]]
BOX = [0.0, 0.0, 100.0, 100.0]
"""Of a figure whose joints are HERE; THERE is 500 px to the right."""

Points = Sequence[Sequence[float]]


def posed(
    *people: tuple[int, Points | None], images: int = 1, crowd: tuple[int, ...] = (), side_px: float = 100.0
) -> PosedFigures:
    """Each with its image and its joints, or None: unlabelled. Each box begins 20 px before its first joint."""
    image = np.array([image for image, _ in people], np.int64)
    points = np.array([HERE if joints is None else joints for _, joints in people], float).reshape(-1, 2, 2)
    given = np.array([0.0 if joints is None else 2.0 for _, joints in people])
    xywh = np.concatenate([points[:, 0] - 20, np.full((len(people), 2), side_px)], axis=1)
    is_crowd = np.array([place in crowd for place in range(len(people))], bool)
    return PosedFigures(
        DrawnFigures(images, image, xywh, xywh[:, 2] * xywh[:, 3], is_crowd),
        np.concatenate([points, np.repeat(given, 2).reshape(-1, 2, 1)], axis=2),
    )


def poses(*found: tuple[int, Points, float]) -> Poses:
    """Each with its image, its joints and its score."""
    return sort_poses(
        np.array([image for image, *_ in found], np.int64),
        np.array([joints for _, joints, _ in found], float).reshape(-1, 2, 2),
        np.array([score for *_, score in found], float),
    )
