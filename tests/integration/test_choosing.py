"""Sampling and splitting on whole builds: who is refused, what is told, what stays from release to release."""

import csv
import io
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image

from flows.build_dataset import run_stages
from flows.recipes import recipe_from_file
from schemas.errors import BadInput, Refusal
from schemas.manifests import Context, Step
from schemas.release import RecipeStage
from schemas.split import SPLITS
from tasks.io.store.releases import Release
from tasks.verify import verify
from tasks.verify.checks import kept_together
from tests.support.pages import without_isolation

Row = dict[str, Any]


def picture(number: int) -> bytes:
    """A small picture like no other."""
    noise = np.random.default_rng(number).integers(0, 256, (24, 24, 3), np.uint8)
    with io.BytesIO() as file:
        Image.fromarray(noise).save(file, "PNG")
        return file.getvalue()


class Collection:
    """Tables of works, one for each source, a store, and a recipe of the stages that choose."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.store = folder, str(folder / "store")
        self.tables: dict[str, list[Row]] = {"m": []}
        self.max_loss_fraction = 1.0
        self.attributes: dict[str, str] = {}
        self.verdicts = ""

    def works(self, first: int, last: int, source: str = "m", **said: Any) -> None:
        """Works of these numbers, each said to be so; what is callable is told the number."""
        for number in range(first, last):
            more = {name: value(number) if callable(value) else value for name, value in said.items()}
            self.tables.setdefault(source, []).append(
                {
                    "key": f"{number:03}",
                    "image": f"{number}.png",
                    "style": "Cubism",
                    "artist": f"Artist {number % 7}",
                    **more,
                }
            )

    def build(self, *chosen: dict[str, Any], name: str = "works") -> dict[str, Step]:
        fields = ("key", "image", "style", "artist", "group", "series")
        columns = (*fields, *self.attributes)
        for source, rows in self.tables.items():
            folder = self.folder / source
            folder.mkdir(exist_ok=True)
            for row in rows:
                if not (folder / row["image"]).exists():
                    (folder / row["image"]).write_bytes(picture(int(row["image"].split(".")[0])))
            with (folder / "works.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, columns, restval="")
                writer.writeheader()
                writer.writerows(rows)
        verdicts = [stage["dedup"]["verdicts"] for stage in chosen if "verdicts" in stage.get("dedup", {})]
        said = {
            "name": name,
            "seed": 3,
            "max_loss_fraction": self.max_loss_fraction,
            "max_renamed_fraction": 1.0,
            "attributes": {name: {"type": kind} for name, kind in self.attributes.items()},
            "bindings": dict.fromkeys([*self.tables, *verdicts], "a folder, or a file"),
            "sources": [
                {
                    "table": {
                        "name": source,
                        "at": source,
                        "table": "works.csv",
                        "columns": {field: field for field in fields},
                    }
                }
                for source in self.tables
            ],
            "stages": ["fetch", "hash", *chosen, {"export": {"parquet": {"images": "none"}}}],
        }
        (self.folder / "recipe.yaml").write_text(yaml.safe_dump(said), encoding="utf-8")
        (self.folder / "verdicts.csv").write_text(f"a,b,verdict,note\n{self.verdicts}", encoding="utf-8")
        bound = {source: str(self.folder / source) for source in self.tables} | dict.fromkeys(
            verdicts, str(self.folder / "verdicts.csv")
        )
        recipe = recipe_from_file(str(self.folder / "recipe.yaml"))
        return {step.label: step for step in run_stages(recipe, Context(store=self.store, bindings=bound))}

    @property
    def latest(self) -> Release:
        return Release(f"{self.store}/releases/works/latest")

    def splits(self) -> dict[str, str]:
        return {row["record_id"]: row["last_split"] for row in self.latest.ledger().to_pylist() if row["kept"]}

    def reasons(self) -> dict[str, str]:
        return {row["record_id"]: row["reason"] for row in self.latest.ledger().to_pylist() if not row["kept"]}


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection(tmp_path)


def split(**settings: Any) -> dict[str, Any]:
    return {"split": {"order": None, **settings}}


def sample(**settings: Any) -> dict[str, Any]:
    return {"sample": settings}


def test_exactly_more_than_there_are_publishes_nothing_and_names_who_lacks_how_many(collection):
    collection.works(0, 12)
    collection.works(12, 15, style="Dada")
    with pytest.raises(
        Refusal, match="expected exactly 10 records of each stratum, but 1 of 2 have fewer: Dada has 3, 7 too few; "
    ):
        collection.build(sample(exactly=10), split())
    assert not (Path(collection.store) / "releases").exists()
    collection.build(sample(exactly=3), split())
    assert collection.latest.manifest.counts["kept"] == 6


def test_what_is_unknown_is_a_stratum_of_its_own_and_told(collection):
    collection.works(0, 10)
    collection.works(10, 14, style="", artist="")
    steps = collection.build(sample(at_most=8), split())
    assert steps["sample"].notes == (
        "sample: 1 of 2 strata have fewer than 8: unknown 4",
        "sample: 4 records are in the stratum unknown; 4 of them are drawn",
    )
    assert steps["split"].notes[-1] == "split: 4 images are in the stratum unknown"
    assert Counter(collection.reasons().values()) == {"not_drawn": 2}


def test_with_a_top_what_is_unknown_is_none_of_the_styles(collection):
    collection.works(0, 3)
    collection.works(3, 9, style="")
    collection.works(9, 11, style="Dada")
    collection.build(sample(top=1), split())
    assert Counter(collection.reasons().values()) == {"no_style": 6, "style_not_chosen": 2}


def test_objects_are_those_of_their_source(collection):
    """Museums number their objects alike."""
    for source in ("m", "n"):
        collection.works(
            0 if source == "m" else 20,
            10 if source == "m" else 30,
            source=source,
            group=lambda number: f"{number % 10 // 5}",
        )
    collection.build(sample(by=None, at_most_per={"object": 3}), split(by=None))
    assert Counter(collection.reasons().values()) == {"over_cap": 8}
    group_of = {
        row["record_id"]: row["group_id"] for batch in collection.latest.batches("images") for row in batch.to_pylist()
    }
    assert len(set(group_of.values())) == 4


def test_all_works_of_an_artist_or_a_series_lie_in_one_split(collection):
    collection.works(0, 40, series=lambda number: f"Series {number // 20}")
    collection.build(split(together=["artist"]))
    artist = {f"m:{row['key']}": row["artist"] for row in collection.tables["m"]}
    found = collection.splits()
    assert {len({found[name] for name in found if artist[name] == one}) for one in set(artist.values())} == {1}
    collection.build(split(together="series"))
    found = collection.splits()  # a series is one artist's: there are fourteen
    assert len({(artist[name], int(name[2:]) // 20) for name in found}) == 14
    assert all(found[f"m:{n:03}"] == found[f"m:{n + 7:03}"] for n in [*range(13), *range(20, 33)])
    assert collection.latest.manifest.lineage == 2


def test_a_rebuild_keeps_every_split_and_deals_only_what_is_new(collection):
    collection.works(0, 30)
    collection.works(30, 50, style="Dada")
    first = collection.build(split())
    before = collection.splits()
    assert {label: step.computed for label, step in collection.build(split()).items() if step.computed} == {}
    collection.works(50, 61, style="Dada")
    collection.tables["m"] = collection.tables["m"][3:]
    steps = collection.build(split())
    assert (first["split"].computed, steps["split"].computed) == (1, 1)
    after = collection.splits()
    assert {name: after[name] for name in before if name in after} == {n: s for n, s in before.items() if n in after}
    assert Counter(after.values()) == {"train": 35, "val": 12, "test": 11}
    assert verify(collection.latest.url).problems == ()
    collection.tables["m"] = []
    collection.works(0, 61)  # the three come back, and are where they were
    collection.build(split())
    assert {name: collection.splits()[name] for name in before} == before


@pytest.mark.parametrize("number", [1, 2, 3])
def test_of_two_published_images_that_turn_out_to_be_copies_that_of_the_higher_rank_stays(collection, number):
    collection.works(0, 20)
    dedup = {"dedup": {"verdicts": "verdicts", "by": ["phash"]}}
    collection.build(dedup, split())
    before = collection.splits()
    lower, higher = (next(name for name in sorted(before)[number:] if before[name] == of) for of in ("train", "test"))
    collection.verdicts = f"{min(lower, higher)},{max(lower, higher)},copy,seen\n"
    collection.build(dedup, split())
    assert collection.splits() == {name: of for name, of in before.items() if name != lower}
    assert collection.reasons() == {lower: "near_duplicate"}
    assert {label: step.computed for label, step in collection.build(dedup, split()).items() if step.computed} == {}
    collection.verdicts = ""
    collection.build(dedup, split())
    assert collection.splits() == before


def test_a_source_that_numbers_its_works_anew_takes_no_file_into_another_split(collection):
    collection.works(0, 40)
    collection.build(split())
    before = collection.splits()
    for row in collection.tables["m"]:
        row["key"] = f"new-{row['key']}"
    collection.works(40, 50)
    collection.build(split())
    after = collection.splits()
    assert {name.replace("new-", ""): of for name, of in after.items() if "new-" in name} == before
    assert Counter(after.values()) == {"train": 30, "val": 10, "test": 10}


def test_a_record_that_was_dropped_as_a_copy_has_its_split_only_as_long_as_it_is_that_copy(collection):
    collection.works(0, 30, group=lambda number: f"object {number}")
    collection.works(0, 1, key="copy")
    collection.build({"dedup": {"by": ["phash"]}}, split())
    before = collection.splits()
    assert collection.reasons() == {"m:copy": "exact_duplicate"}
    other = next(
        name
        for name in before
        if (before["m:000"], before[name]) in {("test", "train"), ("val", "train"), ("train", "test")}
    )
    # another view of another object
    collection.tables["m"][-1] |= {
        "image": "99.png",
        "group": f"object {int(other[2:])}",
    }
    collection.build({"dedup": {"by": ["phash"]}}, split())
    assert collection.splits() == before | {"m:copy": before[other]}


def test_what_hangs_in_the_gallery_stays_and_its_copy_is_a_query_again_when_it_goes(collection):
    collection.tables = {}
    collection.works(0, 9, source="met")
    collection.works(20, 30, source="amateurs")
    collection.works(5, 6, source="amateurs")
    chosen = {"dedup": {"by": ["phash"]}}, split(roles={"met": "gallery"}, ratios={"val": 1, "test": 2}, by=None)
    collection.build(*chosen)
    assert collection.reasons() == {"amateurs:005": "exact_duplicate"}
    before = collection.splits()
    collection.tables["met"] = [row for row in collection.tables["met"] if row["key"] != "005"]
    collection.works(30, 31, source="amateurs")
    collection.build(*chosen)
    after = collection.splits()
    assert after["amateurs:005"] in {"val", "test"}
    assert {name: of for name, of in after.items() if name in before} == {
        n: of for n, of in before.items() if n != "met:005"
    }


def test_other_settings_of_split_are_told_to_deal_all_afresh(collection):
    collection.works(0, 10)
    collection.build(split())
    steps = collection.build(split(ratios={"train": 0.6, "val": 0.2, "test": 0.2}, max_drift=0.5, label="again"))
    assert not [note for note in steps["again"].notes if "afresh" in note]
    steps = collection.build(split(seed=9))
    assert steps["split"].notes[0].endswith("so all images are assigned anew, as lineage 2")


def test_where_removals_pull_the_shares_too_far_a_new_lineage_is_asked_for(collection):
    collection.works(0, 60)
    collection.build(split())
    before = collection.splits()
    collection.tables["m"] = [
        row for row in collection.tables["m"] if before[f"m:{row['key']}"] != "train" or int(row["key"]) % 3 == 0
    ]
    with pytest.raises(
        Refusal,
        match=r"expected at most 5% of \d+ images in another split than the ratios ask for, got train \d+ .* "
        r"another seed",
    ):
        collection.build(split())
    kept = len(collection.tables["m"])
    collection.build(split(max_drift=1))  # is no other split: what is published stays
    after = collection.splits()
    assert (collection.latest.manifest.lineage, len(after)) == (1, kept)
    assert all(before[name] == split for name, split in after.items())
    collection.build(split(seed=4))
    assert collection.latest.manifest.lineage == 2
    assert Counter(collection.splits().values())["train"] == pytest.approx(0.6 * kept, abs=1.2)


def test_the_release_of_another_dataset_is_no_predecessor(collection):
    collection.works(0, 10)
    collection.build(split())
    works = collection.tables.pop("m")
    collection.tables["other"] = works
    with pytest.raises(
        Refusal,
        match=r"to be of the same dataset, got one with other sources \(m\); nothing is published: give the recipe "
        r"another",
    ):
        collection.build(split())
    releases = Path(collection.store) / "releases"
    (releases / "works").rename(releases / "pictures")
    with pytest.raises(Refusal, match=r"expected a release of pictures in .*, got one of works"):
        collection.build(split(), name="pictures")


def test_a_gallery_and_its_queries(collection):
    collection.tables = {}
    collection.works(0, 40, source="met", group=lambda number: f"object {number // 2}")
    collection.works(
        100,
        160,
        source="visitors",
        artist=lambda number: f"Visitor {number % 12}",
        group=lambda number: f"object {number % 20}",
    )
    # one visitor has taken the museum's own file
    collection.works(5, 6, source="visitors", artist="Visitor 3", group="object 2")
    roles = {"met": "gallery", "visitors": "query"}
    collection.build(split(roles=roles, ratios={"val": 1, "test": 9}, by=None, together=["artist"]))
    found = collection.splits()
    assert {of for name, of in found.items() if name.startswith("met:")} == {"train"}
    assert collection.reasons() == {"visitors:005": "copy_across_roles"}
    rows = {f"visitors:{row['key']}": row for row in collection.tables["visitors"]}
    for column in ("artist", "group"):
        words = {
            split: {rows[name][column] for name, of in found.items() if name in rows and of == split}
            for split in ("val", "test")
        }
        assert not words["val"] & words["test"]
    latest = collection.latest
    lists = [latest.read_json(path) for path in latest.manifest.files if path.endswith(".unannotated.json")]
    assert sum(len(document["images"]) for document in lists) == len(found) == 100
    assert verify(collection.latest.url).problems == ()


# --- attributes


def test_a_screen_by_what_records_say_and_a_note_on_a_slip(collection):
    collection.attributes = {"department": "string", "is_open": "boolean"}
    collection.works(0, 6, department="Prints", is_open="true")
    collection.works(6, 9, department="Drawings", is_open="true")
    collection.works(9, 12, is_open="false")
    steps = collection.build({"screen": {"where": {"department": ["PRINTS", "drawings"], "is_open": True}}}, split())
    assert Counter(collection.reasons().values()) == {"where_not_met": 3}
    assert {row["detail"] for row in collection.latest.ledger().to_pylist()} == {None, "department: unknown"}
    assert steps["screen"].notes == ()
    with pytest.raises(Refusal, match="expected at least one image"):
        collection.build({"screen": {"where": {"department": "Drawing"}}}, split())
    collection.build({"screen": {"where": {"style": {"not": "Dada"}, "year": {"is_known": False}}}}, split(by=None))
    assert len(collection.splits()) == 12


def test_strata_and_caps_by_attributes(collection):
    collection.attributes = {"room": "integer", "owner": "string"}
    collection.works(0, 10, room="1", owner=lambda number: "a" if number < 5 else "")
    collection.works(10, 20, room="2", owner="b")
    steps = collection.build(
        sample(by="room", exactly=4, at_most_per={"owner": 4}), split(by="room", ratios={"train": 1, "test": 1})
    )
    kept = collection.splits()
    assert Counter((int(name[2:]) < 10, of) for name, of in kept.items()) == dict.fromkeys(
        [(first, of) for first in (True, False) for of in ("train", "test")], 2
    )
    assert Counter(collection.reasons().values())["over_cap"] == 7
    assert steps["sample"].notes == ()


def test_works_that_share_a_photographer_or_a_method_lie_together(collection):
    collection.attributes = {"photographer": "string", "methods": "strings"}
    collection.works(0, 30, photographer=lambda number: f"P {number // 3}", methods="")
    collection.works(30, 34, methods=lambda number: f"m{number % 2} | other {number}")
    collection.build(split(by="methods", method="iterative", together=["photographer", "methods"]))
    found = collection.splits()
    assert all(len({found[f"m:{3 * group + n:03}"] for n in range(3)}) == 1 for group in range(10))
    assert (found["m:030"], found["m:031"]) == (found["m:032"], found["m:033"])
    assert verify(collection.latest.url).problems == ()


def test_a_sources_own_split_is_kept_and_what_is_published_stays(collection):
    collection.attributes = {"subset": "string"}
    collection.works(0, 4, subset="Training")
    collection.works(4, 6, subset="dev")
    collection.works(6, 9, subset="TEST")
    collection.works(9, 19)
    steps = collection.build(split(keep="subset"))
    before = collection.splits()
    assert [before[f"m:{n:03}"] for n in range(9)] == ["train"] * 4 + ["val"] * 2 + ["test"] * 3
    assert Counter(list(before.values())[9:]) == {"train": 6, "val": 2, "test": 2}
    assert steps["split"].notes[0] == "split: 9 images with a split that is given: train 4, val 2, test 3"
    assert verify(collection.latest.url).problems == ()
    assert not {label for label, step in collection.build(split(keep="subset")).items() if step.computed}
    collection.tables["m"][0]["subset"] = "test"  # the source has moved it: here it stays
    collection.works(20, 21, subset="val")
    collection.works(21, 22, subset="test", group="one")
    collection.works(22, 23, subset="train", group="one")
    collection.build(split(keep="subset"))
    after = collection.splits()
    assert {name: after[name] for name in before} == before
    assert (after["m:020"], after["m:021"], collection.reasons()) == ("val", "test", {"m:022": "joined_across_splits"})
    assert collection.latest.manifest.lineage == 1
    assert verify(collection.latest.url).problems == ()


def test_of_copies_the_one_in_the_higher_split_of_their_sources_stays_again_and_again(collection):
    collection.attributes = {"subset": "string"}
    collection.works(0, 8, subset="train")
    collection.works(0, 1, source="n", key="copy", subset="test")
    chosen = {"dedup": {"by": ["phash"]}}, split(keep="subset", ratios=None)
    collection.build(*chosen)
    first = collection.latest.manifest.version
    assert collection.reasons() == {"m:000": "exact_duplicate"}
    assert collection.splits()["n:copy"] == "test"
    collection.build(*chosen)
    assert collection.latest.manifest.version == first
    collection.tables["n"] = []
    collection.works(8, 9, source="n", key="new", subset="val")
    collection.build(*chosen)
    assert collection.splits()["m:000"] == "test"  # it takes the place of its copy, which was published there


@pytest.mark.parametrize(
    ("subset", "settings", "said"),
    [
        pytest.param("holdout", {}, "got 'holdout' in m:000", id="a word that is no split"),
        pytest.param("", {"ratios": None}, "got null while 'subset' says nothing in m:000", id="none, and no ratios"),
    ],
)
def test_own_splits_that_no_build_could_keep_are_told(collection, subset, settings, said):
    collection.attributes = {"subset": "string"}
    collection.works(0, 1, subset=subset)
    collection.works(1, 3, subset="train")
    with pytest.raises(BadInput, match=said):
        collection.build(split(keep="subset", **settings))


def test_a_source_that_is_held_out_is_a_split_of_its_own_and_stays_one(collection):
    collection.works(0, 20)
    collection.works(20, 30, source="n", key=lambda number: f"{number}")
    collection.works(0, 2, source="n", key=lambda number: f"copy-{number}")
    chosen = {"dedup": {"by": ["phash"]}}, split(hold_out={"source": ["n"]})
    steps = collection.build(*chosen)
    before = collection.splits()
    assert {name for name, of in before.items() if of == "ood"} == {name for name in before if name.startswith("n:")}
    counts = Counter(before.values())
    assert (counts["ood"], counts["train"] + counts["val"] + counts["test"]) == (12, 18)
    assert counts["train"] in {10, 11}
    assert collection.reasons() == {f"m:{number:03}": "exact_duplicate" for number in range(2)}
    assert steps["split"].notes[0] == "split: 12 images with a split that is given: ood 12"
    release = collection.latest
    assert verify(release.url).problems == ()
    assert {path.partition("/")[2].partition("-")[0] for path in release.parts("images")} == {*SPLITS}
    collection.build(*chosen)
    assert collection.latest.manifest.version == release.manifest.version
    collection.works(30, 33, source="n", key=lambda number: f"{number}")
    collection.works(2, 3, source="n", key="late")  # a copy of what is published elsewhere
    collection.build(*chosen)
    after = collection.splits()
    assert after.items() >= before.items()
    assert {name for name in after if name not in before} == {"n:30", "n:31", "n:32"}
    assert collection.reasons()["n:late"] == "exact_duplicate"
    assert verify(collection.latest.url).problems == ()
    collection.build({"dedup": {"by": ["phash"]}}, split())
    assert (collection.latest.manifest.lineage, "ood" in collection.splits().values()) == (2, False)


@pytest.mark.parametrize(
    ("hold_out", "said"),
    [
        ({"colour": "red"}, r"hold_out: expected an attribute or a column of records, .*got 'colour'"),
        ({"year": "early"}, r"hold_out.year: expected a whole number, got 'early'"),
        ({"source": None}, r"expected a value, got null"),
    ],
)
def test_what_can_not_be_held_out_is_told(collection, hold_out, said):
    collection.works(0, 3)
    with pytest.raises((BadInput, ValueError), match=said):
        collection.build(split(hold_out=hold_out))


def test_roles_by_value_and_a_record_whose_role_changes_moves_nowhere(collection):
    collection.attributes = {"subject": "string", "photographer": "string"}
    collection.works(0, 8, subject="Exhibit")
    collection.works(8, 20, subject="visitor", photographer=lambda number: f"P {number % 3}")
    roles = {"by": "subject", "gallery": "exhibit", "query": "visitor"}
    chosen = (
        {"dedup": {"by": ["phash"]}},
        split(roles=roles, ratios={"val": 1, "test": 2}, by=None, together="photographer"),
    )
    collection.build(*chosen)
    before = collection.splits()
    assert {before[f"m:{n:03}"] for n in range(8)} == {"train"}
    assert {before[f"m:{n:03}"] for n in range(8, 20)} == {"val", "test"}
    collection.tables["m"][0]["subject"] = "visitor"
    collection.tables["m"][8]["subject"] = "exhibit"
    collection.works(3, 4, key="copy", subject="visitor")
    collection.build(*chosen)
    assert collection.reasons() == {
        "m:000": "joined_across_splits",
        "m:008": "joined_across_splits",
        "m:copy": "exact_duplicate",
    }
    assert {name: before[name] for name in collection.splits()} == collection.splits()
    collection.tables["m"][0]["subject"] = collection.tables["m"][1]["subject"]
    collection.tables["m"][8]["subject"] = "visitor"
    collection.build(*chosen)
    assert collection.splits() == before
    collection.tables["m"][2]["subject"] = "visiter"
    with pytest.raises(BadInput, match=r"to be of the gallery or a query by its 'subject', got 'visiter' in m:002"):
        collection.build(*chosen)


def test_files_under_other_names_keep_their_splits_also_where_values_give_roles(collection):
    collection.attributes = {"subject": "string"}
    collection.works(0, 6, subject="exhibit")
    collection.works(6, 18, subject="visitor")
    chosen = split(roles={"by": "subject", "gallery": "exhibit"}, ratios={"train": 1, "test": 1}, by=None)
    collection.build(chosen)
    before = collection.splits()
    for row in collection.tables["m"]:
        row["key"] = f"new-{row['key']}"
    collection.build(chosen)
    assert {name.replace("new-", ""): of for name, of in collection.splits().items()} == before


def test_what_the_last_release_knew_says_the_role_of_a_record_that_is_gone(collection):
    """Files of the gallery that come back as queries were in train as the gallery's: that binds no query to train."""
    collection.attributes = {"subject": "string"}
    collection.works(0, 6, subject="exhibit")
    collection.works(6, 18, subject="visitor")
    chosen = split(roles={"by": "subject", "gallery": "exhibit"}, ratios={"train": 1, "test": 1}, by=None)
    collection.build(chosen)
    for row in collection.tables["m"][:6]:
        row |= {"key": f"photo-{row['key']}", "subject": "visitor"}
    collection.build(chosen)
    assert Counter(of for name, of in collection.splits().items() if "photo" in name) == {"train": 3, "test": 3}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        pytest.param(
            split(ratios={"train": 0, "val": 0}), "expected at least one ratio above 0", id="ratios that sum to zero"
        ),
        pytest.param(split(ratios={"train": 0.99999, "test": 0.00001}), "at most 1000 seats", id="ratios too fine"),
        pytest.param(split(ratios={"train": -1}), "expected 0 or more", id="a ratio below 0"),
        pytest.param(split(by="styles"), "expected method: iterative", id="several styles in batches"),
        pytest.param(split(roles={"met": "gallery"}), "expected some of the sources", id="a role for nobody"),
        pytest.param(sample(at_most=3, total=9), "expected one of at_most, exactly and total", id="two sizes"),
    ],
)
def test_settings_that_no_build_could_obey_are_told_at_once(collection, settings, said):
    collection.works(0, 2)
    more = [] if "split" in settings else [split()]
    with pytest.raises(BadInput, match=said):
        collection.build(settings, *more)


