"""How a build grows with its records where no images are written: seconds by stage and peak memory.

    python -m benchmarks.release_growth [--records 50000 100000 200000] [--museum FOLDER]

A table of so many works whose rows share 2,000 pictures that the museum has painted, so that hardly anything is
decoded: what is left is what each record costs as a row. Copies are not looked for, all rows stay, and the pictures
stand in the release by their digests alone. Each size is built in a process of its own, into an empty store.
`bytes_per_record` is the peak of the largest build less that of the smallest, for each record more.
"""

import argparse
import csv
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from benchmarks.campaign import watched
from benchmarks.results import write

PICTURES = 2000
SEED = 4711
MOST_EXPORT_S, MOST_BYTES_PER_RECORD = 12.0, 1000.0
_STAGE = re.compile(r"^(scrape|fetch|hash|split|export): .*, (\d+(?:\.\d+)?) s", re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=[50_000, 100_000, 200_000], help="rows of the tables")
    parser.add_argument("--museum", type=Path, help=f"a museum of {PICTURES} records that is painted already")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="growth-") as scratch:
        folder = Path(scratch)
        museum = museum_of(arguments.museum, folder)
        rows = [_built(folder / str(records), museum, records) for records in sorted(arguments.records)]
    first, last = rows[0], rows[-1]
    more = last["records"] - first["records"]
    ratios = {
        "export_s": last["export_s"],
        "scrape_s": last["scrape_s"],
        "bytes_per_record": round((last["peak_mb"] - first["peak_mb"]) * 2**20 / more) if more else 0,
        "peak_mb": last["peak_mb"],
    }
    write("release-growth", rows, ratios)
    return 0 if ratios["export_s"] < MOST_EXPORT_S and ratios["bytes_per_record"] < MOST_BYTES_PER_RECORD else 1


def museum_of(given: Path | None, scratch: Path) -> Path:
    """The museum that was given, or one that is painted now."""
    if given:
        return given
    folder = scratch / "museum"
    options = ["--records", str(PICTURES), "--seed", str(SEED)]
    status, _, _, said = watched([sys.executable, "-m", "flows.cli", "museum", "paint", str(folder), *options])
    if status:
        raise SystemExit(f"expected a museum, got status {status}: {said}")
    return folder


def _built(folder: Path, museum: Path, records: int) -> dict[str, Any]:
    folder.mkdir()
    settings, works = folder / "recipe.yaml", folder / "works"
    works.mkdir()
    shutil.copytree(museum / "images", works / "images")
    write_table(works / "works.csv", museum, records)
    settings.write_text(yaml.safe_dump(recipe()), encoding="utf-8")
    options = ["--store", str(folder / "store"), "--bind", f"images={works}"]
    status, seconds, peak_mb, said = watched([sys.executable, "-m", "flows.cli", "build", str(settings), *options])
    if status:
        raise SystemExit(f"expected a release, got status {status}: {said}")
    stages = {f"{stage}_s": float(took) for stage, took in _STAGE.findall(said)}
    row = {"records": records, **stages, "total_s": round(seconds, 1), "peak_mb": round(peak_mb)}
    print(row, flush=True)
    return row


def pictured_works(museum: Path) -> list[dict[str, str]]:
    """Rows of the museum's table whose pictures are there."""
    with (museum / "works.csv").open(encoding="utf-8", newline="") as file:
        return [work for work in csv.DictReader(file) if (museum / work["image"]).is_file()]


def write_table(target: Path, museum: Path, records: int) -> None:
    """So many rows: those of the museum again and again, each time under other keys, titles and pages."""
    works = pictured_works(museum)
    with target.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [*works[0]])
        table.writeheader()
        for number in range(records):
            work = works[number % len(works)]
            page = f"https://museum.example/works/{number}"
            table.writerow({**work, "key": number, "title": f"{work['title']}, {number}", "source_url": page})


def recipe() -> dict[str, Any]:
    fields = (
        *("key", "image", "title", "artist", "style", "date_text", "year"),
        *("rights_uri", "rights_text", "source_url", "image_url"),
    )
    columns = {field: field for field in fields}
    return {
        "name": "growth",
        "bindings": {"images": "the table and its pictures"},
        "sources": [{"table": {"name": "museum", "at": "images", "table": "works.csv", "columns": columns}}],
        "stages": [
            "fetch",
            "hash",
            {"split": {"ratios": {"train": 3, "val": 1, "test": 1}, "by": "style", "order": None}},
            {"export": {"parquet": {"images": "none"}}},
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
