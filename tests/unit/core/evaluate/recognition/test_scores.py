"""GAP, GAP- and ACC: by hand, by plain loops, with shares of distractors, and by sizes of classes."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.evaluate_images import DISTRACTORS, SIZES
from tasks.core.evaluate.recognition.scores import (
    LABELS,
    Outcomes,
    distractor_parts,
    distractors_table,
    gallery_sizes,
    scorer,
    sizes_table,
    times_with_share,
)
from tasks.core.evaluate.systems import Ranking, score_systems
from tests.support.recognition import score_once


def outcomes_of(*queries: tuple[float, str]) -> Outcomes:
    """Each query's confidence, and what became of it: right, wrong, or a distractor."""
    return Outcomes(
        np.array([-confidence for confidence, _ in queries]),
        np.array([what != "distractor" for _, what in queries], np.bool_),
        np.array([what == "right" for _, what in queries], np.bool_),
    )


def by_plain_loops(queries: list[tuple[float, str]]) -> dict[str, float]:
    def gap(ranked: list[tuple[float, str]], met: int) -> float:
        total, right = 0.0, 0
        for place, (_, what) in enumerate(ranked, 1):
            if what == "right":
                right += 1
                total += right / place
        return total / met

    ranked = sorted(queries, key=lambda query: (-query[0], query[1] == "right"))
    met = [query for query in ranked if query[1] != "distractor"]
    if not met:
        return dict.fromkeys(LABELS, float("nan"))
    right = sum(what == "right" for _, what in met)
    return {"GAP": gap(ranked, len(met)), "GAP_minus": gap(met, len(met)), "ACC": right / len(met)}


@pytest.mark.parametrize(
    ("queries", "gap", "gap_minus", "acc"),
    [
        pytest.param(
            [(0.9, "right"), (0.8, "distractor"), (0.7, "right"), (0.6, "wrong")], 0.5556, 0.6667, 0.6667, id="by hand"
        ),
        pytest.param([(0.9, "right"), (0.8, "right"), (0.1, "distractor")], 1, 1, 1, id="all distractors below"),
        pytest.param([(0.9, "distractor"), (0.1, "right")], 0.5, 1, 1, id="a distractor above"),
        pytest.param([(0.5, "right"), (0.5, "wrong"), (0.5, "distractor")], 1 / 6, 0.25, 0.5, id="ties: wrong first"),
        pytest.param([(0.5, "wrong"), (0.4, "distractor")], 0, 0, 0, id="nothing right"),
        pytest.param([(0.0, "right")], 1, 1, 1, id="the least confidence of all"),
        pytest.param([(0.5, "distractor")], np.nan, np.nan, np.nan, id="no Met query"),
        pytest.param([], np.nan, np.nan, np.nan, id="no query"),
    ],
)
def test_scores_by_hand(queries, gap, gap_minus, acc):
    got = score_once(outcomes_of(*queries))
    assert list(got) == list(LABELS)
    assert list(got.values()) == pytest.approx([gap, gap_minus, acc], abs=5e-5, nan_ok=True)


query = st.tuples(st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.5]), st.sampled_from(["right", "wrong", "distractor"]))
some = st.lists(query, max_size=20)


@given(some)
def test_scores_are_those_of_plain_loops(queries):
    assert score_once(outcomes_of(*queries)) == pytest.approx(by_plain_loops(queries), nan_ok=True)


@given(st.lists(st.tuples(query, st.integers(0, 3)), max_size=12))
def test_a_query_counts_as_often_as_it_is_repeated(pairs):
    queries, times = [pair[0] for pair in pairs], np.array([pair[1] for pair in pairs], np.int64)
    repeated = [one for one, count in pairs for _ in range(count)]
    assert scorer(outcomes_of(*queries))(times) == pytest.approx(by_plain_loops(repeated), nan_ok=True)


@given(some.filter(lambda queries: any(what != "distractor" for _, what in queries)), st.randoms())
def test_removing_distractors_never_lowers_gap(queries, chance):
    scores = score_once(outcomes_of(*queries))
    fewer = [one for one in queries if one[1] != "distractor" or chance.random() < 0.5]
    assert score_once(outcomes_of(*fewer))["GAP"] >= scores["GAP"] - 1e-12
    assert scores["GAP_minus"] >= score_once(outcomes_of(*fewer))["GAP"] - 1e-12
    without = [one for one in queries if one[1] != "distractor"]
    assert score_once(outcomes_of(*without))["GAP"] == scores["GAP_minus"]


@given(some, st.randoms(use_true_random=False))
def test_the_order_of_queries_does_not_matter(queries, chance):
    mixed = list(queries)
    chance.shuffle(mixed)
    assert score_once(outcomes_of(*mixed)) == pytest.approx(score_once(outcomes_of(*queries)), nan_ok=True)


