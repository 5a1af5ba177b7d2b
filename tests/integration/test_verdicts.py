"""What people say of pairs, from the file that a recipe names to the release that shows it."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.build_dataset import check, run_stages
from flows.recipes import recipe_from_file
from schemas.errors import BadInput
from schemas.manifests import Context
from schemas.recipe import Recipe
from tasks.io.store.releases import Release
from tasks.verify import verify
from tests.support.dedup import HANGING

RECIPE: dict[str, Any] = {
    "name": "wall",
    "bindings": {"images": "pictures", "said": "verdicts"},
    "sources": [{"folder": {"name": "m", "at": "images", "pattern": "{title}.jpg"}}],
    "stages": ["fetch", "hash", {"dedup": {"verdicts": "said"}}, {"split": {"by": None}}, "export"],
}


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    (tmp_path / "images").mkdir()
    for name, data in HANGING.items():
        (tmp_path / "images" / f"{name.partition(':')[2]}.jpg").write_bytes(data)
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(RECIPE), encoding="utf-8")
    return recipe_from_file(str(tmp_path / "recipe.yaml"))


def context(tmp_path: Path, rows: str) -> Context:
    (tmp_path / "said.csv").write_text("a,b,verdict\n" + rows, encoding="utf-8")
    return Context(
        store=str(tmp_path / "store"), bindings={"images": str(tmp_path / "images"), "said": str(tmp_path / "said.csv")}
    )


def test_a_verdict_that_changes_no_image_is_shown_all_the_same(tmp_path: Path, recipe: Recipe):
    first, second = (
        Release(run_stages(recipe, context(tmp_path, rows))[-1].release)
        for rows in ("", "m:one.jpg,m:other.jpg,different\n")
    )
    assert first.manifest.content_sha256 == second.manifest.content_sha256
    assert first.manifest.version != second.manifest.version
    assert verify(second.url).is_good  # its recipe's digest goes by a file that it hasn't
    pages = [release.read("report.html").decode() for release in (first, second)]
    assert ["Verdict: <b>different</b>" in page for page in pages] == [False, True]


def test_a_file_that_is_none_is_refused_before_anything_runs(tmp_path: Path, recipe: Recipe):
    with pytest.raises(BadInput, match=r"^binding 'said'.*perhaps"):
        check(recipe, context(tmp_path, "m:one.jpg,m:other.jpg,perhaps\n"))
    assert not (tmp_path / "store").exists()
