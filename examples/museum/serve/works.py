"""Halls of works: the catalogue's, with nothing painted; a painted folder's; and one of any folder of images."""

import csv
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from PIL import Image as PillowImage

from examples.museum.catalogue import label
from examples.museum.holdings import ITEMS, LOTS, NUMBERS, STRIDE, key_of_row
from examples.museum.seeds import generator
from examples.museum.serve import labels
from examples.museum.serve.hall import Entry
from examples.museum.serve.register import register

LEAST_ROWS, MOST_ROWS = 100, 1_000_000
IMAGE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".gif", ".tif", ".tiff", ".bmp"})
_ENTRIES_KEPT = 50_000
_ORIENTATION = 0x0112
_LYING = {5, 6, 7, 8}
# what the label says of a file that cannot be measured
_UNMEASURED_PX = (300, 400)


class Works(ABC):
    """A hall whose lists are made once, when they are first asked for."""

    size: int

    def __init__(self, size: int) -> None:
        if not 1 <= size <= MOST_ROWS:
            raise ValueError(f"expected 1 to {MOST_ROWS} records, got {size}")
        self.size = size
        self._kept = lru_cache(_ENTRIES_KEPT)(self._entry)

    def entry(self, row: int) -> Entry:
        """The label of one work. Raises IndexError for a row that is none."""
        if not 0 <= row < self.size:
            raise IndexError(f"expected a row from 0 to {self.size - 1}, got {row}")
        return self._kept(row)

    def artists(self) -> Sequence[str]:
        """Everybody who has a work here, sorted."""
        return list(self._lists[0])

    def rows_of_artist(self, artist: str) -> Sequence[int]:
        """Rows of an artist's works, ascending; none for a stranger."""
        return self._lists[0].get(artist, ())

    def styles(self) -> Sequence[str]:
        """Every style that has a work here, sorted."""
        return list(self._lists[1])

    def rows_of_style(self, style: str) -> Sequence[int]:
        """Rows of a style's works, ascending; none for an unknown style."""
        return self._lists[1].get(style, ())

    @abstractmethod
    def row_of_key(self, key: str) -> int | None:
        """The row of a catalogue number; None for one that nothing has."""

    def make_lists(self) -> None:
        """Makes the lists of artists and styles now: some seconds for a million rows."""
        _ = self._lists

    @cached_property
    @abstractmethod
    def _lists(self) -> tuple[Mapping[str, Sequence[int]], Mapping[str, Sequence[int]]]:
        """Rows by artist, and by style, names in sorted order."""

    @abstractmethod
    def _entry(self, row: int) -> Entry: ...


class CatalogueHall(Works):
    """The museum of a seed, any number of rows, by its labels alone.

    paintings: None, and each row is a picture of its own, as in a painted folder; or so many pictures for all rows, of
    which row r shows number r % paintings as a JPEG.
    """

    def __init__(self, seed: int, size: int, paintings: int | None = None) -> None:
        super().__init__(size)
        if paintings is not None and paintings < 1:
            raise ValueError(f"expected at least 1 painting, got {paintings}")
        self.seed, self.paintings = seed, paintings
        self._size_of_painting = lru_cache(_ENTRIES_KEPT)(labels.painting_size)

    @cached_property
    def _lists(self) -> tuple[Mapping[str, Sequence[int]], Mapping[str, Sequence[int]]]:
        found = register(self.seed, self.size)
        return found.artists, found.styles

    def row_of_key(self, key: str) -> int | None:
        """The row of a catalogue number; None for one that nothing has."""
        number = _number_from_key(key)
        first = _number_from_key(key_of_row(self.seed, 0))
        if number is None or first is None:
            return None
        row = (number - first) * pow(STRIDE, -1, NUMBERS) % NUMBERS
        return row if row < self.size and key_of_row(self.seed, row) == key else None

    def _entry(self, row: int) -> Entry:
        said = labels.entry(self.seed, row)
        if self.paintings is None:
            return said
        height, width = self._size_of_painting(self.seed, row % self.paintings)
        return said._replace(width_px=width, height_px=height, extension=".jpg")


