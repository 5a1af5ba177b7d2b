"""Lists by hand on whole builds: who is dropped, who takes no place, what comes back; a wall of ten pictures."""

from pathlib import Path

import numpy as np
import pytest

from flows.build_dataset import check, run_stages
from schemas.errors import BadInput
from tasks.verify import verify
from tests.support.dedup import HANGING, ONE, jpeg
from tests.support.wall import SPLIT, Wall

COPIES = ["m:one-again.jpg", "m:one-cropped.jpg", "m:one-worse.jpg", "m:one.jpg"]


@pytest.fixture
def wall(tmp_path: Path) -> Wall:
    return Wall(tmp_path)


def test_copies_of_a_work_that_is_taken_down_take_no_place(wall: Wall):
    wall.build()
    assert wall.kept() == ["m:one-again.jpg", "m:other.jpg", "m:third.jpg"]
    before = wall.ledger()
    wall.build("takedown,,m:one.jpg")
    assert wall.kept() == ["m:other.jpg", "m:third.jpg"]
    book = wall.ledger()
    assert {name: (book[name]["stage"], book[name]["reason"], book[name]["detail"]) for name in COPIES} == {
        "m:one-again.jpg": ("fetch", "taken_down", "same bytes as m:one.jpg: asked (2024-05-01)"),
        "m:one-cropped.jpg": ("dedup", "taken_down", "copy of m:one.jpg (cropped): asked (2024-05-01)"),
        "m:one-worse.jpg": ("dedup", "taken_down", "copy of m:one.jpg (reencoded): asked (2024-05-01)"),
        "m:one.jpg": ("scrape", "taken_down", "asked (2024-05-01)"),
    }
    assert book["m:one.jpg"]["sha256"] == before["m:one.jpg"]["sha256"]
    assert book["m:one.jpg"]["last_split"] == before["m:one.jpg"]["last_split"]
    assert verify(wall.latest.url, is_deep=True).problems == ()


def test_building_again_after_a_takedown_changes_nothing(wall: Wall):
    wall.build()
    wall.build("takedown,,m:one.jpg")
    second = wall.latest.manifest
    steps = wall.build("takedown,,m:one.jpg")
    assert wall.latest.manifest == second
    assert sum(step.computed for step in steps) == 0


def test_a_takedown_stands_when_the_source_no_longer_lists_the_record(wall: Wall):
    wall.build()
    wall.build("takedown,,m:one.jpg")
    (wall.folder / "images" / "one.jpg").unlink()
    wall.build("takedown,,m:one.jpg")
    assert wall.kept() == ["m:other.jpg", "m:third.jpg"]
    assert wall.ledger()["m:one.jpg"]["reason"] == "taken_down"


def test_a_takedown_that_is_withdrawn_brings_the_record_back_to_its_split(wall: Wall):
    wall.build()
    first = wall.ledger()["m:one.jpg"]
    wall.build("takedown,,m:one.jpg")
    wall.build()
    assert wall.ledger()["m:one.jpg"] == {**first, "retrieved_at": wall.ledger()["m:one.jpg"]["retrieved_at"]}


def test_a_takedown_of_a_record_alone_leaves_other_files_of_the_work(wall: Wall):
    wall.build()
    wall.build("takedown,record,m:one.jpg")
    assert wall.kept() == ["m:one-worse.jpg", "m:other.jpg", "m:third.jpg"]
    assert wall.ledger()["m:one-again.jpg"]["reason"] == "taken_down"  # equal bytes are that record's file


def test_a_takedown_before_anything_was_had_is_not_fetched(wall: Wall):
    steps = wall.build("takedown,,m:third.jpg", "exclude,,m:other.jpg")
    book = wall.ledger()
    assert (book["m:third.jpg"]["stage"], book["m:third.jpg"]["sha256"]) == ("scrape", None)
    assert (book["m:other.jpg"]["reason"], book["m:other.jpg"]["detail"]) == ("excluded", "asked (2024-05-01)")
    assert steps[0].dropped == {"excluded": 1, "taken_down": 1}
    assert wall.latest.records().filter(wall.latest.records()["title"].is_valid()).num_rows == 6


def test_a_recipe_that_draws_before_it_looks_for_copies_obeys_too(wall: Wall):
    wall.pattern = "{style}/{title}.jpg"
    wall.move("cubism")
    wall.stages = ["fetch", "hash", {"sample": {"at_most": 100}}, "dedup", SPLIT, "export"]
    wall.build()
    wall.build("takedown,,m:cubism/one.jpg")
    assert wall.kept() == ["m:cubism/other.jpg", "m:cubism/third.jpg"]


