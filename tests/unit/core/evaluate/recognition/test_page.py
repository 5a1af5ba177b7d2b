"""The tables and the Markdown of recognition: shares, types, sizes, and what there is nothing to say about."""

import numpy as np
import pyarrow as pa

from schemas.evaluate_images import DISTRACTORS, GRID, PREDICTIONS, SIZES, RecognitionSettings
from tasks.core.evaluate.recognition import page
from tasks.core.evaluate.recognition.classifier import BestPair
from tasks.core.evaluate.recognition.recognise import Recognition
from tasks.core.evaluate.recognition.scores import Outcomes, gallery_sizes, sizes_table
from tasks.core.evaluate.recognition.tables import Queries, QueryPredictions, check_gallery, check_queries

GALLERY = check_gallery(pa.table({"id": ["a", "b", "c"], "class": ["vase", "armour", "vase"]}))
NO_DISTRACTORS, NO_SIZES = DISTRACTORS.empty_table(), SIZES.empty_table()


def queries(classes: list[str | None], types: list[str | None] | None = None) -> Queries:
    ids = [f"q{place}" for place in range(len(classes))]
    columns = {"id": ids, "class": pa.array(classes, pa.string())}
    return check_queries(pa.table(columns if types is None else {**columns, "type": types}), GALLERY)


QUERIES = queries(["vase", "armour", None, None], ["met", "met", "other_art", "non_art"])


def says(of: Queries, names: list[str], confidence: list[float]) -> QueryPredictions:
    true = [None if place < 0 else GALLERY.classes[place] for place in of.class_of]
    is_right = np.array([one == other for one, other in zip(names, true, strict=True)], np.bool_)
    outcomes = Outcomes(-np.array(confidence), of.is_met, is_right)
    return QueryPredictions(pa.array(names), np.array(confidence), pa.nulls(len(names), pa.string()), outcomes)


GOOD = says(QUERIES, ["vase", "armour", "vase", "vase"], [0.9, 0.5, 0.6, 0.4])
BAD = says(QUERIES, ["vase", "vase", "vase", "vase"], [0.9, 0.5, 0.6, 0.4])


def test_every_prediction_has_its_row():
    rows = page.predictions_table(QUERIES, GALLERY, {"good": GOOD, "bad": BAD})
    assert rows.schema == PREDICTIONS
    assert rows.num_rows == 8
    assert rows.slice(1, 2).to_pylist() == [
        {
            "system": "good",
            "id": name,
            "class": true,
            "prediction": said,
            "confidence": confidence,
            "nearest": None,
            "is_right": true is not None,
        }
        for name, true, said, confidence in (("q1", "armour", "armour", 0.5), ("q2", None, "vase", 0.6))
    ]
    assert page.predictions_table(QUERIES, GALLERY, {}).num_rows == 0


def sizes_of(of: Queries, several: dict[str, QueryPredictions]) -> pa.Table:
    outcomes = {name: own.outcomes for name, own in several.items()}
    return sizes_table(outcomes, gallery_sizes(of.class_of, GALLERY.class_of))


def test_the_first_system_is_compared_with_the_second_by_size():
    rows = sizes_of(QUERIES, {"good": GOOD, "bad": BAD, "other": GOOD}).to_pylist()
    assert [(row["system"], row["images"], row["queries"], row["acc"]) for row in rows] == [
        ("good", 1, 1, 1.0),
        ("good", 2, 1, 1.0),
        ("bad", 1, 1, 0.0),
        ("bad", 2, 1, 1.0),
        ("other", 1, 1, 1.0),
        ("other", 2, 1, 1.0),
    ]
    gains = [(row["compared_with"], row["points"], row["relative"]) for row in rows]
    assert gains == [("bad", 1.0, None), ("bad", 0.0, 0.0), *[(None, None, None)] * 4]


def test_of_one_system_or_without_a_met_query_nothing_is_compared():
    assert sizes_of(QUERIES, {"good": GOOD})["points"].null_count == 2
    nobody = queries([None])
    several = {name: says(nobody, ["vase"], [0.5]) for name in ("one", "other")}
    assert sizes_of(nobody, several).num_rows == 0


def found_by(k: int, tau: float, gap: list[list[float]]) -> Recognition:
    pair = BestPair(k, tau, np.array(gap))
    return Recognition(pair, GOOD, 3, 0, (pair, GOOD.outcomes))


def test_the_grid_has_each_pair_once():
    settings = RecognitionSettings(k=(1, 3, 1), tau=(10,))
    rows = page.grid_table({"good": found_by(1, 10, [[0.5], [np.nan], [0.5]])}, settings)
    assert rows.schema == GRID
    assert [tuple(row.values()) for row in rows.to_pylist()] == [("good", 1, 10.0, 0.5), ("good", 3, 10.0, None)]


def distractors(low: float | None = None, high: float | None = None, **gaps: tuple[float, ...]) -> pa.Table:
    """Two shares, and all of two types."""
    parts = ((None, 0.0), (None, 1.0), ("other_art", 1.0), ("non_art", 1.0))
    common = dict.fromkeys(DISTRACTORS.names) | {"distractors": 1, "low": low, "high": high}
    rows = [
        {**common, "system": name, "type": kind, "share": share, "gap": gap}
        for name, own in gaps.items()
        for (kind, share), gap in zip(parts, own, strict=True)
    ]
    return pa.Table.from_pylist(rows, DISTRACTORS)


def test_intervals_stand_behind_their_gap():
    lines = page.page_lines({}, distractors(0.25, 0.75, good=(0.5,) * 4), NO_SIZES)
    assert lines[4] == "| good | 0.500 (0.250 to 0.750) | 0.500 (0.250 to 0.750) |"
    assert lines[-1] == lines[4]


def test_the_page():
    several = {"good": GOOD, "b|d": BAD}
    lines = page.page_lines(
        {"good": found_by(3, 50, [[1.0]])},
        distractors(good=(1.0, 5 / 6, 5 / 6, 1.0), **{"b|d": (0.5,) * 4}),
        sizes_of(QUERIES, several),
    )
    assert (
        "\n".join(lines)
        == """## k, temperature and dimensions

| system | k | tau | dimensions |
|---|---:|---:|---:|
| good | 3 | 50 | 3 |

## GAP with shares of the distractors

| system | 0% | 100% |
|---|---:|---:|
| good | 1.000 | 0.833 |
| b\\|d | 0.500 | 0.500 |

## GAP with one type of distractor

| system | other_art | non_art |
|---|---:|---:|
| good | 0.833 | 1.000 |
| b\\|d | 0.500 | 0.500 |

## ACC by images per class in the gallery

| images per class | good | b\\|d | gain | relative gain | queries |
|---|---:|---:|---:|---:|---:|
| 1 | 1.000 | 0.000 | 1.000 |  | 1 |
| 2 | 1.000 | 1.000 | 0.000 | 0.000 | 1 |"""
    )


def test_a_page_without_anything_to_say():
    assert page.page_lines({}, NO_DISTRACTORS, NO_SIZES) == []
    assert page.page_lines({"good": found_by(3, 50, [[1.0]])}, NO_DISTRACTORS, NO_SIZES)[0].startswith("## k")


def test_shares_below_one_percent_have_heads_of_their_own():
    common = dict.fromkeys(DISTRACTORS.names) | {"system": "good", "distractors": 1, "gap": 0.5}
    rows = pa.Table.from_pylist([{**common, "share": share} for share in (0.001, 0.002, 0.07, 1.0)], DISTRACTORS)
    assert page.page_lines({}, rows, NO_SIZES)[2] == "| system | 0.1% | 0.2% | 7% | 100% |"
