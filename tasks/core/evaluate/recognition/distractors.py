"""GAP with fewer distractors (The Met dataset, Table 7), and with those of one type."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.evaluate_images import DISTRACTORS, QUERY_TYPES
from tasks.core.evaluate.recognition.scores import Outcomes, scorer
from tasks.core.evaluate.systems import Scorer, score_part
from tasks.core.tickets import tickets


class DistractorPart(NamedTuple):
    """All Met queries and some of the distractors.

    type: of QUERY_TYPES; None: all types. share: of the distractors of this type, 0 to 1. is_in: (Q,) the queries.
    """

    type: str | None
    share: float
    is_in: NDArray[np.bool_]


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


def distractor_parts(
    ids: pa.ChunkedArray, is_met: NDArray[np.bool_], types: Sequence[str], shares: Sequence[float], seed: int
) -> list[DistractorPart]:
    """A part for each share of all distractors, each once, then one for each type that occurs.

    None without distractors. Distractors whose type is not known are in no part of one type. ids, is_met, types: (Q,).
    """
    if is_met.all():
        return []
    parts = [
        DistractorPart(None, share, times_with_share(ids, is_met, share, seed) > 0) for share in dict.fromkeys(shares)
    ]
    of = np.array(types, dtype=object)
    for kind in QUERY_TYPES[1:]:
        is_here = np.asarray(of == kind, np.bool_)
        if is_here.any():
            parts.append(DistractorPart(kind, 1.0, is_here | is_met))
    return parts


def distractors_table(
    parts: Sequence[DistractorPart], several: Mapping[str, Outcomes], replicates: int, seed: int
) -> pa.Table:
    """DISTRACTORS: GAP of each system on each part, by system in the order of both.

    Intervals are from resamples of the part's queries, the same for all systems; with all distractors they are those of
    GAP in the scores.
    """
    scorers = {name: _gap_scorer(outcomes) for name, outcomes in several.items()}
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in several}
    for part in parts:
        for row in score_part(scorers, part.is_in, replicates, seed):
            count = int((part.is_in & ~several[row["system"]].is_met).sum())
            counted = {"type": part.type, "share": part.share, "distractors": count, "gap": row["value"]}
            rows[row["system"]].append({**row, **counted})
    return pa.Table.from_pylist([row for own in rows.values() for row in own], schema=DISTRACTORS)


def _gap_scorer(outcomes: Outcomes) -> Scorer:
    score = scorer(outcomes)
    return lambda times: {"GAP": score(times)["GAP"]}
