"""A column of whole numbers with a hole comes as floats: records keep their ids, and what people decided holds."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from flows.build_dataset import plan, run_stages
from flows.recipes import recipe_from_file
from schemas.errors import Refusal
from schemas.manifests import Context, Step
from schemas.recipe import Recipe
from tasks.io.store.releases import Release
from tasks.purge import purge
from tasks.verify import verify
from tasks.why import why

pytestmark = pytest.mark.live

FIRST, WORKS = 436501, 24
RECIPE: dict[str, Any] = {
    "name": "numbered",
    "bindings": {"images": "pictures, and a table of them", "by_hand": "what people decided"},
    "by_hand": "by_hand",
    "sources": [
        {"table": {"name": "s", "at": "images", "table": "w.parquet", "columns": {"key": "id", "image": "file"}}}
    ],
    "stages": ["fetch", "hash", {"split": {"by": None}}, "export"],
}
EXCLUDED, DOWN = FIRST + 2, FIRST + 4


class Numbered:
    """A table of works with numbers, its store, and a list by hand."""

    def __init__(self, folder: Path, painted: Path) -> None:
        self.folder, self.images = folder, folder / "images"
        self.images.mkdir()
        for number, path in zip(range(FIRST, FIRST + WORKS), sorted(painted.glob("images/**/*.jpg")), strict=False):
            shutil.copy(path, self.images / f"{number}.jpg")
        self.by_hand(f"exclude,,s:{EXCLUDED}", f"takedown,,s:{DOWN}")

    def by_hand(self, *rows: str) -> None:
        lines = ["action,scope,name,reason,date", *(f"{row},asked,2026-01-01" for row in rows)]
        (self.folder / "hand.csv").write_text("\n".join(lines), encoding="utf-8")

    def build(self, ids: Sequence[Any], **changes: Any) -> tuple[Release, Step]:
        """A build of a table with these ids, the first of the first image; None: a hole."""
        steps = run_stages(*self._tables(ids, changes))
        return Release(steps[-1].release), steps[0]

    def plan(self, ids: Sequence[Any]) -> Step:
        """What a plan says of the source."""
        return plan(*self._tables(ids, {}))[0]

    def _tables(self, ids: Sequence[Any], changes: dict[str, Any]) -> tuple[Recipe, Context]:
        files = [f"{number}.jpg" for number in range(FIRST, FIRST + len(ids))]
        pq.write_table(pa.table({"id": pa.array(ids), "file": files}), self.images / "w.parquet")
        (self.folder / "r.yaml").write_text(yaml.safe_dump({**RECIPE, **changes}), encoding="utf-8")
        bindings = {"images": str(self.images), "by_hand": str(self.folder / "hand.csv")}
        context = Context(store=str(self.folder / "store"), bindings=bindings)
        return recipe_from_file(str(self.folder / "r.yaml")), context


@pytest.fixture
def numbered(tmp_path: Path, painted: Path) -> Numbered:
    return Numbered(tmp_path, painted)


def places(release: Release) -> dict[str, tuple[Any, ...]]:
    """What must not change of those that the release has, by record_id."""
    rows = release.ledger().to_pylist()
    return {
        row["record_id"]: (row["kept"], row["reason"], row["last_split"], row["image_id"])
        for row in rows
        if ":row-" not in row["record_id"]
    }


NUMBERS = list(range(FIRST, FIRST + WORKS))
FLOATS = [float(number) for number in NUMBERS]
TEXTS = [f"{number}.0" for number in NUMBERS]


@pytest.mark.parametrize("first", [NUMBERS, FLOATS, TEXTS], ids=["numbers", "floats", "texts"])
def test_ids_splits_and_decisions_stay_in_every_spelling(numbered: Numbered, first: list[Any]):
    was, _ = numbered.build(first)
    known = places(was)
    spelling = f"s:{FIRST}.0" if first is TEXTS else f"s:{FIRST}"
    assert known[spelling][:2] == (True, None)
    assert sorted(reason for _, reason, *_ in known.values() if reason) == ["excluded", "taken_down"]
    for ids in ([*FLOATS[:-1], None], NUMBERS, TEXTS, first):
        release, step = numbered.build(ids)
        found = places(release)
        gone = {name for name, (_, reason, *_) in found.items() if reason == "gone"}
        assert len(gone) == (1 if ids[-1] is None else 0)  # the one in whose place the hole is
        assert {name: row for name, row in found.items() if name not in gone} == {
            name: row for name, row in known.items() if name not in gone
        }
        keeps = [note for note in step.notes if "keep the ids that release" in note]
        assert len(keeps) == ((ids is TEXTS) != (first is TEXTS)), step.notes
        assert verify(release.url).problems == ()


def test_decisions_may_be_written_in_either_spelling(numbered: Numbered):
    numbered.by_hand(f"exclude,,s:{EXCLUDED}.0", f"takedown,,s:{DOWN}.0")
    release, _ = numbered.build(NUMBERS)
    found = places(release)
    assert [found[f"s:{number}"][1] for number in (EXCLUDED, DOWN)] == ["excluded", "taken_down"]
    assert len(found) == WORKS
    assert why(release.url, f"s:{EXCLUDED}.0").splitlines()[0] == f"s:{EXCLUDED}"


def test_what_was_purged_stays_away_in_every_spelling(numbered: Numbered):
    numbered.build(NUMBERS)
    purge("numbered", str(numbered.folder / "store"), [f"s:{FIRST}.0"], "asked")
    numbered.by_hand(f"exclude,,s:{EXCLUDED}")
    release, _ = numbered.build(TEXTS, max_loss_fraction=1)
    assert places(release)[f"s:{FIRST}"][1] == "taken_down"
    assert f"s:{FIRST}.0" not in places(release)


def test_two_spellings_side_by_side_are_two_records(numbered: Numbered):
    numbered.by_hand("exclude,,s:2.0")
    release, _ = numbered.build(["2", "2.0", "3", "4", "5"])
    found = places(release)
    assert found["s:2"][0]
    assert found["s:2.0"][1] == "excluded"


# --- keys that are others


OTHERS = [f"inv-{number}" for number in NUMBERS]


def test_new_keys_for_the_same_images_are_refused_until_the_recipe_allows_them(numbered: Numbered):
    was, _ = numbered.build(NUMBERS)
    numbered.by_hand(f"exclude,,s:inv-{EXCLUDED}", f"takedown,,s:{DOWN}", f"exclude,,s:inv-{DOWN}")
    with pytest.raises(Refusal) as caught:
        numbered.build(OTHERS)
    assert str(caught.value) == (
        f"export: expected the images of release {was.manifest.version} under their ids, got others: {WORKS - 2} of "
        f"{WORKS - 2} images stand under other ids now ('s:{FIRST}' is 's:inv-{FIRST}' now, "
        f"'s:{FIRST + 1}' is 's:inv-{FIRST + 1}' now): did the source's keys change? Nothing is published: give the "
        "works their old keys, or raise max_renamed_fraction if the new ones are right; then look through what names "
        "ids, such as lists by hand"
    )
    release, step = numbered.build(OTHERS, max_renamed_fraction=1)
    assert any("did the source's keys change" in note for note in step.notes)
    assert not any("nothing will be published" in note for note in step.notes)
    splits = {name.removeprefix("s:inv-"): row[2] for name, row in places(release).items() if row[0]}
    assert splits == {name.removeprefix("s:"): row[2] for name, row in places(was).items() if row[0]}
    numbered.build(OTHERS)  # these are its ids from then on


def test_a_plan_says_what_other_keys_will_come_to_before_all_is_fetched(numbered: Numbered):
    numbered.build(NUMBERS)
    (numbered.images / f"{FIRST + WORKS}.jpg").write_bytes(b"another")
    assert (
        "scrape: nothing will be published so: give the works their old keys, or raise max_renamed_fraction if the new "
        "ones are right"
    ) in numbered.plan([*OTHERS, "new"]).notes


def test_keys_that_are_all_one_more_are_other_keys(numbered: Numbered):
    numbered.build(NUMBERS)
    with pytest.raises(Refusal, match=r"stand under other ids now .*did the source's keys change"):
        numbered.build([number + 1 for number in NUMBERS])


def test_one_new_key_is_told_and_published_and_so_is_that_of_an_excluded_work(numbered: Numbered):
    numbered.build(NUMBERS)
    ids = [str(number) for number in NUMBERS]
    _, step = numbered.build(["x", *ids[1:]])
    assert any("stands under another id now" in note for note in step.notes)
    _, step = numbered.build(["x", *("y" if key == str(EXCLUDED) else key for key in ids[1:])])
    assert any(f"'s:{EXCLUDED}' is 's:y' now): to stay excluded, the list by hand" in note for note in step.notes)


def test_a_source_that_has_lost_works_has_not_renamed_them(numbered: Numbered):
    numbered.build(NUMBERS)
    with pytest.raises(Refusal, match="if the loss is right, raise max_loss_fraction"):
        numbered.build(NUMBERS[: WORKS // 2])
