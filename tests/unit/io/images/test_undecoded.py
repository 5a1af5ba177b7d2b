"""What is said of images that do not decode: of another format, of other pixels, too large, or really broken."""

import struct
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from schemas.reasons import Reason
from tasks.io.images import decode, inspection
from tasks.io.images.decode import UnreadableImage
from tasks.io.images.undecoded import tiff_tags
from tests.support.images import encoded, from_cv, painting, with_tag

pytestmark = pytest.mark.filterwarnings("ignore:::PIL")

LIMIT = 300_000_000
PAINTING = painting(size=(60, 40))
RGB = np.asarray(PAINTING)


def why(data: bytes, max_pixels: int = LIMIT) -> tuple[Reason, str] | None:
    """What the one inspection says; None: it is read."""
    try:
        inspection.inspect(data, max_pixels)
    except UnreadableImage as problem:
        return problem.reason, problem.detail
    return None


def with_size(data: bytes, marker: bytes, offset: int, form: str, width_px: int, height_px: int) -> bytes:
    """The file with other sides in its header."""
    place = data.index(marker) + offset
    return data[:place] + struct.pack(form, width_px, height_px) + data[place + struct.calcsize(form) :]


JPEG = encoded(PAINTING, "JPEG", progressive=False)
TIFF, LAB, AVIF = encoded(PAINTING, "TIFF"), encoded(PAINTING.convert("LAB"), "TIFF"), encoded(PAINTING, "AVIF")
BRAND = struct.Struct(">I4s4sI4s")


def sof(data: bytes, offset: int, new: bytes) -> bytes:
    """A baseline JPEG with other bytes in its frame header."""
    place = data.index(b"\xff\xc0") + offset
    return data[:place] + new + data[place + len(new) :]


