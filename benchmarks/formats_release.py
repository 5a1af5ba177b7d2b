"""A release with something for every layout of `unpack`: pictures quickly drawn, a table of them, boxes in a COCO file.

Styles and artists; exhibits, and photographs of them; a few pictures that lie on their side (EXIF orientation 6), a few
PNGs, a few without a style. Of seven images four have been looked at: there are figures, crowds, pictures of crowds
alone, boxes beyond the picture's edge, and pictures without a figure. One stands in the file, but nobody has looked at
it, and two do not stand there.
"""

import csv
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from PIL import ExifTags, Image

from benchmarks.results import ROOT
from schemas.keypoints import shipped_schemes

NAME = "formats"
_SEED = 4044
_STYLES = (
    *("Baroque", "Ukiyo-e", "Realism", "Romanticism", "Impressionism", "Art Nouveau (Modern)", "Expressionism"),
    *("Post-Impressionism", "Surrealism", "Renaissance"),
)
_LEAST_PX, _MOST_PX = 120, 300
_PHOTOGRAPHS = 10
"""One image in so many is a visitor's; the others are exhibits, three images each."""
_SIDEWAYS = 6
_CATEGORIES = [
    {"id": 1, "name": "person", "keypoints": [*shipped_schemes()["coco-17"].joints]},
    {"id": 2, "name": "horse"},
]
_FIELDS = ("key", "image", "title", "artist", "style", "year", "object_id", "subject")


class Work(NamedTuple):
    """A row of the table, its file, and the upright picture's size."""

    row: dict[str, Any]
    data: bytes
    size_px: tuple[int, int]


def release_in(folder: Path, records: int) -> Path:
    """The release of so many records in a folder, built by the command itself if it is not there yet."""
    place = folder / str(records)
    latest = place / "store/releases" / NAME / "latest"
    if not latest.is_file():
        works = place / "works"
        write_works(works, records)
        recipe = place / "recipe.yaml"
        recipe.write_text(yaml.safe_dump(_recipe()), encoding="utf-8")
        words = ["build", str(recipe), "--store", str(place / "store"), "--bind", f"works={works}", "--workers", "2"]
        subprocess.run([sys.executable, "-m", "flows.cli", *words], cwd=ROOT, check=True)
    return latest


def _recipe() -> dict[str, Any]:
    columns = {field: field for field in _FIELDS if field not in {"object_id", "subject"}}
    annotations = {"format": "coco", "path": "boxes.json"}
    table = {"name": "works", "at": "works", "table": "works.csv", "columns": columns, "annotations": annotations}
    roles = {"by": "subject", "gallery": "exhibit"}
    return {
        "name": NAME,
        "seed": _SEED,
        "categories": [category["name"] for category in _CATEGORIES],
        "bindings": {"works": "the table, its pictures and their boxes"},
        "attributes": {
            "object_id": {"type": "integer", "description": "The number of the exhibit that the image shows"},
            "subject": {"type": "string", "description": "Whether it is an exhibit or a photograph of a visitor"},
        },
        "sources": [{"table": table}],
        "stages": [
            "fetch",
            "hash",
            {"split": {"roles": roles, "ratios": {"val": 1, "test": 2}, "by": None, "order": None}},
            "export",
        ],
    }


def write_works(folder: Path, records: int) -> None:
    """The table, its pictures, a hundred a folder, and boxes.json."""
    images, boxes = [], []
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "works.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, _FIELDS)
        table.writeheader()
        for number in range(records):
            work = drawn(number)
            table.writerow(work.row)
            path = folder / work.row["image"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(work.data)
            if number % 7 < 5:
                width, height = work.size_px
                image = {"id": number, "file_name": work.row["image"], "width": width, "height": height}
                images.append(image if number % 7 < 4 else {**image, "is_annotated": False})
                if number % 7 < 4:
                    boxes += [{"id": 10 * number + place, **box} for place, box in enumerate(figures(number, image))]
    document = {"images": images, "annotations": boxes, "categories": _CATEGORIES}
    (folder / "boxes.json").write_text(json.dumps(document), encoding="utf-8")


def drawn(number: int) -> Work:
    """A work by its number: the same each time."""
    chance = np.random.default_rng([_SEED, number])
    width, height = map(int, chance.integers(_LEAST_PX, _MOST_PX, 2, endpoint=True))
    coarse = chance.integers(0, 256, (7, 9, 3), np.uint8)
    picture = Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)
    is_png, is_sideways = number % 50 == 7, number % 25 == 3
    is_photograph = number % _PHOTOGRAPHS == 0
    shows = int(chance.integers(number // 3 + 1)) if is_photograph else number // 3
    row = {
        "key": number,
        "image": f"{number // 100:04}/{number:06}.{'png' if is_png else 'jpg'}",
        "title": "" if number % 30 == 2 else f"Study {number % 500}",
        "artist": "" if number % 19 == 0 else f"Émile Übermaß {int(chance.pareto(1.2) * 10) % 300}",
        "style": "" if number % 40 == 1 else _STYLES[int(chance.integers(len(_STYLES)) * chance.random())],
        "year": 1600 + number % 300,
        "object_id": "" if number % 100 in {0, 13, 50} else shows,
        "subject": "photograph" if is_photograph else "exhibit",
    }
    return Work(row, _encoded(picture, is_png, is_sideways), (height, width) if is_sideways else (width, height))


def _encoded(picture: Image.Image, is_png: bool, is_sideways: bool) -> bytes:
    with io.BytesIO() as file:
        if is_png:
            picture.save(file, "PNG", compress_level=1)
        else:
            exif = Image.Exif()
            if is_sideways:
                exif[ExifTags.Base.Orientation] = _SIDEWAYS
            picture.save(file, "JPEG", quality=85, exif=exif)
        return file.getvalue()


def figures(number: int, image: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The annotations of an image that somebody has looked at, but for their ids."""
    chance = np.random.default_rng([_SEED, number, 1])
    width, height = image["width"], image["height"]
    is_crowded = chance.random() < 0.05
    for _ in range(int(chance.integers(0, 5))):
        x, y = (round(float(chance.uniform(-0.1, 0.8)) * side, 1) for side in (width, height))
        box = [x, y, *(round(float(chance.uniform(0.05, 0.4)) * side, 1) for side in (width, height))]
        is_crowd = is_crowded or chance.random() < 0.08
        figure = {"image_id": number, "category_id": int(chance.integers(1, 3)), "bbox": box, "iscrowd": int(is_crowd)}
        if not is_crowd and chance.random() < 0.3:
            figure["segmentation"] = [[x, y, x + box[2], y, x + box[2] / 2, y + box[3]]]
        if figure["category_id"] == 1 and chance.random() < 0.3:
            figure["keypoints"] = [
                int(value) for joint in range(17) for value in (*chance.integers(1, 120, 2), 1 + joint % 2)
            ]
        yield figure
