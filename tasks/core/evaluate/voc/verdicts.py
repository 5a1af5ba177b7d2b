"""Which boxes are right by PASCAL VOC's rule: each takes the figure that it overlaps most, and a figure goes once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.evaluate_figures import VocSettings
from tasks.core.evaluate.kernels import IGNORED, RIGHT, WRONG
from tasks.core.evaluate.matching import Detections, DrawnFigures, box_overlaps, count_figures, rows_by_image

_EDGE_PX = {"x+w-1": 0.0, "x+w": 1.0}
"""By how much the sides of a box are longer than its width and height, by `far_corner`."""
_ALL = ((-np.inf, np.inf),)


class VocVerdicts(NamedTuple):
    """Whether each box is right.

    verdict: (D,) IGNORED, RIGHT or WRONG. image: (D,) row of each box's image. score: (D,), falling; of equal scores
    those that are wrong come first. figures: (N,) how many each image has, without crowds.
    """

    verdict: NDArray[np.uint8]
    image: NDArray[np.int64]
    score: NDArray[np.float64]
    figures: NDArray[np.int64]


def voc_verdicts(truth: DrawnFigures, detections: Detections, settings: VocSettings | None = None) -> VocVerdicts:
    """The verdict on each box, by the rule of VOC's devkit of 2010 (VOCevaldet).

    The boxes of an image come by falling score. Each takes the figure that it overlaps most, taken or not. It is right
    if their IoU reaches the threshold and nobody has taken the figure, and ignored if that figure is a crowd, which
    plays the part of VOC's `difficult`. Otherwise it is wrong, also where a second figure would be free: there
    pycocotools decides differently. A crowd's overlap is the ordinary IoU here.

    A box without an area overlaps nothing. Equal overlaps: the first figure by x, y, width and height, crowds last. So
    the result depends on the order of neither figures nor boxes.
    """
    settings = settings or VocSettings()
    truth = sort_figures(truth)
    edge = np.array([0.0, 0.0, 1.0, 1.0]) * _EDGE_PX[settings.far_corner]
    verdict = np.full(len(detections.score), WRONG, np.uint8)
    for figures, boxes in rows_by_image(truth, detections.image):
        is_nobody = np.zeros(figures.stop - figures.start, np.bool_)  # for pycocotools nobody is a crowd: ordinary IoU
        overlaps = box_overlaps(detections.xywh_px[boxes] + edge, truth.xywh_px[figures] + edge, is_nobody)
        verdict[boxes] = _take_best(overlaps, truth.is_crowd[figures], settings.iou)
    order = np.lexsort((verdict != WRONG, -detections.score))
    return VocVerdicts(
        verdict[order],
        detections.image[order],
        detections.score[order],
        count_figures(truth, truth.is_crowd, _ALL)[:, 0],
    )


def sort_figures(truth: DrawnFigures) -> DrawnFigures:
    """The same figures by image, then by x, y, width and height, then crowds last."""
    order = np.lexsort((truth.is_crowd, *truth.xywh_px.T[::-1], truth.image))
    return DrawnFigures(
        truth.images, truth.image[order], truth.xywh_px[order], truth.area_px2[order], truth.is_crowd[order]
    )


def _take_best(overlaps: NDArray[np.float64], is_crowd: NDArray[np.bool_], threshold: float) -> NDArray[np.uint8]:
    """(D,) verdicts in one image. overlaps: (D, G), boxes by falling score."""
    verdict = np.full(len(overlaps), WRONG, np.uint8)
    if not overlaps.size:
        return verdict
    overlaps = np.nan_to_num(overlaps, nan=0.0)  # of boxes whose areas are beyond the largest number
    best = overlaps.argmax(axis=1)
    rows = np.flatnonzero(overlaps.max(axis=1) >= threshold)
    is_ignored = is_crowd[best[rows]]
    verdict[rows[is_ignored]] = IGNORED
    rows = rows[~is_ignored]
    verdict[rows[np.unique(best[rows], return_index=True)[1]]] = RIGHT  # the first box of each figure
    return verdict
