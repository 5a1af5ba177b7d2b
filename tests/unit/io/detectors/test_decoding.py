"""Decoded pictures, and JPEG files that a GPU would take: on a machine without one, all of it is the CPU's."""

import io

import numpy as np
import pytest
import torch
from PIL import Image

from tasks.io.detectors import decoding
from tasks.io.images.decode import UnreadableImage


def jpeg() -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)).save(file, "JPEG")
    return file.getvalue()


def test_pixels_are_those_of_the_rules_and_writable():
    picture = decoding.decode_on_cpu(jpeg())
    assert picture.size == (5, 7)
    assert picture.nbytes == 105
    assert np.array_equal(picture.pixels, np.asarray(Image.open(io.BytesIO(jpeg()))))
    picture.pixels[0] = 0


@pytest.mark.parametrize("data", [b"", b"no picture", jpeg()[:60]])
def test_what_has_no_pixels_is_unreadable(data):
    with pytest.raises(UnreadableImage):
        decoding.decode_on_cpu(data)


def test_a_file_that_is_not_plain_is_none_of_the_gpus():
    assert decoding.decode_on_gpu(b"\x89PNG", torch.device("cuda", 0)) is None
