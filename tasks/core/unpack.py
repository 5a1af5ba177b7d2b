"""How a release's images are called as files, also in its COCO files. Errors say what stands after "got"."""

import itertools
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any
from unicodedata import category

from schemas.phrases import quoted
from tasks.core.coco.document import EXTENSIONS

ANNOTATIONS = "annotations"
"""The folder of the COCO files, beside one folder for each split."""

IMAGES = "images"
"""The folder of a source's images, where they lie under the names of their COCO file."""

_LONGEST_NAME, _LONGEST_PATH = 255, 2000
_JOINERS = "\u200c\u200d"
_SPLIT = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_MOST_ID = 2**53  # larger ones are no whole numbers in JSON readers that know only doubles


def check_split(split: str) -> str:
    """The split, whose name becomes a folder's. Raises ValueError for one that recipes can't have."""
    if not _SPLIT.fullmatch(split) or split == ANNOTATIONS:
        raise ValueError(f"the split {quoted(split)}, as no recipe calls one")
    return split


def check_id(image_id: int) -> int:
    """The id of an image. Raises ValueError for one that releases don't have."""
    if not 0 < image_id < _MOST_ID:
        raise ValueError(f"image_id {image_id}, where releases have 1 to 2^53 - 1")
    return image_id


def file_name(image_id: int, format_name: str) -> str:
    """The image's name in its split's folder, with no more of a format than a known extension. Raises as `check_id`.

    >>> file_name(71, "JPEG"), file_name(72, "../../x")
    ('71.jpg', '72.bin')
    """
    return f"{check_id(image_id)}.{EXTENSIONS.get(format_name, 'bin')}"


def check_source(source: str) -> str:
    """The folder of the images of a source. Raises ValueError for a source that recipes can't have."""
    if not _SPLIT.fullmatch(source):
        raise ValueError(f"the source {quoted(source)}, as no recipe calls one")
    return f"{IMAGES}/{source}"


def check_file_names(names: Mapping[int, Any]) -> None:
    """Raise ValueError for names of files that lead out of their folder or can't be, or that clash with another."""
    for name in names.values():
        if not isinstance(name, str) or not _is_path(name):
            raise ValueError(f"{quoted(name)}, which can be no file below a folder")
    files = Counter(names.values())
    if twice := [name for name, times in files.items() if times > 1]:
        raise ValueError(f"{quoted(twice[0])} for {files[twice[0]]} images")
    for name in files:
        for folder in itertools.accumulate(name.split("/")[:-1], "{}/{}".format):
            if folder in files:
                raise ValueError(f"{quoted(name)} below {quoted(folder)}, which is a file, too")


def _is_path(name: str) -> bool:
    """Whether a name is that of a file below a folder, on any system, and a line of text. There are blanks of any width
    in names (macOS's screenshots, U+202F), and what joins letters or keeps them apart in Persian, Hindi and emoji.
    """
    parts = name.split("/")
    return (
        all(letter.isprintable() or letter in _JOINERS or category(letter) == "Zs" for letter in name)
        and not {"\\", ":"} & {*name}
        and {"", ".", ".."}.isdisjoint(parts)
        and all(len(part.encode()) <= _LONGEST_NAME for part in parts)
        and len(name) <= _LONGEST_PATH
    )


def check_place(image: Any) -> tuple[bytes | None, str | None]:
    """Bytes and path, or None, of a cell of the images table. Raises ValueError for others, and paths that lead out."""
    data, path = (image.get("bytes"), image.get("path")) if isinstance(image, dict) else (None, None)
    if not isinstance(data, bytes | None) or not isinstance(path, str | None) or not isinstance(image, dict | None):
        raise ValueError(f"an image that is {quoted(image)}")
    if path is not None and not {"", ".", ".."}.isdisjoint(path.split("/")):
        raise ValueError(f"an image in the file {quoted(path)}")
    return data, path


def with_file_names(document: Any, names: Mapping[int, str], *, is_whole: bool = True) -> dict[str, Any]:
    """A COCO file whose images have these names by their ids. is_whole: all its images have one; else those without
    leave it, and their boxes. Raises ValueError where its images are others.
    """
    entries = document.get("images") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError(f"no list of images: {quoted(document)}")
    ids = [entry.get("id") for entry in entries]
    are_ids = all(type(number) is int for number in ids)
    if not are_ids or sorted(number for number in ids if is_whole or number in names) != sorted(names):
        raise ValueError(f"{len(ids)} images that are not the {len(names)} of its split, each once")
    renamed = [{**entry, "file_name": names[entry["id"]]} for entry in entries if entry["id"] in names]
    if is_whole:
        return {**document, "images": renamed}
    boxes = [box for box in document.get("annotations", ()) if box.get("image_id") in names]
    return {**document, "images": renamed, **({"annotations": boxes} if "annotations" in document else {})}
