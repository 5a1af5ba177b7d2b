"""The fall of light over a picture: what makes one composition unlike the next when seen from afar."""

import cv2
import numpy as np

from examples.museum.colours import Image

_WAVES = 8
_GRID = 32
_COSINES = np.cos(np.pi * np.arange(_WAVES)[:, None] * (np.arange(_GRID) + 0.5)[None, :] / _GRID)
_WARM = np.array([1.08, 1.0, 0.86])
_COOL = np.array([0.9, 1.0, 1.1])


def lit(rng: np.random.Generator, picture: Image, strength: float) -> Image:
    """The picture under a light of random broad patches, warm or cool where bright.

    strength: the relative change of brightness, one standard deviation.
    """
    height, width = picture.shape[:2]
    weights = rng.normal(0.0, 1.0, (_WAVES, _WAVES))
    weights[0, 0] = 0.0
    patches = _COSINES.T @ weights @ _COSINES
    patches = np.clip(patches / patches.std(), -2.2, 2.2) * strength
    tint = _WARM if rng.uniform() < 0.7 else _COOL
    gain = (1.0 + patches[:, :, None] * tint).astype(np.float32)
    full = cv2.resize(gain, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.multiply(picture, full, dtype=cv2.CV_8U), dtype=np.uint8)
