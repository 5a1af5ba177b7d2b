"""Stored thumbnails as grey pixels, so that images need not be read again."""

import numpy as np
import simplejpeg  # type: ignore[import-untyped]
from numpy.typing import NDArray

MOST_PX = 128
"""Longest side of a grey thumbnail: at half the stored 256 px drawing is still visible, and the JPEG's noise is not."""
_LEAST_SIDE_PX = 32


def grey(jpeg: bytes | memoryview) -> NDArray[np.uint8]:
    """(H, W) grey levels of a stored thumbnail, halved above MOST_PX but for long strips. Raises ValueError."""
    height, width, _, _ = simplejpeg.decode_jpeg_header(jpeg)
    is_halved = max(height, width) > MOST_PX and min(height, width) >= 2 * _LEAST_SIDE_PX
    least = (-(-height // 2), -(-width // 2)) if is_halved else (height, width)
    pixels = simplejpeg.decode_jpeg(jpeg, "GRAY", min_height=least[0], min_width=least[1])
    return np.asarray(pixels[:, :, 0])
