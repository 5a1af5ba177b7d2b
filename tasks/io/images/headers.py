"""What an image's first bytes say, before anything of it is decoded."""

import io

from PIL import Image

from schemas.reasons import Reason
from tasks.io.images import decode


def check_pixels(data: bytes, max_pixels: int) -> None:
    """Raise Unreadable for an image of more pixels than allowed.

    What is no image passes: whoever decodes it says what it is.
    """
    try:
        with Image.open(io.BytesIO(data), formats=decode.FORMATS) as image:
            decode.refuse_beyond(max_pixels, image)
    except Image.DecompressionBombError as problem:
        raise decode.UnreadableImage(Reason.TOO_MANY_PIXELS, str(problem)[:200]) from problem
    except decode.DECODE_ERRORS:
        return
