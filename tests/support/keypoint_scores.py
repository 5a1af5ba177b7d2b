"""COCO's scores of keypoints by faster-coco-eval, to compare ours with; tests/parity compares it with pycocotools."""

from typing import Any

import numpy as np
from faster_coco_eval import COCO, COCOeval_faster
from numpy.typing import NDArray

from tasks.core.evaluate.keypoints.poses import PosedFigures, Poses
from tasks.core.evaluate.keypoints.scorer import AREAS_PX2, MEASURES
from tasks.core.evaluate.matching import summarised

Row = dict[str, Any]


def keypoint_scores(
    truth: PosedFigures, poses: Poses, sigmas: NDArray[np.float64], at_most: int = 20
) -> dict[str, float | None]:
    """MEASURES of a system's poses against people's, 0..1; None where there is no figure of that size with keypoints.

    sigmas: (K,). at_most: poses per image that count, best first (maxDets). 0 where there are figures, and no pose is
    right.
    """
    if not len(truth.drawn.image):
        return dict.fromkeys(MEASURES)
    images = [{"id": row + 1} for row in range(truth.drawn.images)]
    common = {"images": images, "categories": [{"id": 1, "name": "figure"}]}
    evaluation = COCOeval_faster(
        COCO({**common, "annotations": _annotations(truth)}),
        COCO({**common, "annotations": _results(poses)}),
        "keypoints",
        extra_calc=False,
        kpt_oks_sigmas=sigmas.tolist(),
    )
    evaluation.params.maxDets = [at_most]
    evaluation.params.areaRng = [list(ends) for ends in AREAS_PX2]
    with np.errstate(over="ignore"):
        evaluation.evaluate()
    evaluation.accumulate()
    precision, recall = evaluation.eval["precision"], evaluation.eval["recall"]  # TxRxKxAxM, TxKxAxM
    values = [*summarised(precision[:, :, 0, :, 0].mean(axis=1).T), *summarised(recall[:, 0, :, 0].T)]
    return {name: None if value < 0 else value for name, value in zip(MEASURES, values, strict=True)}


def _annotations(truth: PosedFigures) -> list[Row]:
    drawn = truth.drawn
    given = np.count_nonzero(truth.keypoints_xyv[..., 2] > 0, axis=1)
    return [
        {
            "id": row + 1,
            "image_id": int(drawn.image[row]) + 1,
            "category_id": 1,
            "bbox": drawn.xywh_px[row].tolist(),
            "area": float(drawn.area_px2[row]),
            "iscrowd": int(drawn.is_crowd[row]),
            "keypoints": truth.keypoints_xyv[row].ravel().tolist(),
            "num_keypoints": int(given[row]),
        }
        for row in range(len(drawn.image))
    ]


def _results(poses: Poses) -> list[Row]:
    """As `loadRes` makes them: numbered from 1. The box is not read."""
    points = np.concatenate([poses.keypoints_xy, np.ones((*poses.keypoints_xy.shape[:2], 1))], axis=2)
    return [
        {
            "id": row + 1,
            "image_id": int(poses.image[row]) + 1,
            "category_id": 1,
            "bbox": [0.0, 0.0, 0.0, 0.0],
            "area": float(poses.area_px2[row]),
            "iscrowd": 0,
            "score": float(poses.score[row]),
            "keypoints": points[row].ravel().tolist(),
        }
        for row in range(len(poses.score))
    ]
