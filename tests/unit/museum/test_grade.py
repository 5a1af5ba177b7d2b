"""Grades by hand-made ledgers: what counts as planted, found and right, of which relation, and what is named."""

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from examples.museum.grade import Grade, Pair, Recall, grade, lines_from_grade
from schemas.errors import BadInput, DamagedFile
from schemas.tables import EDGES, LEDGER
from tests.support.manifests import write_manifest

RECIPE = "categories: []\n" + (
    "stages: [{{fetch: {{label: fetch}}}}, {{dedup: {{label: dedup{drops}}}}}, {{sample: {{label: sample}}}}]\n"
)
# a and its copies b, c; d and its copy e; f alone; g shows the motif of f again and has a mirrored copy, h
DUPLICATES = "original_key,copy_key,relation\na,b,exact\na,c,resized\nd,e,reencoded\ng,h,mirrored\n"
SERIES = "key,first_key\ng,f\n"
NEAR = ("dedup", "near_duplicate")


def graded(folder: Path, drops: str = "", edges: list[tuple[str, str, str]] | None = None, **dropped) -> Grade:
    (folder / "truth").mkdir()
    (folder / "truth/duplicates.csv").write_text(DUPLICATES)
    (folder / "truth/series.csv").write_text(SERIES)
    (folder / "recipe.yaml").write_text(RECIPE.format(drops=drops))
    rows = []
    for key in "abcdefgh":
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
                "image_id": ord(key),
            }
        )
    pq.write_table(pa.Table.from_pylist(rows, schema=LEDGER), folder / "ledger.parquet")
    if edges is not None:
        said = [{"a": f"m:{a}", "b": f"m:{b}", "relation": relation} for a, b, relation in edges]
        pq.write_table(pa.Table.from_pylist(said, schema=EDGES), folder / "relations.parquet")
    write_manifest(folder)
    return grade(folder, folder)


CASES = [
    pytest.param({}, (0, 3, 0, 0), id="nothing was found"),
    pytest.param(
        {"a": (*NEAR, "b"), "c": (*NEAR, "b"), "e": (*NEAR, "d")}, (3, 3, 3, 3), id="all, whichever copy stayed"
    ),
    pytest.param(
        {"b": (*NEAR, "a"), "e": ("fetch", "broken_image", None)}, (1, 2, 1, 1), id="what a fault took does not count"
    ),
    pytest.param(
        {"b": (*NEAR, "a"), "c": ("sample", "not_drawn", None)},
        (1, 3, 1, 1),
        id="what was dropped later had been missed",
    ),
    pytest.param(
        {"b": (*NEAR, "c")}, (0, 3, 1, 1), id="two copies without their original are a right drop and no find"
    ),
    pytest.param({"c": (*NEAR, "b"), "b": (*NEAR, "a")}, (2, 3, 2, 2), id="a drop for what was itself dropped"),
    pytest.param(
        {"b": (*NEAR, "a"), "a": (*NEAR, "b")}, (0, 3, 2, 2), id="two that were dropped for each other are both lost"
    ),
    pytest.param({"f": (*NEAR, "a"), "e": (*NEAR, "a")}, (0, 3, 2, 0), id="drops for another work are wrong"),
    pytest.param(
        {"h": (*NEAR, "g")}, (0, 3, 1, 1), id="a mirrored copy that nobody asked for is a right drop and no find"
    ),
]


@pytest.mark.parametrize(("dropped", "counts"), CASES)
def test_found_planted_dropped_and_rightly_dropped_are_counted(tmp_path, dropped, counts):
    found = graded(tmp_path, **dropped)
    assert (found.found, found.planted, found.dropped, found.rightly) == counts


def test_where_there_was_nothing_to_get_wrong_both_grades_are_one(tmp_path):
    found = graded(tmp_path, **dict.fromkeys("bceh", ("fetch", "x", None)))
    assert (found.precision, found.recall, found.recalls) == (1.0, 1.0, {})
    assert Recall(0, 0).share == 1.0


def test_recall_is_told_by_relation(tmp_path):
    found = graded(tmp_path, b=(*NEAR, "a"), c=(*NEAR, "b"))
    assert found.recalls == {
        "exact": Recall(1, 1),
        "mirrored": Recall(1, 0),
        "reencoded": Recall(1, 0),
        "resized": Recall(1, 1),
    }
    assert found.recall == 2 / 3


@pytest.mark.parametrize(
    ("drops", "planted", "unasked"),
    [
        ("", 3, {"mirrored"}),
        (", drop_relations: [same_file, reencoded]", 3, {"mirrored"}),
        (", drop_relations: [same_file, mirrored]", 4, set()),
    ],
)
def test_mirrored_copies_count_where_the_recipe_asks_for_them(tmp_path, drops, planted, unasked):
    found = graded(tmp_path, drops)
    assert (found.planted, found.unasked) == (planted, unasked)
    assert found.recalls["mirrored"] == Recall(1, 0)


