"""What can be known of images before they are read or decoded: by how files begin, and by their headers."""

import io
import re

from PIL import Image

from schemas.reasons import PASSING, Reason
from schemas.stand_ins import stand_in
from tasks.io.files.folders import Folder
from tasks.io.images import decode
from tasks.io.images.decode import SIGNATURE, UnreadableImage
from tasks.io.images.undecoded import format_that_is_not_read

_LOOK_BYTES = 4096
_MAY_BE_IMAGE = re.compile(rb"BM|P[0-7FfyY]|II|MM|.{4}ftyp", re.DOTALL)
"""Beginnings that are too short, or of too many formats, to tell: only who decodes the file knows."""


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
