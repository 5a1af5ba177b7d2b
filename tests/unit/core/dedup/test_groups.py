"""Clusters of copies: what is cut, what is not, and what a cut takes along."""

from itertools import pairwise

import numpy as np
import pytest

from tasks.core.dedup.groups import clusters

Listed = list[tuple[int, int]]


def pairs(listed: Listed) -> np.ndarray:
    return np.array(listed, np.int64).reshape(-1, 2)


@pytest.mark.parametrize(
    ("size", "firm", "edges", "apart", "expected"),
    [
        pytest.param(0, [], [], [], [], id="no nodes"),
        pytest.param(1, [(0, 0)], [(0, 0)], [(0, 0)], [0], id="a node is not apart from itself"),
        pytest.param(3, [], [], [(0, 1)], [0, 1, 2], id="apart, and nothing joins them"),
        pytest.param(2, [], [(0, 1)], [(0, 1)], [0, 1], id="an edge of two that are apart"),
        pytest.param(2, [], [(0, 1), (1, 0)], [(1, 0)], [0, 1], id="an edge twice is cut twice"),
        pytest.param(
            4, [], [(0, 1), (1, 2), (2, 3)], [(0, 3)], [0, 0, 0, 3], id="of a chain the weakest edge, at its end"
        ),
        pytest.param(4, [], [(0, 1), (2, 3), (1, 2)], [(0, 3)], [0, 0, 2, 2], id="the weakest edge, in its middle"),
        pytest.param(
            4,
            [],
            [(1, 2), (0, 1), (2, 3)],
            [(0, 1)],
            [0, 1, 1, 3],
            id="cut down to the pair; what was weaker is cut too",
        ),
        pytest.param(
            5,
            [],
            [(0, 1), (2, 3), (1, 2), (3, 4)],
            [(0, 2)],
            [0, 0, 2, 2, 4],
            id="what meets a frozen cluster stays out",
        ),
        pytest.param(
            6, [], [(0, 1), (1, 2), (4, 5), (2, 4)], [(0, 1)], [0, 1, 2, 3, 4, 4], id="and is frozen, as it is"
        ),
        pytest.param(
            6, [], [(0, 1), (3, 4), (4, 5)], [(0, 1)], [0, 1, 2, 3, 3, 3], id="another component is left alone"
        ),
        pytest.param(3, [], [(0, 1), (1, 2), (0, 2)], [(0, 2)], [0, 0, 2], id="a triangle"),
        pytest.param(
            5,
            [],
            [(0, 1), (2, 3), (1, 3), (3, 4)],
            [(0, 3), (1, 2)],
            [0, 0, 2, 2, 4],
            id="foes on both sides, by members",
        ),
        pytest.param(2, [(1, 0)], [], [(0, 1)], [0, 0], id="firm ties outrank"),
        pytest.param(
            3, [(0, 1)], [(1, 2)], [(0, 1)], [0, 0, 0], id="apart inside firm ties counts no more, elsewhere too"
        ),
        pytest.param(3, [(0, 1)], [(1, 2)], [(0, 2)], [0, 0, 2], id="what is apart from one of a firm set is from all"),
        pytest.param(4, [(0, 3), (3, 1)], [(1, 2)], [(2, 3)], [0, 0, 2, 0], id="firm ties chain"),
    ],
)
def test_the_weakest_edges_are_cut(size: int, firm: Listed, edges: Listed, apart: Listed, expected: list[int]):
    assert clusters(size, pairs(firm), pairs(edges), pairs(apart)).tolist() == expected


def test_a_long_chain_is_cut_at_its_weakest_edge():
    size = 20_000  # deeper than Python's own recursion goes
    chain = list(pairwise(range(size)))
    weakest = chain.pop(12_345)
    got = clusters(size, pairs([]), pairs([*chain, weakest]), pairs([(0, size - 1)]))
    assert np.unique(got).tolist() == [0, 12_346]


def test_a_cluster_apart_from_very_many_is_joined_to_the_one_that_it_is_not_apart_from():
    size = 20_000
    apart = [(0, foe) for foe in range(2, size)] + [(1, foe) for foe in range(2, size, 2)]
    edges = [(0, 1), *((1, foe) for foe in range(2, size))]
    got = clusters(size, pairs([]), pairs(edges), pairs(apart))
    assert np.count_nonzero(got == 0) == 2
