"""A release that an earlier version of the program wrote, kept with what it was built from, and gone on from."""

import json
import shutil
from pathlib import Path
from typing import Any

from examples.museum.folder import write_museum
from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context, Step
from tasks.io.store.releases import Release
from tests.support.desk import WEIGHTS

CONTRACTS = Path(__file__).parents[1] / "contracts"


class House:
    """The museum of a kept release, and a store that had that release alone before it was built again.

    kept: the folder of the release and of what it was built from: museum.json, recipe.yaml, by-hand.csv.
    """

    def __init__(self, folder: Path, kept: Path, version: str) -> None:
        self.folder, self.store = folder, folder / "store"
        self._kept, self._version = kept, version

    @property
    def latest(self) -> Release:
        return Release(f"{self.store}/releases/museum/latest")

    @property
    def first(self) -> Release:
        return Release(f"{self.store}/releases/museum/{self._version}")

    def open(self) -> None:
        """Paint the museum, and put the kept release into the store."""
        write_museum(self.folder / "museum", **json.loads((self._kept / "museum.json").read_text()), processes=1)
        shutil.copytree(self._kept / "releases", self.folder / "store/releases")
        shutil.copy(self._kept / "by-hand.csv", self.folder)

    def build(self) -> tuple[Step, ...]:
        files = {"images": self.folder / "museum", "by_hand": self.folder / "by-hand.csv", "weights": WEIGHTS}
        context = Context(store=str(self.store), bindings={name: str(path) for name, path in files.items()})
        return run_stages(recipe_from_file(str(self._kept / "recipe.yaml"), (), None), context)


def rows(release: Release, table: str, *columns: str) -> dict[Any, dict[str, Any]]:
    """Some columns of a table, by their first one."""
    return {row[columns[0]]: row for row in release.rows(table, columns).to_pylist()}


def figures(release: Release) -> dict[tuple[Any, ...], int]:
    """annotation_ids by what the box is and where."""
    columns = ("record_id", "xywh_px", "category_id", "origin", "origin_name", "annotation_id")
    found = (tuple(row.values()) for row in release.boxes(columns).to_pylist())
    return {(record_id, *box, *rest): number for record_id, box, *rest, number in found}
