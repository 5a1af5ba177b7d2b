"""GAP, GAP- and ACC: by hand, by plain loops, with ties, and with queries that count several times."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.evaluate.recognition.scores import LABELS, NAMES, Outcomes, scorer
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
        return dict.fromkeys(NAMES, float("nan"))
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
    assert list(got) == list(NAMES) == list(LABELS)
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
