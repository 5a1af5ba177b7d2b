"""Damage to every stored image: one build mends all of it, and gives the release that it gave before."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.cli import main
from schemas.errors import Refusal
from tests.support.shelf import WORKS, Shelf

Damage = Callable[[list[Path]], None]


@pytest.fixture
def shelf(tmp_path: Path, painted: Path) -> Shelf:
    return Shelf(tmp_path, painted)


def flip(blobs: list[Path]) -> None:
    for blob in blobs:
        data = bytearray(blob.read_bytes())
        data[len(data) // 2] ^= 1
        blob.write_bytes(data)


def swap(blobs: list[Path]) -> None:
    """Each has the bytes of another, filled up to its own size."""
    bytes_of = [blob.read_bytes() for blob in blobs]
    for blob, own, other in zip(blobs, bytes_of, [*bytes_of[1:], bytes_of[0]], strict=True):
        blob.write_bytes(other[: len(own)].ljust(len(own), b"\0"))


DAMAGES = [
    pytest.param(flip, id="a bit flipped"),
    pytest.param(lambda blobs: [blob.write_bytes(blob.read_bytes()[:-9]) for blob in blobs], id="cut short"),
    pytest.param(lambda blobs: [blob.write_bytes(b"") for blob in blobs], id="empty"),
    pytest.param(lambda blobs: [blob.unlink() for blob in blobs], id="gone"),
    pytest.param(swap, id="the bytes of another"),
]
FORGOTTEN = [
    pytest.param((), id="nobody reads an image"),
    pytest.param(("releases",), id="the images are published anew"),
    pytest.param(("measures", "decisions", "outcomes", "releases"), id="the images are measured anew"),
]


@pytest.mark.live
@pytest.mark.parametrize("forgotten", FORGOTTEN)
@pytest.mark.parametrize("damage", DAMAGES)
def test_one_build_mends_all_blobs(shelf: Shelf, damage: Damage, forgotten: tuple[str, ...]):
    before, count = shelf.latest.manifest.content_sha256, len(shelf.blobs)
    damage(shelf.blobs)
    shelf.forget(*forgotten)
    shelf.build()
    assert shelf.latest.manifest.content_sha256 == before
    assert shelf.latest.is_intact()
    assert len(shelf.blobs) == count


def test_all_kinds_of_damage_at_once(shelf: Shelf):
    before, blobs = shelf.latest.manifest.content_sha256, shelf.blobs
    for number, param in enumerate(DAMAGES):
        (damage,) = param.values
        damage(blobs[number::6])
    shelf.forget("measures", "releases")
    shelf.build()
    assert shelf.latest.manifest.content_sha256 == before


def test_what_the_source_has_no_longer_is_dropped_with_its_reason(shelf: Shelf):
    ledger = shelf.latest.ledger().to_pylist()
    copied = {row["kept_record_id"] for row in ledger}
    gone = next(row["record_id"] for row in ledger if row["kept"] and row["record_id"] not in copied)
    with (shelf.images / "works.csv").open(encoding="utf-8", newline="") as file:
        images = {f"s:{line['key']}": line["image"] for line in csv.DictReader(file)}
    (shelf.images / images[gone]).unlink()
    flip(shelf.blobs)
    shelf.forget("measures")
    with pytest.raises(Refusal, match="expected at least 95% of the"):
        shelf.build()
    shelf.build(max_loss_fraction=0.5)
    (lost,) = [each for each in shelf.latest.ledger().to_pylist() if each["record_id"] == gone]
    assert (lost["kept"], lost["stage"], lost["reason"]) == (False, "fetch", "not_found")
    assert shelf.latest.manifest.counts["kept"] > WORKS / 2


def test_damaged_thumbnails_are_made_again_in_the_same_build(shelf: Shelf):
    before = shelf.latest.manifest.content_sha256
    flip(sorted(shelf.store.glob("measures/thumbnail/*/*")))
    shelf.forget("measures/quality", "decisions", "outcomes", "releases")
    shelf.build()
    assert shelf.latest.manifest.content_sha256 == before


def test_a_plan_on_a_damaged_store_says_what_would_be_done_and_mends_nothing(shelf: Shelf):
    flip(shelf.blobs)
    damaged = [(blob, blob.read_bytes()) for blob in shelf.blobs]
    shelf.forget("decisions")
    shelf.plan()
    assert [(blob, blob.read_bytes()) for blob in shelf.blobs] == damaged


@pytest.mark.server
def test_a_build_on_the_command_line_mends_too(shelf: Shelf, capfd: pytest.CaptureFixture[str], prefect_server: str):
    before = shelf.latest.manifest
    flip(shelf.blobs)
    shelf.forget("measures")
    recipe, store, images = str(shelf.folder / "recipe.yaml"), str(shelf.store), f"images={shelf.images}"
    assert main(["build", recipe, "--store", store, "--bind", images]) == 0
    out, err = capfd.readouterr()
    assert "13 are damaged, and removed, or missing; they are fetched again" in " ".join(out.split())
    assert "Traceback" not in err
    assert shelf.latest.manifest == before
