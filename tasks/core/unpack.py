"""How a release's images are called as files, and its COCO files when they name these."""

import re
from collections.abc import Mapping
from typing import Any

from schemas.phrases import quoted
from tasks.core.coco.document import EXTENSIONS

ANNOTATIONS = "annotations"
"""The folder of the COCO files, beside one folder for each split."""

_SPLIT = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_MOST_ID = 2**53  # larger ones are no whole numbers in JSON readers that know only doubles


def check_split(split: str) -> str:
    """The split, whose name becomes a folder's.

    Raises ValueError, as all of this file do in words that stand after "got", for one that recipes can't have.
    """
    if not _SPLIT.fullmatch(split) or split == ANNOTATIONS:
        raise ValueError(f"the split {quoted(split)}, as no recipe calls one")
    return split


def file_name(image_id: int, format_name: str) -> str:
    """The image's name in its split's folder. Nothing of a format but a known extension comes into it.

    Raises ValueError for an id that releases don't have.

    >>> file_name(71, "JPEG"), file_name(72, "../../x")
    ('71.jpg', '72.bin')
    """
    if not 0 < image_id < _MOST_ID:
        raise ValueError(f"image_id {image_id}, where releases have 1 to 2^53 - 1")
    return f"{image_id}.{EXTENSIONS.get(format_name, 'bin')}"


def check_place(image: Any) -> tuple[bytes | None, str | None]:
    """Bytes and path of an image, as a cell of the images table has them; both None where it has neither.

    Raises ValueError for anything else, and for a path that may lead out of the release.
    """
    data, path = (image.get("bytes"), image.get("path")) if isinstance(image, dict) else (None, None)
    if not isinstance(data, bytes | None) or not isinstance(path, str | None) or not isinstance(image, dict | None):
        raise ValueError(f"an image that is {quoted(image)}")
    if path is not None and not {"", ".", ".."}.isdisjoint(path.split("/")):
        raise ValueError(f"an image in the file {quoted(path)}")
    return data, path


def with_file_names(document: Any, names: Mapping[int, str]) -> dict[str, Any]:
    """A COCO file whose images have these names, by their ids.

    Raises ValueError where it is no COCO file, or its images are not those that have names.
    """
    entries = document.get("images") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError(f"no list of images: {quoted(document)}")
    ids = [entry.get("id") for entry in entries]
    if any(type(number) is not int for number in ids) or sorted(ids) != sorted(names):
        raise ValueError(f"{len(ids)} images that are not the {len(names)} of its split, each once")
    renamed = [{**entry, "file_name": names[number]} for entry, number in zip(entries, ids, strict=True)]
    return {**document, "images": renamed}
