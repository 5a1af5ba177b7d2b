"""Pictures in a folder, a recipe of them, and what people say of them by hand."""

from pathlib import Path
from typing import Any

import yaml

from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context, Step
from tasks.io.store.releases import Release
from tests.support.dedup import HANGING

SPLIT: dict[str, Any] = {"split": {"by": None}}


class Wall:
    """Pictures in a folder, a recipe, and what people say by hand."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.store = folder, str(folder / "store")
        (folder / "images").mkdir()
        for name, data in HANGING.items():
            if "black" not in name:
                (folder / "images" / f"{name.partition(':')[2]}.jpg").write_bytes(data)
        self.stages: list[Any] = ["fetch", "hash", "dedup", SPLIT, "export"]
        self.pattern = "{title}.jpg"
        self.source: dict[str, Any] = {}  # further settings of the source
        self.fields: dict[str, Any] = {}  # further fields of the recipe

    def move(self, into: str, *names: str) -> None:
        """Hang some pictures, or all, in a room, and let rooms mean what the pattern says."""
        room = self.folder / "images" / into
        room.mkdir()
        for path in [path for path in (self.folder / "images").glob("*.jpg") if not names or path.stem in names]:
            path.rename(room / path.name)

    def context(self) -> Context:
        return Context(
            store=self.store, bindings={"images": str(self.folder / "images"), "said": str(self.folder / "said.csv")}
        )

    def recipe(self) -> Any:
        recipe = {
            "name": "wall",
            "by_hand": "said",
            "bindings": {"images": "pictures", "said": "lists by hand"},
            "sources": [{"folder": {"name": "m", "at": "images", "pattern": self.pattern, **self.source}}],
            "stages": self.stages,
            **self.fields,
        }
        (self.folder / "recipe.yaml").write_text(yaml.safe_dump(recipe), encoding="utf-8")
        return recipe_from_file(str(self.folder / "recipe.yaml"))

    def said(self, *rows: str) -> None:
        text = "\n".join(["action,scope,name,reason,date", *(f"{row},asked,2024-05-01" for row in rows)])
        (self.folder / "said.csv").write_text(f"{text}\n", encoding="utf-8")

    def build(self, *rows: str) -> tuple[Step, ...]:
        self.said(*rows)
        return run_stages(self.recipe(), self.context())

    @property
    def latest(self) -> Release:
        return Release(f"{self.store}/releases/wall/latest")

    def ledger(self) -> dict[str, dict[str, Any]]:
        return {row["record_id"]: row for row in self.latest.ledger().to_pylist()}

    def kept(self) -> list[str]:
        return sorted(name for name, row in self.ledger().items() if row["kept"])
