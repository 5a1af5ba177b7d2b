"""imagehash's hashes in a build: as columns of the release, in a screen, and as what finds copies."""

import io
from pathlib import Path
from typing import Any

import imagehash
import numpy as np
import pytest
from PIL import Image

from flows.build_dataset import plan, run_stages
from schemas.manifests import Context, Step
from schemas.recipe import Recipe
from tasks.engine import inspection
from tasks.engine.runs import store_of
from tasks.io.store.releases import Release

COLUMNS = ["title", "sha256", "dhash64", "whash256", "colorhash"]


def recipe(*stages: Any, **hash_settings: Any) -> Recipe:
    return Recipe.model_validate(
        {
            "name": "hashes",
            "bindings": {"images": "a folder"},
            "sources": [{"folder": {"name": "s", "at": "images", "pattern": "{title}.png"}}],
            "stages": ["fetch", {"hash": hash_settings}, *stages, {"split": {"by": None, "order": None}}, "export"],
        }
    )


@pytest.fixture
def context(tmp_path: Path) -> Context:
    """Two works, a copy of the first, and what a museum shows where it has no picture."""
    folder = tmp_path / "images"
    folder.mkdir()
    for name, seed in (("one", 1), ("other", 2)):
        blocks = np.random.default_rng(seed).integers(0, 256, (30, 36, 3), np.uint8)
        Image.fromarray(blocks).resize((360, 300), Image.Resampling.BICUBIC).save(folder / f"{name}.png")
    Image.open(folder / "one.png").resize((420, 350)).save(folder / "copy.png")
    Image.new("RGB", (300, 300), (230, 230, 230)).save(folder / "placeholder.png")
    return Context(store=str(tmp_path / "store"), bindings={"images": str(folder)})


def test_a_release_has_the_hashes_and_a_screen_goes_by_them(context: Context):
    asked = recipe({"screen": {"where": {"dhash64": {"not": "0" * 16}}}}, also=["dhash64", "whash256", "colorhash"])
    assert {step.label: step.computed for step in plan(asked, context)}["hash"] == 4
    steps = {step.label: step for step in run_stages(asked, context)}
    assert steps["screen"].dropped == {"where_not_met": 1}
    release = Release(steps["export"].release)
    rows = {row["title"]: row for row in release.rows("images", COLUMNS).to_pylist()}
    assert sorted(rows) == ["copy", "one", "other"]
    store = store_of(context)
    jpegs = {
        row["sha256"]: row["jpeg"] for _, table in store.tables(inspection.THUMBNAILS_AT) for row in table.to_pylist()
    }
    for row in rows.values():
        thumbnail = Image.open(io.BytesIO(jpegs[row["sha256"]]))
        assert row["dhash64"] == str(imagehash.dhash(thumbnail))
        assert row["whash256"] == str(imagehash.whash(thumbnail, 16))
        assert row["colorhash"] == str(imagehash.colorhash(thumbnail))
    assert list(release.attributes) == ["dhash64", "whash256", "colorhash"]
    again = run_stages(asked, context)
    assert all(step.computed == 0 for step in again)
    assert again[-1].release == steps["export"].release


def test_a_plan_counts_each_image_once_where_hashes_are_asked_for_later(context: Context):
    run_stages(recipe(), context)
    steps = {step.label: step for step in plan(recipe("quality", also=["dhash64"]), context)}
    assert {label: (step.kept, step.computed) for label, step in steps.items() if label in {"hash", "quality"}} == {
        "hash": (4, 4),
        "quality": (4, 4),
    }
    assert steps["split"].kept == 4


def test_another_hash_takes_nothing_away_that_is_found_without_it(context: Context):
    """A picture and its upper part look like two works where they are compared as wholes."""
    folder = Path(context.bindings["images"])
    for name in ("one", "other"):
        with Image.open(folder / f"{name}.png") as whole:
            whole.crop((0, 0, whole.width, whole.height * 2 // 3)).save(folder / f"{name} above.png")
    both = ["ahash64", "whash64", "ahash256", "whash256"]
    alone, with_others = (
        run_stages(recipe({"dedup": {"by": by}}), context)[3] for by in (["phash", "local"], ["phash", "local", *both])
    )
    edges, more = (
        {(row["a"], row["b"], row["relation"]) for row in store_of(context).read_table(step.edges).to_pylist()}
        for step in (alone, with_others)
        if step.edges is not None
    )
    assert ("s:one above.png", "s:one.png", "cropped") in edges
    assert edges <= more
    assert not {relation for *_, relation in more - edges} & {"look_alike", "different"}


def pairs(step: Step, context: Context) -> set[tuple[str, str]]:
    """The pairs that were compared, and that are of one work or nearly so."""
    assert step.edges is not None
    return {(row["a"], row["b"]) for row in store_of(context).read_table(step.edges).to_pylist()}


@pytest.mark.parametrize("kind", ["ahash64", "dhash64", "whash64", "ahash256", "dhash256", "whash256"])
def test_dedup_finds_by_each_of_them_what_the_own_hash_can_not(context: Context, kind: str):
    """A picture of a single wave has hardly a bit in the program's own hash, which then says nothing."""
    folder = Path(context.bindings["images"])
    for name, width in (("wave", 360), ("wave again", 420)):
        wave = 128 + 100 * np.cos(2 * np.pi * 3 * np.arange(width) / width)
        Image.fromarray(np.tile(wave.astype(np.uint8), (width, 1))).save(folder / f"{name}.png")
    alone, both = (
        {step.label: step for step in run_stages(recipe({"dedup": {"by": by}}), context)}
        for by in (["phash"], ["phash", kind])
    )
    waves = {("s:wave again.png", "s:wave.png")}
    assert pairs(both["dedup"], context) - pairs(alone["dedup"], context) == waves
    planned = {step.label: step for step in plan(recipe({"dedup": {"by": ["phash", kind]}}), context)}
    assert planned["dedup"].computed == 0
