"""How a picture (tasks/io/training/augment.py) and its boxes are changed before a detector learns from it."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.train import Augment

LEAST_PX = 0.1
"""Of a box's sides: torchvision refuses empty boxes."""

# PoPArt gives the groups and their odds, which are those of the example of Albumentations in MMDetection's
# configurations, but no strengths: these ranges are that example's. CLAHE is not in it and has Albumentations' default.
BRIGHTNESS = CONTRAST = (0.1, 0.3)
CLAHE_LIMIT = (1.0, 4.0)
SHIFT = 10
HUE, SATURATION, VALUE = 20, 30, 20
JPEG_QUALITY = (85, 95)


class Augmentation(NamedTuple):
    """One change of a picture: its name in tasks/io/training/augment.py, and its strengths."""

    name: str
    numbers: tuple[float, ...] = ()


def draw_changes(augment: Augment, rng: np.random.Generator) -> tuple[Augmentation, ...]:
    """Draw the changes of a picture, in the order in which they are applied."""
    drawn: list[Augmentation] = []
    if rng.random() < augment.brightness_or_clahe:
        is_brightness = rng.random() < 0.5
        ranges = (BRIGHTNESS, CONTRAST) if is_brightness else (CLAHE_LIMIT,)
        drawn.append(_draw("brightness_contrast" if is_brightness else "clahe", rng, *ranges))
    if rng.random() < augment.shift_or_hue:
        is_shift = rng.random() < 0.5
        most = (SHIFT, SHIFT, SHIFT) if is_shift else (HUE, SATURATION, VALUE)
        name = "rgb_shift" if is_shift else "hue_saturation_value"
        drawn.append(_draw(name, rng, *((-one, one) for one in most)))
    if rng.random() < augment.jpeg:
        drawn.append(Augmentation("jpeg", (float(rng.integers(JPEG_QUALITY[0], JPEG_QUALITY[1] + 1)),)))
    if rng.random() < augment.channel_shuffle:
        drawn.append(Augmentation("channel_shuffle", tuple(map(float, rng.permutation(3)))))
    if rng.random() < augment.blur:
        drawn.append(Augmentation("blur" if rng.random() < 0.5 else "median_blur"))
    if rng.random() < augment.flip:
        drawn.append(Augmentation("flip"))
    return tuple(drawn)


def _draw(name: str, rng: np.random.Generator, *ranges: tuple[float, float]) -> Augmentation:
    return Augmentation(name, tuple(float(rng.uniform(*one)) for one in ranges))


def reduced_size(width_px: int, height_px: int, least_side_px: int, most_side_px: int) -> tuple[int, int]:
    """(width, height) within the two sides, aspect kept, at least 1 px each; never enlarged.

    >>> reduced_size(4000, 3000, 800, 1333), reduced_size(20_000, 200, 800, 1333), reduced_size(300, 200, 800, 1333)
    ((1067, 800), (1333, 13), (300, 200))
    """
    scale = min(1.0, least_side_px / min(width_px, height_px), most_side_px / max(width_px, height_px))
    return max(1, round(width_px * scale)), max(1, round(height_px * scale))


def mirror_boxes(xyxy_px: NDArray[np.float32], width_px: int) -> NDArray[np.float32]:
    """Boxes (N, 4) in the picture's mirror image.

    >>> mirror_boxes(np.array([[1, 2, 4, 5]], np.float32), 10).tolist()
    [[6.0, 2.0, 9.0, 5.0]]
    """
    return np.stack([width_px - xyxy_px[:, 2], xyxy_px[:, 1], width_px - xyxy_px[:, 0], xyxy_px[:, 3]], axis=1)


def without_empty_boxes(xyxy_px: NDArray[np.float32]) -> NDArray[np.float32]:
    """The boxes that are at least a tenth of a px wide and high.

    >>> without_empty_boxes(np.array([[1, 2, 4, 5], [7, 2, 7.05, 5]], np.float32)).tolist()
    [[1.0, 2.0, 4.0, 5.0]]
    """
    return xyxy_px[((xyxy_px[:, 2:] - xyxy_px[:, :2]) >= LEAST_PX).all(axis=1)]


def crowd_mask(
    crowds_xyxy_px: NDArray[np.float32], figures_xyxy_px: NDArray[np.float32], size_px: tuple[int, int]
) -> NDArray[np.bool_]:
    """(height, width) whether a pixel lies in a crowd's box and in no figure's: neither figure nor background."""
    return _mask_of_boxes(crowds_xyxy_px, size_px) & ~_mask_of_boxes(figures_xyxy_px, size_px)


def _mask_of_boxes(xyxy_px: NDArray[np.float32], size_px: tuple[int, int]) -> NDArray[np.bool_]:
    mask = np.zeros((size_px[1], size_px[0]), np.bool_)
    for left, top, right, bottom in xyxy_px.tolist():
        mask[math.floor(top) : math.ceil(bottom), math.floor(left) : math.ceil(right)] = True
    return mask
