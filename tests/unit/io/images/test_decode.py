"""Bytes to pixels: the stated rules on drawn images, one per rule, and nothing but Unreadable for what breaks them."""

import io
import struct
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import imagehash
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageOps, PngImagePlugin

from schemas.reasons import Reason
from tasks.core.hash import uint64_from_bits
from tasks.io.images import decode, inspection
from tasks.io.images.decode import UnreadableImage
from tests.support.images import chunk, encoded, painting, png

# as tasks.io.images.decode asks for; pytest forgets it for each test
pytestmark = pytest.mark.filterwarnings("ignore:::PIL")

LIMIT = 1_000_000
RED, GREEN, BLUE, WHITE, BLACK = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0)


def gif(screen: tuple[int, int], frame: tuple[int, int], disposal: int = 0) -> bytes:
    """A GIF of one frame of its own size, whose pixels are left out. disposal 2: cleared before a next frame."""
    head = b"GIF89a" + struct.pack("<HH", *screen) + b"\x80\0\0" + bytes(BLACK) + bytes(WHITE)
    head += b"!\xf9\x04" + bytes([disposal << 2, 0, 0, 0, 0]) if disposal else b""
    return head + b"," + struct.pack("<HHHH", 0, 0, *frame) + b"\0\x02\x02\x44\x01\0;"


def quarters(*colours: tuple[int, int, int]) -> Image.Image:
    """Four patches of 8 x 8 px: top left, top right, bottom left, bottom right."""
    image = Image.new("RGB", (16, 16))
    for place, colour in enumerate(colours):
        image.paste(colour, (place % 2 * 8, place // 2 * 8, place % 2 * 8 + 8, place // 2 * 8 + 8))
    return image


def rgb_of(data: bytes) -> list[list[tuple[int, ...]]]:
    """Rows of pixels as tuples: small enough to be written down in a test."""
    return [[tuple(pixel) for pixel in row] for row in decode.picture(data, LIMIT).pixels().tolist()]


def reason_of(data: bytes, max_pixels: int = LIMIT) -> Reason:
    with pytest.raises(UnreadableImage) as caught:
        decode.picture(data, max_pixels)
    assert caught.value.detail
    assert len(caught.value.detail) <= 220
    return caught.value.reason


# --- what is refused

SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9"/></svg>'
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"", Reason.EMPTY_FILE, id="no-bytes"),
        pytest.param(b"\0", Reason.NOT_AN_IMAGE, id="one-byte"),
        pytest.param(SVG, Reason.UNSUPPORTED_FORMAT, id="svg"),
        pytest.param(EPS, Reason.UNSUPPORTED_FORMAT, id="eps-runs-a-program"),
        pytest.param(PDF, Reason.NOT_AN_IMAGE, id="pdf"),
        pytest.param(b"<!doctype html><title>404</title>", Reason.NOT_AN_IMAGE, id="html-error-page"),
        pytest.param(np.random.default_rng(3).bytes(4096), Reason.NOT_AN_IMAGE, id="random-bytes"),
        pytest.param(encoded(painting(), "ICO"), Reason.UNSUPPORTED_FORMAT, id="ico-is-no-format-of-ours"),
        pytest.param(encoded(painting(), "TGA"), Reason.UNSUPPORTED_FORMAT, id="tga-is-no-format-of-ours"),
        pytest.param(encoded(painting("F"), "TIFF"), Reason.UNSUPPORTED_PIXELS, id="floating-point"),
        pytest.param(
            encoded(Image.fromarray(np.array([[0, 70_000]], np.int32)), "TIFF"),
            Reason.UNSUPPORTED_PIXELS,
            id="grey-beyond-16-bits",
        ),
        pytest.param(
            encoded(Image.fromarray(np.array([[-1, 9]], np.int32)), "TIFF"),
            Reason.UNSUPPORTED_PIXELS,
            id="negative-grey",
        ),
        pytest.param(b"\xff\xd8\xff", Reason.BROKEN_IMAGE, id="jpeg-signature-only"),
        pytest.param(b"\x89PNG\r\n\x1a\nnonsense", Reason.BROKEN_IMAGE, id="png-signature-only"),
        pytest.param(encoded(painting(), "JPEG")[:-40], Reason.BROKEN_IMAGE, id="jpeg-without-its-end"),
        pytest.param(encoded(painting(), "PNG")[:-40], Reason.BROKEN_IMAGE, id="png-without-its-end"),
        pytest.param(
            png(2, 1, 8, 0, b"\0\x01\x02").replace(b"IDAT", b"IDAT\x00"), Reason.BROKEN_IMAGE, id="png-with-a-byte-more"
        ),
        pytest.param(
            png(2, 2, 8, 0, b"\0\x01\x02"),
            Reason.BROKEN_IMAGE,
            id="png-with-a-row-too-few",
        ),
    ],
)
def test_what_gives_no_pixels_says_why(data, reason):
    assert reason_of(data) == reason