def test_works_of_one_series_that_were_merged_are_named(tmp_path):
    found = graded(tmp_path, h=(*NEAR, "f"), d=(*NEAR, "f"))
    assert {(pair.key, pair.other_key, pair.planted) for pair in found.wrong} == {
        ("h", "f", "series"),
        ("d", "f", "unrelated"),
    }
    assert found.precision == 0.0


def test_pairs_say_what_the_release_saw_in_them(tmp_path):
    found = graded(tmp_path, edges=[("a", "b", "detail"), ("f", "g", "cropped")], g=(*NEAR, "f"))
    assert found.wrong == (Pair("g", "f", "series", "cropped"),)
    assert {pair.key: pair.seen for pair in found.missed} == {
        "b": "detail",
        "c": "never compared",
        "e": "never compared",
        "h": "never compared",
    }


def test_the_lines_name_what_is_wrong_and_what_was_asked_for_and_missed(tmp_path):
    found = graded(tmp_path, edges=[("a", "c", "different")], g=(*NEAR, "f"), b=(*NEAR, "a"))
    assert lines_from_grade(found, most=1) == [
        "copies: precision 0.500 (1 of 2 drops right), recall 0.333 (1 of 3 planted copies found)",
        "  exact           1.000 (1 of 1)",
        "  mirrored        0.000 (0 of 1), not asked for",
        "  reencoded       0.000 (0 of 1)",
        "  resized         0.000 (0 of 1)",
        "wrong: g, dropped for f: series, found: never compared",
        "missed: c, a copy of a: resized, found: different",
        "missed: and 1 more",
    ]


@pytest.mark.parametrize(
    ("missing", "error"),
    [
        ("truth/duplicates.csv", FileNotFoundError),
        ("truth/series.csv", FileNotFoundError),
        ("manifest.json", BadInput),
        ("ledger.parquet", DamagedFile),
        ("recipe.yaml", DamagedFile),
        ("relations.parquet", DamagedFile),
    ],
)
def test_a_file_that_is_missing_is_an_error(tmp_path, missing, error):
    graded(tmp_path, edges=[])
    (tmp_path / missing).unlink()
    with pytest.raises(error):
        grade(tmp_path, tmp_path)


STAGES = "stages: [{fetch: {label: fetch}}]\n"


@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        pytest.param({"ledger.parquet": {"stage": pa.nulls(8, pa.string())}}, DamagedFile, "got None", id="stage null"),
        pytest.param({"ledger.parquet": {"stage": pa.array(["odd"] * 8)}}, DamagedFile, "got 'odd'", id="unknown"),
        pytest.param({"ledger.parquet": {"reason": pa.array([[1]] * 8)}}, DamagedFile, "reason as list<", id="nested"),
        pytest.param({"relations.parquet": {"a": pa.array([7])}}, DamagedFile, "a as int64", id="a number as record"),
        pytest.param({"relations.parquet": {"b": pa.nulls(1, pa.string())}}, DamagedFile, "b with 1 nulls", id="null"),
        pytest.param({"relations.parquet": b"no table"}, DamagedFile, "to be a Parquet file", id="garbage"),
        pytest.param({"recipe.yaml": b"{categories: [], stages: [{dedup: 1}]}"}, DamagedFile, "stages.0.dedup", id="1"),
        pytest.param({"recipe.yaml": b"categories: []\n" + STAGES.encode()}, DamagedFile, "fetch", id="none"),
    ],
)
def test_a_release_of_another_shape_is_told_in_a_sentence(tmp_path, changes, error, sentence):
    graded(tmp_path, edges=[("a", "b", "exact")], b=(*NEAR, "a"))
    for name, change in changes.items():
        if isinstance(change, bytes):
            (tmp_path / name).write_bytes(change)
            continue
        table = pq.read_table(tmp_path / name)
        for column, values in change.items():
            table = table.set_column(table.column_names.index(column), column, values)
        pq.write_table(table, tmp_path / name)
    with pytest.raises(error, match=re.escape(sentence)):
        grade(tmp_path, tmp_path)


def test_a_recipe_that_looks_for_no_copies_is_bad_input(tmp_path):
    graded(tmp_path)
    (tmp_path / "recipe.yaml").write_text(f"categories: []\n{STAGES}")
    with pytest.raises(BadInput, match="recipe has a dedup, got the stages fetch"):
        grade(tmp_path, tmp_path)
