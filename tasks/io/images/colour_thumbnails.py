"""Stored thumbnails as colour pixels, for quality; apart from `thumbnails`, whose code is in other cache keys."""

import numpy as np
import simplejpeg  # type: ignore[import-untyped]
from numpy.typing import NDArray


def rgb(jpeg: bytes | memoryview) -> NDArray[np.uint8]:
    """(H, W, 3) R, G, B, 0..255, of a stored thumbnail in its size. Raises ValueError for what is no JPEG."""
    return np.asarray(simplejpeg.decode_jpeg(jpeg, "RGB"))
