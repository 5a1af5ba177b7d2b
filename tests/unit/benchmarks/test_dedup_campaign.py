"""The campaign of all kinds of copies: one folder of paintings and sheets, and what its rows count, by hand."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks import dedup_campaign, dedup_grades, dedup_works
from benchmarks.dedup_campaign import Works, family_rows
from benchmarks.dedup_families import FAMILIES
from benchmarks.dedup_sheets import NEGATIVE, painted
from benchmarks.dedup_works import Work


def work(key: str, original: str) -> Work:
    return Work(key, original, "saved" if key != original else "original", "reencoded", f"{key}.png")


TRUTH = [work("a", "a"), work("a2", "a"), work("b", "b"), work("b2", "b"), work("p", "p")]
WORKS = Works(dedup_works.FOLDER, TRUTH, {"a": "mount", "a2": "mount", "b": "mount", "b2": "mount"})


def row(key: str, kept: str | None = None) -> dict:
    stage = "dedup" if kept else "split"
    reason, kept_record_id = ("near_duplicate", f"works:{kept}") if kept else (None, None)
    return {"record_id": f"works:{key}", "stage": stage, "reason": reason, "kept_record_id": kept_record_id}


def edge(a: str, b: str, relation: str) -> dict:
    return {"a": f"works:{a}", "b": f"works:{b}", "relation": relation}


ALONE = {"a": "1", "a2": "2", "b": "3", "b2": "4", "p": "5"}
CASES = [
    # ledger, edges, groups; wrong drops, called copy, uncertain, different, found, bound
    ("nothing was compared", [row(key) for key in ALONE], [], ALONE, (0, 0, 0, 0, 0, 0)),
    ("all is right", [row("a"), row("a2", "a"), row("b"), row("b2", "b"), row("p")],
        [edge("a", "a2", "reencoded"), edge("a", "b", "different"), edge("a", "b2", "look_alike")], ALONE,
        (0, 0, 0, 2, 2, 2)),
    ("bound is less than found", [row("a"), row("a2"), row("b"), row("b2", "b"), row("p")],
        [edge("a", "a2", "uncertain"), edge("a2", "b", "detail")], {**ALONE, "a2": "1"}, (0, 0, 1, 0, 1, 2)),
    ("two sheets are one", [row("a"), row("a2", "a"), row("b", "a"), row("b2", "a"), row("p")],
        [edge("a", "b", "cropped"), edge("a2", "b", "resized")], ALONE, (2, 2, 0, 0, 2, 2)),
    ("a pair with a painting is no pair of the family", [row("a"), row("a2", "a"), row("b", "p"), row("b2"), row("p")],
        [edge("b", "p", "resized")], ALONE, (1, 0, 0, 0, 1, 1)),
    ("what never reached dedup is not counted", [row("a"), row("b"), row("b2", "b"), row("p")], [], ALONE,
        (0, 0, 0, 0, 1, 1)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_rows_of_families_by_hand(case):
    _, ledger, edges, groups, wanted = case
    stayed = {key: group for key, group in groups.items() if any(one == row(key) for one in ledger)}
    [found] = family_rows(WORKS, ledger, edges, stayed)
    names = ("wrong drops", "called copy", "called uncertain", "called different", "found", "bound")
    assert tuple(found[name] for name in names) == wanted
    assert found["works"] == 2


def test_a_transforms_row_tells_never_compared_from_called_different():
    ledger = [row("a"), row("a2", "a"), row("b"), row("b2"), row("p")]
    edges = [edge("a", "a2", "resized"), edge("b", "b2", "look_alike"), edge("a", "b", "different")]
    grade = dedup_grades.graded(TRUTH, ledger, [{**one, "is_joined": False, "score": None} for one in edges])
    for said, wanted in ((edges, (2, 1, 1)), (edges[:1], (1, 0, 1)), ([], (0, 0, 1))):
        [found] = dedup_campaign.transform_rows(WORKS, grade, ledger, said, {"a": "1", "b": "2", "b2": "3"})
        assert (found["compared"], found["called different"], found["bound"]) == wanted
        assert (found["copies"], found["found"]) == (2, 1)
    assert [dedup_campaign.called_different(WORKS, said) for said in (edges, [])] == [1, 0]


@pytest.mark.parametrize("at", ["images/split=train/part-00000.parquet", "images/train-00000-of-00001.parquet"])
def test_groups_are_read_from_every_part_of_the_images(tmp_path, at):
    (tmp_path / at).parent.mkdir(parents=True)
    pq.write_table(pa.table({"record_id": ["works:a", "works:b"], "group_id": ["g", "h"]}), tmp_path / at)
    assert dedup_campaign.groups_in(tmp_path) == {"a": "g", "b": "h"}


def test_recall_is_that_of_the_named_transforms_together():
    rows = [{"transform": "grey", "copies": 3, "found": 3}, {"transform": "half", "copies": 1, "found": 0}]
    assert [dedup_campaign.recall_of(rows, names) for names in ({"grey"}, {"grey", "half"}, set())] == [1, 0.75, 1]


@pytest.mark.parametrize(
    ("items", "wanted"),
    [([], []), (["a1"], ["a1"]), (["a1", "a2", "a3", "b1", "c1", "b2"], ["a1", "b1", "c1", "a2", "b2", "a3"])],
)
def test_the_first_of_every_kind_comes_first(items, wanted):
    assert dedup_grades.in_turn(items, lambda item: item[0]) == wanted


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Forty small paintings of two styles."""
    folder = tmp_path_factory.mktemp("paintings")
    for number in range(40):
        at = folder / ("Cubism" if number < 20 else "Realism")
        at.mkdir(exist_ok=True)
        painted(np.random.default_rng([5, number]), (40, 48)).save(at / f"some-painter_{number:02}.jpg")
    return folder


@pytest.mark.slow
def test_works_are_paintings_from_all_over_the_folder_and_sheets_of_others_each_with_its_copies(folder, tmp_path):
    works = dedup_campaign.made(folder, tmp_path / "works", 2, 1, members=1)
    assert len(works.truth) == 2 * (1 + len(FAMILIES)) + 2 * len(NEGATIVE)
    rows = dedup_works.rows_of(tmp_path / "works" / "works.csv")
    assert [row["key"] for row in rows] == [work.key for work in works.truth]
    assert all((tmp_path / "works" / row["image"]).exists() for row in rows)
    paintings = [row for row in rows if row["key"].startswith("paintings")]
    assert {row["style"] for row in paintings} == {"Cubism", "Realism"}
    assert {row["key"]: row["style"] for row in rows if row["key"].startswith("sheets")} == works.family_of
    assert dedup_campaign.made(folder, tmp_path / "works", 2, 1, members=1) == works


def test_too_few_images_and_another_seed_are_refused(folder, tmp_path):
    with pytest.raises(SystemExit, match=r"expected \d+ images or more besides the originals, got 39"):
        dedup_campaign.made(folder, tmp_path / "few", 1, 1, members=20)
    with pytest.raises(SystemExit, match="expected an empty folder"):
        dedup_campaign.made(folder, tmp_path / "few", 1, 2, members=1)
