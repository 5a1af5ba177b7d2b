"""What chains of ties connect, against a loop that passes names on until nothing changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.components import smallest_connected

NO_TIES = np.empty((0, 2), np.int64)


@pytest.mark.parametrize(
    ("names", "nodes", "ties", "expected"),
    [
        pytest.param([], [], [], [], id="no rows, no names"),
        pytest.param(["a"], [0], [], ["a"], id="one row is its own"),
        pytest.param(["b", "a"], [0, 1], [], ["b", "a"], id="without ties each is its own"),
        pytest.param(["b", "a"], [0, 0], [], ["a", "a"], id="rows of one node belong together without a tie"),
        pytest.param(["d", "c", "b", "a"], [0, 1, 2, 3], [[2, 3], [0, 1], [1, 2]], ["a"] * 4, id="a chain, its ties in any order"),
        pytest.param(["d", "c", "b", "a"], [0, 1, 2, 3], [[0, 2]], ["b", "c", "b", "a"], id="what a tie leaves out stays alone"),
        pytest.param(["b", "a"], [0, 1], [[0, 1], [1, 0], [0, 1]], ["a", "a"], id="a tie more than once"),
        pytest.param(["b", "a"], [0, 1], [[0, 0]], ["b", "a"], id="a tie to itself"),
        pytest.param(["b", "a"], [3, 7], [[3, 7]], ["a", "a"], id="nodes that are not numbered without gaps"),
        pytest.param(["é", "z"], [0, 1], [[0, 1]], ["z", "z"], id="smallest by code point, which is the byte order of UTF-8"),
    ],
)  # fmt: skip
def test_the_smallest_name_that_ties_lead_to(
    names: list[str], nodes: list[int], ties: list[list[int]], expected: list[str]
):
    got = smallest_connected(names, np.array(nodes, np.int64), np.array(ties, np.int64).reshape(-1, 2))
    assert got == expected


def passed_on(names: list[str], nodes: list[int], ties: list[tuple[int, int]]) -> list[str]:
    best = {node: min(name for name, of in zip(names, nodes, strict=True) if of == node) for node in nodes}
    for _ in names:
        for left, right in ties:
            best[left] = best[right] = min(best[left], best[right])
    return [best[node] for node in nodes]


@given(st.lists(st.tuples(st.text("xyz", max_size=3), st.integers(0, 7)), min_size=1, max_size=14), st.data())
def test_chains_of_any_shape(rows: list[tuple[str, int]], data: st.DataObject):
    names, nodes = [name for name, _ in rows], [node for _, node in rows]
    present = st.sampled_from(sorted(set(nodes)))
    ties = data.draw(st.lists(st.tuples(present, present), max_size=10))
    got = smallest_connected(names, np.array(nodes, np.int64), np.array(ties, np.int64).reshape(-1, 2))
    assert got == passed_on(names, nodes, ties)
