"""Pictures of one size with boxes drawn on them, for pages that people look at."""

from collections.abc import Sequence
from io import BytesIO

from PIL import Image, ImageDraw

from tasks.io.images.decode import picture

_QUALITY = 80
_LINE_PX = 2

Box = tuple[float, float, float, float]
Boxes = Sequence[tuple[Box, str]]
"""(x_min, y_min, x_max, y_max) in px of the whole picture, upright, and a colour, such as "#c00"."""


def small_picture(data: bytes, boxes: Boxes, longest_px: int, max_pixels: int) -> bytes:
    """A JPEG of the picture, upright, its longest side of so many px, with the boxes on it in their order.

    Parts of boxes outside the picture are cut off. Raises UnreadableImage with the reason.
    """
    small = picture(data, max_pixels).rgb.convert("RGB")
    scale = longest_px / max(small.size)
    small = small.resize(
        (max(1, round(small.width * scale)), max(1, round(small.height * scale))), Image.Resampling.BOX
    )
    pen = ImageDraw.Draw(small)
    for corners, colour in boxes:
        left, top, right, bottom = (value * scale for value in corners)
        within = (max(left, 0), max(top, 0), min(right, small.width - 1), min(bottom, small.height - 1))
        if within[0] <= within[2] and within[1] <= within[3]:
            pen.rectangle(within, outline=colour, width=_LINE_PX)
    with BytesIO() as file:
        small.save(file, "JPEG", quality=_QUALITY)
        return file.getvalue()