PLAIN_WRITERS = [
    pytest.param("JPEG", {}, id="jpeg"),
    pytest.param("JPEG", {"progressive": True}, id="jpeg-progressive"),
    pytest.param("PNG", {}, id="png"),
    pytest.param("GIF", {}, id="gif"),
    pytest.param("WEBP", {}, id="webp"),
    pytest.param("WEBP", {"lossless": True}, id="webp-lossless"),
    pytest.param("TIFF", {}, id="tiff"),
    pytest.param("TIFF", {"compression": "tiff_lzw"}, id="tiff-lzw"),
    pytest.param("BMP", {}, id="bmp"),
    pytest.param("PPM", {}, id="ppm"),
    pytest.param("JPEG2000", {}, id="jpeg-2000"),
    pytest.param("AVIF", {}, id="avif"),
]


@pytest.mark.parametrize(("form", "options"), PLAIN_WRITERS)
def test_every_promised_format_is_read(form, options):
    found = decode.picture(encoded(painting(), form, **options), LIMIT)

    assert (found.format, found.width_px, found.height_px) == (form, 48, 32)
    assert np.abs(found.pixels().astype(int) - np.asarray(painting())).mean() < 8


def test_the_tested_formats_are_the_promised_ones():
    assert {row.values[0] for row in PLAIN_WRITERS} == set(decode.FORMATS)


