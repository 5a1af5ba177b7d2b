"""Several pictures on one sheet, to look at."""

from collections.abc import Sequence
from io import BytesIO

from PIL import Image

CELL_PX, COLUMNS = 120, 6
_GAP_PX, _QUALITY, _GROUND = 4, 75, (255, 255, 255)


def contact_sheet(jpegs: Sequence[bytes | memoryview]) -> bytes:
    """A JPEG with all these pictures in rows, each whole and at most CELL_PX on its longest side.

    Raises ValueError for none.
    """
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
