"""Pillow's filters for pictures in another size."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

FILTERS = {
    "lanczos": Image.Resampling.LANCZOS,
    "bicubic": Image.Resampling.BICUBIC,
    "box": Image.Resampling.BOX,
}


def resample(pixels: NDArray[Any], size_px: tuple[int, int], word: str) -> NDArray[Any]:
    """(height, width, 3) uint8: the picture in that (width, height), of levels. word: of FILTERS, of which each shrinks
    with a support as wide as the shrinking asks for (antialiased).
    """
    return np.asarray(Image.fromarray(pixels).resize(size_px, FILTERS[word]))
