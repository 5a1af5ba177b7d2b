"""Which boxes of a detector are right: matched to figures once, so that resamples only have to count.

A box of an image that counts three times counts three times. That is what pycocotools computes for a file that holds
the image three times, as long as no image has a right and a wrong box of one score.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

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
    """What people drew.

    images: how many images there are. image: (G,) row of each figure's image, ascending. xywh_px: (G, 4).
    """

    images: int
    image: NDArray[np.int64]
    xywh_px: NDArray[np.float64]
    area_px2: NDArray[np.float64]
    is_crowd: NDArray[np.bool_]


class Detections(NamedTuple):
    """A detector's boxes, by image and falling score. image: (D,) row of each box's image, ascending. xywh_px: (D, 4).
    score: (D,), any finite numbers.
    """

    image: NDArray[np.int64]
    xywh_px: NDArray[np.float64]
    score: NDArray[np.float64]


class Matches(NamedTuple):
    """Whether each box, or pose, is right.

    verdicts: (A, 10, D) by range of areas (of boxes AREAS_PX2) and threshold: ignored, right, wrong; by falling score,
    equal ones in the order of their images. image: (D,) row of each one's image. place: (D,) among those of its image,
    the best is 0. figures: (N, A) how many each image has in each range, without those that are ignored.
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


def by_category(figures: pa.Table, categories: Iterable[str]) -> dict[str, pa.Table]:
    """The figures of each category, in the order of these, also of those that have none."""
    return {category: figures.filter(pc.equal(figures["category"], category)) for category in categories}


def figures_by_category(images: pa.Table, figures: pa.Table, categories: Iterable[str]) -> dict[str, DrawnFigures]:
    """`figures_of` each category."""
    return {category: figures_of(images, own) for category, own in by_category(figures, categories).items()}


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
    """Boxes by `rank_order`, equal scores by x, y, width and height."""
    order = rank_order(image, score, xywh_px)
    return Detections(image[order], xywh_px[order], score[order])


def rank_order(image: NDArray[np.int64], score: NDArray[np.float64], ties: NDArray[np.float64]) -> NDArray[np.int64]:
    """(D,) rows by image, then by falling score, then by the columns of `ties` (D, T), the first one first: scores of
    systems go by the order of what has equal ones, so that it must not depend on where that comes from.

    >>> rank_order(np.array([1, 0, 0, 0]), np.array([0.9, 0.2, 0.5, 0.5]), np.array([[0], [0], [7], [6]])).tolist()
    [3, 2, 1, 0]
    """
    return np.lexsort((*ties.T[::-1], -score, image))


def match_boxes(truth: DrawnFigures, detections: Detections, at_most: int = 100) -> Matches:
    """Which boxes are right, by pycocotools' rules: the best `at_most` of each image, the best first, each figure once.

    A crowd takes any number of boxes, none of which counts. A figure outside the range of areas is treated like a crowd
    that takes one; a box outside it that overlaps no figure is not counted.
    """

    def overlaps(boxes: slice, figures: slice) -> NDArray[np.float64]:
        return box_overlaps(detections.xywh_px[boxes], truth.xywh_px[figures], truth.is_crowd[figures])

    sizes_px2 = detections.xywh_px[:, 2] * detections.xywh_px[:, 3]
    found = detections.image, detections.score, sizes_px2
    return match_findings(truth, truth.is_crowd, *found, overlaps, AREAS_PX2, at_most)


def match_findings(
    truth: DrawnFigures,
    is_ignored: NDArray[np.bool_],
    image: NDArray[np.int64],
    score: NDArray[np.float64],
    sizes_px2: NDArray[np.float64],
    similarity: Callable[[slice, slice], NDArray[np.float64]],
    ranges: AreaRanges,
    at_most: int,
) -> Matches:
    """The verdicts on the best `at_most` findings of each image, one by one, by the figures that are most similar.

    is_ignored: (G,) figures that are neither found nor missed; a crowd is always, and takes any number. image, score,
    sizes_px2: (D,) row, score and area of each finding. similarity: (d, g) of one image's findings and figures, whose
    rows it is given.
    """
    beyond = [(truth.area_px2 < least) | (truth.area_px2 > most) for least, most in ranges]
    outside = [(sizes_px2 < least) | (sizes_px2 > most) for least, most in ranges]
    is_passed_over, is_outside = is_ignored | np.array(beyond), np.array(outside)
    verdicts, rows = [np.zeros((len(ranges), len(THRESHOLDS), 0), np.uint8)], [np.zeros(0, np.int64)]
    for figures, found in rows_by_image(truth, image, at_most):
        own = (is_passed_over[:, figures], truth.is_crowd[figures], is_outside[:, found])
        verdicts.append(_verdicts(similarity(found, figures), *own))
        rows.append(np.arange(found.start, found.stop))
    row = np.concatenate(rows)
    order = np.argsort(-score[row], kind="stable")  # equal ones in the order of their images
    row = row[order]
    return Matches(
        np.ascontiguousarray(np.concatenate(verdicts, axis=2)[:, :, order]),
        image[row].astype(np.int32),
        (row - np.searchsorted(image, image[row])).astype(np.int32),
        count_figures(truth, is_ignored, ranges),
    )


def _verdicts(
    similarity: NDArray[np.float64],
    is_passed_over: NDArray[np.bool_],
    is_crowd: NDArray[np.bool_],
    is_outside: NDArray[np.bool_],
) -> NDArray[np.uint8]:
    """(A, 10, D) of one image. similarity: (D, G). is_passed_over: (A, G), is_crowd: (G,), is_outside: (A, D)."""
    from tasks.core.evaluate.kernels import match_boxes  # numba takes half a second to import

    verdicts = []
    for is_last, is_wrong_size in zip(is_passed_over, is_outside, strict=True):
        order = np.argsort(is_last, kind="stable")
        ranked = np.ascontiguousarray(similarity[:, order])
        verdicts.append(match_boxes(ranked, is_last[order], is_crowd[order], is_wrong_size, THRESHOLDS))
    return np.stack(verdicts)


def rows_by_image(
    truth: DrawnFigures, image: NDArray[np.int64], at_most: int | None = None
) -> Iterator[tuple[slice, slice]]:
    """Of each image that has a box, the rows of its figures, and those of its first boxes. image: (D,) of the boxes."""
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


def count_figures(truth: DrawnFigures, is_ignored: NDArray[np.bool_], ranges: AreaRanges) -> NDArray[np.int64]:
    """(N, A) figures of each image in each range of areas, without those that are ignored."""
    columns = []
    for least, most in ranges:
        is_counted = ~is_ignored & (truth.area_px2 >= least) & (truth.area_px2 <= most)
        columns.append(np.bincount(truth.image[is_counted], minlength=truth.images))
    return np.stack(columns, axis=1).astype(np.int64)


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


def summarised(values: NDArray[np.float64]) -> list[float]:
    """COCO's numbers of one kind, out of (A, 10) by area and threshold: all, all at .50 and at .75, then each size."""
    everything, *sizes = values.mean(axis=1).tolist()
    at = (int(np.argmin(np.abs(THRESHOLDS - threshold))) for threshold in (0.5, 0.75))
    return [everything, *(float(values[0, place]) for place in at), *sizes]
