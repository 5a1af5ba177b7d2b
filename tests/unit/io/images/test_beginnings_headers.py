"""How many pixels an image says that it has: the limit belongs to what is allowed, and nothing is decoded."""

import io

import pytest
from PIL import Image

from tasks.io.images.beginnings import check_pixels
from tasks.io.images.decode import UnreadableImage


def png(width: int, height: int) -> bytes:
    with io.BytesIO() as file:
        Image.new("1", (width, height)).save(file, "PNG")
        return file.getvalue()


def test_the_limit_itself_is_allowed():
    check_pixels(png(30, 20), 600)
    with pytest.raises(UnreadableImage, match="too_many_pixels: 30 x 20 px, at most 599 px allowed"):
        check_pixels(png(30, 20), 599)


def test_a_gif_that_says_it_is_huge_is_refused_before_memory_is_taken_for_it():
    with pytest.raises(UnreadableImage, match="too_many_pixels"):
        check_pixels(b"GIF89a\xff\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x00;", 10**6)


@pytest.mark.parametrize("data", [b"", b"no image", png(4, 4)[:20], b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_image_passes(data: bytes):
    check_pixels(data, 1)
