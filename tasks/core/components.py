"""What chains of ties connect."""

import numpy as np
from numpy.typing import NDArray


def connected_components(size: int, ties: NDArray[np.int64]) -> NDArray[np.int64]:
    """(size,) the smallest node that chains of (T, 2) ties connect each node with: itself, where none does.

    >>> connected_components(4, np.array([[3, 2], [2, 1]])).tolist()
    [0, 1, 1, 1]
    """
    nodes = np.arange(size)
    if not len(ties):
        return nodes
    from scipy.sparse import coo_array  # half a second to import, and most builds have it all in the store
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(len(ties)), (ties[:, 0], ties[:, 1])), shape=(size, size))
    component = connected_components(edges, directed=False)[1]
    smallest = np.empty(size, np.int64)
    smallest[component[::-1]] = nodes[::-1]  # written from the largest node on: the last one written is the smallest
    return smallest[component]