OTHER_FORMATS = [
    ("HEIC", BRAND.pack(24, b"ftyp", b"heic", 0, b"mif1") + bytes(40)),
    ("HEIF", BRAND.pack(20, b"ftyp", b"mif1", 0, b"heic") + bytes(40)),
    ("JPEG XL", b"\xff\x0a" + bytes(40)),
    ("JPEG XL", b"\0\0\0\x0cJXL \r\n\x87\n" + bytes(40)),
    ("JPEG XR", b"II\xbc\x01" + bytes(40)),
    ("PSD", b"8BPS\0\1" + bytes(40)),
    ("ICO", encoded(PAINTING, "ICO")),
    ("ICNS", encoded(PAINTING, "ICNS")),
    ("QOI", encoded(PAINTING, "QOI")),
    ("DDS", encoded(PAINTING, "DDS")),
    ("SGI", encoded(PAINTING, "SGI")),
    ("TGA", encoded(PAINTING, "TGA")),
    ("EPS", encoded(PAINTING, "EPS")),
    ("Radiance HDR", from_cv(".hdr", RGB.astype(np.float32) / 255)),
    ("OpenEXR", b"\x76\x2f\x31\x01\2\0\0\0" + bytes(40)),
    ("PAM", from_cv(".pam", RGB)),
    ("Sun raster", from_cv(".ras", RGB)),
    ("DjVu", b"AT&TFORM\0\0\0\x20DJVU" + bytes(40)),
    ("XCF", b"gimp xcf v011\0" + bytes(40)),
    ("SVG", b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    ("SVG", b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- drawn -->\n<!DOCTYPE svg PUBLIC "a" "b">\n<svg width="9"/>'),
]
NO_IMAGES = [
    pytest.param(b"<!doctype html><html><body><svg></svg></body></html>", id="a page with a drawing"),
    pytest.param(b"%PDF-1.4\n", id="PDF"),
    pytest.param(BRAND.pack(24, b"ftyp", b"isom", 0, b"mp42") + bytes(40), id="MP4"),
    pytest.param(b"RIFF\x24\0\0\0WAVEfmt " + bytes(20), id="WAV"),
    pytest.param(b"PK\3\4" + bytes(40), id="ZIP"),
    pytest.param(b'{"error": 404}', id="JSON"),
    pytest.param(b"\0" * 500, id="zeros"),
    pytest.param(b"ab", id="two letters"),
]


@pytest.mark.parametrize(("name", "data"), OTHER_FORMATS)
def test_a_format_that_is_not_read_has_its_name(name: str, data: bytes):
    assert why(data) == (Reason.UNSUPPORTED_FORMAT, name)


def test_comments_after_which_no_drawing_comes_are_looked_at_once():
    began_s = time.process_time()
    assert why(b"<!---->" * 23 + b"x") is not None
    assert time.process_time() - began_s < 0.5


def test_a_jpeg_that_is_not_opened_is_not_decoded_to_see_whether_it_has_an_end(monkeypatch: pytest.MonkeyPatch):
    decoded: list[bytes] = []
    monkeypatch.setattr(decode, "lacks_only_its_end", lambda data: bool(decoded.append(data)))
    place = JPEG.index(b"\xff\xc0")
    # a marker without a length, which libjpeg passes over and the others do not
    large = sof(JPEG, 5, struct.pack(">HH", 12_000, 12_000))
    found = why(large[:place] + b"\xff\x01" + large[place:-2], max_pixels=10**6)
    assert found is not None
    assert found[0] is Reason.BROKEN_IMAGE
    assert not decoded


@pytest.mark.parametrize("data", NO_IMAGES)
def test_what_is_no_picture_is_not_an_image(data: bytes):
    assert why(data)[0] == Reason.NOT_AN_IMAGE


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        pytest.param(sof(JPEG, 4, b"\x0c"), "a JPEG of 3 x 12 bits", id="JPEG of 12 bits"),
        pytest.param(sof(JPEG, 0, b"\xff\xc3"), "a lossless or hierarchical JPEG", id="lossless JPEG"),
        pytest.param(
            from_cv(".tiff", RGB.astype(np.float32) / 255),
            "a TIFF of 32 + 32 + 32 bits, floating point, RGB",
            id="TIFF of floats",
        ),
        pytest.param(
            from_cv(".tiff", RGB[..., 0].astype(np.float64)),
            "a TIFF of 64 bits, floating point, grey",
            id="TIFF of doubles",
        ),
        pytest.param(
            from_cv(".tiff", RGB.astype(np.int32)),
            "a TIFF of 32 + 32 + 32 bits, signed numbers, RGB",
            id="TIFF of long numbers",
        ),
        pytest.param(
            with_tag(LAB, 262, 10),
            "a TIFF of 8 + 8 + 8 bits, whole numbers, photometric interpretation 10",
            id="ITU Lab",
        ),
        pytest.param(with_tag(TIFF, 259, 34712), "a TIFF with compression 34712", id="JPEG 2000 in TIFF"),
        pytest.param(with_tag(TIFF, 259, 6), "a TIFF with compression 6", id="old JPEG in TIFF"),
        pytest.param(
            encoded(Image.fromarray(RGB[..., 0].astype(np.float32)), "TIFF"),
            "floating-point pixels have no agreed range",
            id="grey floats",
        ),
        pytest.param(
            b"BM" + struct.pack("<IIIIiiHHI", 70, 0, 54, 40, 2, 2, 1, 24, 4) + bytes(36),
            "OSError: Unsupported BMP compression (4)",
            id="JPEG in BMP",
        ),
    ],
)
def test_pixels_without_a_rule_are_not_called_broken(data: bytes, detail: str):
    assert why(data) == (Reason.UNSUPPORTED_PIXELS, detail)


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        pytest.param(
            with_size(AVIF, b"ispe", 8, ">II", 17_000, 17_000),
            "17000 x 17000 px, at most 268435456 px and 32768 px a side are decoded of an AVIF",
            id="more than the AVIF decoder takes",
        ),
        pytest.param(
            with_size(AVIF, b"ispe", 8, ">II", 40_000, 10),
            "40000 x 10 px, at most 268435456 px and 32768 px a side are decoded of an AVIF",
            id="longer than the AVIF decoder takes",
        ),
        pytest.param(
            with_size(AVIF, b"ispe", 8, ">II", 60_000, 60_000),
            "60000 x 60000 px, at most 300000000 px allowed",
            id="AVIF",
        ),
        pytest.param(
            sof(JPEG, 5, struct.pack(">HH", 20_000, 20_000)),
            "20000 x 20000 px, at most 300000000 px allowed",
            id="JPEG",
        ),
        pytest.param(
            with_tag(with_tag(from_cv(".tiff", RGB.astype(np.float32)), 256, 30_000), 257, 30_000),
            "30000 x 30000 px, at most 300000000 px allowed",
            id="TIFF of floats",
        ),
    ],
)
def test_the_size_stands_in_the_header(data: bytes, detail: str):
    assert why(data) == (Reason.TOO_MANY_PIXELS, detail)


