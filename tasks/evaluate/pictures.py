"""Small pictures for the pages of an evaluation, out of a folder that a person names."""

import contextlib
from collections.abc import Collection, Mapping

from schemas.file_names import FileNames
from schemas.phrases import LONGEST_PLACE, counted, listed, quoted
from tasks.io.files.folders import Folder
from tasks.io.images.decode import UnreadableImage
from tasks.io.images.previews import LabelledBoxes, small_picture

_ENDINGS = ("", ".png", ".jpg", ".jpeg", ".webp")
_MAX_BYTES = 2**28
_MOST_NAMED = 3
_MAX_PIXELS = 150_000_000


def find_files(folder: Folder, paths: Mapping[str, str]) -> dict[str, str]:
    """By the same names, the files of these paths, which may lack their endings, that are in the folder."""
    there = FileNames(path for path, _ in folder.listing())
    candidates = {name: [f"{path}{ending}" for ending in _ENDINGS] for name, path in paths.items()}
    found = {name: next(filter(None, map(there.find, several)), None) for name, several in candidates.items()}
    return {name: path for name, path in found.items() if path is not None}


def missing_note(folder: str, paths: Mapping[str, str], found: Collection[str]) -> list[str]:
    """A sentence on paths without a file in the folder, if there are any. found: of the names of the paths."""
    missing = [path for name, path in paths.items() if name not in found]
    if not missing:
        return []
    return [
        f"pictures: {len(found):,} of {counted(len(paths), 'image')} are in {quoted(folder, LONGEST_PLACE)}; none is "
        f"called {listed([quoted(path) for path in missing], _MOST_NAMED)}"
    ]


def jpeg_of(folder: Folder, path: str, boxes: LabelledBoxes = (), *, longest_px: int) -> bytes | None:
    """A small JPEG of the image with these boxes; None where it is not there or cannot be read. path: as tables of ids
    often have it, also without its ending.
    """
    for ending in _ENDINGS:
        with contextlib.suppress(UnreadableImage):
            return small_picture(folder.read(f"{path}{ending}", _MAX_BYTES), boxes, longest_px, _MAX_PIXELS)
    return None