def test_what_spellings_of_one_artist_force_is_counted_named_and_said_by_the_gate(collection):
    collection.max_loss_fraction = 0.05
    collection.works(0, 40)
    stages = sample(by=None), split(together=["artist"], max_drift=1)
    collection.build(*stages)
    before = collection.splits()
    one, other = next(
        (a, b) for a in range(7) for b in range(7) if (before[f"m:{a:03}"], before[f"m:{b:03}"]) == ("train", "val")
    )
    for row in collection.tables["m"]:  # now the sources call both by one name
        row["artist"] = {one: "HENRI MARTIN", other: "Henri Martin."}.get(int(row["key"]) % 7, row["artist"])
    went = {f"m:{number:03}" for number in range(one, 40, 7)}
    with pytest.raises(Refusal) as refused:
        collection.build(*stages)
    assert (
        f"Of its images these are dropped now: {len(went)} joined_across_splits ({len(went)} of them only because"
        in (str(refused.value))
    )
    collection.max_loss_fraction = 1
    steps = collection.build(*stages)
    assert collection.reasons() == dict.fromkeys(went, "joined_across_splits")
    assert collection.splits() == {name: of for name, of in before.items() if name not in went}
    assert collection.latest.manifest.lineage == 1
    told = [note for note in steps["split"].notes if "spell" in note]
    assert f"{len(went)} of them only because spellings of one name count as one" in told[0]
    assert told[1].startswith("split: 1 name is spelled in several ways and counts as one: artist 'H")
    page = without_isolation(collection.latest.read("report.html").decode())
    assert "'HENRI MARTIN' (" in page.replace("&#x27;", "'")
    assert verify(collection.latest.url).problems == ()
    version = collection.latest.manifest.version
    collection.build(*stages)
    assert collection.latest.manifest.version == version


