"""Copies by sight: which are found among what the store has measured, and that nothing is written."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tasks.engine import inspection
from tasks.io.store.store import Store
from tasks.purge import likeness
from tests.support.dedup import BLACK, HANGING, ONE, Wall, jpeg, painted

HUNG = {
    name: HANGING[f"m:{name}"] for name in ("one", "one-cropped", "one-worse", "other", "third", "black-1", "black-2")
} | {
    "mirrored": jpeg(ONE[:, ::-1]),
    "turned": jpeg(np.rot90(ONE)),
    "small": jpeg(ONE[::2, ::2]),
    "part": jpeg(ONE[10:140, 20:180]),
    "fourth": jpeg(painted(4)),
    "blank": jpeg(BLACK + 200),
}


@pytest.fixture(scope="module")
def wall(tmp_path_factory: pytest.TempPathFactory) -> Wall:
    """No test may change its store."""
    wall = Wall(str(tmp_path_factory.mktemp("likeness") / "store"))
    wall.state(HUNG)
    return wall


def alike(store: Store, *names: str) -> dict[str, set[str]]:
    sha256 = {name: store.write_blob(data) for name, data in HUNG.items()}
    of = {value: name for name, value in sha256.items()}
    mine = pa.array(sorted(sha256[name] for name in names), pa.string())
    others = pa.array(sorted(set(sha256.values()) - set(mine.to_pylist())), pa.string())
    found: dict[str, set[str]] = {}
    for one, other in likeness.look_alikes(store, mine, others):
        found.setdefault(of[one], set()).add(of[other])
    return found


def test_copies_are_found_however_they_are_turned_or_cut_and_other_pictures_are_not(wall: Wall):
    found = alike(wall.store, "one")
    assert found["one"] == {"one-cropped", "one-worse", "mirrored", "turned", "small", "part"}
    assert all(others == {"one"} for name, others in found.items() if name != "one")


def test_flat_pictures_and_lonely_ones_are_nobody_s_copies(wall: Wall):
    assert alike(wall.store, "black-1", "fourth") == {}
    assert alike(wall.store) == {}


def test_nothing_is_written_and_what_has_no_thumbnail_is_passed_over(wall: Wall, tmp_path: Path):
    names = sorted(Path(wall.store.url).rglob("*"))
    alike(wall.store, "one", "third")
    assert sorted(Path(wall.store.url).rglob("*")) == names
    bare = Store(str(tmp_path))
    for _, table in wall.store.tables(inspection.HASHES):
        bare.write_table(inspection.HASHES, table)
    assert alike(bare, "one") == {}
