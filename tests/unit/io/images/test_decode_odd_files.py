"""Files that Pillow refuses, and whose pixels a rule gives nevertheless."""

import zlib
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from schemas.reasons import Reason
from tasks.io.images import decode
from tasks.io.images.decode import UnreadableImage
from tests.support.images import chunk, encoded, from_cv, painting, png, with_tag

pytestmark = pytest.mark.filterwarnings("ignore:::PIL")

LIMIT = 300_000_000
PAINTING = painting(size=(60, 40))
RGB = np.asarray(PAINTING)
LAB = encoded(PAINTING.convert("LAB"), "TIFF")


def why(data: bytes, max_pixels: int = LIMIT) -> Reason | None:
    """Why it is not read; None: it is."""
    try:
        decode.picture(data, max_pixels)
    except UnreadableImage as problem:
        return problem.reason
    return None


def with_chunk(data: bytes, name: bytes, body: bytes, *, is_last: bool = False) -> bytes:
    place = len(data) - 12 if is_last else 33
    return data[:place] + chunk(name, body) + data[place:]


BOMB = zlib.compress(b"x" * 60_000_000)
PNG = encoded(PAINTING, "PNG")
TURNED = Image.Exif()
TURNED[0x0112] = 6


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(with_chunk(PNG, b"zTXt", b"k\0\0" + BOMB), id="zTXt"),
        pytest.param(with_chunk(PNG, b"zTXt", b"k\0\0" + BOMB, is_last=True), id="zTXt after the pixels"),
        pytest.param(with_chunk(PNG, b"iTXt", b"k\0\1\0\0\0" + BOMB), id="iTXt"),
        pytest.param(with_chunk(PNG, b"tEXt", b"k\0" + b"x" * 60_000_000), id="tEXt"),
        pytest.param(with_chunk(PNG, b"iCCP", b"k\0\0" + BOMB), id="a profile that is none"),
        pytest.param(
            PNG[:33]
            + b"".join(chunk(b"zTXt", b"k%d\0\0" % n + zlib.compress(bytes(900_000))) for n in range(80))
            + PNG[33:],
            id="many texts",
        ),
        pytest.param(with_chunk(PNG, b"zTXt", b"Raw profile type exif\0\0" + BOMB), id="a profile in a text"),
    ],
)
def test_large_texts_of_a_png_change_no_pixel(data: bytes):
    read = decode.picture(data, LIMIT)
    assert read.format == "PNG"
    np.testing.assert_array_equal(read.pixels(), RGB)


def test_beside_a_large_text_a_png_keeps_its_orientation():
    for turned in (
        encoded(PAINTING, "PNG", exif=TURNED),
        with_chunk(PNG, b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(_raw_profile(TURNED.tobytes()))),
    ):
        assert decode.picture(turned, LIMIT).orientation == 6
        read = decode.picture(with_chunk(turned, b"zTXt", b"k\0\0" + BOMB), LIMIT)
        assert (read.orientation, read.width_px) == (6, 40)
        np.testing.assert_array_equal(read.pixels(), decode.picture(turned, LIMIT).pixels())


def _raw_profile(exif: bytes) -> bytes:
    """Exif as ImageMagick writes it into a text."""
    return b"\nexif\n%8d\n" % len(exif) + exif.hex().encode() + b"\n"


def test_a_damaged_text_is_damage_still():
    data = bytearray(with_chunk(PNG, b"tEXt", b"k\0value"))
    data[data.index(b"value")] ^= 1
    assert why(bytes(data)) == Reason.BROKEN_IMAGE
    assert why(with_chunk(png(2, 2, 8, 0, b"\0"), b"zTXt", b"k\0\0" + BOMB)) == Reason.BROKEN_IMAGE


def lab_tiff(bits: int, photometric: int, **options: Any) -> bytes:
    """A TIFF in Lab, with the values of `LAB`: Pillow writes them as if they were RGB."""
    light, a, b = (np.asarray(each) for each in PAINTING.convert("LAB").split())
    if photometric == 8:  # a and b are signed
        a, b = a ^ 128, b ^ 128
    values = np.stack([light, a, b], axis=2)
    if bits == 8:
        return with_tag(encoded(Image.fromarray(values), "TIFF", **options), 262, photometric)
    compression = 5 if options else 1
    high = values.astype(np.uint16) << 8
    return with_tag(from_cv(".tiff", high[..., ::-1], cv2.IMWRITE_TIFF_COMPRESSION, compression), 262, photometric)


@pytest.mark.parametrize("photometric", [8, 9])
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("options", [{}, {"compression": "tiff_lzw"}])
def test_lab_of_any_kind_has_the_colours_of_8_bit_lab(bits: int, photometric: int, options: dict[str, str]):
    read = decode.picture(lab_tiff(bits, photometric, **options), LIMIT)
    assert read.format == "TIFF"
    np.testing.assert_array_equal(read.pixels(), decode.picture(LAB, LIMIT).pixels())


def test_lab_gives_the_colours_from_which_it_was_made():
    difference = np.abs(decode.picture(lab_tiff(16, 8), LIMIT).pixels().astype(int) - RGB)
    assert np.median(difference) <= 2


def test_the_limit_holds_for_odd_files_too():
    for data in (lab_tiff(16, 8), with_chunk(PNG, b"zTXt", b"k\0\0" + BOMB)):
        assert why(data, 60 * 40) is None
        assert why(data, 60 * 40 - 1) == Reason.TOO_MANY_PIXELS
