"""How large an image is by its header: what decoding says, of every format however it lies, and nothing is decoded."""

import io
import json
import struct
from pathlib import Path

import pytest
from PIL import Image

from schemas.reasons import Reason
from tasks.io.files.folders import Folder
from tasks.io.images import decode
from tasks.io.images.beginnings import copy_size, read_size, upright_size_px
from tasks.io.images.decode import UnreadableImage
from tests.support.images import chunk, encoded, painting, png

MAX_PIXELS = 10**7


def folder_with(path: Path, data: bytes) -> Folder:
    (path / "a").write_bytes(data)
    return Folder("art", str(path))


def lying(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF", "AVIF", "MPO"])
def test_the_sides_are_those_of_the_upright_picture(form: str, orientation: int, tmp_path: Path):
    data = encoded(painting(size=(48, 32)), form, exif=lying(orientation))
    picture = decode.picture(data, MAX_PIXELS)
    sides = (32, 48) if orientation >= 5 else (48, 32)
    assert (picture.width_px, picture.height_px) == sides
    assert upright_size_px(folder_with(tmp_path, data), "a") == sides


@pytest.mark.parametrize("form", ["GIF", "BMP", "PPM", "JPEG2000"])
def test_formats_that_know_no_orientation(form: str, tmp_path: Path):
    data = encoded(painting(size=(48, 32)), form)
    assert upright_size_px(folder_with(tmp_path, data), "a") == (48, 32)


def test_a_header_longer_than_the_first_look_is_read_to_its_end(tmp_path: Path):
    data = encoded(painting(size=(48, 32)), "JPEG", icc_profile=bytes(400_000), exif=lying(6))
    assert upright_size_px(folder_with(tmp_path, data), "a") == (32, 48)


def test_a_tiff_whose_directory_is_at_its_end(tmp_path: Path):
    noise = painting(size=(700, 400))
    data = encoded(noise, "TIFF")
    (start,) = struct.unpack_from("<I", data, 4)
    assert start < 100 or start > 1 << 18
    moved = b"II*\0" + struct.pack("<I", len(data)) + data[8:]
    (count,) = struct.unpack_from("<H", data, start)
    moved += data[start : start + 2 + 12 * count + 4]
    assert len(data) > 1 << 18
    assert upright_size_px(folder_with(tmp_path, moved), "a") == (700, 400)


def test_a_note_behind_the_pixels_of_a_png_is_not_seen(tmp_path: Path):
    """The size that fetch finds is another one then, and the boxes are left out."""
    whole = encoded(painting(size=(48, 32)), "PNG")
    end = whole.index(chunk(b"IEND", b""))
    data = whole[:end] + chunk(b"eXIf", lying(6).tobytes().removeprefix(b"Exif\0\0")) + whole[end:]
    assert decode.picture(data, MAX_PIXELS).orientation == 6
    assert upright_size_px(folder_with(tmp_path, data), "a") == (48, 32)


def test_pixels_are_not_looked_at(tmp_path: Path):
    huge = png(20_000, 20_000, 8, 2, b"")
    assert upright_size_px(folder_with(tmp_path, huge), "a") == (20_000, 20_000)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"", Reason.EMPTY_FILE, id="empty"),
        pytest.param(b"<!doctype html><html>", Reason.NOT_AN_IMAGE, id="a page"),
        pytest.param(b"\x89PNG\r\n\x1a\n", Reason.BROKEN_IMAGE, id="a beginning"),
        pytest.param(encoded(painting(), "JPEG")[:40], Reason.BROKEN_IMAGE, id="half a header"),
        pytest.param(b"8BPS\0\x01" + bytes(40), Reason.UNSUPPORTED_FORMAT, id="another program's"),
        pytest.param(png(100_000, 100_000, 8, 2, b""), Reason.TOO_MANY_PIXELS, id="more pixels than any recipe allows"),
        pytest.param(
            b"GIF89a\xff\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x00;",
            Reason.TOO_MANY_PIXELS,
            id="a GIF of 50 bytes",
        ),
    ],
)
def test_what_has_no_sides_has_a_reason(data: bytes, reason: Reason, tmp_path: Path):
    with pytest.raises(UnreadableImage) as caught:
        upright_size_px(folder_with(tmp_path, data), "a")
    assert caught.value.reason == reason


def test_a_file_that_is_not_there_has_a_reason(tmp_path: Path):
    with pytest.raises(UnreadableImage, match="not_found"):
        upright_size_px(Folder("art", str(tmp_path)), "a")


def test_what_is_written_of_a_size_is_read_again(tmp_path: Path):
    sink = io.BytesIO()
    digest, length = copy_size(folder_with(tmp_path, encoded(painting(size=(48, 32)), "PNG")), "a", sink)
    assert (len(digest), length) == (64, len(sink.getvalue()))
    assert json.loads(sink.getvalue()) == {"width_px": 48, "height_px": 32}
    assert read_size(sink.getvalue()) == (48, 32)