SHARES = (0.0, 0.05, 0.1, 0.5, 1.0)
IDS = pa.chunked_array([[f"query {number}" for number in range(240)]])
IS_MET = np.arange(240) < 40


def chosen(share: float, seed: int = 3) -> set[int]:
    return set(np.flatnonzero(times_with_share(IDS, IS_MET, share, seed)).tolist())


def test_a_larger_share_contains_the_smaller_ones_and_all_met_queries():
    sets = [chosen(share) for share in SHARES]
    assert [len(found) - 40 for found in sets] == [0, 10, 20, 100, 200]
    assert all(smaller < larger for smaller, larger in itertools.pairwise(sets))
    assert set(range(40)) <= sets[0]


def test_another_seed_draws_others_and_the_order_of_queries_draws_the_same():
    assert chosen(0.1, 4) != chosen(0.1)
    mixed = np.random.default_rng(1).permutation(240)
    times = times_with_share(pa.chunked_array([IDS.take(mixed).combine_chunks()]), IS_MET[mixed], 0.1, 3)
    assert set(mixed[times == 1].tolist()) == chosen(0.1)


@pytest.mark.parametrize(("share", "count"), [(0.0, 0), (0.49, 1), (0.5, 2), (0.84, 3), (1.0, 3)])
def test_numbers_are_rounded_halves_up(share: float, count: int):
    ids = pa.chunked_array([["a", "b", "c"]])
    assert times_with_share(ids, np.zeros(3, np.bool_), share, 0).sum() == count


def test_no_query():
    assert times_with_share(pa.chunked_array([], pa.string()), np.zeros(0, np.bool_), 1.0, 0).tolist() == []


def table_of(outcomes: Outcomes, replicates: int = 0, types: Sequence[str] = (), seed: int = 0) -> list[dict[str, Any]]:
    """One system's rows of DISTRACTORS."""
    parts = distractor_parts(IDS, IS_MET, types or ["distractor"] * 240, SHARES, 3)
    rows = distractors_table(parts, {"one": outcomes}, replicates, seed)
    assert rows.schema == DISTRACTORS
    return rows.to_pylist()


def random_outcomes(seed: int) -> Outcomes:
    chance = np.random.default_rng(seed)
    return Outcomes(chance.random(240) + ~IS_MET * 0.2, IS_MET, IS_MET & (chance.random(240) < 0.6))


def test_gap_falls_from_gap_minus_to_gap():
    outcomes = random_outcomes(2)
    rows = table_of(outcomes)
    assert [(row["share"], row["distractors"]) for row in rows] == list(zip(SHARES, [0, 10, 20, 100, 200], strict=True))
    gaps = [row["gap"] for row in rows]
    assert gaps == sorted(gaps, reverse=True)
    whole = score_once(outcomes)
    assert (gaps[0], gaps[-1]) == (whole["GAP_minus"], whole["GAP"])
    assert {row["low"] for row in rows} == {None}


def test_with_all_distractors_the_interval_is_that_of_gap_in_the_scores():
    outcomes = random_outcomes(4)
    scores = score_systems({"one": scorer(outcomes)}, 240, {}, Ranking("GAP"), 100, 7).to_pylist()
    (whole,) = [row for row in scores if row["metric"] == "GAP"]
    rows = table_of(outcomes, 100, seed=7)
    assert (rows[-1]["low"], rows[-1]["high"]) == (whole["low"], whole["high"])
    for row in rows:
        assert row["low"] < row["gap"] < row["high"]


def test_resamples_are_of_the_queries_of_the_part():
    """The distractors that are not in a part make no difference to it, whatever is said of them."""
    outcomes = random_outcomes(5)
    types = ["met"] * 40 + ["other_art", "non_art"] * 100
    is_other = np.array([kind == "other_art" for kind in types])
    surest = outcomes._replace(doubt=np.where(is_other, -1.0, outcomes.doubt))
    one, other = (table_of(of, 100, types)[-2:] for of in (outcomes, surest))
    assert [row["type"] for row in one] == ["other_art", "non_art"]
    assert one[0] != other[0]
    assert one[1] == other[1]


@pytest.mark.parametrize(("queries", "has_interval"), [(9, False), (10, True)])
def test_fewer_than_ten_queries_have_no_interval(queries: int, has_interval: bool):
    is_met = np.arange(queries) > 0
    ids = pa.chunked_array([[f"q{number}" for number in range(queries)]])
    parts = distractor_parts(ids, is_met, ["?"] * queries, (1.0,), 0)
    rows = distractors_table(parts, {"one": Outcomes(np.arange(queries) * 1.0, is_met, is_met)}, 100, 0)
    assert (rows["low"].null_count == 0) == has_interval


