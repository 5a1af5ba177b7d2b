"""What belongs together: clusters of copies, in which no two are known to be apart, and whatever ties connect."""

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from tasks.core.components import connected_components

Pairs = NDArray[np.int64]
"""(P, 2) numbers of nodes; a pair may come more than once and either way round."""


def clusters(size: int, firm: Pairs, edges: Pairs, apart: Pairs) -> NDArray[np.int64]:
    """(size,) the smallest node of each node's cluster: what firm ties and edges join, cut until none apart are in one.

    firm: ties that nothing cuts (equal bytes, a person's word). edges: the strongest first. apart: pairs that must not
    end in one cluster; inside what firm ties join they count no more.

    The rule: as long as a component holds two that are apart, its weakest edge is cut. The way: edges are added, the
    strongest first; one that would bring two that are apart into one cluster freezes both its clusters for good, and so
    does one that meets a frozen cluster. Both give the same. Let G(k) be the firm ties and the k strongest edges.
    Cutting takes the weakest edge of a component of G(k), so what is left of it are components of G(j) for some j < k:
    each part that cutting ever sees is one, and it stops at the first that holds no pair. Seen from one node, its
    components in G(0), G(1) .. grow, and once one holds a pair all later ones do: cutting stops at the largest that
    holds none. Adding builds these same components, until the edge that joins one to a part of a component with a pair
    in it. Those of its nodes then lie in a component with a pair in it, now and ever after: their largest without was
    the one they had.
    """
    firm_cluster = connected_components(size, firm)
    edges, apart = firm_cluster[edges], firm_cluster[apart]
    component = connected_components(size, edges)
    apart = apart[(apart[:, 0] != apart[:, 1]) & (component[apart[:, 0]] == component[apart[:, 1]])]
    is_troubled = np.isin(component[edges[:, 0]], component[apart[:, 0]])  # elsewhere nothing is to be cut
    joined = np.concatenate([edges[~is_troubled], _grow_clusters(edges[is_troubled], apart)])
    return connected_components(size, joined)[firm_cluster]


def _grow_clusters(edges: Pairs, apart: Pairs) -> Pairs:
    """Of edges, the strongest first, those that join two clusters and leave all that are apart in two."""
    parents: dict[int, int] = {}
    foes: defaultdict[int, set[int]] = defaultdict(set)
    frozen: set[int] = set()
    joining: list[tuple[int, int]] = []
    for one, other in apart.tolist():
        foes[one].add(other)
        foes[other].add(one)
    for one, other in edges.tolist():
        into, gone = _root(parents, one), _root(parents, other)
        if into == gone:
            continue
        if gone in foes[into] or not frozen.isdisjoint((into, gone)):
            frozen |= {into, gone}
            continue
        if len(foes[into]) < len(foes[gone]):  # the shorter list moves: each foe moves at most log2(apart) times
            into, gone = gone, into
        _merge_foes(foes, gone, into)
        parents[gone] = into
        joining.append((one, other))
    return np.array(joining, np.int64).reshape(-1, 2)


def _merge_foes(foes: dict[int, set[int]], gone: int, into: int) -> None:
    """Whatever was apart from one cluster is apart from the one that takes it in."""
    for foe in foes.pop(gone):
        foes[foe].remove(gone)
        foes[foe].add(into)
        foes[into].add(foe)


def _root(parents: dict[int, int], node: int) -> int:
    """The node that stands for a node's cluster; the way there is made shorter."""
    while node in parents:
        above = parents[node]
        if above in parents:
            parents[node] = parents[above]
        node = above
    return node
