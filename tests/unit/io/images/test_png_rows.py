"""PNGs whose zlib stream ends well, but holds fewer rows than the header says."""

import io
import struct
import time
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from schemas.reasons import Reason
from tasks.io.images import decode
from tasks.io.images.png import missing
from tests.support.images import chunk, encoded, painting, png

LIMIT = 10_000_000
COLOURS = [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8)]
COLOURS += [(4, 8), (4, 16), (6, 8), (6, 16)]
PALETTE = chunk(b"PLTE", bytes(range(256)) * 3)
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
"""First column and row of each pass, and its steps, by the PNG standard, 8.2."""


def rows_of(width_px: int, height_px: int, bits: int, *, is_interlaced: bool) -> list[bytes]:
    """Rows of ones, as a PNG stores them: with their filter."""

    def row(pixels: int) -> bytes:
        return b"\0" + b"\xff" * -(-pixels * bits // 8)

    if not is_interlaced:
        return [row(width_px)] * height_px
    return [row(len(range(x, width_px, dx))) for x, y, dx, dy in ADAM7 if x < width_px for _ in range(y, height_px, dy)]


def png_of(width_px: int, height_px: int, depth: int, colour: int, rows: list[bytes], *, is_interlaced: bool) -> bytes:
    head = struct.pack(">IIBBBBB", width_px, height_px, depth, colour, 0, 0, int(is_interlaced))
    parts = [chunk(b"IHDR", head), PALETTE if colour == 3 else b"", chunk(b"IDAT", zlib.compress(b"".join(rows)))]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + chunk(b"IEND", b"")


@given(st.sampled_from(COLOURS), st.integers(1, 20), st.integers(1, 20), st.booleans(), st.data())
def test_a_picture_with_fewer_rows_is_broken_and_a_whole_one_is_not(colours, width_px, height_px, is_interlaced, data):
    colour, depth = colours
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    rows = rows_of(width_px, height_px, depth * channels, is_interlaced=is_interlaced)
    whole = png_of(width_px, height_px, depth, colour, rows, is_interlaced=is_interlaced)
    assert decode.picture(whole, LIMIT).width_px == width_px
    left = data.draw(st.integers(0, len(rows) - 1), label="rows left")
    part = data.draw(st.sampled_from([b"", rows[left][:-1]]), label="a part of a row")
    cut = png_of(width_px, height_px, depth, colour, [*rows[:left], part], is_interlaced=is_interlaced)
    with pytest.raises(decode.UnreadableImage) as caught:
        decode.picture(cut, LIMIT)
    assert caught.value.reason == Reason.BROKEN_IMAGE


def test_the_detail_says_how_much_is_missing():
    with pytest.raises(decode.UnreadableImage) as caught:
        decode.picture(png(2, 2, 8, 0, b"\0\x01\x02"), LIMIT)
    assert caught.value.detail == "truncated: 3 bytes of pixels, expected 6"


@pytest.mark.parametrize(
    "image",
    [
        pytest.param(Image.new("RGB", (30, 20)), id="black"),
        pytest.param(Image.new("RGBA", (30, 20)), id="clear"),
        pytest.param(Image.new("1", (30, 20)), id="bilevel"),
        pytest.param(Image.fromarray(np.zeros((20, 30), np.uint16)), id="16-bit"),
        pytest.param(Image.new("P", (30, 20)), id="palette"),
    ],
)
def test_a_whole_picture_may_be_black(image):
    assert decode.picture(encoded(image, "PNG"), LIMIT).width_px == 30


def test_a_row_more_than_the_header_says_is_nothing():
    data = png(2, 1, 8, 0, b"\0\0\0" * 5)
    assert decode.picture(data, LIMIT).height_px == 1


def test_many_small_chunks_are_one_stream():
    stream = zlib.compress(bytes(7 * 31))
    whole = png(30, 7, 8, 0, b"").partition(b"IDAT")[0][:-4]
    pieces = b"".join(chunk(b"IDAT", stream[place : place + 3]) for place in range(0, len(stream), 3))
    assert decode.picture(whole + pieces + chunk(b"IEND", b""), LIMIT).height_px == 7


@pytest.mark.slow
def test_a_bomb_is_not_unpacked():
    """500 MB of zeros behind the pixels of a picture of 4 px: no more is unpacked than the header says."""
    packer = zlib.compressobj()
    stream = packer.compress(bytes(6)) + b"".join(packer.compress(bytes(1 << 20)) for _ in range(500)) + packer.flush()
    data = png(2, 2, 8, 0, b"").partition(b"IDAT")[0][:-4] + chunk(b"IDAT", stream) + chunk(b"IEND", b"")
    tracemalloc.start()
    begun = time.perf_counter()
    assert missing(data) is None
    assert time.perf_counter() - begun < 0.5
    assert tracemalloc.get_traced_memory()[1] < 4_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    "data", [b"", b"\x89PNG\r\n\x1a\n", painting().tobytes(), encoded(painting(), "JPEG")], ids=len
)
def test_of_what_is_no_png_nothing_is_missing(data):
    assert missing(data) is None


def test_rows_that_end_in_a_picture_are_not_unpacked_a_second_time(monkeypatch):
    """It would take a third of the time of decoding."""
    monkeypatch.setattr("tasks.io.images.png.missing", None)  # would fail
    assert decode.picture(encoded(painting(), "PNG"), LIMIT).height_px == 32


def test_of_an_animation_the_first_frame_is_whole():
    file = io.BytesIO()
    Image.new("RGB", (9, 9)).save(file, "PNG", save_all=True, append_images=[Image.new("RGB", (9, 9), "red")])
    assert decode.picture(file.getvalue(), LIMIT).height_px == 9
