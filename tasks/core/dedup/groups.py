"""What belongs together: clusters of copies, in which ties outweigh doubts, and how much each comparison weighs.

Weights are thousandths, whole numbers: their sums do not depend on the order (docs/decisions/015-ties-and-doubts.md).
"""

from collections import defaultdict
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from tasks.core.components import connected_components
from tasks.core.dedup.sizes import APART_SCORE, COPY_SCORE

Pairs = NDArray[np.int64]
"""(P, 2) numbers of nodes; a pair may come more than once and either way round."""


def pair_numbers(a: NDArray[np.int64], b: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """(P,) one number for each unordered pair of `size` nodes, in the order of (smaller, larger)."""
    return np.minimum(a, b) * size + np.maximum(a, b)


NEVER = -(2**50)
"""The weight of a pair that no ties outweigh: more than a thousand million of the strongest ones."""

_Evidence = tuple[int, int, int]
"""Between two clusters: the sum of the weights, the number of pairs, and the place of the first."""
_NOTHING: _Evidence = (0, 0, 2**62)


def clusters(size: int, firm: Pairs, pairs: Pairs, weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """(size,) the smallest node of each node's cluster: what firm ties join, and ties that outweigh the doubts.

    firm: ties that nothing outweighs (equal bytes, a person's word); inside what they join no doubt counts. pairs: the
    strongest tie first, which decides only where sums are equal. weights: (P,), above 0 a tie, below 0 a doubt.

    The rule: of all pairs of clusters whose weights add up to more than 0, join the two with the largest mean weight
    (then, the two whose first pair comes first), and begin again. So a cluster is held together by ties of its own,
    between two clusters that are left doubts weigh no less than ties, and where there is no doubt, all that chains of
    ties connect is one cluster. Time grows as pairs * log(pairs)^2 at most, of those that doubts concern.

    This is agglomerative correlation clustering with average linkage (Bailoni et al., "GASP, a Generalized Framework
    for Agglomerative Clustering of Signed Graphs", CVPR 2022); the partition with the largest sum is NP-hard to find.
    """
    firm_cluster = connected_components(size, firm)
    pairs, is_tie = firm_cluster[pairs], weights > 0
    component = connected_components(size, pairs[is_tie])
    one, other = component[pairs[:, 0]], component[pairs[:, 1]]
    is_doubt = (weights < 0) & (pairs[:, 0] != pairs[:, 1]) & (one == other)  # others have no tie to contradict
    is_troubled = np.isin(one, one[is_doubt])
    weighed = np.flatnonzero(is_doubt | (is_tie & is_troubled))
    weighed = weighed[np.argsort(one[weighed], kind="stable")]  # one component after the other: little memory at a time
    starts = np.flatnonzero(np.diff(one[weighed])) + 1
    joined = [_contract(pairs[rows], weights[rows]) for rows in np.split(weighed, starts)]
    return connected_components(size, np.concatenate([pairs[is_tie & ~is_troubled], *joined]))[firm_cluster]


def _contract(pairs: Pairs, weights: NDArray[np.int64]) -> Pairs:
    """For each two clusters that are joined, one after the other, a node of either."""
    near = _evidence(pairs, weights)
    heap = [_entry(of, a, b) for a, others in near.items() for b, of in others.items() if a < b and of[0] > 0]
    heapify(heap)
    joined: list[tuple[int, int]] = []
    while heap:
        _, _, into, gone, count = heappop(heap)
        if near.get(into, {}).get(gone, _NOTHING)[1] != count:  # one of the two has grown since
            continue
        if len(near[into]) < len(near[gone]):  # the shorter list moves: each pair moves at most log2(pairs) times
            into, gone = gone, into
        joined.append((into, gone))
        others = near[into]
        del others[gone]
        for node, (weight, count, place) in near.pop(gone).items():
            if node != into:
                before = others.get(node, _NOTHING)
                now = (weight + before[0], count + before[1], min(place, before[2]))
                del near[node][gone]
                others[node] = near[node][into] = now
                if now[0] > 0:
                    heappush(heap, _entry(now, into, node))
    return np.array(joined, np.int64).reshape(-1, 2)


def _evidence(pairs: Pairs, weights: NDArray[np.int64]) -> dict[int, dict[int, _Evidence]]:
    near: defaultdict[int, dict[int, _Evidence]] = defaultdict(dict)
    for place, ((one, other), weight) in enumerate(zip(pairs.tolist(), weights.tolist(), strict=True)):
        if one != other:
            before = near[one].get(other, _NOTHING)
            near[one][other] = near[other][one] = (weight + before[0], 1 + before[1], min(place, before[2]))
    return dict(near)


def _entry(evidence: _Evidence, one: int, other: int) -> tuple[int, int, int, int, int]:
    """The smaller, the earlier: by the mean weight, to 32 binary places, then by the first pair."""
    weight, count, place = evidence
    return -(weight << 32) // count, place, one, other, count


WEAKEST_TIE, STRONGEST_TIE = 100, 1000
WEAKEST_DOUBT, STRONGEST_DOUBT = -1000, -2000
"""One doubt outweighs the strongest tie that it contradicts; two strong ties outweigh a weak doubt."""
LOST = -300
"""Of a score of 0: the comparison found nothing that both show, or laid them over each other in the wrong place. A tie
with a score of 0.69 outweighs it."""
UNCERTAIN = -50
"""Two outweigh the weakest tie. All leaves of one book are uncertain to each other. So is 1 in 18 pairs of copies that
are hard to find; but their ties are many, and weigh more."""

_Scores = NDArray[np.float64]
_Weights = NDArray[np.int64]


def tie_weights(score: _Scores) -> _Weights:
    """(N,) for the scores of copies: evenly from WEAKEST_TIE at COPY_SCORE to STRONGEST_TIE at 1, level below.

    >>> tie_weights(np.array([0.6, 0.8, 1.0])).tolist()
    [100, 550, 1000]
    """
    return _ramp(score, (COPY_SCORE, 1.0), (WEAKEST_TIE, STRONGEST_TIE))


def doubt_weights(score: _Scores) -> _Weights:
    """(N,) for the scores of two works: WEAKEST_DOUBT from APART_SCORE on, to STRONGEST_DOUBT next to 0; of 0: LOST.

    >>> doubt_weights(np.array([0.9, 0.35, 0.175, 0.0])).tolist()
    [-1000, -1000, -1500, -300]
    """
    return np.where(np.asarray(score) > 0, _ramp(score, (APART_SCORE, 0.0), (WEAKEST_DOUBT, STRONGEST_DOUBT)), LOST)


def _ramp(score: _Scores, scores: tuple[float, float], weights: tuple[int, int]) -> _Weights:
    """From one weight at one score to another at another, linear between, level beyond; cut to whole numbers."""
    # scores are kept with three decimals: from here on there are whole numbers alone
    milli, start, end = (np.rint(np.asarray(of) * 1000).astype(np.int64) for of in (score, *scores))
    on_the_way = np.clip((milli - start) * np.sign(end - start), 0, abs(end - start))
    return np.asarray(weights[0] + on_the_way * (weights[1] - weights[0]) // abs(end - start), np.int64)
