"""Checks of an image's header, before its pixels are decoded."""

import io

from PIL import Image

from schemas.reasons import Reason
from tasks.io.images import decode


def check_pixels(data: bytes, max_pixels: int) -> None:
    """Raise UnreadableImage if an image has more pixels than allowed.

    Bytes that are not an image pass: decoding them gives the reason.
    """
    try:
        with Image.open(io.BytesIO(data), formats=decode.FORMATS) as image:
            decode.refuse_beyond(max_pixels, image)
    except Image.DecompressionBombError as problem:
        raise decode.UnreadableImage(Reason.TOO_MANY_PIXELS, str(problem)[:200]) from problem
    except decode.DECODE_ERRORS:
        return
