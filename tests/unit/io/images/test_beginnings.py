"""What a look at how files begin says: nothing of what may be an image, and never more than the build will say."""

import os
from pathlib import Path

import pytest

from schemas.reasons import Reason
from tasks.io.files.folders import Folder
from tasks.io.images import decode
from tasks.io.images.beginnings import why_no_image, why_no_image_begins
from tests.support.images import encoded, painting


@pytest.mark.parametrize("form", ["JPEG", "PNG", "GIF", "WEBP", "TIFF", "BMP", "PPM", "JPEG2000", "AVIF", "MPO"])
def test_an_image_of_every_format_that_is_read_may_be_one(form: str):
    assert why_no_image_begins(encoded(painting(), form)[:4096]) is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", Reason.EMPTY_FILE),
        (b"<!DOCTYPE html><html>", Reason.NOT_AN_IMAGE),
        (b"no image at all", Reason.NOT_AN_IMAGE),
        (b"%PDF-1.7\n", Reason.NOT_AN_IMAGE),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", Reason.UNSUPPORTED_FORMAT),
        (b"8BPS\0\x01" + bytes(40), Reason.UNSUPPORTED_FORMAT),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", Reason.UNSUPPORTED_FORMAT),
    ],
)
def test_what_begins_like_no_image_is_what_the_build_will_say(data: bytes, reason: Reason):
    why = why_no_image_begins(data)
    assert why is not None
    assert why[0] == reason
    with pytest.raises(decode.UnreadableImage) as caught:
        decode.picture(data, 10_000)
    assert caught.value.reason == reason


def test_files_that_are_not_there_or_can_not_be_read(tmp_path: Path):
    folder = tmp_path / "art"
    folder.mkdir()
    (folder / "good.png").write_bytes(encoded(painting(), "PNG"))
    (folder / "leaves.jpg").symlink_to(tmp_path)
    (folder / "dangles.jpg").symlink_to("nowhere.jpg")
    os.mkfifo(folder / "pipe.jpg")
    looks = {
        name: why and why[0]
        for name in ("good.png", "no.jpg", "leaves.jpg", "dangles.jpg", "pipe.jpg", "../a.jpg")
        for why in [why_no_image(Folder("art", str(folder)), name)]
    }
    assert looks == {
        "good.png": None,
        "no.jpg": Reason.NOT_FOUND,
        "leaves.jpg": Reason.NOT_ALLOWED,
        "dangles.jpg": Reason.NOT_FOUND,
        "pipe.jpg": Reason.NOT_FOUND,
        "../a.jpg": Reason.NOT_ALLOWED,
    }
