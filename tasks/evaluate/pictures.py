"""Small pictures for the pages of an evaluation, out of a folder that a person names."""

import contextlib

from tasks.io.files.folders import Folder
from tasks.io.images.decode import UnreadableImage
from tasks.io.images.drawn_boxes import Boxes, small_picture

_ENDINGS = ("", ".png", ".jpg", ".jpeg", ".webp")
_MAX_BYTES = 2**28
_MAX_PIXELS = 150_000_000


def jpeg_of(folder: Folder, path: str, boxes: Boxes = (), *, longest_px: int) -> bytes | None:
    """A small JPEG of the image with these boxes; None where it is not there or cannot be read.

    path: of the file, or without its ending, as tables of ids often have it.
    """
    for ending in _ENDINGS:
        with contextlib.suppress(UnreadableImage):
            return small_picture(folder.read(f"{path}{ending}", _MAX_BYTES), boxes, longest_px, _MAX_PIXELS)
    return None
