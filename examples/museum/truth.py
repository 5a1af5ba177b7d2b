"""The truth of a museum as a COCO file, for pycocotools and whoever reads the same."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from examples.museum.figures import Figure

_JOINT_NAMES = (
    "nose left_eye right_eye left_ear right_ear left_shoulder right_shoulder left_elbow right_elbow left_wrist "
    "right_wrist left_hip right_hip left_knee right_knee left_ankle right_ankle"
)
JOINTS = _JOINT_NAMES.split()
_BONES = (
    (16, 14), (14, 12), (17, 15), (15, 13), (12, 13), (6, 12), (7, 13), (6, 7), (6, 8), (7, 9), (8, 10), (9, 11),
    (2, 3), (1, 2), (1, 3), (2, 4), (3, 5), (4, 6), (5, 7),
)  # fmt: skip


class Shown(NamedTuple):
    """What one readable file shows, upright."""

    record_key: str
    file_name: str
    width_px: int
    height_px: int
    figures: tuple[Figure, ...]


def scaled(figures: Sequence[Figure], across: float, down: float) -> tuple[Figure, ...]:
    """The figures of a picture made `across` times as wide and `down` times as high."""
    return tuple(
        Figure(
            (
                figure.xywh_px[0] * across,
                figure.xywh_px[1] * down,
                figure.xywh_px[2] * across,
                figure.xywh_px[3] * down,
            ),
            tuple((x * across, y * down, v) for x, y, v in figure.keypoints),
            figure.is_crowd,
        )
        for figure in figures
    )


def coco_from_shown(shown: Iterable[Shown], description: str) -> dict[str, Any]:
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
