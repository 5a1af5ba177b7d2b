"""A recipe of sources on the web, and the museums that answer for them."""

from pathlib import Path
from typing import Any

import yaml

from examples.museum.serve import commons
from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context, Step
from tasks.io.store.releases import Release
from tests.support.desk import by_label

SECRET = "s3cret-of-nobody"


STAGES = [
    {"fetch": {"timeout_s": 2}},
    "hash",
    {"split": {"by": None, "order": None}},
    {"export": {"parquet": {"images": "none"}}},
]


SOURCES: dict[str, dict[str, Any]] = {
    "artic": {},
    "commons": {"categories": [commons.ROOT], "depth": 1},
    "flickr": {"group_id": "34427469792@N01", "secret": "flickr"},
    "met": {},
    "surrealism": {},
    "ukiyoe": {},
    "wikiart": {"copyright": "any"},
}


class Guesthouse:
    """A recipe of some sources, a store, and the museums that are asked one after another."""

    def __init__(self, folder: Path, *words: str, **settings: Any) -> None:
        self.folder, self.store = folder, str(folder / "store")
        self.words, self.settings = words or tuple(SOURCES), settings
        self.secrets = ["flickr"] if "flickr" in self.words else []

    def recipe(self) -> Any:
        plain = {
            "name": "web",
            "bindings": dict.fromkeys(self.secrets, "the site's key"),
            "manners": {"rate_per_s": 2000, "connections": 16},
            "sources": [{word: {"name": word, **SOURCES[word]}} for word in self.words],
            "stages": STAGES,
            **self.settings,
        }
        path = self.folder / "recipe.yaml"
        path.write_text(yaml.safe_dump(plain), encoding="utf-8")
        return recipe_from_file(str(path))

    def context(self, url: str, run: str, **bound: str) -> Context:
        bindings = {"origins": f"*={url}", **dict.fromkeys(self.secrets, "env:FLICKR_IN_TESTS"), **bound}
        return Context(store=self.store, bindings=bindings, run=f"{self.folder} {run}")

    def build(self, museum: Any, run: str) -> dict[str, Step]:
        return by_label(run_stages(self.recipe(), self.context(museum.url, run)))

    def asked(self, museum: Any, since: int = 0) -> list[str]:
        """What the museum has been asked for, but for the files in which it speaks to robots."""
        files = {"/robots.txt", "/.well-known/tdmrep.json"}
        return [f"{v.host}{v.target}" for v in museum.log[since:] if v.target not in files and v.method == "GET"]

    @property
    def latest(self) -> Release:
        return Release(f"{self.store}/releases/web/latest")

    def reasons(self) -> dict[str, str]:
        return {row["record_id"]: row["reason"] for row in self.latest.ledger().to_pylist()}