@pytest.mark.parametrize(
    ("together", "roles", "problems"),
    [
        pytest.param([], None, 0, id="nothing is kept together"),
        pytest.param(["artist"], None, 1, id="an artist in two spellings"),
        pytest.param(["artist"], {"m": "query"}, 1, id="of one role"),
        pytest.param(["artist"], {"m": "gallery", "n": "query"}, 0, id="of two roles"),
        pytest.param(["artist"], {"by": "source", "gallery": "m"}, 0, id="of two roles, by value"),
        pytest.param(["series"], None, 1, id="a series of one artist"),
        pytest.param(["accession"], None, 0, id="identifiers"),
        pytest.param(["method"], None, 1, id="an attribute"),
    ],
)
def test_verify_finds_what_is_not_together(collection, together, roles, problems):
    collection.attributes = {"accession": "string", "method": "string", "subset": "string"}
    same = {"series": "Haystacks", "method": "Oil"}
    collection.works(0, 1, artist="Claude Monet", accession="12-3a", subset="train", **same)
    more = {name: text.upper() for name, text in same.items()}
    collection.works(1, 2, source="n", artist="CLAUDE MONET", accession="12-3A", subset="val", **more)
    collection.build(split(keep="subset", ratios=None))
    stage = RecipeStage(label="split", together=together, roles=roles)
    found = list(kept_together(collection.latest, stage))
    assert len(found) == problems
    assert all("in one split, got ['train', 'val']" in problem for problem in found)


def test_all_strata_with_an_empty_split_are_told_and_stand_on_the_page(collection):
    collection.works(0, 10)
    for number in range(25):
        collection.works(10 + number, 11 + number, style=f"Style {number:02}")
    notes = collection.build(split())["split"].notes
    (told,) = [note for note in notes if "no image in some split" in note]
    assert told.startswith("split: 25 of 26 strata have no image in some split (train/val/test): Style 00 (")
    assert told.endswith(" and 5 more; report.html lists all")
    page = without_isolation(collection.latest.read("report.html").decode())
    assert all(f"<td>Style {number:02}<td" in page for number in range(25))


def test_the_gate_of_losses_holds_where_only_a_score_has_changed(collection):
    collection.max_loss_fraction = 0.05
    collection.works(0, 40)
    collection.build(split())
    collection.tables["m"] = collection.tables["m"][:30]
    with pytest.raises(Refusal, match="expected at least 95% of the 40 images"):
        collection.build(split(score=0.4))
