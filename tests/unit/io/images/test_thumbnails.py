"""Stored thumbnails as grey levels: halved where that loses no drawing, and never made up."""

import numpy as np
import pytest
import simplejpeg

from tasks.io.images import thumbnails


def jpeg(height: int, width: int, rgb: tuple[int, int, int] = (200, 200, 200)) -> bytes:
    return bytes(simplejpeg.encode_jpeg(np.full((height, width, 3), rgb, np.uint8), quality=95))


@pytest.mark.parametrize(
    ("stored_px", "grey_px"),
    [
        pytest.param((1, 1), (1, 1), id="one pixel"),
        pytest.param((128, 96), (128, 96), id="as long as a grey one may be"),
        pytest.param((129, 96), (65, 48), id="one pixel more: halved, rounded up"),
        pytest.param((256, 256), (128, 128), id="the largest that is stored"),
        pytest.param((256, 64), (128, 32), id="the narrowest that is halved"),
        pytest.param((256, 63), (256, 63), id="a strip keeps what it has"),
        pytest.param((3, 256), (3, 256), id="a thin one"),
    ],
)
def test_the_size_of_a_grey_thumbnail(stored_px, grey_px):
    found = thumbnails.grey(jpeg(*stored_px))
    assert found.shape == grey_px
    assert found.dtype == np.uint8
    assert set(np.unique(found)) <= {199, 200, 201}


def test_colours_weigh_as_in_jpeg():
    """Y = 0.299 R + 0.587 G + 0.114 B: of pure green 0.587 x 255 = 150."""
    assert int(thumbnails.grey(jpeg(16, 16, (0, 255, 0)))[8, 8]) == pytest.approx(150, abs=2)


def test_bytes_or_a_view_of_them():
    data = jpeg(20, 30)
    assert np.array_equal(thumbnails.grey(memoryview(data)), thumbnails.grey(data))


@pytest.mark.parametrize("data", [b"", b"no JPEG", jpeg(8, 8)[:20]])
def test_what_is_no_jpeg_is_an_error(data):
    with pytest.raises(ValueError):  # noqa: PT011  # the library's own words
        thumbnails.grey(data)
