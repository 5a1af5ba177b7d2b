"""Changes, not in place, of RGB (height, width, 3), 8-bit, by their names in Albumentations (Buslaev et al. 2020)."""

import functools
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

cv2.setNumThreads(1)  # the loader's threads are the parallelism
_TILES = (8, 8)
_HUES = 180  # OpenCV's hue of 8 bits counts in steps of two degrees


def apply_change(pixels: Pixels, name: str, numbers: tuple[float, ...] = ()) -> Pixels:
    """The picture after one change. Raises ValueError on an unknown name."""
    if name not in CHANGES:
        raise ValueError(f"expected one of {', '.join(CHANGES)}, got '{name}'")
    return np.ascontiguousarray(CHANGES[name](np.ascontiguousarray(pixels), *numbers))


def _brightness_contrast(pixels: Pixels, brightness: float, contrast: float) -> Pixels:
    """Each value * (1 + contrast) + 255 * brightness."""
    return _clipped(pixels * np.float32(1 + contrast) + np.float32(255 * brightness))


def _clahe(pixels: Pixels, limit: float) -> Pixels:
    """Contrast equalised in 8 x 8 tiles, in the lightness of CIE Lab alone."""
    lab = cv2.cvtColor(pixels, cv2.COLOR_RGB2LAB)
    lab[:, :, 0] = cv2.createCLAHE(clipLimit=limit, tileGridSize=_TILES).apply(np.ascontiguousarray(lab[:, :, 0]))
    return np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2RGB), np.uint8)


def _rgb_shift(pixels: Pixels, red: float, green: float, blue: float) -> Pixels:
    return _clipped(pixels.astype(np.float32) + np.array([red, green, blue], np.float32))


def _hue_saturation_value(pixels: Pixels, hue: float, saturation: float, value: float) -> Pixels:
    hsv = cv2.cvtColor(pixels, cv2.COLOR_RGB2HSV).astype(np.float32) + np.array([hue, saturation, value], np.float32)
    hsv[:, :, 0] = np.rint(hsv[:, :, 0]) % _HUES
    return np.asarray(cv2.cvtColor(_clipped(hsv), cv2.COLOR_HSV2RGB), np.uint8)


def _jpeg(pixels: Pixels, quality: float) -> Pixels:
    _, data = cv2.imencode(".jpg", pixels[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, int(quality)])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)[:, :, ::-1]


def _channel_shuffle(pixels: Pixels, *order: float) -> Pixels:
    return pixels[:, :, [int(place) for place in order]]


def _clipped(values: NDArray[np.float32]) -> Pixels:
    return np.rint(np.clip(values, 0, 255)).astype(np.uint8)


CHANGES: dict[str, Callable[..., Any]] = {
    "brightness_contrast": _brightness_contrast,
    "clahe": _clahe,
    "rgb_shift": _rgb_shift,
    "hue_saturation_value": _hue_saturation_value,
    "jpeg": _jpeg,
    "channel_shuffle": _channel_shuffle,
    "blur": functools.partial(cv2.blur, ksize=(3, 3)),
    "median_blur": functools.partial(cv2.medianBlur, ksize=3),
    "flip": np.fliplr,  # the only one that moves boxes
}
