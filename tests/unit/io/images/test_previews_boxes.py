"""Small pictures with boxes on them."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from tasks.io.images.decode import UnreadableImage
from tasks.io.images.previews import small_picture


def png(width: int, height: int) -> bytes:
    with BytesIO() as file:
        Image.new("RGB", (width, height), "white").save(file, "PNG")
        return file.getvalue()


def drawn(*boxes: tuple[float, float, float, float], size: tuple[int, int] = (200, 100), longest_px: int = 100):
    jpeg = small_picture(png(*size), [(box, "#000") for box in boxes], longest_px, 10**6)
    with Image.open(BytesIO(jpeg)) as image:
        return np.asarray(image.convert("L"))


def test_a_box_lies_where_it_is_in_the_smaller_picture():
    pixels = drawn((40, 20, 160, 80))
    assert pixels.shape == (50, 100)
    assert (pixels[10, 25:75] < 90).all()
    assert (pixels[14:36, 24:76] > 200).all()
    assert (pixels[:8] > 200).all()


@pytest.mark.parametrize(
    ("box", "is_seen"),
    [
        pytest.param((-50, -50, 1e9, 1e9), True, id="larger than the picture"),
        pytest.param((500, 500, 600, 600), False, id="outside"),
        pytest.param((-9, -9, -1, -1), False, id="outside on the other side"),
    ],
)
def test_what_is_outside_is_cut_off(box, is_seen):
    assert bool((drawn(box) < 90).any()) == is_seen


def test_a_small_picture_is_enlarged_and_a_narrow_one_keeps_a_pixel():
    assert drawn(size=(10, 8)).shape == (80, 100)
    assert drawn(size=(1000, 1)).shape == (1, 100)


def test_what_is_no_image_is_refused():
    with pytest.raises(UnreadableImage):
        small_picture(b"no image", [], 100, 10**6)
