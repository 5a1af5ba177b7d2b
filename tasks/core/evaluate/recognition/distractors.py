"""GAP with fewer distractors (The Met dataset, Table 7), and with those of one type."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.evaluate_recognition import QUERY_TYPES
from tasks.core.evaluate.systems import Scorer
from tasks.core.tickets import tickets


class ShareOfDistractors(NamedTuple):
    """share: of all distractors, 0 to 1. distractors: how many these are. gap: NaN without a Met query."""

    share: float
    distractors: int
    gap: float


class TypeOfDistractors(NamedTuple):
    """type: of QUERY_TYPES. distractors: how many are of it. gap: with no others; NaN without a Met query."""

    type: str
    distractors: int
    gap: float


def times_with_share(ids: pa.ChunkedArray, is_met: NDArray[np.bool_], share: float, seed: int) -> NDArray[np.int64]:
    """(Q,) 1 for each Met query and for this share of the distractors, 0 for the others.

    ids: (Q,) strings, each once. Which ones is drawn by a hash of seed and id: the same in any order of the queries,
    and a larger share contains the smaller ones. Their number is rounded to the nearest, halves up.

    >>> times_with_share(pa.chunked_array([["a", "b", "c"]]), np.array([True, False, False]), 0.5, 0).tolist()
    [1, 1, 0]
    """
    drawn = tickets(ids, seed, "evaluate/distractors", [""], np.zeros(len(ids), np.int64))
    order = [row for _, _, row in sorted(zip(drawn.tolist(), ids.to_pylist(), range(len(ids)), strict=True))]
    distractors = np.array([row for row in order if not is_met[row]], np.int64)
    times = is_met.astype(np.int64)
    times[distractors[: int(np.floor(share * len(distractors) + 0.5))]] = 1
    return times


def score_shares(
    score: Scorer, ids: pa.ChunkedArray, is_met: NDArray[np.bool_], shares: Sequence[float], seed: int
) -> list[ShareOfDistractors]:
    """GAP with each share of the distractors, in the order of the shares. Without distractors it is GAP-.

    score: of the queries with these ids (Q,).
    """
    found = []
    for share in shares:
        times = times_with_share(ids, is_met, share, seed)
        found.append(ShareOfDistractors(share, int(times[~is_met].sum()), score(times)["GAP"]))
    return found


def score_types(score: Scorer, types: Sequence[str]) -> list[TypeOfDistractors]:
    """GAP of all Met queries and the distractors of one type, for each of QUERY_TYPES that occurs, in that order.

    types: (Q,) of the queries that `score` is of. Distractors whose type is not known are in none of them.
    """
    of = np.array(types, dtype=object)
    found = []
    for kind in QUERY_TYPES[1:]:
        is_here = np.asarray(of == kind, np.bool_)
        if is_here.any():
            times = (is_here | np.asarray(of == QUERY_TYPES[0], np.bool_)).astype(np.int64)
            found.append(TypeOfDistractors(kind, int(is_here.sum()), score(times)["GAP"]))
    return found
