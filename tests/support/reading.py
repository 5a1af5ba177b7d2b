"""What a reader saw of a release, told in JSON. It runs in each reader's own environment: Python and Pillow alone."""

import hashlib
import io
import json
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

from PIL import ExifTags, Image, ImageOps

Rows = Iterable[tuple[str, int, bytes]]
"""Split, image_id and bytes of each image, in a reader's own order."""


def facts(rows: Rows, columns: Iterable[str] = (), boxes: int | None = None) -> dict[str, Any]:
    """What all readers must agree on, as JSON has it: of each split the count of images, a digest of them all, and the
    SHA-256 of the first and of the last; columns; how many boxes train has.
    """
    seen: dict[str, list[tuple[int, str]]] = {}
    for split, image_id, data in rows:
        seen.setdefault(split, []).append((int(image_id), hashlib.sha256(data).hexdigest()))
    return {
        "images": {
            split: [len(found), hashlib.sha256(repr(sorted(found)).encode()).hexdigest()]
            for split, found in seen.items()
        },
        "ends": {split: [*found[0], *found[-1]] for split, found in seen.items()},
        "columns": sorted({name.partition(".")[0] for name in columns}),
        "boxes": boxes,
    }


def upright(rows: Rows) -> dict[str, list[Any]]:
    """By split and image_id, as one text: the SHA-256 of the bytes where the picture in them is upright, else None; and
    width and height of the upright picture.
    """
    found: dict[str, list[Any]] = {}
    for split, image_id, data in rows:
        with Image.open(io.BytesIO(data)) as image:
            is_upright = image.getexif().get(ExifTags.Base.Orientation, 1) == 1
            size = ImageOps.exif_transpose(image).size
        found[f"{split} {image_id}"] = [hashlib.sha256(data).hexdigest() if is_upright else None, *size]
    return found


def tell_unpacked(rows: Rows, pictures: Iterable[tuple[Image.Image, bytes, bool]] = ()) -> None:
    """Print what files say of a split's images, `upright`, and how many decoded pictures are those of their bytes."""
    checked = Counter("same" if _is_same(*picture) else "other" for picture in pictures)
    sys.stdout.write(json.dumps({"upright": upright(rows), "pictures": checked}))


def tell(
    rows: Rows,
    columns: Iterable[str] = (),
    boxes: int | None = None,
    pictures: Iterable[tuple[Image.Image, bytes, bool]] = (),
) -> None:
    """Print the facts, and how many decoded pictures are, pixel by pixel, those of their bytes.

    pictures: (as decoded, bytes, whether they are turned by their EXIF orientation).
    """
    checked = Counter("same" if _is_same(*picture) else "other" for picture in pictures)
    sys.stdout.write(json.dumps({**facts(rows, columns, boxes), "pictures": checked}))


def _is_same(picture: Image.Image, data: bytes, is_turned: bool) -> bool:
    image = Image.open(io.BytesIO(data))
    expected = (ImageOps.exif_transpose(image) if is_turned else image).convert("RGB")
    return picture.size == expected.size and picture.convert("RGB").tobytes() == expected.tobytes()
