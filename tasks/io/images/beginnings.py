"""What can be known of images before they are read or decoded: by how files begin, and by their headers."""

import contextlib
import hashlib
import io
import json
import re
from typing import IO

from PIL import ExifTags, Image

from schemas.fetch import HIGHEST_MAX_PIXELS
from schemas.reasons import PASSING, Reason
from schemas.stand_ins import stand_in
from tasks.io.files.folders import Folder
from tasks.io.images import decode
from tasks.io.images.decode import SIGNATURE, UnreadableImage
from tasks.io.images.undecoded import format_that_is_not_read

_LOOK_BYTES = 4096
_MAY_BE_IMAGE = re.compile(rb"BM|P[0-7FfyY]|II|MM|.{4}ftyp", re.DOTALL)
"""Beginnings that are too short, or of too many formats, to tell: only who decodes the file knows."""
_HEADER_BYTES = 1 << 18
"""More than most headers; where it is too little, the whole file is read."""
_MOST_BYTES = 200_000_000
"""As `fetch` has it where a recipe says nothing else."""
_TURNED = range(5, 9)
"""EXIF orientations of pictures that lie on their side."""


def why_no_image(folder: Folder, path: str) -> tuple[Reason, str] | None:
    """Why a file will certainly be dropped: not there, unreadable, empty, begins like no image. None if it may pass."""
    try:
        beginning = folder.beginning(path, _LOOK_BYTES)
    except UnreadableImage as problem:
        return None if problem.reason in PASSING else (problem.reason, problem.detail)
    return why_no_image_begins(beginning)


def why_no_image_begins(beginning: bytes) -> tuple[Reason, str] | None:
    """Why bytes that begin so are no image that is read; None where they are or may be one.

    >>> why_no_image_begins(b"<html>") and why_no_image_begins(b"<html>")[0]
    <Reason.NOT_AN_IMAGE: 'not_an_image'>
    """
    if not beginning:
        return Reason.EMPTY_FILE, "0 bytes"
    if SIGNATURE.match(beginning):
        return None
    if (name := format_that_is_not_read(beginning)) is not None:
        return Reason.UNSUPPORTED_FORMAT, name
    if _MAY_BE_IMAGE.match(beginning):
        return None
    return Reason.NOT_AN_IMAGE, stand_in(beginning) or f"begins with {beginning[:12]!r}"


def check_pixels(data: bytes, max_pixels: int) -> None:
    """Raise UnreadableImage for more pixels than allowed. What is no image passes: decoding it gives the reason."""
    try:
        with Image.open(io.BytesIO(data), formats=decode.FORMATS) as image:
            decode.refuse_beyond(max_pixels, image)
    except Image.DecompressionBombError as problem:
        raise decode.UnreadableImage(Reason.TOO_MANY_PIXELS, str(problem)[:200]) from problem
    except decode.DECODE_ERRORS:
        return


def upright_size_px(folder: Folder, path: str) -> tuple[int, int]:
    """Width and height of an image as it stands upright, by its header: nothing is decoded.

    A note on how a PNG lies is seen only where it stands before the pixels, as programs write it. Raises
    UnreadableImage with the reason for a drop.
    """
    data = folder.beginning(path, _HEADER_BYTES)
    try:
        return _size_px(data)
    except UnreadableImage as problem:
        if len(data) < _HEADER_BYTES or problem.reason != Reason.BROKEN_IMAGE:
            raise
    return _size_px(folder.read(path, _MOST_BYTES))


def copy_size(folder: Folder, path: str, target: IO[bytes]) -> tuple[str, int]:
    """Write what `upright_size_px` says of an image into an open file: SHA-256 and length. Raises as it does."""
    data = json.dumps(dict(zip(("width_px", "height_px"), upright_size_px(folder, path), strict=True))).encode()
    target.write(data)
    return hashlib.sha256(data).hexdigest(), len(data)


def read_size(data: bytes) -> tuple[int, int]:
    """Width and height that `copy_size` has written."""
    said = json.loads(data)
    return said["width_px"], said["height_px"]


def _size_px(data: bytes) -> tuple[int, int]:
    try:
        with Image.open(io.BytesIO(data), formats=decode.FORMATS) as image:
            decode.refuse_beyond(HIGHEST_MAX_PIXELS, image)
            return image.size[::-1] if _lies_on_side(image) else image.size
    except Image.DecompressionBombError as problem:
        raise UnreadableImage(Reason.TOO_MANY_PIXELS, str(problem)[:200]) from problem
    except decode.DECODE_ERRORS as problem:
        why = why_no_image_begins(data)
        raise UnreadableImage(
            *(why or (Reason.BROKEN_IMAGE, f"{type(problem).__name__}: {problem}"[:200]))
        ) from problem


def _lies_on_side(image: Image.Image) -> bool:
    if image.format == "TIFF":  # Pillow's size of one is upright
        return False
    with contextlib.suppress(*decode.DECODE_ERRORS):
        # a PNG's own method decodes all of it
        return Image.Image.getexif(image).get(ExifTags.Base.Orientation) in _TURNED
    return False
