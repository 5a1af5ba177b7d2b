"""What a release says of itself: how long its pages take, of 100,000 images, and how much memory.

    python -m benchmarks.pages [--records 100000] [--museum FOLDER]
    python -m benchmarks.pages --side BEFORE AFTER

The first builds a release of a table of so many works that share 2,000 pictures (as `release_growth` does), then one of
a table in which every hundredth work has another title and every hundredth is gone, and measures the pages of the
second in a process of its own. The second is that process: it reads the release's tables, makes each page as `export`
does, and prints a line of JSON. What Python takes to start and to import is left out of the times, not of the memory.
"""

import argparse
import csv
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from benchmarks import results
from benchmarks.campaign import watched
from benchmarks.release_diff import peak_mb
from benchmarks.release_growth import museum_of, recipe, write_table

MOST_S, MOST_MB = 60.0, 1000.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000, help="rows of the first table")
    parser.add_argument("--museum", type=Path, help="a museum of 2,000 records that is painted already")
    parser.add_argument("--side", nargs=2, metavar=("BEFORE", "AFTER"), help="make the pages of a release, once")
    arguments = parser.parse_args()
    if arguments.side:
        print(json.dumps(side(*arguments.side)))
        return 0
    with tempfile.TemporaryDirectory(prefix="pages-") as scratch:
        folder = Path(scratch)
        releases = _built(folder / "works", folder / "store", museum_of(arguments.museum, folder), arguments.records)
        found = results.child("benchmarks.pages", sys.executable, "--side", *releases)
    rows = [{"page": page, **of} for page, of in found["pages"].items()]
    results.write("pages", rows, {name: found[name] for name in ("images", "all_s", "peak_mb")})
    return 0 if found["all_s"] < MOST_S and found["peak_mb"] < MOST_MB else 1


def _built(works: Path, store: Path, museum: Path, records: int) -> Iterator[str]:
    """Builds two releases, and gives their addresses."""
    works.mkdir()
    shutil.copytree(museum / "images", works / "images")
    table, settings = works / "works.csv", works / "recipe.yaml"
    write_table(table, museum, records)
    settings.write_text(yaml.safe_dump(recipe()), encoding="utf-8")
    for change in (None, _change):
        if change:
            change(table)
        options = ["--store", str(store), "--bind", f"images={works}"]
        status, _, _, said = watched([sys.executable, "-m", "flows.cli", "build", str(settings), *options])
        if status:
            raise SystemExit(f"expected a release, got status {status}: {said}")
        yield f"{store}/releases/growth/{(store / 'releases/growth/latest').read_text().strip()}"


def _change(table: Path) -> None:
    """Another title for every hundredth work; every hundredth after it goes."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows[::100]:
        row["title"] += ", another"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(row for number, row in enumerate(rows) if number % 100 != 1)


def side(before: str, after: str) -> dict[str, Any]:
    """The seconds and bytes of each page of a release."""
    from schemas.recipe import Recipe
    from tasks.core.diff import comparison
    from tasks.core.export import card, hub
    from tasks.core.export.attribution import attribution_page
    from tasks.core.export.datasheet import datasheet
    from tasks.core.export.summary import OF_ANNOTATIONS, OF_IMAGES, summarized
    from tasks.io.store.releases import Release
    from tasks.statistics import statistics
    from tasks.subjects.comparison import compared
    from tasks.subjects.croissant import croissant_of

    release, pages = Release(after), {}
    settings = Recipe.model_validate(release.read_mapping("recipe.yaml"))
    manifest = release.manifest

    def counted() -> Any:
        images = release.rows("images", OF_IMAGES)
        return summarized(images, release.rows("annotations", OF_ANNOTATIONS), 0, release.ledger())

    def card_page() -> bytes:
        head = hub.card_head(settings, counted(), manifest.files, release.part_schemas())
        return hub.with_head(head, card.card(settings, manifest, (), counted())).encode()

    def attributions() -> bytes:
        columns = ("record_id", "image_id", "rights_uri", "attribution")
        return b"".join(attribution_page(release.rows("images", columns)))

    def changes() -> bytes:
        found = compared(Release(before), release)
        return comparison.changes_page(manifest.previous or "", found.facts).encode()

    made: dict[str, Callable[[], bytes]] = {
        "card": card_page,
        "croissant": lambda: croissant_of(release, manifest, None),
        "datasheet": lambda: datasheet(settings, manifest, counted()).encode(),
        "attribution": attributions,
        "changes": changes,
        "statistics": lambda: str(statistics([after], by=["style"])).encode(),
    }
    for page, write in made.items():
        began = time.perf_counter()
        size_bytes = len(write())
        pages[page] = {"seconds": round(time.perf_counter() - began, 2), "kb": round(size_bytes / 1000)}
    return {
        "pages": pages,
        "images": manifest.counts["kept"],
        "all_s": round(sum(of["seconds"] for of in pages.values()), 2),
        "peak_mb": round(peak_mb()),
    }


if __name__ == "__main__":
    sys.exit(main())
