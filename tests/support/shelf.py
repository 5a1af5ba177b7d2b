"""A small table of pictures that is quickly built, and its store."""

import csv
import shutil
from pathlib import Path
from typing import Any

import yaml

from flows.build_dataset import plan, run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context, Step
from tasks.io.store.releases import Release
from tests.support.desk import by_label

WORKS = 12
RECIPE: dict[str, Any] = {
    "name": "shelf",
    "bindings": {"images": "pictures, and a table of them"},
    "sources": [
        {
            "table": {
                "name": "s",
                "at": "images",
                "table": "works.csv",
                "columns": {name: name for name in ("key", "image", "style")},
            }
        }
    ],
    "stages": ["fetch", "hash", "quality", "dedup", "split", {"export": {"media": True}}],
}


class Shelf:
    """A table of a dozen pictures, and a store in which it was built."""

    def __init__(self, folder: Path, painted: Path) -> None:
        self.folder, self.store, self.images = folder, folder / "store", folder / "images"
        self.images.mkdir()
        rows = list(csv.DictReader((painted / "works.csv").read_text(encoding="utf-8").splitlines()))[:WORKS]
        with (self.images / "works.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["key", "image", "style"])
            for row in rows:
                name = Path(row["image"]).name
                shutil.copy(painted / row["image"], self.images / name)
                writer.writerow([row["key"], name, row["style"]])
        self.build()

    def build(self, **changes: Any) -> dict[str, Step]:
        return by_label(run_stages(self.recipe(**changes), self.context))

    def build_with(self, context: Context, **changes: Any) -> dict[str, Step]:
        return by_label(run_stages(self.recipe(**changes), context))

    def plan(self, **changes: Any) -> dict[str, Step]:
        return by_label(plan(self.recipe(**changes), self.context))

    def recipe(self, **changes: Any) -> Any:
        (self.folder / "recipe.yaml").write_text(yaml.safe_dump({**RECIPE, **changes}), encoding="utf-8")
        return recipe_from_file(str(self.folder / "recipe.yaml"))

    @property
    def context(self) -> Context:
        return Context(store=str(self.store), bindings={"images": str(self.images)})

    @property
    def latest(self) -> Release:
        return Release(f"{self.store}/releases/shelf/latest")

    @property
    def blobs(self) -> list[Path]:
        return sorted(self.store.glob("blobs/*/*"))

    def forget(self, *folders: str) -> None:
        for folder in folders:
            shutil.rmtree(self.store / folder)
