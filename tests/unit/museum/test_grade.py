"""Grades by hand-made ledgers: what counts as planted, found and right."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from examples.museum.grade import grade
from schemas.tables import LEDGER

RECIPE = "stages: [{fetch: {label: fetch}}, {dedup: {label: dedup}}, {sample: {label: sample}}]\n"
# a and its copies b, c; d and its copy e; f alone
TRUTH = "original_key,copy_key,relation\na,b,exact\na,c,resized\nd,e,reencoded\n"


def graded(folder: Path, **dropped: tuple[str, str, str | None]):
    (folder / "truth").mkdir()
    (folder / "truth/duplicates.csv").write_text(TRUTH)
    (folder / "recipe.yaml").write_text(RECIPE)
    rows = []
    for key in "abcdef":
        stage, reason, other = dropped.get(key, (None, None, None))
        kept_record_id = f"m:{other}" if other else None
        rows.append(
            {
                "record_id": f"m:{key}",
                "source": "m",
                "kept": stage is None,
                "stage": stage,
                "reason": reason,
                "kept_record_id": kept_record_id,
            }
        )
    pq.write_table(pa.Table.from_pylist(rows, schema=LEDGER), folder / "ledger.parquet")
    return grade(folder, folder)


NEAR = ("dedup", "near_duplicate")
CASES = [
    pytest.param({}, (0, 3, 0, 0), id="nothing was found"),
    pytest.param({"a": (*NEAR, "b"), "c": (*NEAR, "b"), "e": (*NEAR, "d")}, (3, 3, 3, 3), id="all, whichever copy stayed"),
    pytest.param({"b": (*NEAR, "a"), "e": ("fetch", "broken_image", None)}, (1, 2, 1, 1), id="what a fault took does not count"),
    pytest.param({"b": (*NEAR, "a"), "c": ("sample", "not_drawn", None)}, (1, 3, 1, 1), id="what was dropped later had been missed"),
    pytest.param({"f": (*NEAR, "a"), "e": (*NEAR, "a")}, (1, 3, 2, 0), id="drops for another family's work are wrong"),
]  # fmt: skip


@pytest.mark.parametrize(("dropped", "counts"), CASES)
def test_found_planted_dropped_and_rightly_dropped_are_counted(tmp_path, dropped, counts):
    found = graded(tmp_path, **dropped)
    assert (found.found, found.planted, found.dropped, found.rightly) == counts


def test_where_there_was_nothing_to_get_wrong_both_grades_are_one(tmp_path):
    found = graded(tmp_path, b=("fetch", "x", None), c=("fetch", "x", None), e=("fetch", "x", None))
    assert (found.precision, found.recall) == (1.0, 1.0)
