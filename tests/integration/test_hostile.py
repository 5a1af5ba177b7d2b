"""The hostile campaign in short: a seeded sample of each family's cases (`make campaign-hostile` has them all)."""

import random
from pathlib import Path

import pytest

from benchmarks.hostile import builds, campaign
from benchmarks.hostile.cases import Scene
from benchmarks.hostile.families import FAMILIES
from benchmarks.hostile.workers import Run, verdicts_of
from examples.museum.folder import write_museum
from tests.support.desk import Desk, MadeOnce

SEED = 8

# tasks/io/images/decode.py ignores it too, which pytest's own filters undo
pytestmark = [pytest.mark.live, pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")]


@pytest.fixture
def scene(tmp_path: Path, painted: Path, _built: Path, made_once: MadeOnce) -> Scene:
    larger = made_once(
        "museum-176", lambda folder: write_museum(folder, campaign.LARGER, campaign.MUSEUM_SEED, processes=1)
    )
    rebuilt = made_once("museum-176-rebuilt", lambda store: Desk(str(builds.cloned(_built, store)), larger).build())
    folder = tmp_path / "cases"
    folder.mkdir()
    for parent in (folder, *folder.parents):  # some cases run as a user without rights
        if parent.stat().st_mode & 0o777 == 0o700:
            parent.chmod(0o711)
    return Scene(SEED, folder, painted, larger, _built, rebuilt)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_sample_of_each_family_ends_as_is_right(scene, name):
    family = FAMILIES[name]
    numbers = tuple(sorted(random.Random(f"{SEED}/{name}").sample(range(family.cases), family.sample)))
    verdicts = verdicts_of(Run(family, numbers), scene)
    assert [verdict.number for verdict in verdicts] == list(numbers)
    assert [campaign.sentence(family, verdict, SEED) for verdict in verdicts if verdict.wrong] == []
