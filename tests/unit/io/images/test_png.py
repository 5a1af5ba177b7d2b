"""Colours that a PNG says without a profile: the specification's order, and colours as a browser shows them."""

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image, ImageCms

from schemas.reasons import Reason
from tasks.io.images import decode, inspection
from tasks.io.images import png as png_rules
from tests.support.images import chunk, png

pytestmark = pytest.mark.filterwarnings("ignore:::PIL")

SRGB_XY = (31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000)
P3_XY = (31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000)
COLOURS = [(10, 245, 64), (64, 191, 64), (128, 127, 64), (200, 55, 64)]
SRGB = chunk(b"sRGB", b"\0")
# as Chromium shows them
LINEAR = [(56, 251, 137), (137, 224, 137), (188, 187, 137), (229, 128, 137)]
TELEVISION = [(1, 244, 54), (54, 187, 54), (121, 120, 54), (197, 44, 54)]
WIDE = [(0, 250, 0), (0, 196, 25), (129, 128, 49), (219, 27, 55)]
P3 = [(0, 249, 0), (0, 194, 32), (128, 127, 53), (218, 33, 58)]


def gamma(value: int) -> bytes:
    return chunk(b"gAMA", struct.pack(">I", value))


def chromaticities(*values: int) -> bytes:
    return chunk(b"cHRM", struct.pack(">8I", *values))


def cicp(*values: int) -> bytes:
    return chunk(b"cICP", bytes(values))


def profile() -> bytes:
    """iCCP of a gamma of 1.8, in sRGB's primaries."""
    data = png_rules.profile(png(1, 1, 8, 2, bytes(4), gamma(55556)), is_grey=False)
    assert data is not None
    return chunk(b"iCCP", b"x\0\0" + zlib.compress(data))


def coloured(*extra: bytes) -> bytes:
    return png(4, 1, 8, 2, b"\0" + bytes(np.ravel(COLOURS).tolist()), *extra)


def colours_of(data: bytes) -> list[tuple[int, ...]]:
    return [tuple(colour) for colour in decode.picture(data, 100).pixels()[0].tolist()]


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        pytest.param([], COLOURS, id="nothing"),
        pytest.param([gamma(45455)], COLOURS, id="gamma of sRGB"),
        pytest.param([gamma(45000)], COLOURS, id="nearly"),
        pytest.param([gamma(100000)], LINEAR, id="linear"),
        pytest.param([SRGB, gamma(100000)], COLOURS, id="sRGB before gamma"),
        pytest.param([gamma(0)], COLOURS, id="no gamma"),
        pytest.param([gamma(1)], COLOURS, id="an impossible gamma"),
        pytest.param([gamma(45455), chromaticities(*SRGB_XY)], COLOURS, id="all as sRGB"),
        pytest.param([gamma(45455), chromaticities(*P3_XY)], WIDE, id="wide colours"),
        pytest.param([gamma(45455), chromaticities(*[1] * 8)], COLOURS, id="impossible colours"),
        pytest.param([chromaticities(*P3_XY)], COLOURS, id="colours without gamma"),
        pytest.param([cicp(12, 13, 0, 1)], P3, id="P3 by cICP"),
        pytest.param([cicp(1, 8, 0, 1)], LINEAR, id="linear by cICP"),
        pytest.param([cicp(1, 1, 0, 1)], TELEVISION, id="television by cICP"),
        pytest.param([cicp(1, 13, 0, 1), gamma(100000)], COLOURS, id="cICP before gamma"),
        pytest.param([profile(), cicp(1, 13, 0, 1)], COLOURS, id="cICP before a profile"),
        pytest.param([cicp(1, 8, 0, 1), SRGB], LINEAR, id="cICP before sRGB"),
        pytest.param([cicp(2, 2, 0, 1), gamma(100000)], LINEAR, id="cICP that says nothing"),
        pytest.param([cicp(1, 8, 1, 1)], COLOURS, id="cICP with a matrix"),
        pytest.param([chunk(b"cICP", b"\1")], COLOURS, id="a broken cICP"),
    ],
)
def test_colours_come_by_the_first_chunk_that_says_them(extra, expected):
    found = colours_of(coloured(*extra))
    assert np.abs(np.subtract(found, expected)).max() <= 1


def test_a_profile_comes_before_gamma():
    assert colours_of(coloured(profile(), gamma(100000))) == colours_of(coloured(gamma(55556))) != COLOURS


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (cicp(9, 16, 0, 1), "high dynamic range (PQ)"),
        (cicp(9, 18, 0, 1), "high dynamic range (HLG)"),
        (cicp(1, 13, 0, 0), "narrow range"),
    ],
)
def test_what_has_no_stated_way_is_refused(extra, words):
    for see in (decode.picture, inspection.inspect):
        with pytest.raises(decode.UnreadableImage) as caught:
            see(coloured(extra), 100)
        assert caught.value.reason == Reason.UNSUPPORTED_PIXELS
        assert words in caught.value.detail


@pytest.mark.parametrize(
    ("depth", "kind", "row"),
    [(8, 0, b"\0\x40\x80"), (16, 0, b"\0\x40\0\x80\0"), (8, 4, b"\0\x40\xff\x80\xff")],
)
def test_grey_has_its_curve_too(depth, kind, row):
    assert colours_of(png(2, 1, depth, kind, row, gamma(100000))) == [(137,) * 3, (188,) * 3]


def test_palettes_and_transparency_have_their_curve_too():
    palette = chunk(b"PLTE", bytes([64, 64, 64, 128, 128, 128]))
    assert colours_of(png(2, 1, 8, 3, b"\0\0\1", gamma(100000), palette)) == [(137,) * 3, (188,) * 3]
    assert colours_of(png(1, 1, 8, 6, b"\0\x40\x40\x40\xff", gamma(100000))) == [(137,) * 3]


def test_the_profile_of_srgb_changes_nothing():
    made = png_rules.profile(coloured(cicp(1, 13, 0, 1)), is_grey=False)
    assert made is not None
    steps = np.arange(256, dtype=np.uint8)
    ramps = Image.fromarray(np.stack([steps, steps[::-1], np.roll(steps, 99)], axis=-1)[None])
    opened = ImageCms.ImageCmsProfile(io.BytesIO(made))
    moved = ImageCms.applyTransform(
        ramps, ImageCms.buildTransform(opened, ImageCms.createProfile("sRGB"), "RGB", "RGB")
    )
    assert np.abs(np.asarray(moved).astype(int) - np.asarray(ramps)).max() <= 1


def test_other_files_say_nothing():
    for data in (b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", coloured(gamma(100000))[:20]):
        assert png_rules.profile(data, is_grey=False) is None
        assert png_rules.why_unsupported(data) is None
