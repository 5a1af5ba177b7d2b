"""What people drew and what a detector found, in few words."""

import numpy as np

from tasks.core.evaluate.matching import Detections, DrawnFigures, sort_detections

SMALL, LARGE = [0.0, 0.0, 10.0, 10.0], [200.0, 0.0, 200.0, 200.0]


def figures(*boxes: tuple[int, list[float]], images: int = 1, crowd: tuple[int, ...] = ()) -> DrawnFigures:
    xywh = np.array([box for _, box in boxes], float).reshape(-1, 4)
    is_crowd = np.array([place in crowd for place in range(len(boxes))], bool)
    return DrawnFigures(
        images, np.array([image for image, _ in boxes], np.int64), xywh, xywh[:, 2] * xywh[:, 3], is_crowd
    )


def detections(*boxes: tuple[int, list[float], float]) -> Detections:
    return sort_detections(
        np.array([image for image, *_ in boxes], np.int64),
        np.array([box for _, box, _ in boxes], float).reshape(-1, 4),
        np.array([score for *_, score in boxes], float),
    )
