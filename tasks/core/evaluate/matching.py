"""Which boxes of a detector are right: matched to figures once, so that resamples only have to count.

A box of an image that counts three times counts three times. That is what pycocotools computes for a file that holds
the image three times, as long as no image has a right and a wrong box of one score.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pycocotools import mask

from tasks.core import tables
from tasks.core.columns import Column, whole

THRESHOLDS = np.linspace(0.5, 0.95, 10)
RECALLS = np.linspace(0.0, 1.0, 101)
AreaRanges = tuple[tuple[float, float], ...]
AREAS_PX2: AreaRanges = ((0.0, 1e10), (0.0, 32.0**2), (32.0**2, 96.0**2), (96.0**2, 1e10))
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
    """A detector's boxes, by image and falling score. image: (D,) row of each box's image, ascending.

    xywh_px: (D, 4). score: (D,), any finite numbers; `detect` stores boxes to 0.1 px and scores of 0..1 to 0.001.
    """

    image: NDArray[np.int64]
    xywh_px: NDArray[np.float64]
    score: NDArray[np.float64]


class Findings(Protocol):
    """What a system has found, of any kind: (D,) row of the image of each, and (D,) its score."""

    @property
    def image(self) -> NDArray[np.int64]: ...  # noqa: D102
    @property
    def score(self) -> NDArray[np.float64]: ...  # noqa: D102


class Matches(NamedTuple):
    """Whether each box is right.

    verdicts: (A, 10, D) by range of areas (of boxes AREAS_PX2) and IoU threshold: ignored, right, wrong; boxes by
    falling score, equal ones in the order of their images. image: (D,) row of each box's image. place: (D,) of each box
    among those of its image, the best is 0. figures: (N, A) how many each image has in each range.
    """

    verdicts: NDArray[np.uint8]
    image: NDArray[np.int32]
    place: NDArray[np.int32]
    figures: NDArray[np.int64]


def figures_of(images: pa.Table, figures: pa.Table) -> DrawnFigures:
    """ANNOTATED_FIGURES as arrays; rows are those of `images` (ANNOTATED)."""
    row = np.asarray(rows_of_images(images, figures))
    order = np.argsort(row, kind="stable")
    return DrawnFigures(
        images.num_rows,
        row[order].astype(np.int64),
        xywh_array(figures["xywh_px"])[order],
        np.asarray(figures["area_px2"], np.float64)[order],
        np.asarray(figures["is_crowd"].to_numpy(), np.bool_)[order],
    )


def figures_by_category(images: pa.Table, figures: pa.Table, categories: Iterable[str]) -> dict[str, DrawnFigures]:
    """`figures_of` each category, in their order, also of those that have none."""
    return {
        category: figures_of(images, figures.filter(pc.equal(figures["category"], category))) for category in categories
    }


def detections_of_measure(images: pa.Table, measured: pa.Table, category: str) -> Detections:
    """The boxes of a category in DETECT rows, one for each blob; images of the same blob have the same boxes."""
    lists = tables.lookup(measured, "sha256", images["sha256"])["figures"].combine_chunks()
    flat = pc.list_flatten(lists)
    row = np.asarray(pc.list_parent_indices(lists), np.int64)
    if not len(flat):
        return Detections(row, np.zeros((0, 4)), np.zeros(0))
    is_category = np.asarray(pc.equal(pc.struct_field(flat, "category"), category))
    boxes, score = xywh_array(pc.struct_field(flat, "xywh_px")), np.asarray(pc.struct_field(flat, "score"), np.float64)
    return sort_detections(row[is_category], boxes[is_category], score[is_category])


def sort_detections(image: NDArray[np.int64], xywh_px: NDArray[np.float64], score: NDArray[np.float64]) -> Detections:
    """Boxes by image, then by falling score, then by x, y, width and height (see `rank_order`)."""
    order = rank_order(image, score, xywh_px)
    return Detections(image[order], xywh_px[order], score[order])


def rank_order(image: NDArray[np.int64], score: NDArray[np.float64], ties: NDArray[np.float64]) -> NDArray[np.int64]:
    """(D,) rows in order: by image, then by falling score, then by the columns of `ties` (D, T), the first one first.

    Scores of systems go by the order of what has equal ones: so it does not depend on where that comes from.

    >>> rank_order(np.array([1, 0, 0, 0]), np.array([0.9, 0.2, 0.5, 0.5]), np.array([[0], [0], [7], [6]])).tolist()
    [3, 2, 1, 0]
    """
    return np.lexsort((*ties.T[::-1], -score, image))


def match_boxes(truth: DrawnFigures, detections: Detections, at_most: int = 100) -> Matches:
    """Which boxes are right, by pycocotools' rules: the best `at_most` of each image, the best first, each figure once.

    A crowd takes any number of boxes, none of which counts. A figure outside the range of areas is treated like a crowd
    that takes one; a box outside it that overlaps no figure is not counted.
    """
    verdicts, rows = [np.zeros((len(AREAS_PX2), len(THRESHOLDS), 0), np.uint8)], [np.zeros(0, np.int64)]
    for figures, boxes in rows_by_image(truth, detections.image, at_most):
        overlaps = box_overlaps(detections.xywh_px[boxes], truth.xywh_px[figures], truth.is_crowd[figures])
        sizes = detections.xywh_px[boxes, 2] * detections.xywh_px[boxes, 3]
        is_crowd = truth.is_crowd[figures]
        verdicts.append(verdicts_by_range(overlaps, truth.area_px2[figures], is_crowd, is_crowd, sizes, AREAS_PX2))
        rows.append(np.arange(boxes.start, boxes.stop))
    return rank_matches(verdicts, rows, detections, count_figures(truth, truth.is_crowd, AREAS_PX2))


def rows_by_image(
    truth: DrawnFigures, image: NDArray[np.int64], at_most: int | None = None
) -> Iterator[tuple[slice, slice]]:
    """Of each image that has a box, the rows of its figures, and those of its boxes: at most so many, the first ones.

    image: (D,) row of each box's image, ascending.
    """
    figures = np.searchsorted(truth.image, np.arange(truth.images + 1))
    boxes = np.searchsorted(image, np.arange(truth.images + 1))
    for row in np.flatnonzero(boxes[1:] > boxes[:-1]).tolist():
        end = boxes[row + 1] if at_most is None else min(boxes[row + 1], boxes[row] + at_most)
        yield slice(int(figures[row]), int(figures[row + 1])), slice(int(boxes[row]), int(end))


def box_overlaps(
    boxes: NDArray[np.float64], figures: NDArray[np.float64], is_crowd: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """(D, G) IoU of boxes (D, 4) and figures (G, 4), xywh_px; with a crowd the share of the box that lies in it."""
    if not len(boxes) or not len(figures):
        return np.zeros((len(boxes), len(figures)))
    return np.asarray(mask.iou(boxes, figures, is_crowd.astype(np.uint8)))


def verdicts_by_range(
    overlaps: NDArray[np.float64],
    area_px2: NDArray[np.float64],
    is_crowd: NDArray[np.bool_],
    is_ignored: NDArray[np.bool_],
    sizes_px2: NDArray[np.float64],
    ranges: AreaRanges,
) -> NDArray[np.uint8]:
    """(A, 10, D) verdicts on what was detected in one image, by range of areas and threshold.

    overlaps: (D, G), detections by falling score. area_px2, is_crowd, is_ignored: (G,) of the figures; an ignored one
    is neither found nor missed, and a crowd is always ignored and takes any number. sizes_px2: (D,) areas of what was
    detected.
    """
    from tasks.core.evaluate import kernels  # numba takes half a second to import

    verdicts = []
    for least, most in ranges:
        is_passed_over = is_ignored | (area_px2 < least) | (area_px2 > most)
        order = np.argsort(is_passed_over, kind="stable")
        is_outside = (sizes_px2 < least) | (sizes_px2 > most)
        verdicts.append(
            kernels.match_boxes(
                np.ascontiguousarray(overlaps[:, order]), is_passed_over[order], is_crowd[order], is_outside, THRESHOLDS
            )
        )
    return np.stack(verdicts)


def count_figures(truth: DrawnFigures, is_ignored: NDArray[np.bool_], ranges: AreaRanges) -> NDArray[np.int64]:
    """(N, A) figures of each image in each range of areas, without those that are ignored."""
    columns = []
    for least, most in ranges:
        is_counted = ~is_ignored & (truth.area_px2 >= least) & (truth.area_px2 <= most)
        columns.append(np.bincount(truth.image[is_counted], minlength=truth.images))
    return np.stack(columns, axis=1).astype(np.int64)


def rank_matches(
    verdicts: Sequence[NDArray[np.uint8]],
    rows: Sequence[NDArray[np.int64]],
    findings: Findings,
    figures: NDArray[np.int64],
) -> Matches:
    """The verdicts of all images as one, by falling score; equal scores in the order of their images.

    verdicts: of each image (A, 10, d). rows: of each image (d,) rows in `findings`.
    """
    row = np.concatenate(rows)
    order = np.argsort(-findings.score[row], kind="stable")
    image = findings.image[row[order]]
    return Matches(
        np.ascontiguousarray(np.concatenate(verdicts, axis=2)[:, :, order]),
        image.astype(np.int32),
        (row[order] - np.searchsorted(findings.image, image)).astype(np.int32),
        figures,
    )


def precisions_and_recalls(matched: Matches, times: NDArray[np.int64]) -> NDArray[np.float64]:
    """(A, 10, 2) mean precision and last recall by range of areas and threshold, where image i counts times[i] times;
    NaN where there is no figure.
    """
    from tasks.core.evaluate.kernels import precision_and_recall  # numba takes half a second to import

    figures = times @ matched.figures
    values = np.full((len(figures), len(THRESHOLDS), 2), np.nan)
    for area, count in enumerate(figures):
        if count:
            for step in range(len(THRESHOLDS)):
                values[area, step] = precision_and_recall(
                    matched.verdicts[area, step], matched.image, times, int(count), RECALLS
                )
    return values


def rows_of_images(images: pa.Table, table: pa.Table) -> Column:
    """Of each row of a table the row in `images` of its image, by `image_id`; null for one that is not there."""
    return pc.index_in(table["image_id"], value_set=whole(images["image_id"]))


def xywh_array(column: Column) -> NDArray[np.float64]:
    """(N, 4) of a column of boxes; nulls are left out."""
    return np.asarray(pc.list_flatten(whole(column)), np.float64).reshape(-1, 4)
