"""Small builds of odd folders, and what their releases say."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from benchmarks.campaign import release_of
from benchmarks.hostile.commands import Ended, run_here
from benchmarks.results import ROOT
from tasks.io.store.releases import Release

Row = dict[str, Any]
DISCARD = "http://127.0.0.1:9"
"""Nobody listens at the port `discard`."""
RECIPE = ROOT / "deployments/recipes/museum.yaml"
WEIGHTS = ROOT / "examples/museum/weights/figures.onnx"
STAGES: list[Any] = [
    {"fetch": {"max_pixels": 50_000_000, "max_bytes": 4_000_000, "timeout_s": 1}},
    "hash",
    {"split": {"by": None, "order": None}},
    "export",
]


def folder_recipe(**more: Any) -> Row:
    """A recipe of one folder whose files are all taken for images. It copies nothing and drops no copies."""
    return {
        "name": "odd",
        "max_transient_fraction": 1.0,
        "max_loss_fraction": 1.0,
        "manners": {"tries": 1, "longest_wait_s": 1},
        "bindings": {"images": "a folder"},
        "sources": [{"folder": {"name": "odd", "at": "images", "pattern": "{title}"}}],
        "stages": STAGES,
        **more,
    }


def table_recipe(table: str, *fields: str) -> Row:
    """A recipe of one table with columns of the fields' own names."""
    columns = {field: field for field in ("key", "image", *fields)}
    return folder_recipe(sources=[{"table": {"name": "odd", "at": "images", "table": table, "columns": columns}}])


def cloned(source: Path, target: Path) -> Path:
    """A copy of a folder, links as links."""
    return Path(shutil.copytree(source, target, symlinks=True))


def build(recipe: Row, images: Path, folder: Path, *, store: str | None = None, limit_s: float = 60.0) -> Ended:
    """Build a recipe on a folder of images into the store `store` of another folder, or into another one. Nobody is
    asked for what is on the web.
    """
    return build_bound(recipe, images, folder, (), store=store, limit_s=limit_s)


def build_bound(
    recipe: Row, images: Path, folder: Path, more: Sequence[str], *, store: str | None = None, limit_s: float = 60.0
) -> Ended:
    """As `build`, with more bindings, as NAME=VALUE."""
    path = write_recipe(recipe, folder)
    bound = [f"images={images}", f"origins=*={DISCARD}", "contact=curator@museum.example", *more]
    store = str(folder / "store") if store is None else store
    return run_here(["build", str(path), "--store", store, *binds(bound), "--workers", "2"], limit_s)


def write_recipe(recipe: Row, folder: Path) -> Path:
    """The recipe's file in a folder, unless it is there."""
    path = folder / "recipe.yaml"
    if not path.exists():
        path.write_text(yaml.safe_dump(recipe, allow_unicode=True), encoding="utf-8")
    return path


def binds(pairs: Sequence[str]) -> list[str]:
    """`--bind` before each."""
    return [word for pair in pairs for word in ("--bind", pair)]


def museum_words(store: Path | str, museum: Path, word: str = "build") -> list[str]:
    """The command line that builds the museum's recipe."""
    bound = binds([f"images={museum}", f"weights={WEIGHTS}"])
    return [word, str(RECIPE), "--store", str(store), *bound, "--workers", "2"]


def ledger(store: Path, name: str = "odd") -> dict[str, Row]:
    """Rows of the newest release's ledger by record_id."""
    rows = pq.read_table(release_of(store, name) / "ledger.parquet").to_pylist()
    return {row["record_id"]: row for row in rows}


def images(store: Path, name: str = "odd") -> dict[str, Row]:
    """Rows of the newest release's images by record_id, without their bytes."""
    found: dict[str, Row] = {}
    for path in sorted((release_of(store, name) / "images").rglob("*.parquet")):
        file = pq.ParquetFile(path)
        columns = [column for column in file.schema_arrow.names if column != "image"]
        found |= {row["record_id"]: row for row in file.read(columns=columns).to_pylist()}
    return found


def content(store: Path | str, name: str = "museum") -> str:
    """The content digest of the newest release."""
    return Release(f"{store}/releases/{name}/latest").manifest.content_sha256
