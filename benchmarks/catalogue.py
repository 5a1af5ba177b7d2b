"""How much memory and time a museum's catalogue takes that is one large JSON file: its plan, and its build.

    python -m benchmarks.catalogue [--megabytes 100 1000] [--museum FOLDER]

A JSON list of works of about 2.7 kB, most of which is text that no recipe asks for; each work has two pictures of the
2,000 that the museum has painted, an artist with a role, a date in words and an attribute, and gives two records. The
file is never in memory as a whole: what grows are the records. `bytes_per_record` is the peak of the command at the
largest file less that at the smallest, for each record more.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from benchmarks.campaign import watched
from benchmarks.release_growth import museum_of, pictured_works
from benchmarks.results import write

MOST_BYTES_PER_RECORD = 1000.0
_TEXT = "Oil on canvas, signed and dated lower right; bequeathed with the contents of the artist's studio. " * 24
_ROOMS = 50


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[100, 1000], help="sizes of the JSON files, in 1e6")
    parser.add_argument("--museum", type=Path, help="a museum of 2000 records that is painted already")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="catalogue-") as scratch:
        museum = museum_of(arguments.museum, Path(scratch))
        rows = [_measure(Path(scratch) / str(size), museum, size) for size in sorted(arguments.megabytes)]
    first, last = rows[0], rows[-1]
    more = last["records"] - first["records"]
    ratios = {
        f"{word}_bytes_per_record": round((last[f"{word}_peak_mb"] - first[f"{word}_peak_mb"]) * 2**20 / more)
        for word in ("plan", "build")
        if more
    }
    write("catalogue", rows, ratios)
    return 0 if all(value < MOST_BYTES_PER_RECORD for value in ratios.values()) else 1


def _measure(folder: Path, museum: Path, megabytes: int) -> dict[str, Any]:
    works = folder / "works"
    works.mkdir(parents=True)
    shutil.copytree(museum / "images", works / "images")
    count = _write_catalogue(works / "works.json", museum, megabytes * 10**6)
    recipe = folder / "recipe.yaml"
    recipe.write_text(yaml.safe_dump(_recipe()), encoding="utf-8")
    row: dict[str, Any] = {"megabytes": megabytes, "works": count, "records": 2 * count}
    for word in ("plan", "build"):
        options = ["--store", str(folder / "store"), "--bind", f"works={works}"]
        status, seconds, peak_mb, said = watched([sys.executable, "-m", "flows.cli", word, str(recipe), *options])
        if status:
            raise SystemExit(f"expected that {word} ends well, got status {status}: {said}")
        row |= {f"{word}_s": round(seconds, 1), f"{word}_peak_mb": round(peak_mb)}
    print(row, flush=True)
    shutil.rmtree(folder)
    return row


def _write_catalogue(target: Path, museum: Path, size: int) -> int:
    """Write works until the file is so long; how many they are."""
    pictured = pictured_works(museum)
    number = written = 0
    with target.open("w", encoding="utf-8") as file:
        while written < size:
            works = [pictured[(2 * number + second) % len(pictured)] for second in (0, 1)]
            work = {
                "id": number,
                "title": f"{works[0]['title']}, {number}",
                "images": [{"file": work["image"], "sizes": [{"width": 400}]} for work in works],
                "creator": [{"full_name": works[0]["artist"], "role": "artist", "born": None}],
                "movement": works[0]["style"],
                "creation_date": f"c. {works[0]['year'] or 1900}",
                "department": f"Room {number % _ROOMS}",
                "text": _TEXT,
                "location": {"building": {"floor": {"room": number % _ROOMS}}},
            }
            written += file.write((",\n" if number else "[") + json.dumps(work))
            number += 1
        file.write("]\n")
    return number


def _recipe() -> dict[str, Any]:
    columns = {
        "key": "id",
        "image": "each.file",
        "title": "title",
        "artists": "creator[].full_name",
        "artist_roles": "creator[].role",
        "style": "movement",
        "date_text": "creation_date",
    }
    table = {"name": "museum", "at": "works", "table": "works.json", "each": "images", "columns": columns}
    return {
        "name": "catalogue",
        "bindings": {"works": "the catalogue and its pictures"},
        "attributes": {"department": {"type": "string"}},
        "sources": [{"table": table}],
        "stages": [
            "fetch",
            "hash",
            {"split": {"ratios": {"train": 3, "val": 1, "test": 1}, "by": "style", "order": None}},
            {"export": {"parquet": {"images": "none"}}},
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
