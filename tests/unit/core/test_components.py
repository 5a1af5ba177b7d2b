"""What chains of ties connect: each node by the name of the smallest that it hangs together with."""

import numpy as np
import pytest

from tasks.core.components import connected_components


@pytest.mark.parametrize(
    ("size", "ties", "expected"),
    [
        pytest.param(0, [], [], id="no nodes"),
        pytest.param(2, [], [0, 1], id="without ties each is its own"),
        pytest.param(2, [(1, 1)], [0, 1], id="a tie to itself"),
        pytest.param(2, [(1, 0)] * 256, [0, 0], id="a tie more often than a byte counts"),
        pytest.param(4, [(3, 2), (1, 3)], [0, 1, 1, 1], id="a chain has the name of its smallest"),
        pytest.param(3, [(0, 1), (1, 2), (2, 0)], [0, 0, 0], id="a circle"),
        pytest.param(6, [(5, 4), (1, 0), (4, 3)], [0, 0, 2, 3, 3, 3], id="two chains and one alone"),
    ],
)
def test_the_smallest_node_that_ties_lead_to(size: int, ties: list[tuple[int, int]], expected: list[int]):
    nodes = connected_components(size, np.array(ties, np.int64).reshape(-1, 2))
    assert nodes.tolist() == expected
    assert nodes.dtype == np.int64


def test_neither_the_order_of_ties_nor_their_direction_changes_anything():
    rng = np.random.default_rng(5)
    ties = rng.integers(0, 60, (45, 2))
    expected = connected_components(60, ties).tolist()
    assert connected_components(60, ties[::-1]).tolist() == expected
    assert connected_components(60, ties[:, ::-1]).tolist() == expected
    assert connected_components(60, np.concatenate([ties, ties])).tolist() == expected
    assert all(expected[one] == expected[other] for one, other in ties.tolist())
