"""What chains of ties connect."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def smallest_connected(names: Sequence[str], nodes: NDArray[np.int64], ties: NDArray[np.int64]) -> list[str]:
    """For each row the smallest name among all rows whose nodes ties connect with its own.

    names: (N,), nodes: (N,) the node of each row, ties: (T, 2) pairs of nodes. No rows, no names.

    >>> smallest_connected(["d", "c", "b", "a"], np.array([0, 1, 2, 2]), np.array([[0, 1]]))
    ['c', 'c', 'a', 'a']
    """
    component: NDArray[np.integer[Any]] = nodes
    if len(ties):
        from scipy.sparse import coo_array  # half a second to import, and most builds have it all in the store
        from scipy.sparse.csgraph import connected_components

        size = int(nodes.max()) + 1
        edges = coo_array((np.ones(len(ties), np.int8), (ties[:, 0], ties[:, 1])), shape=(size, size))
        component = connected_components(edges, directed=False)[1][nodes]
    smallest: dict[int, str] = {}
    for name, of in zip(names, component.tolist(), strict=True):
        smallest[of] = min(name, smallest.get(of, name))
    return [smallest[of] for of in component.tolist()]
