"""COCO's numbers for one detector, and how well it tells images with a figure from others, where images count several
times.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.categories import mean_over_categories
from tasks.core.evaluate.detector.presence import Presence, auc, count_kept
from tasks.core.evaluate.matching import Matches, precisions_and_recalls, summarised
from tasks.core.evaluate.systems import Scorer

OF_BOXES = ("AP", "AP50", "AP75", "APS", "APM", "APL", "AR1", "AR10", "AR", "ARS", "ARM", "ARL")
"""pycocotools' twelve numbers: IoU .50:.95 but for AP50 and AP75; sizes by area; AR by boxes per image, AR of as many
as were matched.
"""
OF_IMAGES = ("kept_share", "image_recall", "image_precision", "image_f1", "image_auc")
FIGURES = "figures"
_ALL = 0
"""The place in AREAS_PX2."""
_FEW = (1, 10)


def detector_scorer(matched: Sequence[Matches], seen: Presence, score: float) -> Scorer:
    """A function of (N,) `times` to OF_BOXES, OF_IMAGES and FIGURES.

    matched: of one category, or of several over the same images: OF_BOXES are then means over those that have a figure.
    seen: of the same categories together. score: an image is kept that has a box of at least this score. OF_BOXES and
    OF_IMAGES are 0..1, NaN where they are not defined; FIGURES is how many there are, without crowds.
    """
    of_boxes = mean_over_categories([box_scorer(one) for one in matched], OF_BOXES)
    figures = np.sum([one.figures[:, _ALL] for one in matched], axis=0)

    def scores(times: NDArray[np.int64]) -> dict[str, float]:
        shares = [*count_kept(score, seen, times).shares().values(), auc(seen, times)]
        of_images = zip(OF_IMAGES, (np.nan if share is None else share for share in shares), strict=True)
        return {**of_boxes(times), **dict(of_images), FIGURES: float(times @ figures)}

    return scores


def box_scorer(matched: Matches) -> Scorer:
    """A function of (N,) `times` to OF_BOXES, 0..1; NaN where there is no figure."""
    from tasks.core.evaluate.kernels import RIGHT  # numba takes half a second to import

    firsts = [matched.place < count for count in _FEW]
    few = [(matched.verdicts[_ALL][:, is_first] == RIGHT, matched.image[is_first]) for is_first in firsts]

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        values = precisions_and_recalls(matched, times)
        recall, _, _, *recalls_by_size = summarised(values[..., 1])
        figures = int(times @ matched.figures[:, _ALL])
        of_few = [float((is_right @ times[image]).mean() / figures) if figures else np.nan for is_right, image in few]
        numbers = [*summarised(values[..., 0]), *of_few, recall, *recalls_by_size]
        return dict(zip(OF_BOXES, numbers, strict=True))

    return score
