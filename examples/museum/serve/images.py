"""The bytes of a row's image: a folder's file, one painted when it is asked for, or one of a few with the row's name
put in.
"""

import os
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Protocol

from examples.museum.folder import file_of
from examples.museum.holdings import holding
from examples.museum.paint import paint
from examples.museum.prints import as_jpeg, faulty_bytes, print_work
from examples.museum.repaint import work_of
from examples.museum.seeds import generator
from examples.museum.serve.works import CatalogueHall, FilesHall, Works

_CONTENT_TYPES = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".bmp": "image/bmp",
}
_CACHE_BYTES = 256 << 20
# below so many paintings a second process takes longer to start than it saves
_PAINTINGS_WORTH_A_PROCESS = 150


class Picture(NamedTuple):
    """An image as it is sent. data None: the museum has lost the file."""

    data: bytes | None
    content_type: str


class Images(Protocol):
    """Every row's image."""

    def ready(self, row: int) -> Picture | None:
        """The image, if it can be had at once."""

    def painted(self, row: int) -> Picture:
        """The image, however long it takes; any thread may ask."""


def content_type(extension: str) -> str:
    """What a file of that extension is called over HTTP.

    >>> content_type(".JPG"), content_type(".xyz")
    ('image/jpeg', 'application/octet-stream')
    """
    return _CONTENT_TYPES.get(extension.lower(), "application/octet-stream")


class FileImages:
    """Row r is the file paths[r], as it lies there."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths

    def ready(self, row: int) -> Picture:
        """The file's bytes."""
        path = self._paths[row]
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return Picture(None, content_type(path.suffix))
        return Picture(data, content_type(path.suffix))

    painted = ready


class PaintedImages:
    """Row r as a painted folder of that seed would have it, painted when it is asked for and kept while there is
    room.
    """

    def __init__(self, seed: int, cache_bytes: int = _CACHE_BYTES) -> None:
        self._seed, self._room_bytes = seed, cache_bytes
        self._kept: OrderedDict[int, Picture] = OrderedDict()
        self._lock = Lock()

    def ready(self, row: int) -> Picture | None:
        """The image, if it was painted not long ago."""
        with self._lock:
            if row in self._kept:
                self._kept.move_to_end(row)
            return self._kept.get(row)

    def painted(self, row: int) -> Picture:
        """The image, in some hundredths of a second."""
        picture = picture_of_row(self._seed, row)
        with self._lock:
            if row not in self._kept:
                self._kept[row] = picture
                self._room_bytes -= len(picture.data or b"")
            while self._room_bytes < 0:
                _, oldest = self._kept.popitem(last=False)
                self._room_bytes += len(oldest.data or b"")
        return picture


class FewImages:
    """Row r is one of a few paintings, r % their number, with a comment that names the row: its bytes are its own.

    The pictures are the same, so that to a deduplication all rows of one painting are copies.
    """

    def __init__(self, paintings: Sequence[bytes]) -> None:
        self._paintings = [_cut(data) for data in paintings]

    def ready(self, row: int) -> Picture:
        """The painting with the row's name in it."""
        head, tail = self._paintings[row % len(self._paintings)]
        return Picture(b"".join((head, _comment(row), tail)), "image/jpeg")

    painted = ready


def picture_of_row(seed: int, row: int) -> Picture:
    """The bytes that a painted folder has for the row, its copies and faults included."""
    held = holding(seed, row)
    file, _ = file_of(seed, held, work_of(seed, held))
    if held.fault is None:
        return Picture(file.data, content_type(file.extension))
    return Picture(faulty_bytes(generator(seed, "fault", row), as_jpeg(file), held.fault), "image/jpeg")


def paintings(seed: int, count: int, cache: Path | None = None, processes: int | None = None) -> list[bytes]:
    """JPEGs of the works 0 to count - 1, about 10 ms and 25 kB each; painted by processes.

    cache: a folder in which they are kept for the next time, or None. processes: None takes one per core.
    """
    paint_one = partial(_painting, seed, None if cache is None else cache / f"museum-{seed}")
    processes = min(processes or os.cpu_count() or 1, -(-count // _PAINTINGS_WORTH_A_PROCESS))
    if processes == 1:
        return [paint_one(number) for number in range(count)]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return list(pool.map(paint_one, range(count), chunksize=50))


def images_of_hall(hall: Works, cache: Path | None = None) -> Images:
    """The images that belong to a hall; a few paintings for all rows are painted now."""
    if isinstance(hall, FilesHall):
        return FileImages(hall.paths)
    if not isinstance(hall, CatalogueHall):
        raise TypeError(f"expected a hall whose images are known, got {type(hall).__name__}")
    if hall.paintings is None:
        return PaintedImages(hall.seed)
    return FewImages(paintings(hall.seed, min(hall.paintings, hall.size), cache))


def _painting(seed: int, folder: Path | None, number: int) -> bytes:
    path = None if folder is None else folder / f"{number}.jpg"
    if path is not None and path.is_file():
        return path.read_bytes()
    file = print_work(seed, number, paint(seed, number))
    data = file.data if file.extension == ".jpg" else as_jpeg(file).data
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(f".{os.getpid()}.part")
        beside.write_bytes(data)
        beside.replace(path)
    return data


def _cut(data: bytes) -> tuple[bytes, bytes]:
    """A JPEG in two, between which a segment may stand: behind the JFIF header, which must come first (ITU-T T.871)."""
    place = 4 + int.from_bytes(data[4:6], "big") if data[2:4] == b"\xff\xe0" else 2
    return data[:place], data[place:]


def _comment(row: int) -> bytes:
    text = b"row %d" % row
    return b"\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text
