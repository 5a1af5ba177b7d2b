"""Each rater against the truth of all others, counted once per image, so that scores only have to add up; and where one
differs most: the images to look at.
"""

from collections.abc import Container, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.evaluate_figures import DISAGREEMENT, RaterSettings
from tasks.core.evaluate.means import means_along
from tasks.core.evaluate.raters.boxes import overlaps_of, pair_boxes, total_overlap
from tasks.core.evaluate.raters.consensus import ImageConsensus, draw_starts, image_consensus
from tasks.core.evaluate.raters.ratings import Ratings
from tasks.core.evaluate.systems import Scorer

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NAMES = ("precision", "recall", "f1", "mean_iou")
COUNTS = ("right", "wrong", "missed", "images")
"""How many boxes are right and wrong, how many figures were missed, and in how many images that are scored."""


class BoxCounts(NamedTuple):
    """What each rater's boxes come to in each image, (R, I) each.

    is_scored: somebody else saw the image, too. right: boxes that are matched to a true figure at the IoU asked for;
    wrong: other boxes; missed: other figures. overlap: the largest sum of IoU of boxes matched one to one to figures,
    at any IoU. worst: the smallest, over boxes and figures, of the largest IoU with one of the other side; NaN where
    there is neither.
    """

    is_scored: NDArray[np.bool_]
    right: Integers
    wrong: Integers
    missed: Integers
    overlap: Floats
    worst: Floats


def leave_one_out(ratings: Ratings, settings: RaterSettings) -> BoxCounts:
    """Each rater's boxes against the consensus of all other raters who saw the image (section 5.4).

    An image that nobody else saw is not scored. One in which the others agree on no figure is: each box is wrong.
    """
    counts, rows_of = _no_counts(ratings.is_seen.shape), dict(ratings.boxes_by_image())
    for image, rater, truth in leave_one_out_truths(ratings, settings):
        counts.is_scored[rater, image] = True
        rows = rows_of[image]
        mine = ratings.xyxy_px[rows][ratings.rater[rows] == rater]
        _count(counts, rater, image, overlaps_of(mine, truth.xyxy_px), settings.iou)
    return counts


def compare_raters(ratings: Ratings, image: Integers, xyxy_px: Floats, iou: float) -> BoxCounts:
    """Each rater's boxes against one truth for all. image: (T,) each true figure's image. xyxy_px: (T, 4)."""
    counts = _no_counts(ratings.is_seen.shape)
    for number, rows in ratings.boxes_by_image():
        overlaps = overlaps_of(ratings.xyxy_px[rows], np.ascontiguousarray(xyxy_px[image == number]))
        for rater in np.flatnonzero(ratings.is_seen[:, number]).tolist():
            counts.is_scored[rater, number] = True
            _count(counts, rater, number, overlaps[ratings.rater[rows] == rater], iou)
    return counts


def leave_one_out_truths(
    ratings: Ratings, settings: RaterSettings, images: Container[int] | None = None
) -> Iterator[tuple[int, int, ImageConsensus]]:
    """(image, rater, the consensus of all others) for each image, or those asked for, and each rater who saw it."""
    for image, rows in ratings.boxes_by_image():
        if images is not None and image not in images:
            continue
        boxes, owner = ratings.xyxy_px[rows], ratings.rater[rows]
        draws = draw_starts(ratings.images[image], owner, settings)
        seers = np.flatnonzero(ratings.is_seen[:, image])
        for rater in seers.tolist() if len(seers) > 1 else ():
            is_other = owner != rater
            others = ratings.is_seen[:, image].copy()
            others[rater] = False
            yield image, rater, image_consensus(boxes[is_other], owner[is_other], others, draws, settings)


def score_raters(counts: BoxCounts, times: Integers | None = None) -> Floats:
    """(R, 4) NAMES of each rater from the summed counts, where each image counts so many times, once by default.

    mean_iou: the summed overlap over the sum of max(figures, boxes), so that a missed figure and a box too many count
    0. NaN where a rater has nothing that could be counted.
    """
    weights = np.ones(counts.right.shape[1], np.int64) if times is None else times
    right, wrong, missed, overlap = (values @ weights for values in counts[1:5])
    larger = np.maximum(counts.wrong, counts.missed) @ weights + right
    upper = np.stack([right, right, 2 * right, overlap], axis=1)
    lower = np.stack([right + wrong, right + missed, 2 * right + wrong + missed, larger], axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(upper / lower)


def rater_scorer(counts: BoxCounts, rater: int) -> Scorer:
    """NAMES and COUNTS of one rater as a function of how often each image counts, (I,)."""
    return mean_rater_scorer(BoxCounts._make(values[rater : rater + 1] for values in counts))


def mean_rater_scorer(counts: BoxCounts) -> Scorer:
    """The means of NAMES and COUNTS over the raters that have a value, NaN without one (section 5.5), as a function of
    how often each image counts, (I,).
    """

    def score(times: Integers) -> dict[str, float]:
        columns = (counts.right, counts.wrong, counts.missed, counts.is_scored)
        totals = np.stack([values @ times for values in columns], axis=1).astype(np.float64)
        means = means_along(np.concatenate([score_raters(counts, times), totals], axis=1))
        return dict(zip((*NAMES, *COUNTS), means.tolist(), strict=True))

    return score


def disagreement_table(ratings: Ratings, counts: BoxCounts) -> pa.Table:
    """DISAGREEMENT, by falling number of missed figures and extra boxes together, then by rising worst_iou
    (`BoxCounts.worst`; null last), then by image and rater.
    """
    rater, image = np.nonzero(counts.is_scored)
    missed, extra, worst = (values[rater, image] for values in (counts.missed, counts.wrong, counts.worst))
    order = np.lexsort((rater, image, worst, -(missed + extra)))  # NaN sorts last
    raters, images = (pa.array(names, pa.string()) for names in (ratings.raters, ratings.images))
    names = [raters.take(pa.array(rater[order])), images.take(pa.array(image[order]))]
    numbers = [counts.right[rater, image][order], missed[order], extra[order]]
    return pa.table([*names, *numbers, pa.array(worst[order], from_pandas=True)], schema=DISAGREEMENT)


def _no_counts(shape: tuple[int, ...]) -> BoxCounts:
    right, wrong, missed = (np.zeros(shape, np.int64) for _ in range(3))
    return BoxCounts(np.zeros(shape, np.bool_), right, wrong, missed, np.zeros(shape), np.full(shape, np.nan))


def _count(counts: BoxCounts, rater: int, image: int, overlaps: Floats, iou: float) -> None:
    """Write what (boxes, figures) overlaps of one rater in one image come to."""
    boxes, figures = overlaps.shape
    right = len(pair_boxes(overlaps, iou))
    counts.right[rater, image], counts.wrong[rater, image] = right, boxes - right
    counts.missed[rater, image] = figures - right
    counts.overlap[rater, image] = total_overlap(overlaps)
    if boxes and figures:
        counts.worst[rater, image] = min(overlaps.max(axis=0).min(), overlaps.max(axis=1).min())
    elif boxes or figures:
        counts.worst[rater, image] = 0.0
