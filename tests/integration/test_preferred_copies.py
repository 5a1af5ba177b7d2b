"""Which copy stays, from the recipe's `prefer` to the release."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.manifests import Context, Step
from tasks.io.store.releases import Release
from tests.support.dedup import HANGING

ONE, OTHER = list(HANGING.values())[:2]
FILES = {
    "Kopien/x.jpg": ONE,
    "LEONARDO DA VINCI/x.jpg": ONE,
    "LEONARDO DA VINCI/y.jpg": OTHER,
}


def build(folder: Path, prefer: list[Any] | None) -> tuple[set[str], tuple[Step, ...]]:
    """The titles that stay of each folder, and the steps."""
    for name, data in FILES.items():
        (folder / "images" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "images" / name).write_bytes(data)
    dedup: Any = {"dedup": {"by": ["phash"], **({} if prefer is None else {"prefer": prefer})}}
    recipe = {
        "name": "copies",
        "bindings": {"images": "pictures"},
        "sources": [{"folder": {"name": "m", "at": "images", "pattern": "{style}/{title}.jpg"}}],
        "stages": ["fetch", "hash", dedup, {"split": {"by": None}}, "export"],
    }
    (folder / "recipe.yaml").write_text(yaml.safe_dump(recipe), encoding="utf-8")
    context = Context(store=str(folder / "store"), bindings={"images": str(folder / "images")})
    steps = run_stages(recipe_from_file(str(folder / "recipe.yaml")), context)
    ledger = Release(steps[-1].release).ledger()
    return {row["record_id"] for row in ledger.to_pylist() if row["kept"]}, steps


@pytest.mark.parametrize(
    ("prefer", "stays"),
    [
        pytest.param(None, "m:Kopien/x.jpg", id="the program's own order ends with the record_id"),
        pytest.param([{"not": {"folder": "Kopien"}}], "m:LEONARDO DA VINCI/x.jpg", id="one folder last"),
        pytest.param([{"folder": "LEONARDO*/"}], "m:LEONARDO DA VINCI/x.jpg", id="a folder first"),
    ],
)
def test_of_equal_bytes_the_copy_stays_that_the_recipe_prefers(prefer: Any, stays: str, tmp_path: Path):
    kept, _ = build(tmp_path, prefer)
    assert kept == {stays, "m:LEONARDO DA VINCI/y.jpg"}


def test_what_was_published_gives_way_in_its_split_and_the_page_says_why(tmp_path: Path):
    _, steps = build(tmp_path, None)
    before = Release(steps[-1].release)
    kept, steps = build(tmp_path, [{"not": {"folder": "Kopien"}}])
    after = Release(steps[-1].release)
    assert kept == {"m:LEONARDO DA VINCI/x.jpg", "m:LEONARDO DA VINCI/y.jpg"}
    assert after.manifest.lineage == before.manifest.lineage
    splits = [{row["sha256"]: row["last_split"] for row in one.ledger().to_pylist()} for one in (before, after)]
    assert splits[0] == splits[1]
    assert "the recipe prefers it" in after.read("report.html").decode()


def test_a_rule_that_no_record_meets_is_told(tmp_path: Path):
    _, steps = build(tmp_path, [{"folder": "Orignals"}])
    [note] = [note for step in steps for note in step.notes if "prefer" in note]
    assert note == "dedup: no record meets `folder: Orignals` of `prefer`, so that it prefers nothing"
