"""Stored thumbnails in colour, for the scores.

Apart from `thumbnails`, whose code decides which hashes are computed again.
"""

import numpy as np
import simplejpeg  # type: ignore[import-untyped]
from numpy.typing import NDArray


def rgb(jpeg: bytes | memoryview) -> NDArray[np.uint8]:
    """(H, W, 3) R, G, B of a stored thumbnail, 0..255, as large as it is.

    Raises ValueError on bytes that are no JPEG.
    """
    return np.asarray(simplejpeg.decode_jpeg(jpeg, "RGB"))