def test_an_artist_goes_whole_whatever_the_accents(wall: Wall):
    wall.pattern = "{artist}/{title}.jpg"
    wall.move("anna", "third", "other")
    wall.move("berta")
    wall.build("takedown,artist,ANNÁ")
    book = wall.ledger()
    assert {name: row["reason"] for name, row in book.items() if "anna" in name} == {
        "m:anna/other.jpg": "taken_down",
        "m:anna/third.jpg": "taken_down",
    }
    assert book["m:anna/third.jpg"]["detail"] == "all works of artist 55579b55: asked (2024-05-01)"


def test_an_artist_stays_down_whatever_the_reason_is_now_and_the_source_lists(wall: Wall):
    wall.pattern = "{artist}/{title}.jpg"
    wall.move("anna", "third")
    wall.move("berta")
    wall.build()
    wall.build("takedown,artist,anna")
    (wall.folder / "images/anna/third.jpg").unlink()
    (wall.folder / "images/berta/new.jpg").write_bytes(HANGING["m:third"])
    wall.said()
    with (wall.folder / "said.csv").open("a", encoding="utf-8") as file:
        file.write("takedown,artist,Anna,asked by the heirs,2024-06-01\n")
    run_stages(wall.recipe(), wall.context())
    book = wall.ledger()
    assert (book["m:anna/third.jpg"]["reason"], book["m:berta/new.jpg"]["reason"]) == ("taken_down", "taken_down")
    assert book["m:anna/third.jpg"]["detail"] == "all works of artist 55579b55: asked by the heirs (2024-06-01)"


def test_mirrored_and_turned_copies_go_whatever_the_recipe_looks_for(wall: Wall):
    for name, pixels in (("mirrored", ONE[:, ::-1]), ("turned", np.rot90(ONE))):
        (wall.folder / f"images/one-{name}.jpg").write_bytes(jpeg(pixels))
    wall.build()
    assert {"m:one-mirrored.jpg", "m:one-turned.jpg"} < set(wall.kept())
    wall.build("takedown,,m:one.jpg")
    assert wall.kept() == ["m:other.jpg", "m:third.jpg"]
    assert [step.computed for step in wall.build("takedown,,m:one.jpg")] == [0] * 6


def test_a_release_says_nothing_of_copies_either(wall: Wall):
    wall.build()
    wall.build("takedown,,m:one.jpg")
    records = wall.latest.records()
    assert records.filter(records["title"].is_valid())["record_id"].to_pylist() == [
        "m:other-lighter.jpg",
        "m:other.jpg",
        "m:third.jpg",
    ]


def test_a_recipe_without_dedup_says_that_it_knows_no_copies(wall: Wall):
    wall.stages = ["fetch", "hash", SPLIT, "export"]
    wall.build()
    steps = wall.build("takedown,,m:one.jpg")
    assert steps[0].notes == (
        "by hand: the recipe has no dedup stage, so of 1 works that are taken down only copies with equal "
        "bytes are "
        "dropped",
    )
    assert wall.build("takedown,record,m:one.jpg")[0].notes == ()


def test_an_included_record_that_is_still_not_in_is_reported(wall: Wall):
    steps = wall.build(*(f"include,,{name}" for name in (*COPIES, "m:nobody.jpg")))
    note = steps[-1].notes[0]
    assert note.startswith("by hand: 4 of 5 included records are not in the release: ")
    assert note.count("_duplicate)") == 3
    assert "m:nobody.jpg (no source lists it)" in note


def test_rows_about_unknown_records_are_reported_and_no_error(wall: Wall):
    steps = wall.build("exclude,,m:nobody.jpg", "takedown,artist,Nobody")
    assert steps[0].notes == (
        "by hand: 2 of 2 rows match no record of this build: exclude 'm:nobody.jpg', takedown 'Nobody'",
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        pytest.param(["drop,,m:one.jpg"], r"line 2: expected an action of exclude", id="an action of no such word"),
        pytest.param(["replace,,m:one.jpg"], r"expected a sample stage in the recipe to replace", id="no draw"),
        pytest.param(["exclude,,a", "include,,a"], r"exclude \(line 2\) and include \(line 3\)", id="two words"),
    ],
)
def test_a_file_that_no_build_can_obey_is_refused_before_anything_runs(wall: Wall, rows: list[str], message: str):
    wall.said(*rows)
    with pytest.raises(BadInput, match=message):
        check(wall.recipe(), wall.context())
    assert not Path(wall.store).exists()