def test_an_avif_above_the_recipes_limit_has_too_many_pixels_whatever_its_decoder_takes():
    data = with_size(AVIF, b"ispe", 8, ">II", 17_000, 17_000)
    assert why(data, 150_000_000) == (Reason.TOO_MANY_PIXELS, "17000 x 17000 px, at most 150000000 px allowed")


# so that a hundredth of a PNG is more than the end chunk, without which all pixels are there
NOISE = Image.fromarray(np.random.default_rng(7).integers(0, 256, (40, 60, 3), dtype=np.uint8))
CUT: dict[str, Callable[[], bytes]] = {
    "JPEG": lambda: JPEG,
    "progressive JPEG": lambda: encoded(PAINTING, "JPEG", progressive=True),
    "CMYK JPEG": lambda: encoded(PAINTING.convert("CMYK"), "JPEG"),
    "PNG": lambda: encoded(NOISE, "PNG"),
    "PNG of 16 bits": lambda: from_cv(".png", RGB.astype(np.uint16) * 257),
    "TIFF": lambda: TIFF,
    "BigTIFF": lambda: encoded(PAINTING, "TIFF", big_tiff=True),
    "TIFF by LZW": lambda: encoded(PAINTING, "TIFF", compression="tiff_lzw"),
    "TIFF by deflate": lambda: encoded(PAINTING, "TIFF", compression="tiff_adobe_deflate"),
    "TIFF by Group 4": lambda: encoded(PAINTING.convert("1"), "TIFF", compression="group4"),
    "JPEG in TIFF": lambda: encoded(PAINTING, "TIFF", compression="jpeg"),
    "CMYK TIFF": lambda: encoded(PAINTING.convert("CMYK"), "TIFF"),
    "Lab TIFF": lambda: LAB,
    "ICCLab TIFF": lambda: with_tag(LAB, 262, 9),
    "TIFF of floats": lambda: from_cv(".tiff", RGB.astype(np.float32)),
    "WebP": lambda: encoded(PAINTING, "WEBP"),
    "lossless WebP": lambda: encoded(PAINTING, "WEBP", lossless=True),
    "GIF": lambda: encoded(PAINTING, "GIF"),
    "BMP": lambda: encoded(PAINTING, "BMP"),
    "AVIF": lambda: AVIF,
    "JPEG 2000": lambda: encoded(PAINTING, "JPEG2000"),
    "JPEG 2000 codestream": lambda: encoded(PAINTING, "JPEG2000", no_jp2=True),
    "PPM": lambda: encoded(PAINTING, "PPM"),
}


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75, 0.99])
@pytest.mark.parametrize("name", CUT)
def test_what_is_cut_short_is_broken(name: str, share: float):
    whole = CUT[name]()
    assert why(whole) is None or name == "TIFF of floats"
    assert why(whole[: int(len(whole) * share)])[0] == Reason.BROKEN_IMAGE


def test_a_directory_of_huge_tags_is_read_once_and_only_for_what_is_asked():
    entries = 4096
    tags = b"".join(struct.pack("<HHII", tag, 1, 900_000, 0) for tag in [273] * 2048 + list(range(1000, 3048)))
    data = (b"II*\0" + struct.pack("<IH", 8, entries) + tags + bytes(4)).ljust(1_000_000, b"\0")
    tracemalloc.start()
    found = tiff_tags(data)[1]
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert set(found) == {273}
    assert peak_bytes < 50_000_000
