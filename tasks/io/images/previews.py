"""Small pictures for pages that people look at: several on one sheet, or one with boxes drawn on it."""

from collections.abc import Sequence
from io import BytesIO

from PIL import Image, ImageDraw

from tasks.io.images.decode import picture

CELL_PX, COLUMNS = 120, 6
_GAP_PX, _QUALITY, _GROUND = 4, 75, (255, 255, 255)


def contact_sheet(jpegs: Sequence[bytes | memoryview]) -> bytes:
    """A JPEG with all these pictures, each whole and of at most CELL_PX, in rows. Raises ValueError for none."""
    if not jpegs:
        raise ValueError("expected pictures for a contact sheet, got none")
    columns, step = min(len(jpegs), COLUMNS), CELL_PX + _GAP_PX
    sheet = Image.new("RGB", (columns * step - _GAP_PX, -(-len(jpegs) // columns) * step - _GAP_PX), _GROUND)
    for number, jpeg in enumerate(jpegs):
        with Image.open(BytesIO(jpeg)) as picture:
            picture.draft("RGB", (CELL_PX, CELL_PX))
            small = picture.convert("RGB")
        small.thumbnail((CELL_PX, CELL_PX))
        row, column = divmod(number, columns)
        middle = ((CELL_PX - small.width) // 2, (CELL_PX - small.height) // 2)
        sheet.paste(small, (column * step + middle[0], row * step + middle[1]))
    with BytesIO() as file:
        sheet.save(file, "JPEG", quality=_QUALITY, optimize=True)
        return file.getvalue()


_QUALITY_WITH_BOXES = 80
_LINE_PX = 2

Box = tuple[float, float, float, float]
LabelledBoxes = Sequence[tuple[Box, str]]
"""(x_min, y_min, x_max, y_max) in px of the whole picture, upright, and a colour, such as "#c00"."""


def small_picture(data: bytes, boxes: LabelledBoxes, longest_px: int, max_pixels: int) -> bytes:
    """A JPEG of the picture, upright, its longest side of so many px, and on it its boxes. Raises UnreadableImage."""
    small = picture(data, max_pixels).rgb.convert("RGB")
    scale = longest_px / max(small.size)
    size = max(1, round(small.width * scale)), max(1, round(small.height * scale))
    small = small.resize(size, Image.Resampling.BOX)
    pen = ImageDraw.Draw(small)
    for corners, colour in boxes:
        left, top, right, bottom = (value * scale for value in corners)
        within = (max(left, 0), max(top, 0), min(right, small.width - 1), min(bottom, small.height - 1))
        if within[0] <= within[2] and within[1] <= within[3]:
            pen.rectangle(within, outline=colour, width=_LINE_PX)
    with BytesIO() as file:
        small.save(file, "JPEG", quality=_QUALITY_WITH_BOXES)
        return file.getvalue()
