"""What a purge takes with a work, which else would take its place: copies that no build has dropped for it.

And what it leaves.
"""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from tasks.io.store.layout import blob_path
from tasks.io.store.releases import Release
from tasks.io.store.store import Store
from tasks.purge import purge
from tasks.verify import verify
from tests.support.dedup import HANGING, ONE, jpeg
from tests.support.wall import SPLIT, Wall

pytestmark = pytest.mark.live

DOWN = "takedown,,m:one.jpg"


@pytest.fixture
def wall(tmp_path: Path) -> Wall:
    return Wall(tmp_path)


def beside(wall: Wall, source: str) -> dict[str, int]:
    """Build another dataset in the same store; what each of its stages had to do."""
    recipe: dict[str, Any] = yaml.safe_load((wall.folder / "recipe.yaml").read_text(encoding="utf-8"))
    recipe |= {"name": "beside", "bindings": {"images": "pictures"}}
    del recipe["by_hand"]
    recipe["sources"][0]["folder"]["name"] = source
    (wall.folder / "beside.yaml").write_text(yaml.safe_dump(recipe), encoding="utf-8")
    context = wall.context()
    context = context.model_copy(update={"bindings": {"images": context.bindings["images"]}})
    return {
        step.label: step.computed for step in run_stages(recipe_from_file(str(wall.folder / "beside.yaml")), context)
    }


def test_a_copy_that_has_gone_meanwhile_does_not_return(wall: Wall):
    wall.build()
    path = wall.folder / "images/one-cropped.jpg"
    data = path.read_bytes()
    path.unlink()
    wall.build(DOWN)
    assert wall.ledger()["m:one-cropped.jpg"]["reason"] == "gone"
    purge("wall", wall.store)
    path.write_bytes(data)
    wall.build(DOWN)
    assert wall.kept() == ["m:other.jpg", "m:third.jpg"]


def test_a_copy_that_was_screened_out_is_known_by_sight(wall: Wall):
    small = jpeg(np.ascontiguousarray(ONE[::2, ::2]))
    (wall.folder / "images/one-small.jpg").write_bytes(small)
    wall.stages = ["fetch", "hash", {"screen": {"least_side_px": 100}}, "dedup", SPLIT, "export"]
    wall.build()
    wall.build(DOWN)
    foreseen = purge("wall", wall.store, is_dry=True).splitlines()
    assert purge("wall", wall.store).splitlines()[1:6] == foreseen[1:6]
    assert "  m:one-small.jpg: copy of m:one.jpg: asked (2024-05-01)" in foreseen
    wall.stages = ["fetch", "hash", "dedup", SPLIT, "export"]
    wall.build(DOWN)
    assert wall.kept() == ["m:other.jpg", "m:third.jpg"]
    assert verify(wall.latest.url, is_deep=True).problems == ()


def test_a_copy_that_was_not_drawn_goes_too(wall: Wall):
    wall.pattern = "{style}/{title}.jpg"
    wall.move("cubism")
    wall.stages = ["fetch", "hash", {"sample": {"at_most": 5}}, "dedup", SPLIT, "export"]
    wall.build()
    ones = {name: row["stage"] for name, row in wall.ledger().items() if "one" in name}
    drawn = next(name for name, stage in sorted(ones.items()) if stage != "sample")
    assert "sample" in ones.values()
    wall.build(f"takedown,,{drawn}")
    purge("wall", wall.store)
    wall.stages[2] = {"sample": {"at_most": 50}}
    wall.build(f"takedown,,{drawn}")
    assert wall.kept() == ["m:cubism/other.jpg", "m:cubism/third.jpg"]


def test_tombstones_go_on_in_another_store(wall: Wall):
    wall.build()
    wall.build("takedown,,m:third.jpg")
    purge("wall", wall.store)
    moved = str(wall.folder / "moved")
    shutil.copytree(f"{wall.store}/releases", f"{moved}/releases")
    wall.store = moved
    wall.build()
    version = wall.latest.manifest.version
    (wall.folder / "images/third-again.jpg").write_bytes(HANGING["m:third"])
    wall.build()
    assert wall.latest.manifest.version != version
    for _ in range(2):
        assert wall.latest.tombstones()["record_id"].to_pylist() == ["m:third.jpg"]
        assert wall.kept() == ["m:one-again.jpg", "m:other.jpg"]
        shutil.rmtree(f"{moved}/tombstones", ignore_errors=True)
        wall.build()
        assert verify(wall.latest.url).problems == ()


@pytest.mark.parametrize("source", ["m", "n"])
def test_what_another_dataset_keeps_is_left_to_it(wall: Wall, source: str):
    wall.build()
    beside(wall, source)
    kept = Release(f"{wall.store}/releases/beside/latest").manifest
    sha256 = wall.ledger()["m:third.jpg"]["sha256"]
    report = purge("wall", wall.store, ["m:third.jpg"], "withdrawn", "2025-01-02")
    assert f"kept: the file {sha256}, which {source}:third.jpg uses too" in report
    assert Store(wall.store).exists(blob_path(sha256))
    assert beside(wall, source)["fetch"] == 0
    assert Release(f"{wall.store}/releases/beside/latest").manifest == kept
    (wall.folder / "images/third-again.jpg").write_bytes(HANGING["m:third"])
    wall.build()
    assert wall.ledger()["m:third-again.jpg"]["reason"] == "taken_down"


def test_a_record_that_goes_alone_leaves_the_copies_of_its_work(wall: Wall):
    wall.build()
    purge("wall", wall.store, ["m:one-worse.jpg"], "withdrawn", "2025-01-02", is_alone=True)
    wall.build()
    assert wall.latest.tombstones()["scope"].to_pylist() == ["record"]
    assert wall.kept() == ["m:one-again.jpg", "m:other.jpg", "m:third.jpg"]
    purge("wall", wall.store)
    assert wall.latest.tombstones()["record_id"].to_pylist() == ["m:one-worse.jpg"]
