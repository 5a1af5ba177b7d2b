"""How far a system's joints are from those that people gave: PCK and NME, overall and joint by joint.

Each pose, the one with the highest score first, takes the most similar figure of its image that is left; one that is
nowhere near (a similarity of 0) takes none. PCK is the share of given joints that are at most alpha x the figure's
reference length away (Yang & Ramanan, "Articulated Human Detection with Flexible Mixtures of Parts", 2013; Andriluka et
al., "2D Human Pose Estimation", 2014, take the head for the reference). A joint of a figure that no pose has taken is
wrong. NME is the mean distance as a share of the square root of the area of the figure's box, over the joints of
figures that were taken.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import quoted
from tasks.core.evaluate.keypoints.poses import PosedFigures, Poses
from tasks.core.evaluate.keypoints.schemes import ComparedJoints
from tasks.core.evaluate.matching import rows_by_image
from tasks.core.evaluate.oks import object_keypoint_similarity
from tasks.core.evaluate.systems import Scorer
from tasks.core.markdown import cell, number, table

NME = "NME"
Floats = NDArray[np.float64]
JointRow = dict[str, Any]
"""system, category, joint, how many figures have it, and what `distance_scorer` gives."""


class JointDistances(NamedTuple):
    """Of each figure that can be found. image: (F,) its row. is_given: (F, K) joints that people gave.

    distance_px: (F, K), NaN where no pose has taken the figure. reference_px: (F,) by which PCK measures, NaN where it
    is not known. size_px: (F,) square root of the area of its box.
    """

    image: NDArray[np.int64]
    is_given: NDArray[np.bool_]
    distance_px: Floats
    reference_px: Floats
    size_px: Floats


def joint_distances(
    truth: PosedFigures, poses: Poses, sigmas: Floats, at_most: int, reference: tuple[int, int] | None
) -> JointDistances:
    """The distances of the best `at_most` poses of each image. reference: two joints, whose distance PCK measures by;
    None: the longer side of the box.
    """
    drawn = truth.drawn
    distance_px = np.full(truth.keypoints_xyv.shape[:2], np.nan)
    for figures, found in rows_by_image(drawn, poses.image, at_most):
        rows = np.arange(figures.start, figures.stop)[truth.is_labelled[figures]]
        similarity = object_keypoint_similarity(
            poses.keypoints_xy[found], truth.keypoints_xyv[rows], drawn.xywh_px[rows], drawn.area_px2[rows], sigmas
        )
        for pose, left in enumerate(similarity if similarity.size else ()):
            place = int(np.argmax(left))
            if left[place] > 0:
                away = poses.keypoints_xy[found.start + pose] - truth.keypoints_xyv[rows[place], :, :2]
                distance_px[rows[place]] = np.hypot(*away.T)
                similarity[:, place] = 0  # each figure is taken once
    kept = np.flatnonzero(truth.is_labelled)
    points, sides = truth.keypoints_xyv[kept], drawn.xywh_px[kept, 2:]
    is_given, reference_px = points[..., 2] > 0, sides.max(axis=1)
    if reference is not None:
        one, other = reference
        length = np.hypot(*(points[:, one] - points[:, other])[:, :2].T)
        reference_px = np.where(is_given[:, one] & is_given[:, other], length, np.nan)
    return JointDistances(drawn.image[kept], is_given, distance_px[kept], reference_px, np.sqrt(sides.prod(axis=1)))


def distance_scorer(found: JointDistances, alphas: Sequence[float]) -> Scorer:
    """A function of (N,) `times` to PCK@alpha for each alpha, 0..1, and NME, 0 or more; NaN where there is no joint."""
    reference_px, size_px = found.reference_px[:, None], found.size_px
    is_measured = found.is_given & ~np.isnan(reference_px)
    with np.errstate(invalid="ignore"):  # NaN is not near
        is_right = [is_measured & (found.distance_px <= alpha * reference_px) for alpha in alphas]
    is_taken = found.is_given & ~np.isnan(found.distance_px) & (size_px > 0)[:, None]
    error = np.where(is_taken, found.distance_px, 0.0).sum(axis=1) / np.where(size_px > 0, size_px, 1.0)
    sums = [*((right.sum(axis=1), is_measured.sum(axis=1)) for right in is_right), (error, is_taken.sum(axis=1))]
    names = distance_measures(alphas)

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        shares = ((float(times[found.image] @ each) for each in pair) for pair in sums)
        return {name: part / whole if whole else np.nan for name, (part, whole) in zip(names, shares, strict=True)}

    return score


def distance_measures(alphas: Sequence[float]) -> list[str]:
    """The names of what `distance_scorer` gives: "PCK@0.2", and NME."""
    return [*(f"PCK@{alpha:g}" for alpha in alphas), NME]


def joint_places(names: tuple[str, str] | None, joints: ComparedJoints) -> tuple[int, int] | None:
    """The places of two joints among those that are compared; None for None. Raises BadInput for others."""
    known = joints.scheme.joints[: joints.first]
    for name in names or ():
        if name not in known:
            listed = quoted(list(known), 300)
            raise BadInput(f"pck: expected box, or two joints of {joints.scheme.name}, {listed}, got {quoted(name)}")
    return (known.index(names[0]), known.index(names[1])) if names else None


def joint_rows(
    system: str, category: str, joints: ComparedJoints, found: JointDistances, alphas: Sequence[float]
) -> list[JointRow]:
    """What `distance_scorer` gives for all images, each once, for each joint alone; null where nobody gave it."""
    times = np.ones(int(found.image.max(initial=-1)) + 1, np.int64)
    rows = []
    for place, joint in enumerate(joints.scheme.joints[: joints.first]):
        one = slice(place, place + 1)
        alone = found._replace(is_given=found.is_given[:, one], distance_px=found.distance_px[:, one])
        numbers = distance_scorer(alone, alphas)(times)
        values = {name: None if np.isnan(number) else number for name, number in numbers.items()}
        given = int(alone.is_given.sum())
        rows.append({"system": system, "category": category, "joint": joint, "figures": given, **values})
    return rows


def joint_lines(rows: Sequence[JointRow], has_categories: bool) -> list[str]:
    """Lines of Markdown: the table of `joint_rows`; none without rows."""
    if not rows:
        return []
    names = [name for name in rows[0] if has_categories or name != "category"]
    values = ([row[name] for name in names] for row in rows)
    cells = [[cell(str(one)) if isinstance(one, str | int) else number(one) for one in own] for own in values]
    return ["## Joint by joint", "", *table(names, cells)]