class FilesHall(Works):
    """A hall of files that are there: whoever asks for row r gets `paths[r]`, as it is."""

    def __init__(self, paths: Sequence[Path], entries: Sequence[Entry]) -> None:
        super().__init__(len(paths))
        self.paths, self._entries = paths, entries

    @cached_property
    def _lists(self) -> tuple[Mapping[str, Sequence[int]], Mapping[str, Sequence[int]]]:
        by_artist: dict[str, list[int]] = {}
        by_style: dict[str, list[int]] = {}
        for said in self._entries:
            by_artist.setdefault(said.artist, []).append(said.row)
            by_style.setdefault(said.style, []).append(said.row)
        return dict(sorted(by_artist.items())), dict(sorted(by_style.items()))

    def row_of_key(self, key: str) -> int | None:
        """The row of a catalogue number; None for one that nothing has."""
        return self._rows_by_key.get(key)

    @cached_property
    def _rows_by_key(self) -> Mapping[str, int]:
        return {said.key: said.row for said in self._entries}

    def _entry(self, row: int) -> Entry:
        height, width = _measured(self.paths[row])
        return self._entries[row]._replace(width_px=width, height_px=height)


class FolderHall(FilesHall):
    """The museum that `museum paint` has left in a folder.

    Raises:
        ValueError: works.csv is not what `museum paint` writes.
    """

    def __init__(self, folder: Path) -> None:
        with (folder / "works.csv").open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        if not rows or not {"key", "image", "title", "artist", "style", "date_text", "year"} <= set(rows[0]):
            raise ValueError(
                f"expected a table of works in {folder / 'works.csv'}, got {list(rows[0]) if rows else 'no rows'}"
            )
        entries = [_entry_from_cells(row, cells) for row, cells in enumerate(rows)]
        super().__init__([folder / cells["image"] for cells in rows], entries)


class ImagesHall(FilesHall):
    """Any folder's images, in the order of their names, which become titles; artists, styles and dates are invented.

    Raises:
        ValueError: there is no image below the folder.
    """

    def __init__(self, folder: Path, seed: int = 0) -> None:
        found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in IMAGE_SUFFIXES and path.is_file())
        if not found:
            raise ValueError(f"expected images below {folder}, got none")
        super().__init__(found, [_invented(seed, row, path) for row, path in enumerate(found)])


def hall_from_folder(folder: Path, seed: int = 0) -> FolderHall | ImagesHall:
    """The painted museum that lies there, or whatever images do."""
    return FolderHall(folder) if (folder / "works.csv").is_file() else ImagesHall(folder, seed)


def _number_from_key(key: str) -> int | None:
    """The number that `key_of_row` writes so, in the first round of numbers, which no hall is large enough to leave."""
    parts = key.split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 6 for part in parts):
        return None
    year, lot, item = map(int, parts)
    return ((year - 1870) * LOTS + lot - 1) * ITEMS + item - 1


def _entry_from_cells(row: int, cells: Mapping[str, str]) -> Entry:
    words = (cells["key"], cells["title"], cells["artist"], cells["style"], cells["date_text"])
    year = int(cells["year"]) if cells["year"] else None
    return Entry(row, *words, year, *_UNMEASURED_PX[::-1], Path(cells["image"]).suffix)


def _invented(seed: int, row: int, path: Path) -> Entry:
    said = label(seed, generator(seed, "work", row))
    title = path.stem.replace("_", " ").strip() or path.name
    words = (key_of_row(seed, row), title, said.artist, said.style.name, said.date_text)
    return Entry(row, *words, said.year, *_UNMEASURED_PX[::-1], path.suffix.lower())


def _measured(path: Path) -> tuple[int, int]:
    """Height and width of the upright picture; usual ones where there is none."""
    try:
        with PillowImage.open(path) as picture:
            lies = picture.getexif().get(_ORIENTATION) in _LYING
            return picture.size if lies else picture.size[::-1]
    except (OSError, ValueError, SyntaxError, PillowImage.DecompressionBombError, PillowImage.DecompressionBombWarning):
        return _UNMEASURED_PX
