"""Stored thumbnails in colour, for the scores: as they are, red first."""

import numpy as np
import pytest
import simplejpeg

from tasks.io.images import colour_thumbnails


@pytest.mark.parametrize(
    "rgb", [(255, 0, 0), (0, 255, 0), (0, 0, 255), (0, 0, 0)], ids=["red", "green", "blue", "black"]
)
@pytest.mark.parametrize("size_px", [(1, 1), (256, 20), (256, 256)])
def test_every_pixel_in_its_own_colour_and_none_left_out(rgb, size_px):
    data = simplejpeg.encode_jpeg(np.full((*size_px, 3), rgb, np.uint8), quality=95)
    found = colour_thumbnails.rgb(data)
    assert (found.shape, found.dtype) == ((*size_px, 3), np.uint8)
    assert np.abs(found.astype(int) - rgb).max() <= 3
    assert np.array_equal(colour_thumbnails.rgb(memoryview(data)), found)


def test_a_grey_jpeg_has_three_equal_channels():
    data = simplejpeg.encode_jpeg(np.full((8, 8, 1), 90, np.uint8), colorspace="GRAY", quality=95)
    found = colour_thumbnails.rgb(data)
    assert found.shape == (8, 8, 3)
    assert (found == found[:, :, :1]).all()


@pytest.mark.parametrize("data", [b"", b"GIF89a"])
def test_what_is_no_jpeg_is_an_error(data):
    with pytest.raises(ValueError):  # noqa: PT011  # the library's own words
        colour_thumbnails.rgb(data)
