"""Several pictures on one sheet."""

from io import BytesIO

import pytest
from PIL import Image

from tasks.io.images.previews import CELL_PX, COLUMNS, contact_sheet


def jpeg(colour: tuple[int, int, int], size: tuple[int, int] = (256, 128)) -> bytes:
    with BytesIO() as file:
        Image.new("RGB", size, colour).save(file, "JPEG")
        return file.getvalue()


def test_pictures_stand_in_rows_each_in_the_middle_of_its_cell():
    red, blue = (200, 0, 0), (0, 0, 200)
    with Image.open(BytesIO(contact_sheet([jpeg(red)] * COLUMNS + [jpeg(blue, (60, 240))]))) as sheet:
        pixels = sheet.convert("RGB")
    assert pixels.size == (COLUMNS * (CELL_PX + 4) - 4, 2 * (CELL_PX + 4) - 4)
    middle = CELL_PX // 2
    assert near(pixels.getpixel((middle, middle)), red)
    assert near(pixels.getpixel((middle, 5)), (255, 255, 255)), "a wide picture is whole"
    assert near(pixels.getpixel((middle, CELL_PX + 4 + middle)), blue)
    assert near(pixels.getpixel((5, CELL_PX + 4 + middle)), (255, 255, 255)), "and so is a tall one"


def near(pixel: object, colour: tuple[int, int, int]) -> bool:
    assert isinstance(pixel, tuple)
    return all(abs(got - wanted) < 12 for got, wanted in zip(pixel, colour, strict=True))


def test_a_small_picture_is_not_enlarged_and_a_grey_one_has_its_place():
    with BytesIO() as file:
        Image.new("L", (10, 10), 0).save(file, "JPEG")
        small = file.getvalue()
    with Image.open(BytesIO(contact_sheet([small]))) as sheet:
        pixels = sheet.convert("RGB")
    assert pixels.size == (CELL_PX, CELL_PX)
    assert near(pixels.getpixel((CELL_PX // 2, CELL_PX // 2)), (0, 0, 0))
    assert near(pixels.getpixel((CELL_PX // 2 - 20, CELL_PX // 2)), (255, 255, 255))


def test_none_is_no_sheet():
    with pytest.raises(ValueError, match=r"^expected pictures for a contact sheet, got none$"):
        contact_sheet([])
