"""Which boxes of a detector are right: matched to figures once, so that resamples only have to count."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pycocotools import mask

from tasks.core import tables
from tasks.core.columns import whole

THRESHOLDS = np.linspace(0.5, 0.95, 10)
AREAS_PX2 = ((0.0, 1e10), (0.0, 32.0**2), (32.0**2, 96.0**2), (96.0**2, 1e10))
"""COCO's: all, small, medium, large. Both ends belong to a range."""


class DrawnFigures(NamedTuple):
    """The figures that people drew.

    images: how many images there are. image: (G,) row of each figure's image, ascending. xywh_px: (G, 4).
    """

    images: int
    image: NDArray[np.int64]
    xywh_px: NDArray[np.float64]
    area_px2: NDArray[np.float64]
    is_crowd: NDArray[np.bool_]


class Detections(NamedTuple):
    """A detector's boxes, as `sort_detections` orders them. image: (D,) row of each box's image, ascending.

    xywh_px: (D, 4), to 0.1 px. score: (D,), 0..1, to 0.001.
    """

    image: NDArray[np.int64]
    xywh_px: NDArray[np.float64]
    score: NDArray[np.float64]


class Matches(NamedTuple):
    """Whether each box is right.

    verdicts: (4, 10, D) by range of areas and IoU threshold: ignored, right, wrong; boxes by falling score, equal ones
    in the order of their images. image: (D,) row of each box's image. figures: (N, 4) how many each image has in each
    range.
    """

    verdicts: NDArray[np.uint8]
    image: NDArray[np.int32]
    figures: NDArray[np.int64]


def figures_of(images: pa.Table, figures: pa.Table) -> DrawnFigures:
    """ANNOTATED_FIGURES as arrays; rows are those of `images` (ANNOTATED)."""
    row = np.asarray(pc.index_in(figures["image_id"], value_set=images["image_id"].combine_chunks()))
    order = np.argsort(row, kind="stable")
    return DrawnFigures(
        images.num_rows,
        row[order].astype(np.int64),
        _boxes(figures["xywh_px"])[order],
        np.asarray(figures["area_px2"], np.float64)[order],
        np.asarray(figures["is_crowd"].to_numpy(), np.bool_)[order],
    )


def detections_of_measure(images: pa.Table, measured: pa.Table, category: str) -> Detections:
    """The boxes of a category in DETECT rows, one for each blob; images of the same blob have the same boxes."""
    lists = tables.lookup(measured, "sha256", images["sha256"])["figures"].combine_chunks()
    flat = pc.list_flatten(lists)
    row = np.asarray(pc.list_parent_indices(lists), np.int64)
    if not len(flat):
        return Detections(row, np.zeros((0, 4)), np.zeros(0))
    is_category = np.asarray(pc.equal(pc.struct_field(flat, "category"), category))
    boxes, score = _boxes(pc.struct_field(flat, "xywh_px")), np.asarray(pc.struct_field(flat, "score"), np.float64)
    return sort_detections(row[is_category], boxes[is_category], score[is_category])


def sort_detections(image: NDArray[np.int64], xywh_px: NDArray[np.float64], score: NDArray[np.float64]) -> Detections:
    """Boxes by image, then by falling score, then by x, y, width and height.

    Scores go by the order of boxes that have equal ones: so it does not depend on where the boxes come from.
    """
    order = np.lexsort((*xywh_px.T[::-1], -score, image))
    return Detections(image[order], xywh_px[order], score[order])


def matches(truth: DrawnFigures, detections: Detections, at_most: int = 100) -> Matches:
    """Which boxes are right, by pycocotools' rules: the best `at_most` of each image, the best first, each figure once.

    A crowd takes any number of boxes, none of which counts. A figure outside the range of areas is treated like a crowd
    that takes one; a box outside it that overlaps no figure is not counted.
    """
    starts = np.searchsorted(truth.image, np.arange(truth.images + 1))
    ends = np.searchsorted(detections.image, np.arange(truth.images + 1))
    verdicts, images, scores = [np.zeros((4, len(THRESHOLDS), 0), np.uint8)], [np.zeros(0, np.int64)], [np.zeros(0)]
    for row in range(truth.images):
        truth_rows, box_rows = (
            slice(starts[row], starts[row + 1]),
            slice(ends[row], min(ends[row + 1], ends[row] + at_most)),
        )
        if box_rows.start == box_rows.stop:
            continue
        verdicts.append(
            _verdicts(
                truth.xywh_px[truth_rows],
                truth.area_px2[truth_rows],
                truth.is_crowd[truth_rows],
                detections.xywh_px[box_rows],
            )
        )
        images.append(detections.image[box_rows])
        scores.append(detections.score[box_rows])
    order = np.argsort(-np.concatenate(scores), kind="stable")
    return Matches(
        np.ascontiguousarray(np.concatenate(verdicts, axis=2)[:, :, order]),
        np.concatenate(images)[order].astype(np.int32),
        _count_figures(truth),
    )


def select_images(matched: Matches, rows: NDArray[np.int64]) -> Matches:
    """The matches in some of the images, which get new row numbers, in the order given."""
    number = np.full(len(matched.figures), -1, np.int32)
    number[rows] = np.arange(len(rows), dtype=np.int32)
    is_selected = number[matched.image] >= 0
    return Matches(
        np.ascontiguousarray(matched.verdicts[:, :, is_selected]),
        number[matched.image[is_selected]],
        matched.figures[rows],
    )


def _verdicts(
    figures: NDArray[np.float64], area_px2: NDArray[np.float64], is_crowd: NDArray[np.bool_], boxes: NDArray[np.float64]
) -> NDArray[np.uint8]:
    """(4, 10, D) verdicts in one image."""
    from tasks.core.evaluate.kernels import match_boxes  # numba takes half a second to import

    overlaps = np.zeros((len(boxes), 0))
    if len(figures):
        overlaps = np.asarray(mask.iou(boxes, figures, is_crowd.astype(np.uint8)))
    sizes = boxes[:, 2] * boxes[:, 3]
    verdicts = []
    for least, most in AREAS_PX2:
        is_ignored = is_crowd | (area_px2 < least) | (area_px2 > most)
        order = np.argsort(is_ignored, kind="stable")
        is_outside = (sizes < least) | (sizes > most)
        verdicts.append(
            match_boxes(
                np.ascontiguousarray(overlaps[:, order]), is_ignored[order], is_crowd[order], is_outside, THRESHOLDS
            )
        )
    return np.stack(verdicts)


def _count_figures(truth: DrawnFigures) -> NDArray[np.int64]:
    """(N, 4) figures of each image in each range of areas, without crowds."""
    columns = []
    for least, most in AREAS_PX2:
        is_counted = ~truth.is_crowd & (truth.area_px2 >= least) & (truth.area_px2 <= most)
        columns.append(np.bincount(truth.image[is_counted], minlength=truth.images))
    return np.stack(columns, axis=1).astype(np.int64)


def _boxes(column: pa.ChunkedArray | pa.Array) -> NDArray[np.float64]:
    """(N, 4) of a column of boxes without nulls."""
    return np.asarray(pc.list_flatten(whole(column)), np.float64).reshape(-1, 4)
