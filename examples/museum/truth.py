"""The truth of a museum as a COCO file, for pycocotools and whoever reads the same."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from examples.museum.figures import Figure
from examples.museum.scene import LEAST_HEIGHT, LEAST_SHOWN

_JOINT_NAMES = (
    "nose left_eye right_eye left_ear right_ear left_shoulder right_shoulder left_elbow right_elbow left_wrist "
    "right_wrist left_hip right_hip left_knee right_knee left_ankle right_ankle"
)
JOINTS = _JOINT_NAMES.split()
_MIRRORED = (0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15)
_TURN = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
_RING = np.stack([np.cos(_TURN), np.sin(_TURN)], axis=1)
_BONES = (
    (16, 14), (14, 12), (17, 15), (15, 13), (12, 13), (6, 12), (7, 13), (6, 7), (6, 8), (7, 9), (8, 10), (9, 11),
    (2, 3), (1, 2), (1, 3), (2, 4), (3, 5), (4, 6), (5, 7),
)  # fmt: skip


class ImageTruth(NamedTuple):
    """What is true of one readable image, upright: its size and figures."""

    record_key: str
    file_name: str
    width_px: int
    height_px: int
    figures: tuple[Figure, ...]


def transform_figures(
    figures: Sequence[Figure], matrix: NDArray[np.float64], width_px: int, height_px: int
) -> tuple[Figure, ...]:
    """The figures of a picture in a copy of it, where they can still be seen.

    matrix: (3, 3), pixels of the picture to pixels of the copy, which is so wide and high. Boxes stay upright: each is
    drawn around where the ellipse in the old one goes, which is exact but for the turns. A figure that the copy's
    edge cuts goes by the painter's rule: gone where too little of it is left. Of a mirrored figure left is right.
    """
    found = (_moved(figure, matrix, width_px, height_px) for figure in figures)
    return tuple(figure for figure in found if figure is not None)


def _moved(figure: Figure, matrix: NDArray[np.float64], width_px: int, height_px: int) -> Figure | None:
    is_mirrored = np.linalg.det(matrix[:2, :2]) < 0
    keypoints = [figure.keypoints[other] for other in _MIRRORED] if is_mirrored else list(figure.keypoints)
    joints = _through(matrix, np.array([joint[:2] for joint in keypoints]))
    limits = np.array([width_px, height_px], dtype=np.float64)
    seen = np.array([v > 0 for _, _, v in keypoints]) & (joints >= 0).all(axis=1) & (joints <= limits).all(axis=1)
    x, y, width, height = figure.xywh_px
    outline = _through(matrix, _RING * [width, height] / 2 + [x + width / 2, y + height / 2])
    whole = np.vstack([outline, joints[seen]])
    low, high = whole.min(axis=0), whole.max(axis=0)
    shown_low, shown_high = np.clip(low, 0.0, limits), np.clip(high, 0.0, limits)
    if not _is_left(high - low, shown_high - shown_low, height_px):
        return None
    kept = tuple(
        (float(j[0]), float(j[1]), 2) if is_seen else (0.0, 0.0, 0) for j, is_seen in zip(joints, seen, strict=True)
    )
    box = tuple(float(value) for value in (*shown_low, *(shown_high - shown_low)))
    return Figure((box[0], box[1], box[2], box[3]), kept, figure.is_crowd)


def _through(matrix: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (N, 2) through a projective matrix (3, 3)."""
    mapped = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def _is_left(whole: NDArray[np.float64], shown: NDArray[np.float64], height_px: int) -> bool:
    """Whether a box (width, height) of which `shown` is left is still a figure's; what is not cut always is."""
    if np.allclose(whole, shown, atol=1e-6):
        return True
    return bool(shown.prod() >= max(30.0, LEAST_SHOWN * whole.prod()) and shown[1] >= LEAST_HEIGHT * height_px)


def coco_from_images(shown: Iterable[ImageTruth], description: str) -> dict[str, Any]:
    """One COCO document; images and annotations are numbered from 1 in the order given."""
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for image_id, one in enumerate(shown, 1):
        images.append(
            {
                "id": image_id,
                "file_name": one.file_name,
                "width": one.width_px,
                "height": one.height_px,
                "record_key": one.record_key,
            }
        )
        first = len(annotations) + 1
        annotations.extend(_annotation(number, image_id, figure) for number, figure in enumerate(one.figures, first))
    category = {"id": 1, "name": "person", "supercategory": "person", "keypoints": JOINTS, "skeleton": _BONES}
    return {
        "info": {"description": description},
        "licenses": [],
        "images": images,
        "annotations": annotations,
        "categories": [category],
    }


def _annotation(number: int, image_id: int, figure: Figure) -> dict[str, Any]:
    box = [round(value, 2) for value in figure.xywh_px]
    return {
        "id": number,
        "image_id": image_id,
        "category_id": 1,
        "bbox": box,
        "area": round(box[2] * box[3], 2),
        "iscrowd": int(figure.is_crowd),
        "num_keypoints": sum(v > 0 for _, _, v in figure.keypoints),
        "keypoints": [value for x, y, v in figure.keypoints for value in (round(x, 2), round(y, 2), v)],
    }
