"""Which JPEG files a GPU may decode: the plain ones, and none that Pillow would turn, colour or refuse."""

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageCms

from tasks.io.detectors.decoding import size_of

PIXELS = np.arange(20 * 30 * 3, dtype=np.uint8).reshape(20, 30, 3)


def jpeg(mode: str = "RGB", format_: str = "JPEG", **more: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(PIXELS).convert(mode).save(file, format_, **more)
    return file.getvalue()


def turned() -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif


@pytest.mark.parametrize(
    "more", [{}, {"progressive": True}, {"subsampling": 0}, {"quality": 5}, {"comment": b"painted"}]
)
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_a_plain_file_tells_its_size(mode, more):
    assert size_of(jpeg(mode, **more)) == (20, 30)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(jpeg()[:-2], id="no end"),
        pytest.param(jpeg()[:40] + b"\xff\xd9", id="no scan"),
        pytest.param(jpeg("CMYK"), id="CMYK"),
        pytest.param(jpeg(exif=turned()), id="turned"),
        pytest.param(
            jpeg(icc_profile=ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()), id="profile"
        ),
        pytest.param(jpeg(format_="PNG"), id="PNG"),
        pytest.param(jpeg(keep_rgb=True), id="RGB that is not YCbCr"),
        pytest.param(jpeg().replace(b"\xff\xc0\x00\x11\x08", b"\xff\xc0\x00\x11\x0c"), id="12 bits"),
        pytest.param(jpeg().replace(b"\xff\xc0", b"\xff\xc9"), id="arithmetic coding"),
    ],
)
def test_anything_else_does_not(data):
    assert size_of(data) is None


@given(st.binary(max_size=200), st.integers(0, 600))
def test_hostile_bytes_end_in_an_answer(data, at):
    whole = jpeg()
    size_of(b"\xff\xd8" + data + b"\xff\xd9")
    size_of(whole[:at] + data + whole[at:])
