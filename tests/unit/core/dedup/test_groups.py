"""Clusters of copies: what doubts refuse, what outweighs them, and what no tie joins."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.components import connected_components
from tasks.core.dedup.groups import NEVER, clusters

NodePairs = list[tuple[int, int]]
WeightedPairs = list[tuple[int, int, int]]


def joined(size: int, weighed: WeightedPairs, firm: NodePairs | None = None) -> list[int]:
    """The cluster of each node. weighed: (a, b, weight)."""
    pairs = np.array([pair[:2] for pair in weighed], np.int64).reshape(-1, 2)
    weights = np.array([pair[2] for pair in weighed], np.int64)
    return clusters(size, np.array(firm or [], np.int64).reshape(-1, 2), pairs, weights).tolist()


@pytest.mark.parametrize(
    ("size", "weighed", "firm", "expected"),
    [
        pytest.param(0, [], [], [], id="no nodes"),
        pytest.param(1, [(0, 0, 5), (0, 0, -9)], [(0, 0)], [0], id="a node and itself"),
        pytest.param(3, [(0, 1, -9)], [], [0, 1, 2], id="a doubt, and no tie"),
        pytest.param(2, [(0, 1, 0)], [], [0, 1], id="0 is no tie"),
        pytest.param(2, [(0, 1, 1)], [], [0, 0], id="the least tie"),
        pytest.param(2, [(0, 1, 5), (1, 0, -5)], [], [0, 1], id="as much for it as against it"),
        pytest.param(2, [(0, 1, 5), (0, 1, 3), (1, 0, -7)], [], [0, 0], id="pairs that come again add up"),
        pytest.param(3, [(0, 1, 9), (1, 2, 8), (0, 2, -9)], [], [0, 0, 2], id="a doubt refuses the weaker tie"),
        pytest.param(3, [(0, 1, 9), (1, 2, 8), (0, 2, -7)], [], [0, 0, 0], id="a weaker doubt does not"),
        pytest.param(
            4, [(0, 1, 9), (0, 2, 5), (1, 3, 5), (2, 3, 9), (0, 3, -6)], [], [0] * 4, id="two ties outweigh a doubt"
        ),
        pytest.param(
            4, [(0, 1, 9), (2, 3, 9), (1, 2, 5), (0, 3, -6)], [], [0, 0, 2, 2], id="the middle of a chain is refused"
        ),
        pytest.param(
            5,
            [(0, 1, 9), (1, 2, 8), (0, 2, -9), (2, 3, 7), (1, 4, 7)],
            [],
            [0, 0, 2, 2, 0],
            id="a refused tie leaves the others of both as they are",
        ),
        pytest.param(
            5, [(0, 1, 9), (1, 2, 8), (2, 3, 7), (3, 4, 6), (0, 4, -7)], [], [0, 0, 0, 0, 4], id="a ring with a doubt"
        ),
        pytest.param(
            6, [(0, 1, 9), (0, 1, -9), (3, 4, 1), (4, 5, 1)], [], [0, 1, 2, 3, 3, 3], id="elsewhere all is joined"
        ),
        pytest.param(3, [(0, 1, 5), (1, 2, 5), (0, 2, -9)], [], [0, 0, 2], id="of equal ties the first one"),
        pytest.param(3, [(1, 2, 5), (0, 1, 5), (0, 2, -9)], [], [0, 1, 1], id="whichever it is"),
        pytest.param(3, [(0, 1, 9), (1, 2, 9), (0, 2, NEVER)], [], [0, 0, 2], id="never is never"),
        pytest.param(
            4,
            [(0, 1, 999), (0, 2, 999), (1, 2, 999), (0, 3, NEVER), (1, 3, 999), (2, 3, 999)],
            [],
            [0, 0, 0, 3],
            id="however many ties there are",
        ),
        pytest.param(2, [(0, 1, NEVER)], [(1, 0)], [0, 0], id="but firm ties are one"),
        pytest.param(3, [(0, 1, NEVER), (1, 2, 1)], [(0, 1)], [0, 0, 0], id="a doubt inside them counts nowhere"),
        pytest.param(3, [(1, 2, 8), (0, 2, -8)], [(0, 1)], [0, 0, 2], id="a doubt about one of them is about all"),
        pytest.param(4, [(1, 2, 8), (2, 3, -8)], [(0, 3), (3, 1)], [0, 0, 2, 0], id="firm ties chain"),
    ],
)
def test_ties_join_what_no_doubts_outweigh(size: int, weighed: WeightedPairs, firm: NodePairs, expected: list[int]):
    assert joined(size, weighed, firm) == expected


def test_two_works_with_many_copies_are_not_joined_by_the_few_pairs_that_look_alike():
    inside = [(a, b, 900) for first in (0, 16) for a, b in combinations(range(first, first + 16), 2)]
    across = [(a, b, 300 if (a + b) % 16 == 0 else -50) for a in range(16) for b in range(16, 32)]
    assert sum(weight > 0 for *_, weight in across) == 16
    assert joined(32, [*across[::-1], *inside[:-1], (30, 31, 900)]) == [0] * 16 + [16] * 16, "ties: one in sixteen"
    assert joined(32, [*inside, *[pair for pair in across if pair[2] > 0]]) == [0] * 32, "without the doubts they are"


def test_a_poor_copy_that_looks_a_little_like_all_copies_of_another_work_stays_with_its_own():
    inside = [(a, b, 775) for first in (0, 16) for a, b in combinations(range(first, first + 16), 2)]
    across = [(a, b, 212 if b == 16 else -300) for a in range(16) for b in range(16, 32)]
    assert joined(32, [*inside, *across]) == [0] * 16 + [16] * 16


def test_one_doubt_does_not_part_a_cluster_that_many_ties_hold():
    ties = [(a, b, 900) for a, b in combinations(range(16), 2) if (a, b) != (3, 11)]
    assert joined(16, [*ties, (3, 11, -2000)]) == [0] * 16


def test_a_long_chain_is_parted_at_its_weakest_tie():
    size = 20_000  # deeper than Python's own recursion goes
    chain = [(a, b, 300 if a == 12_345 else 900) for a, b in pairwise(range(size))]
    got = joined(size, [*chain, (0, size - 1, -1000)])
    assert sorted(set(got)) == [0, 12_346]


def test_a_cluster_with_very_many_doubts_is_joined_to_the_one_that_it_has_none_about():
    size = 20_000
    doubts = [(0, foe, -9) for foe in range(2, size)] + [(1, foe, -9) for foe in range(2, size, 2)]
    got = joined(size, [(0, 1, 9), *((1, foe, 8) for foe in range(2, size)), *doubts])
    assert got.count(0) == 2


# --- properties

NODES = 7
nodes = st.integers(0, NODES - 1)
some_weighed = st.lists(st.tuples(nodes, nodes, st.integers(-6, 6) | st.just(NEVER)), max_size=14)
some_firm = st.lists(st.tuples(nodes, nodes), max_size=2)


def components(listed: NodePairs) -> list[int]:
    return connected_components(NODES, np.array(listed, np.int64).reshape(-1, 2)).tolist()


@given(some_weighed, some_firm)
def test_what_is_joined_hangs_together_and_what_is_not_has_no_more_ties_than_doubts(
    weighed: WeightedPairs, firm: NodePairs
):
    got, within = joined(NODES, weighed, firm), components(firm)
    ties = [(a, b) for a, b, weight in weighed if weight > 0 and got[a] == got[b]]
    assert components(firm + ties) == got, "ties inside each cluster connect it"
    assert all(got[a] != got[b] or within[a] == within[b] for a, b, weight in weighed if weight == NEVER)
    for one, other in combinations(sorted(set(got)), 2):
        assert sum(weight for a, b, weight in weighed if {got[a], got[b]} == {one, other}) <= 0


@given(some_weighed, some_firm)
def test_without_doubts_all_that_chains_of_ties_connect_is_one(weighed: WeightedPairs, firm: NodePairs):
    ties = [(a, b, max(0, weight)) for a, b, weight in weighed]
    assert joined(NODES, ties, firm) == components(firm + [(a, b) for a, b, weight in ties if weight])


@given(some_weighed, some_firm, st.randoms(use_true_random=False))
def test_the_order_of_doubts_and_of_ends_changes_nothing(weighed: WeightedPairs, firm: NodePairs, chance):
    ties = [pair for pair in weighed if pair[2] > 0]
    doubts = [pair for pair in weighed if pair[2] <= 0]
    turned = [(b, a, weight) if chance.random() < 0.5 else (a, b, weight) for a, b, weight in ties]
    assert joined(NODES, turned + chance.sample(doubts, len(doubts)), firm[::-1]) == joined(NODES, ties + doubts, firm)


@given(some_weighed, some_firm, nodes, nodes)
def test_one_more_doubt_about_two_that_are_not_joined_changes_nothing(
    weighed: WeightedPairs, firm: NodePairs, one: int, other: int
):
    got = joined(NODES, weighed, firm)
    assert got[one] == got[other] or joined(NODES, [*weighed, (one, other, -3)], firm) == got