@pytest.mark.parametrize("tenths", range(1, 10))
@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_a_file_cut_at_any_tenth_is_broken(form, tenths):
    whole = encoded(painting(size=(120, 90)), form)

    assert reason_of(whole[: len(whole) * tenths // 10]) == Reason.BROKEN_IMAGE


WHOLE = [encoded(painting(size=(40, 24)), str(row.values[0]), **dict(row.values[1])) for row in PLAIN_WRITERS] + [
    encoded(painting("RGBA"), "PNG"),
    encoded(painting("P"), "PNG", transparency=3),
    encoded(painting("CMYK"), "TIFF"),
    encoded(painting("CMYK"), "JPEG"),
    encoded(painting(), "JPEG", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"),
    encoded(painting(), "PNG", icc_profile=ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()),
    encoded(painting("P"), "GIF", save_all=True, append_images=[painting("P").rotate(180)]),
]


def _fails_only_as_unreadable(data: bytes) -> None:
    try:
        found = decode.picture(data, 100_000)
    except UnreadableImage:
        return
    assert found.pixels().shape == (found.height_px, found.width_px, 3)


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(WHOLE), st.lists(st.tuples(st.integers(0, 10_000), st.integers(1, 255)), max_size=6), st.data())
def test_flipped_and_cut_bytes_never_raise_anything_but_unreadable(whole, flips, data):
    broken = bytearray(whole[: data.draw(st.integers(0, len(whole)), label="length")] or b"\0")
    for place, mask in flips:
        broken[place % len(broken)] ^= mask

    _fails_only_as_unreadable(bytes(broken))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(WHOLE), st.integers(0, 300), st.binary(max_size=12))
def test_a_damaged_header_never_raises_anything_but_unreadable(whole, place, patch):
    place %= len(whole)

    _fails_only_as_unreadable(whole[:place] + patch + whole[place + len(patch) :])


# --- the limit on pixels


@pytest.mark.parametrize(
    ("data", "max_pixels", "is_refused"),
    [
        pytest.param(encoded(painting(), "PNG"), 48 * 32, False, id="exactly-the-limit"),
        pytest.param(encoded(painting(), "PNG"), 48 * 32 - 1, True, id="one-pixel-more"),
        pytest.param(png(60_000, 60_000, 8, 0, b"\0"), 10**9, True, id="png-of-3.6-gigapixels"),
        pytest.param(b"P6 60000 60000 255\n", 10**9, True, id="ppm-that-only-promises"),
        pytest.param(gif((60_000, 60_000), (1, 1)), 10**9, True, id="gif-screen"),
        pytest.param(gif((1, 1), (60_000, 60_000)), 10**9, True, id="gif-frame-larger-than-its-screen"),
        pytest.param(png(30_000, 30_000, 8, 0, b"\0"), 150_000_000, True, id="more-than-pillow-warns-of"),
    ],
)
def test_the_limit_is_checked_before_a_pixel_is_decoded(data, max_pixels, is_refused):
    tracemalloc.start()
    try:
        if is_refused:
            assert reason_of(data, max_pixels) == Reason.TOO_MANY_PIXELS
        else:
            assert decode.picture(data, max_pixels).width_px == 48
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak_bytes < 2_000_000


def _in_its_own_interpreter(before: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    """Ran: what became of the bytes, on stdout; `before` runs after the imports."""
    program = f"""
import resource, sys
from pathlib import Path
from tasks.io.images import decode
{before}
try:
    print(decode.picture(sys.stdin.buffer.read(), 10**9).rgb.size)
except decode.UnreadableImage as problem:
    print(problem.reason)
"""
    return subprocess.run([sys.executable, "-c", program], input=data, capture_output=True, check=False)


def test_a_gif_of_fifty_bytes_does_not_reserve_gigabytes():
    """Pillow reserves the first frame of a GIF that clears it, as soon as the file is opened."""
    half_a_gigabyte_more = """
held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + 2**29, held + 2**29))
"""
    ran = _in_its_own_interpreter(half_a_gigabyte_more, gif((1, 1), (65_535, 65_535), disposal=2))

    assert (ran.stdout, ran.stderr) == (b"too_many_pixels\n", b"")


# --- upright


def _turned(image: Image.Image, orientation: int) -> Image.Image:
    """What a camera in that position stores of an upright image, by the EXIF standard's table of row 0 and column 0."""
    pixels = np.asarray(image)
    stored = {
        1: pixels,
        2: pixels[:, ::-1],
        3: pixels[::-1, ::-1],
        4: pixels[::-1],
        5: pixels.transpose(1, 0, 2),
        6: pixels.transpose(1, 0, 2)[::-1],
        7: pixels.transpose(1, 0, 2)[::-1, ::-1],
        8: pixels.transpose(1, 0, 2)[:, ::-1],
    }
    return Image.fromarray(np.ascontiguousarray(stored[orientation]))


def _exif(orientation: Any) -> bytes:
    tags = Image.Exif()
    tags[0x0112] = orientation
    return tags.tobytes()


@pytest.mark.parametrize("form", ["PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation_comes_out_upright_to_the_pixel(form, orientation):
    lossless = {"lossless": True} if form == "WEBP" else {}
    data = encoded(_turned(painting(), orientation), form, exif=_exif(orientation), **lossless)

    np.testing.assert_array_equal(decode.picture(data, LIMIT).pixels(), np.asarray(painting()))


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_jpeg_on_its_side_is_a_png_with_the_same_pixels_and_profile(orientation):
    data = encoded(_turned(painting(), orientation), "JPEG", exif=_exif(orientation), icc_profile=b"p" * 200)
    found = decode.upright_png(data, LIMIT)
    if orientation == 1:
        assert found is None
        return
    assert found is not None
    with Image.open(io.BytesIO(found)) as got, Image.open(io.BytesIO(data)) as stored:
        assert (got.format, decode.orientation_of(got), got.info["icc_profile"]) == ("PNG", 1, b"p" * 200)
        np.testing.assert_array_equal(np.asarray(got), np.asarray(ImageOps.exif_transpose(stored)))


@pytest.mark.parametrize("form", ["PNG", "WEBP", "TIFF", "JPEG"])
@pytest.mark.parametrize("orientation", range(2, 9))
def test_others_on_their_side_are_turned_as_they_are_decoded(form, orientation):
    lossless = {"lossless": True} if form == "WEBP" else {}
    picture = _turned(painting(), orientation)
    data = encoded(picture.convert("CMYK") if form == "JPEG" else picture, form, exif=_exif(orientation), **lossless)
    found = decode.upright_png(data, LIMIT)
    assert found is not None
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(found))), decode.picture(data, LIMIT).pixels())


def test_what_lies_on_its_side_and_can_not_be_turned_is_told():
    data = encoded(_turned(painting(), 6), "PNG", exif=_exif(6))
    with pytest.raises(UnreadableImage):
        decode.upright_png(data, 10)


def test_a_header_of_more_pixels_than_any_picture_is_told():
    header = struct.pack(">IIBBBBB", 40_000, 40_000, 8, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"")
    with pytest.raises(UnreadableImage):
        decode.upright_png(data, LIMIT)


@pytest.mark.parametrize("data", [b"", b"no picture", gif((1, 1), (9, 9), disposal=2)[:40]])
def test_what_can_not_be_read_is_not_turned(data):
    assert decode.upright_png(data, LIMIT) is None


XMP = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" {}</rdf:RDF></x:xmpmeta>'
)


