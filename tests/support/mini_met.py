"""A small Met: exhibits of the pretend museum's collection, photographs that visitors took of them, and distractors.

What each picture is, and who took it, is known here, so that a release can be held against it.
"""

import csv
import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageEnhance

from examples.museum.holdings import Holding, holding
from examples.museum.paint import paint
from examples.museum.serve import met
from examples.museum.serve.images import picture_of_row
from examples.museum.serve.works import CatalogueHall

SEED, ROWS = 7, 82
ELSEWHERE = 4_711  # the seed of another museum, whose works are no exhibits
MOST_PER_OBJECT = 10
_EXHIBITS = 8
_LEAST_SIDE_PX = 64


class Photo(NamedTuple):
    """A row of queries.csv. object_id: of the exhibit; empty for a distractor."""

    key: str
    image: str
    subject: str
    photographer: str
    object_id: str


class MiniMet:
    """The hall whose objects the pretend museum serves, and a folder of visitors' photographs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hall = CatalogueHall(SEED, ROWS)
        self.photos: list[Photo] = []
        folder.mkdir(parents=True)

    @property
    def exhibits(self) -> dict[int, list[int]]:
        """object_id -> rows of its images, of the exhibits of which the museum gives images."""
        places = range(met.objects(self.hall))
        shown = [place for place in places if met.is_open(place) and met.has_image(place)]
        rows = {met.id_of_object(place): met.rows_of_object(self.hall, place) for place in shown}
        return {object_id: list(of)[:MOST_PER_OBJECT] for object_id, of in rows.items()}

    def write(self) -> None:
        """Eight visitors photograph eight exhibits, two by two; a ninth brings the museum's own file, as it is and
        smaller; and there are distractors of two kinds.
        """
        whole = [(one, rows[0]) for one, rows in self.exhibits.items() if _is_whole(holding(SEED, rows[0]))]
        chosen = whole[:_EXHIBITS]
        for number in range(3 * len(chosen)):
            object_id, row = chosen[number % len(chosen)]
            visitor = f"visitor {number % len(chosen) // 2 * 2 + number // len(chosen) % 2}"
            self._add(f"photo-{number:02}", "met", visitor, str(object_id), _photographed(row, number))
        object_id, row = chosen[0]
        self._add("own-file", "met", "visitor 8", str(object_id), picture_of_row(SEED, row).data or b"")
        self._add("own-small", "met", "visitor 8", str(object_id), _smaller(row))
        for number in range(20):
            self._add(f"art-{number:02}", "other art", f"painter {number}", "", _jpeg(paint(ELSEWHERE, number).pixels))
            self._add(f"none-{number:02}", "no art", f"walker {number % 5}", "", _jpeg(_pattern(number)))
        with (self.folder / "queries.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, Photo._fields)
            writer.writeheader()
            writer.writerows(photo._asdict() for photo in self.photos)

    def _add(self, key: str, subject: str, photographer: str, object_id: str, data: bytes) -> None:
        image = f"{key}.jpg"
        (self.folder / image).write_bytes(data)
        self.photos.append(Photo(key, image, subject, photographer, object_id))


def _photographed(row: int, number: int) -> bytes:
    """An exhibit on its wall, each time from another place, a little askew and in another light."""
    work, take = _work(row), number // _EXHIBITS
    wide, left, top = ((2.2, 0.2, 0.9), (1.5, 0.1, 0.3), (3.0, 1.7, 0.4))[take]
    wall = Image.new("RGB", (int(work.width * wide), int(work.height * wide)), (150, 140 - 30 * take, 120 + 40 * take))
    wall.paste(work, (int(work.width * left), int(work.height * top)))
    seen = wall.rotate((4, -7, 2)[take], Image.Resampling.BICUBIC, fillcolor=(90, 80, 70))
    return _jpeg(np.asarray(ImageEnhance.Brightness(seen).enhance(0.7 + 0.2 * take)))


def _is_whole(held: Holding) -> bool:
    """Whether the row is a work of its own, and large enough for the recipe's screen."""
    is_own = held.original is None and held.fault is None
    return is_own and min(_work(held.row).size) >= 2 * _LEAST_SIDE_PX


def _smaller(row: int) -> bytes:
    work = _work(row)
    return _jpeg(np.asarray(work.resize((work.width * 2 // 3, work.height * 2 // 3), Image.Resampling.LANCZOS)))


def _work(row: int) -> Image.Image:
    with Image.open(io.BytesIO(picture_of_row(SEED, row).data or b"")) as picture:
        return picture.convert("RGB")


def _pattern(number: int) -> np.ndarray:
    """A picture of nothing in particular."""
    coarse = np.random.default_rng(number).integers(0, 256, (9, 12, 3), np.uint8)
    return np.asarray(Image.fromarray(coarse).resize((240, 180), Image.Resampling.BICUBIC))


def _jpeg(pixels: Any) -> bytes:
    with io.BytesIO() as file:
        Image.fromarray(np.asarray(pixels, np.uint8)).save(file, "JPEG", quality=88)
        return file.getvalue()