def test_each_system_has_its_rows_in_turn_on_the_same_resamples():
    one, other = random_outcomes(6), random_outcomes(7)
    parts = distractor_parts(IDS, IS_MET, ["?"] * 240, (0.0, 1.0, 0.0), 3)
    rows = distractors_table(parts, {"one": one, "other": other, "again": one}, 100, 0).to_pylist()
    assert [(row["system"], row["share"]) for row in rows] == [
        (name, share) for name in ("one", "other", "again") for share in (0.0, 1.0)
    ]
    assert [row["low"] for row in rows[:2]] == [row["low"] for row in rows[4:]]


def test_gap_with_the_distractors_of_one_type():
    """The surest query is no art, so that other art costs nothing; a distractor of no known type is in neither."""
    types = ("non_art", "met", "other_art", "distractor")
    is_met = np.array([kind == "met" for kind in types])
    ids = pa.chunked_array([["a", "b", "c", "d"]])
    parts = distractor_parts(ids, is_met, types, (), 0)
    outcomes = Outcomes(np.array([-0.9, -0.8, -0.7, -1.0]), is_met, is_met)
    rows = distractors_table(parts, {"one": outcomes}, 0, 0).to_pylist()
    assert [(row["type"], row["share"], row["distractors"], row["gap"]) for row in rows] == [
        ("other_art", 1.0, 1, 1.0),
        ("non_art", 1.0, 1, 0.5),
    ]
    assert distractor_parts(ids, is_met, ("distractor", "met", "distractor", "distractor"), (), 0) == []


@pytest.mark.parametrize(
    ("types", "count"),
    [
        pytest.param(["met"], 0, id="no distractor"),
        pytest.param(["met", "distractor"], 2, id="of no known type"),
        pytest.param(["non_art"], 3, id="no Met query"),
    ],
)
def test_odd_queries_and_their_distractors(types: list[str], count: int):
    is_met = np.array([kind == "met" for kind in types])
    parts = distractor_parts(IDS.slice(0, len(types)), is_met, types, (0.0, 1.0, 0.0), 0)
    rows = distractors_table(parts, {"one": Outcomes(np.zeros(len(types)), is_met, is_met)}, 100, 0)
    assert rows.num_rows == count
    assert rows["gap"].null_count == (0 if is_met.any() else count)
    assert rows["low"].null_count == count


GALLERY = np.array([0, 1, 1, 1, 2])
TRUTH = np.array([0, 1, 1, 2, -1])


def right_about(*right: int) -> Outcomes:
    return Outcomes(np.zeros(5), TRUTH >= 0, np.isin(np.arange(5), right))


def test_sizes_of_the_queries_classes():
    assert gallery_sizes(TRUTH, GALLERY).tolist() == [1, 3, 3, 1, 0]
    assert gallery_sizes(np.array([-1]), GALLERY).tolist() == [0]
    assert gallery_sizes(np.array([], np.int64), GALLERY).tolist() == []


def test_accuracy_of_each_size_that_occurs():
    rows = sizes_table({"one": right_about(0, 1, 2)}, gallery_sizes(TRUTH, GALLERY))
    assert rows.schema == SIZES
    assert [tuple(row.values())[:4] for row in rows.to_pylist()] == [("one", 1, 2, 0.5), ("one", 3, 2, 1.0)]
    assert rows["points"].null_count == 2


def test_the_gain_of_the_first_system_over_the_second():
    several = {"one": right_about(0, 1, 2), "other": right_about(1), "third": right_about(0)}
    rows = [tuple(row.values()) for row in sizes_table(several, gallery_sizes(TRUTH, GALLERY)).to_pylist()]
    assert rows == [
        ("one", 1, 2, 0.5, "other", 0.5, None),  # of nothing
        ("one", 3, 2, 1.0, "other", 0.5, 1.0),
        ("other", 1, 2, 0.0, None, None, None),
        ("other", 3, 2, 0.5, None, None, None),
        ("third", 1, 2, 0.5, None, None, None),
        ("third", 3, 2, 0.0, None, None, None),
    ]


def test_without_a_met_query_there_is_no_row():
    nothing = Outcomes(np.zeros(1), np.zeros(1, np.bool_), np.zeros(1, np.bool_))
    assert sizes_table({"one": nothing}, np.zeros(1, np.int64)).num_rows == 0
    assert sizes_table({"one": nothing, "other": nothing}, np.zeros(1, np.int64)).num_rows == 0
    assert sizes_table({}, np.zeros(1, np.int64)).num_rows == 0


@pytest.mark.parametrize("counts", [[1], [1, 2], [10, 1, 3]])
def test_queries_of_all_sizes_add_up(counts: list[int]):
    gallery = np.repeat(np.arange(len(counts)), counts)
    truth = np.arange(len(counts))
    outcomes = Outcomes(np.zeros(len(counts)), truth >= 0, truth >= 0)
    rows = sizes_table({"one": outcomes}, gallery_sizes(truth, gallery)).to_pylist()
    assert [(row["images"], row["queries"]) for row in rows] == [(count, 1) for count in sorted(counts)]