def _with_xmp(image: Image.Image, form: str, words: str, **options: Any) -> bytes:
    packet = XMP.format(words)
    if form == "PNG":
        texts = PngImagePlugin.PngInfo()
        texts.add_itxt("XML:com.adobe.xmp", packet)
        return encoded(image, form, pnginfo=texts, **options)
    if form == "TIFF":
        return encoded(image, form, tiffinfo={700: packet.encode()}, **options)
    lossless = {"lossless": True} if form == "WEBP" else {}
    return encoded(image, form, xmp=packet.encode(), **lossless, **options)


@pytest.mark.parametrize("form", ["PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_an_orientation_in_xmp_counts_where_exif_has_none(form, orientation):
    words = [
        f'tiff:Orientation="{orientation}"/>',
        f"><tiff:Orientation>{orientation}</tiff:Orientation></rdf:Description>",
    ]
    for each in words:
        found = decode.picture(_with_xmp(_turned(painting(), orientation), form, each), LIMIT)
        np.testing.assert_array_equal(found.pixels(), np.asarray(painting()))
        assert found.orientation == (1 if form == "TIFF" else orientation)  # Pillow itself turns a TIFF


@pytest.mark.parametrize("form", ["PNG", "WEBP", "JPEG"])
def test_exif_comes_before_xmp_and_nonsense_counts_as_none(form):
    for exif, words, expected in (
        (_exif(3), 'tiff:Orientation="6"/>', 3),
        (_exif(1), 'tiff:Orientation="6"/>', 1),
        (b"", 'tiff:Orientation="0"/>', 1),
        (b"", 'tiff:Orientation="9"/>', 1),
        (b"", 'tiff:Orientation="upright"/>', 1),
        (b"", "/>", 1),
    ):
        options = {"exif": exif} if exif else {}
        assert decode.picture(_with_xmp(painting(), form, words, **options), LIMIT).orientation == expected


def test_a_jpegs_orientation_in_xmp_counts_in_both_ways_of_decoding():
    data = _with_xmp(painting(size=(300, 200)), "JPEG", 'tiff:Orientation="6"/>')
    found = inspection.inspect(data, LIMIT)
    assert (found.orientation, found.width_px, found.height_px) == (6, 200, 300)
    assert decode.picture(data, LIMIT).width_px == 200


@pytest.mark.parametrize(
    "exif",
    [
        pytest.param(b"", id="none"),
        pytest.param(b"Exif\0\0", id="empty"),
        pytest.param(b"Exif\0\0no tags at all", id="garbage"),
        pytest.param(b"Exif\0\0MM\0*\0\0\0\xf0", id="tags-beyond-the-end"),
        pytest.param(_exif(0), id="orientation-0"),
        pytest.param(_exif(9), id="orientation-9"),
        pytest.param(_exif(65_535), id="orientation-65535"),
        pytest.param(b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x02\0\0\0\x026\0\0\0\0\0\0\0", id="orientation-as-text"),
    ],
)
def test_an_unreadable_orientation_counts_as_none(exif):
    data = encoded(painting(), "JPEG", **({"exif": exif} if exif else {}))
    plain = decode.picture(encoded(painting(), "JPEG"), LIMIT)

    np.testing.assert_array_equal(decode.picture(data, LIMIT).pixels(), plain.pixels())


# --- 8-bit sRGB


def _animated(form: str) -> bytes:
    first, second = quarters(RED, GREEN, BLUE, WHITE), quarters(BLACK, BLACK, BLACK, BLACK)
    options = {"lossless": True} if form == "WEBP" else {}
    return encoded(first, form, save_all=True, append_images=[second], duration=40, **options)


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG", "TIFF"])
def test_of_several_frames_the_first_counts(form):
    found = decode.picture(_animated(form), LIMIT)

    assert found.format == form
    np.testing.assert_array_equal(found.pixels(), np.asarray(quarters(RED, GREEN, BLUE, WHITE)))


def test_mpo_counts_as_jpeg():
    data = encoded(painting(), "MPO", save_all=True, append_images=[painting().rotate(180)])
    with Image.open(io.BytesIO(data)) as seen:
        assert seen.format == "MPO"

    assert decode.picture(data, LIMIT).format == "JPEG"


def _pgm(values: list[int], most: int) -> bytes:
    width = "B" if most < 256 else "H"
    return f"P5 {len(values)} 1 {most}\n".encode() + struct.pack(f">{len(values)}{width}", *values)


def _deep(form: str, values: list[int], **options: Any) -> bytes:
    return encoded(Image.fromarray(np.array([values], np.uint16)), form, **options)


def _cmyk(*values: int) -> bytes:
    return encoded(Image.frombytes("CMYK", (1, 1), bytes(values)), "TIFF")


def grey(*values: int) -> list[list[tuple[int, ...]]]:
    return [[(value, value, value) for value in values]]


DEEP = [0, 255, 256, 0x7FFF, 0x8000, 0xFFFF]
DEEP_AS_8 = [0, 0, 1, 127, 128, 255]
TRNS = struct.pack(">H", 256)
PALETTE = [chunk(b"PLTE", bytes((*RED, *GREEN, *BLUE))), chunk(b"tRNS", b"\xff\x00\x80")]


@pytest.mark.parametrize(
    ("data", "pixels"),
    [
        pytest.param(_deep("PNG", DEEP), grey(*DEEP_AS_8), id="png-16-bit-grey"),
        pytest.param(_deep("TIFF", DEEP), grey(*DEEP_AS_8), id="tiff-16-bit-grey"),
        pytest.param(_pgm(DEEP, 65_535), grey(*DEEP_AS_8), id="pgm-16-bit"),
        pytest.param(_pgm([0, 511, 1023], 1023), grey(0, 127, 255), id="pgm-10-bit-is-stretched-first"),
        pytest.param(_pgm([0, 7, 15], 15), grey(0, 119, 255), id="pgm-4-bit"),
        pytest.param(
            png(6, 1, 16, 0, b"\0" + struct.pack(">6H", *DEEP), chunk(b"tRNS", TRNS)),
            grey(0, 0, 255, 127, 128, 255),
            id="png-16-bit-grey-one-value-transparent",
        ),
        pytest.param(
            png(2, 1, 16, 4, b"\0" + struct.pack(">4H", 0x8000, 0xFFFF, 0x8000, 0)),
            grey(128, 255),
            id="png-16-bit-grey-with-alpha",
        ),
        pytest.param(
            png(2, 1, 16, 2, b"\0" + struct.pack(">6H", 0x1234, 0x00FF, 0xFF00, 0xFFFF, 0, 0x8000)),
            [[(0x12, 0x00, 0xFF), (0xFF, 0, 0x80)]],
            id="png-16-bit-rgb-high-byte",
        ),
        pytest.param(
            png(3, 1, 8, 0, b"\0\x05\x06\x07", chunk(b"tRNS", b"\0\x06")), grey(5, 255, 7), id="grey-value-transparent"
        ),
        pytest.param(
            png(2, 1, 8, 2, b"\0\x01\x02\x03\x09\x08\x07", chunk(b"tRNS", b"\0\x01\0\x02\0\x03")),
            [[WHITE, (9, 8, 7)]],
            id="rgb-value-transparent",
        ),
        pytest.param(
            png(3, 1, 8, 6, b"\0\xff\0\0\xff\xff\0\0\0\0\0\0\x80"),
            [[RED, WHITE, (127, 127, 127)]],
            id="rgba-on-white",
        ),
        pytest.param(
            png(3, 1, 8, 3, b"\0\0\1\2", *PALETTE), [[RED, WHITE, (127, 127, 255)]], id="palette-with-alpha-on-white"
        ),
        pytest.param(png(3, 1, 8, 3, b"\0\0\1\2", PALETTE[0]), [[RED, GREEN, BLUE]], id="palette"),
        pytest.param(
            encoded(Image.frombytes("P", (2, 1), b"\0\1"), "GIF", transparency=1),
            [[(0, 0, 0), WHITE]],
            id="gif-transparent-index",
        ),
        pytest.param(encoded(Image.frombytes("1", (2, 1), b"\x40"), "PNG"), grey(0, 255), id="bilevel"),
        pytest.param(b"P4 2 1\n\x40", grey(255, 0), id="pbm-where-1-is-black"),
        pytest.param(_cmyk(0, 0, 0, 0), [[WHITE]], id="cmyk-paper"),
        pytest.param(_cmyk(0, 0, 0, 255), [[BLACK]], id="cmyk-black-ink"),
        pytest.param(_cmyk(255, 0, 0, 0), [[(0, 255, 255)]], id="cmyk-cyan"),
        pytest.param(_cmyk(0, 255, 0, 127), [[(128, 0, 128)]], id="cmyk-magenta-half-black"),
    ],
)
def test_any_depth_and_mode_becomes_8_bit_rgb_by_the_stated_rule(data, pixels):
    found = np.array(rgb_of(data), int)

    assert np.abs(found - np.array(pixels, int)).max() <= 1, found.tolist()


def test_cmyk_jpeg_is_not_a_negative():
    found = decode.picture(encoded(quarters(RED, WHITE, BLACK, BLUE).convert("CMYK"), "JPEG", quality=100), LIMIT)

    for (y, x), colour in {(3, 3): RED, (3, 12): WHITE, (12, 3): BLACK, (12, 12): BLUE}.items():
        assert np.abs(found.pixels()[y, x].astype(int) - colour).max() <= 6


# --- colour profiles


def _s15(value: float) -> bytes:
    return struct.pack(">i", round(value * 65_536))


def _xyz(*values: float) -> bytes:
    return b"XYZ \0\0\0\0" + b"".join(_s15(value) for value in values)


def _gamma(value: float) -> bytes:
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(value * 256)) + b"\0\0"


def icc(space: bytes, tags: dict[bytes, bytes]) -> bytes:
    """An ICC profile (version 2, monitor class) by hand: only the tags that a matrix or grey profile needs."""
    tags = {b"wtpt": _xyz(0.9642, 1, 0.8249), **tags}
    body, table = b"", struct.pack(">I", len(tags))
    for name, data in tags.items():
        table += name + struct.pack(">II", 132 + 12 * len(tags) + len(body), len(data))
        body += data + b"\0" * (-len(data) % 4)
    length = 132 + 12 * len(tags) + len(body)
    head = struct.pack(">I4xI4s4s4s12x4s24xI", length, 0x02200000, b"mntr", space, b"XYZ ", b"acsp", 0)
    return head + bytes.fromhex("0000f6d6000100000000d32d").ljust(132 - 4 - len(head), b"\0") + table + body


def _swapped_srgb() -> bytes:
    """sRGB's own primaries, red and blue exchanged, at gamma 1.8: no picture looks the same with and without it."""
    return icc(
        b"RGB ",
        {
            b"rXYZ": _xyz(0.1431, 0.0606, 0.7141),
            b"gXYZ": _xyz(0.3851, 0.7169, 0.0971),
            b"bXYZ": _xyz(0.4361, 0.2225, 0.0139),
            b"rTRC": _gamma(1.8),
            b"gTRC": _gamma(1.8),
            b"bTRC": _gamma(1.8),
        },
    )


LINEAR_GREY = icc(b"GRAY", {b"kTRC": _gamma(1.0)})
SWAPPED = _swapped_srgb()


def _independent(image: Image.Image, profile: bytes) -> np.ndarray:
    """The same by another road of ImageCms: profile to profile, no transform kept."""
    source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    target = ImageCms.createProfile("sRGB")
    found = ImageCms.profileToProfile(
        image, source, target, renderingIntent=ImageCms.Intent.PERCEPTUAL, outputMode="RGB"
    )
    return np.asarray(found).astype(int)


def _srgb_of_linear(value: float) -> float:
    """IEC 61966-2-1, 0..1."""
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055


def test_the_profiles_of_these_tests_are_profiles():
    for profile, space in ((SWAPPED, "RGB "), (LINEAR_GREY, "GRAY")):
        assert ImageCms.ImageCmsProfile(io.BytesIO(profile)).profile.xcolor_space == space


@pytest.mark.parametrize("form", ["PNG", "TIFF", "JPEG", "WEBP"])
def test_a_profile_is_applied(form):
    data = encoded(painting(), form, icc_profile=SWAPPED, **({"lossless": True} if form == "WEBP" else {}))
    plain = decode.picture(encoded(painting(), form, **({"lossless": True} if form == "WEBP" else {})), LIMIT)

    found = decode.picture(data, LIMIT).pixels().astype(int)

    assert np.abs(found - _independent(plain.rgb, SWAPPED)).max() <= 1
    assert np.abs(found - plain.pixels()).max() > 40


def test_a_profile_is_applied_by_hand_computed_values():
    """Pure red of the exchanged primaries is sRGB's blue; mid grey 128 at gamma 1.8 is sRGB 144."""
    grey_srgb = round(255 * _srgb_of_linear((128 / 255) ** 1.8))
    data = encoded(quarters(RED, BLUE, (128, 128, 128), WHITE), "PNG", icc_profile=SWAPPED)

    found = decode.picture(data, LIMIT).pixels().astype(int)

    for (y, x), colour in {(3, 3): BLUE, (3, 12): RED, (12, 3): (grey_srgb,) * 3, (12, 12): WHITE}.items():
        assert np.abs(found[y, x] - colour).max() <= 2


@pytest.mark.parametrize(
    ("data", "pixels"),
    [
        pytest.param(
            encoded(Image.frombytes("L", (3, 1), bytes([0, 55, 255])), "PNG", icc_profile=LINEAR_GREY),
            grey(0, round(255 * _srgb_of_linear(55 / 255)), 255),
            id="grey",
        ),
        pytest.param(
            encoded(Image.frombytes("LA", (3, 1), bytes([55, 255, 55, 0, 0, 255])), "PNG", icc_profile=LINEAR_GREY),
            grey(round(255 * _srgb_of_linear(55 / 255)), 255, 0),
            id="grey-with-alpha",
        ),
        pytest.param(
            _deep("TIFF", [0, 55 * 256 + 7, 0xFFFF], icc_profile=LINEAR_GREY),
            grey(0, round(255 * _srgb_of_linear(55 / 255)), 255),
            id="16-bit-grey",
        ),
        pytest.param(
            encoded(Image.frombytes("RGBA", (2, 1), bytes([*RED, 255, *RED, 0])), "PNG", icc_profile=SWAPPED),
            [[BLUE, WHITE]],
            id="rgba",
        ),
        pytest.param(
            encoded(quarters(RED, GREEN, BLUE, WHITE).convert("P"), "PNG", icc_profile=SWAPPED),
            np.asarray(quarters(BLUE, GREEN, RED, WHITE)).tolist(),
            id="palette",
        ),
    ],
)
def test_a_profile_is_applied_in_every_mode_that_it_fits(data, pixels):
    assert np.abs(np.array(rgb_of(data), int) - np.array(pixels, int)).max() <= 2


@pytest.mark.parametrize(
    ("mode", "profile"),
    [
        pytest.param("RGB", b"", id="empty"),
        pytest.param("RGB", b"no profile", id="garbage"),
        pytest.param("RGB", SWAPPED[:200], id="cut"),
        pytest.param("RGB", LINEAR_GREY, id="grey-profile-on-rgb"),
        pytest.param("L", SWAPPED, id="rgb-profile-on-grey"),
        pytest.param("CMYK", SWAPPED, id="rgb-profile-on-cmyk"),
        pytest.param("RGBA", LINEAR_GREY, id="grey-profile-on-rgba"),
    ],
)
def test_a_profile_that_is_broken_or_does_not_fit_is_ignored(mode, profile):
    with_it = decode.picture(encoded(painting(mode), "TIFF", icc_profile=profile), LIMIT)
    without = decode.picture(encoded(painting(mode), "TIFF"), LIMIT)

    np.testing.assert_array_equal(with_it.pixels(), without.pixels())


# --- hashes


def _phash(data: bytes) -> str:
    return f"{uint64_from_bits(imagehash.phash(decode.picture(data, LIMIT).rgb).hash):016x}"


@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_hash_is_imagehashs_own_of_the_upright_picture(orientation):
    data = encoded(_turned(painting(), orientation), "PNG", exif=_exif(orientation))

    assert _phash(data) == str(imagehash.phash(painting()))


# --- guards


BAD_EXIF = b"Exif\0\0MM\0*\0\0\0\x08\0\x02\x01\x12\0\x03\0\0\0\x01\0\x01\0\0\x01\x0e\0\x02\0\0\xff\xff\0\0\xff\xff"


def test_a_broken_exif_warns_nobody():
    """In an interpreter of its own: pytest sets the filters of warnings anew for every test."""
    ran = _in_its_own_interpreter("", encoded(painting(), "JPEG", exif=BAD_EXIF))

    assert (ran.stdout, ran.stderr) == (b"(48, 32)\n", b"")


def test_the_broken_exif_of_the_test_above_is_one_that_pillow_warns_of():
    data = encoded(painting(), "JPEG", exif=BAD_EXIF)

    with pytest.warns(UserWarning, match="EXIF|Tag data"), Image.open(io.BytesIO(data)) as image:
        assert image.getexif().get(0x0112) == 1


def test_pixels_are_rows_columns_and_rgb():
    pixels = decode.picture(encoded(quarters(RED, GREEN, BLUE, WHITE), "PNG"), LIMIT).pixels()

    assert (pixels.shape, pixels.dtype) == ((16, 16, 3), np.uint8)
    assert [tuple(pixels[y, x]) for y, x in ((0, 0), (0, 15), (15, 0), (15, 15))] == [RED, GREEN, BLUE, WHITE]


def test_a_picture_outlives_its_bytes():
    def decoded(make: Callable[[], bytes]) -> decode.DecodedImage:
        return decode.picture(make(), LIMIT)

    assert decoded(lambda: encoded(painting(), "PNG")).pixels()[0, 0].tolist() == [0, 0, 230]


@pytest.mark.parametrize("size", [(1, 1), (7, 5), (16, 16), (33, 250), (401, 300)], ids=str)
@pytest.mark.parametrize(
    "options",
    [
        {"subsampling": 0},
        {"subsampling": 1},
        {"subsampling": 2},
        {"progressive": True},
        {"keep_rgb": True},
        {"quality": 5},
        {"quality": 100},
        {"restart_marker_rows": 1},
    ],
    ids=str,
)
def test_the_short_way_of_plain_jpegs_gives_pillows_own_pixels(monkeypatch, size, options):
    noise = np.random.default_rng(sum(size)).integers(0, 256, (size[1], size[0], 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, "JPEG", **options)
    short = decode.picture(file.getvalue(), LIMIT)
    assert isinstance(short.data, np.ndarray)
    monkeypatch.setattr(decode, "simplejpeg", None)  # as where it is not installed
    assert np.array_equal(short.pixels(), decode.picture(file.getvalue(), LIMIT).pixels())
    assert (short.width_px, short.height_px) == short.rgb.size == size
