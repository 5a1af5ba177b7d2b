"""Poses as arrays: those that people gave to figures, and those that a system has found."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import counted, quoted
from tasks.core.coco.box import MAX_PX
from tasks.core.columns import Column, whole
from tasks.core.evaluate.matching import DrawnFigures, figures_of, rank_order, rows_of_images, xywh_array

Floats = NDArray[np.float64]


class PosedFigures(NamedTuple):
    """The figures that people drew, with their keypoints.

    drawn: boxes, areas and crowds; areas are above 0 wherever boxes are. keypoints_xyv: (G, K, 3) x and y in px and
    visibility; 0 is a point that nobody has given. A figure without a point of v > 0 is unlabelled.
    """

    drawn: DrawnFigures
    keypoints_xyv: Floats

    @property
    def is_labelled(self) -> NDArray[np.bool_]:
        """(G,) whether a figure can be found or missed: it has a point, and is no crowd."""
        return (self.keypoints_xyv[..., 2] > 0).any(axis=1) & ~self.drawn.is_crowd


class Poses(NamedTuple):
    """What a system has found, as `sort_poses` orders it. image: (D,) row of each pose's image, ascending.

    keypoints_xy: (D, K, 2) in px. score: (D,), any finite numbers. area_px2: (D,).
    """

    image: NDArray[np.int64]
    keypoints_xy: Floats
    score: Floats
    area_px2: Floats


def posed_figures_of(images: pa.Table, figures: pa.Table, joints: int, lengths: Sequence[int] = ()) -> PosedFigures:
    """ANNOTATED_FIGURES with so many joints, the first ones; rows are those of `images` (ANNOTATED_IMAGES).

    lengths: of how many joints a figure may be, by default of just these. A figure whose area is missing, NaN or 0 has
    that of its box: with an area of 0 only a pose without any error would be right. Raises BadInput for keypoints of
    another number of joints, and for a given one beyond MAX_PX.
    """
    in_order = figures.take(pc.sort_indices(rows_of_images(images, figures)))
    drawn = figures_of(images, in_order)
    keypoints = _points("truth", in_order["keypoints_xyv"], joints, lengths)
    given = keypoints[keypoints[..., 2] > 0]
    if (strange := given[~(np.abs(given) <= MAX_PX)]).size:
        raise BadInput(f"truth: expected keypoints of at most {MAX_PX:.0f} px, got {strange[0]:g}")
    area_px2 = np.where(drawn.area_px2 > 0, drawn.area_px2, drawn.xywh_px[:, 2] * drawn.xywh_px[:, 3])
    return PosedFigures(drawn._replace(area_px2=area_px2), keypoints)


def poses_of(name: str, images: pa.Table, results: pa.Table, joints: int, lengths: Sequence[int] = ()) -> Poses:
    """A system's poses in these images (ANNOTATED_IMAGES), the first joints of each. `name` is for messages.

    results: one row for each pose, in any order: image_id (int64), score (double), keypoints_xyv (list of doubles, 3 a
    joint, of so many joints or one of `lengths`; the third is not read), and, where the system has boxes, xywh_px (list
    of 4 doubles or null). Raises BadInput for an image that the truth does not have, for keypoints of another number of
    joints or of none, for a score that is not finite, and for coordinates beyond MAX_PX.
    """
    row = rows_of_images(images, results)
    if row.null_count:
        unknown = results["image_id"].filter(pc.is_null(row)).to_pylist()[0]
        raise BadInput(f"{name}: expected the truth's image ids, got {quoted(unknown)}")
    keypoints = _points(name, results["keypoints_xyv"], joints, lengths)[..., :2]
    if without := pc.sum(pc.equal(pc.fill_null(pc.list_value_length(results["keypoints_xyv"]), 0), 0)).as_py():
        raise BadInput(f"{name}: expected keypoints of every pose, got {counted(without, 'row')} without")
    score = np.asarray(results["score"].cast(pa.float64()).to_numpy())
    if not np.isfinite(score).all():
        raise BadInput(f"{name}: expected finite scores, got {score[~np.isfinite(score)][0]:g}")
    boxes = _boxes(name, results)
    for what, values in (("keypoints", keypoints), ("boxes", boxes[~np.isnan(boxes).all(axis=1)])):
        if (strange := values[~(np.abs(values) <= MAX_PX)]).size:
            raise BadInput(f"{name}: expected {what} of at most {MAX_PX:.0f} px, got {strange[0]:g}")
    return sort_poses(np.asarray(row.to_numpy(), np.int64), keypoints, score, boxes)


def sort_poses(image: NDArray[np.int64], keypoints_xy: Floats, score: Floats, xywh_px: Floats | None = None) -> Poses:
    """Poses by `rank_order`, equal scores by their points and boxes: x and y of the first joint, and so on.

    The area of a pose, which says whether it counts as wrong among medium or large figures, is that of its box; without
    a box (NaN), of what its points span, as in COCO's own tools.
    """
    boxes = np.full((len(score), 4), np.nan) if xywh_px is None else xywh_px
    keys = np.concatenate([keypoints_xy.reshape(len(score), 2 * keypoints_xy.shape[1]), boxes], axis=1)
    order = rank_order(image, score, keys)
    with np.errstate(over="ignore", invalid="ignore"):  # of 1e308 px
        span = np.ptp(keypoints_xy, axis=1).prod(axis=1) if keypoints_xy.size else np.zeros(len(score))
        area_px2 = np.where(np.isnan(boxes[:, 2]), span, boxes[:, 2] * boxes[:, 3])
    return Poses(image[order], keypoints_xy[order], score[order], area_px2[order])


def _boxes(name: str, results: pa.Table) -> Floats:
    """(D, 4) boxes, NaN where there is none."""
    boxes = np.full((results.num_rows, 4), np.nan)
    if "xywh_px" in results.column_names:
        length = pc.list_value_length(results["xywh_px"])
        if strange := length.filter(pc.not_equal(length, 4)).to_pylist():
            got = counted(strange[0], "number")
            raise BadInput(f"{name}: expected a box as [x, y, width, height] in px, got {got}")
        boxes[results["xywh_px"].is_valid().to_numpy()] = xywh_array(results["xywh_px"])
    return boxes


def _points(name: str, column: Column, joints: int, lengths: Sequence[int]) -> Floats:
    """(N, joints, 3) of lists of 3 numbers a joint, of which further joints are not taken; zeros for null and empty."""
    lists = whole(column)
    length = np.asarray(pc.fill_null(pc.list_value_length(lists), 0))
    expected = sorted({joints, *lengths})
    if strange := sorted(set(length.tolist()) - {0, *(3 * number for number in expected)}):
        numbers, counts = (" or ".join(str(times * number) for number in expected) for times in (3, 1))
        wanted = f"{numbers} numbers, x, y and visibility of each of {counts} joints"
        raise BadInput(f"{name}: expected {wanted}, got {strange[0]}")
    points = np.zeros((len(length), 3 * joints))
    flat = pc.list_flatten(lists).cast(pa.float64()).to_numpy(zero_copy_only=False)
    for number in expected:
        rows = np.flatnonzero(length == 3 * number)
        starts = (np.cumsum(length) - length)[rows]
        points[rows] = flat[starts[:, None] + np.arange(3 * joints)]
    return points.reshape(-1, joints, 3)
