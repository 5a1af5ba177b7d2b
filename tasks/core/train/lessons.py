"""Rules of training: who comes when, at which rate, altered how, and what is to be learnt. All drawn by hashes."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.train import Augment, TrainDetector
from tasks.core.coco.entries import annotation_entry, result_entry

WARM_UP_FROM, DECAY = 1e-3, 0.1
LEAST_PX = 0.1
_RISE = 0.15
_ONE_CYCLE_FROM, _ONE_CYCLE_TO = 1 / 25, 1 / 250_000  # of the highest rate: PyTorch's OneCycleLR

# How strong. PoPArt names no strengths; its groups and odds are those of the example of Albumentations in MMDetection's
# configurations, whose ranges these are. CLAHE, which is not in it, has Albumentations' own.
BRIGHTNESS = CONTRAST = (0.1, 0.3)
CLAHE_LIMIT = (1.0, 4.0)
SHIFT = 10
HUE, SATURATION, VALUE = 20, 30, 20
JPEG_QUALITY = (85, 95)


class Change(NamedTuple):
    """One alteration of a picture by its name in tasks/io/training/augment.py, and its numbers."""

    name: str
    numbers: tuple[float, ...] = ()


def seed_of(seed: int, *words: object) -> int:
    """A 63-bit number that depends on nothing but its words: of SHA-256 of "seed TAB word TAB word ...".

    >>> seed_of(7, "order", 0) == seed_of(7, "order", 0) != seed_of(7, "order", 1)
    True
    """
    return int.from_bytes(hashlib.sha256("\t".join(map(str, (seed, *words))).encode()).digest()[:8], "big") >> 1


def order(image_ids: Sequence[int], seed: int, epoch: int) -> list[int]:
    """Places of the images in the order in which an epoch sees them; each once."""
    return sorted(range(len(image_ids)), key=lambda place: (seed_of(seed, "order", epoch, image_ids[place]), place))


def steps_per_epoch(images: int, settings: TrainDetector) -> int:
    """Steps in which all images are seen once; the last may see fewer.

    >>> steps_per_epoch(17, TrainDetector(batch=4, accumulate=2))
    3
    """
    return -(-images // (settings.batch * settings.accumulate))


def rate(settings: TrainDetector, step: int, per_epoch: int) -> float:
    """The learning rate of a step, counted from 0. Warm-up is a straight line (Goyal et al. 2017)."""
    total = per_epoch * settings.epochs
    if settings.schedule == "one_cycle":
        return settings.learning_rate * _one_cycle(step, total)
    warm = 1.0
    if step < settings.warm_up_steps:
        warm = WARM_UP_FROM + (1 - WARM_UP_FROM) * step / settings.warm_up_steps
    if settings.schedule == "cosine":
        return settings.learning_rate * warm * _cosine(1.0, 0.0, step / total)
    passed = sum(step >= epoch * per_epoch for epoch in settings.decay_epochs)
    return float(settings.learning_rate * warm * DECAY**passed)


def _one_cycle(step: int, total: int) -> float:
    """Smith & Topin 2018, with cosines."""
    peak = max(_RISE * total - 1, 0.0)
    if step < peak:
        return _cosine(_ONE_CYCLE_FROM, 1.0, step / peak)
    return _cosine(1.0, _ONE_CYCLE_TO, min(1.0, (step - peak) / max(total - 1 - peak, 1.0)))


def _cosine(first: float, last: float, share: float) -> float:
    return last + (first - last) * (1 + math.cos(math.pi * share)) / 2


def reduced_size(width_px: int, height_px: int, least_side_px: int, most_side_px: int) -> tuple[int, int]:
    """(width, height) within the two sides, aspect kept, at least 1 px each; what is small enough stays.

    >>> reduced_size(4000, 3000, 800, 1333), reduced_size(20_000, 200, 800, 1333), reduced_size(300, 200, 800, 1333)
    ((1067, 800), (1333, 13), (300, 200))
    """
    scale = min(1.0, least_side_px / min(width_px, height_px), most_side_px / max(width_px, height_px))
    return max(1, round(width_px * scale)), max(1, round(height_px * scale))


def changes(augment: Augment, rng: np.random.Generator) -> tuple[Change, ...]:
    """What is done to a picture this time, in this order."""
    found: list[Change] = []
    if rng.random() < augment.brightness_or_clahe:
        found.append(_brightness_or_clahe(rng))
    if rng.random() < augment.shift_or_hue:
        found.append(_shift_or_hue(rng))
    if rng.random() < augment.jpeg:
        found.append(Change("jpeg", (float(rng.integers(JPEG_QUALITY[0], JPEG_QUALITY[1] + 1)),)))
    if rng.random() < augment.channel_shuffle:
        found.append(Change("channel_shuffle", tuple(map(float, rng.permutation(3)))))
    if rng.random() < augment.blur:
        found.append(Change("blur" if rng.random() < 0.5 else "median_blur"))
    if rng.random() < augment.flip:
        found.append(Change("flip"))
    return tuple(found)


def _brightness_or_clahe(rng: np.random.Generator) -> Change:
    if rng.random() < 0.5:
        return Change("brightness_contrast", (float(rng.uniform(*BRIGHTNESS)), float(rng.uniform(*CONTRAST))))
    return Change("clahe", (float(rng.uniform(*CLAHE_LIMIT)),))


def _shift_or_hue(rng: np.random.Generator) -> Change:
    if rng.random() < 0.5:
        return Change("rgb_shift", tuple(float(rng.uniform(-SHIFT, SHIFT)) for _ in range(3)))
    return Change("hue_saturation_value", tuple(float(rng.uniform(-most, most)) for most in (HUE, SATURATION, VALUE)))


class Lesson(NamedTuple):
    """One image: its blob, its upright size, its figures and crowds as corners (N, 4) in px of it."""

    image_id: int
    sha256: str
    size_px: tuple[int, int]
    figures_xyxy_px: NDArray[np.float32]
    crowds_xyxy_px: NDArray[np.float32]


def lessons(images: pa.Table, figures: pa.Table) -> list[Lesson]:
    """A lesson of each image (schema ANNOTATED and ANNOTATED_FIGURES).

    Boxes are cut at the image's edges; empty ones left out.
    """
    boxes: dict[tuple[int, bool], list[list[float]]] = {}
    for row in figures.select(["image_id", "xywh_px", "is_crowd"]).to_pylist():
        boxes.setdefault((row["image_id"], bool(row["is_crowd"])), []).append(_xywh(row["xywh_px"]))
    found = []
    for row in images.select(["image_id", "sha256", "width_px", "height_px"]).to_pylist():
        size = (row["width_px"], row["height_px"])
        drawn, crowds = (corners(boxes.get((row["image_id"], is_crowd), []), size) for is_crowd in (False, True))
        found.append(Lesson(row["image_id"], row["sha256"], size, drawn, crowds))
    return found


def corners(xywh_px: Sequence[Sequence[float]], size_px: tuple[int, int]) -> NDArray[np.float32]:
    """(N, 4) x_min, y_min, x_max, y_max of boxes inside an image of (width, height).

    Those without area there are left out.

    >>> corners([[-2, 0, 6, 5], [9, 0, 5, 5], [3, 3, 0, 2]], (9, 9)).tolist()
    [[0.0, 0.0, 4.0, 5.0]]
    """
    boxes = np.asarray(xywh_px, np.float64).reshape(-1, 4)
    limits = np.array([*size_px, *size_px], np.float64)
    found = np.clip(np.hstack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]]), 0, limits)
    return found[((found[:, 2:] - found[:, :2]) > 0).all(axis=1)].astype(np.float32)


def mirrored(xyxy_px: NDArray[np.float32], width_px: int) -> NDArray[np.float32]:
    """Boxes (N, 4) in the picture's mirror image.

    >>> mirrored(np.array([[1, 2, 4, 5]], np.float32), 10).tolist()
    [[6.0, 2.0, 9.0, 5.0]]
    """
    return np.stack([width_px - xyxy_px[:, 2], xyxy_px[:, 1], width_px - xyxy_px[:, 0], xyxy_px[:, 3]], axis=1)


def visible(xyxy_px: NDArray[np.float32]) -> NDArray[np.float32]:
    """The boxes of which something is left to be seen: at least a tenth of a px wide and high. torchvision refuses
    empty ones.

    >>> visible(np.array([[1, 2, 4, 5], [7, 2, 7.05, 5]], np.float32)).tolist()
    [[1.0, 2.0, 4.0, 5.0]]
    """
    return xyxy_px[((xyxy_px[:, 2:] - xyxy_px[:, :2]) >= LEAST_PX).all(axis=1)]


def only_in_crowds(
    crowds_xyxy_px: NDArray[np.float32], figures_xyxy_px: NDArray[np.float32], size_px: tuple[int, int]
) -> NDArray[np.bool_]:
    """(height, width) whether a pixel lies in a crowd's box and in no figure's: there nobody says what is a figure."""
    return _inside(crowds_xyxy_px, size_px) & ~_inside(figures_xyxy_px, size_px)


def _inside(xyxy_px: NDArray[np.float32], size_px: tuple[int, int]) -> NDArray[np.bool_]:
    found = np.zeros((size_px[1], size_px[0]), np.bool_)
    for left, top, right, bottom in xyxy_px.tolist():
        found[math.floor(top) : math.ceil(bottom), math.floor(left) : math.ceil(right)] = True
    return found


def truth_document(images: pa.Table, figures: pa.Table, category: str) -> dict[str, Any]:
    """The images and their figures as a COCO document for `evaluate`."""
    sizes = images.select(["image_id", "width_px", "height_px"]).to_pylist()
    return {
        "images": [{"id": row["image_id"], "width": row["width_px"], "height": row["height_px"]} for row in sizes],
        "annotations": [
            annotation_entry(
                number, row["image_id"], 1, row["xywh_px"], row["area_px2"], is_crowd=bool(row["is_crowd"])
            )
            for number, row in enumerate(figures.to_pylist(), 1)
        ],
        "categories": [{"id": 1, "name": category}],
    }


def detection_results(images: pa.Table, figures: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """The figures that a detector found in each blob, by its SHA-256, as COCO results by the images' ids."""
    return [
        result_entry(row["image_id"], 1, figure["xywh_px"], figure["score"])
        for row in images.select(["image_id", "sha256"]).to_pylist()
        for figure in figures[row["sha256"]]
    ]


def _xywh(box: Any) -> list[float]:
    return [float(value) for value in (box.values() if isinstance(box, dict) else box)]
