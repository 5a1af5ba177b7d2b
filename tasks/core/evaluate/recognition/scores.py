"""GAP, GAP- and ACC of predictions (The Met dataset, section 2), also with fewer distractors (Table 7), with those of
one type, and by how many images of a query's class the gallery has (Figure 8).
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.evaluate_images import DISTRACTORS, QUERY_TYPES, SIZES
from tasks.core.evaluate.systems import Scorer, score_part
from tasks.core.tickets import tickets

LABELS = {"GAP": "GAP", "GAP_minus": "GAP-", "ACC": "ACC"}
"""How each score is written in tables."""


class Outcomes(NamedTuple):
    """What is scored, one row a query. doubt: (Q,) any numbers: the lower, the surer of its prediction.

    is_met: as of `Queries`. is_right: the prediction is the query's class, which it never is for a distractor.
    keeps_ties: equal doubts stay in the order of the queries; otherwise wrong predictions come first.
    """

    doubt: NDArray[np.float64]
    is_met: NDArray[np.bool_]
    is_right: NDArray[np.bool_]
    keeps_ties: bool = False


class DistractorPart(NamedTuple):
    """All Met queries and some of the distractors. type: of QUERY_TYPES; None: all types. share: of the distractors of
    this type, 0 to 1. is_in: (Q,) the queries.
    """

    type: str | None
    share: float
    is_in: NDArray[np.bool_]


def scorer(outcomes: Outcomes) -> Scorer:
    """A function that computes LABELS where each query counts so many times (Q,); it sorts only once.

    GAP = 1/M sum of p(i) r(i) over all queries by falling confidence: r(i), the prediction at place i is right; p(i),
    the share of right ones up to there; M Met queries. GAP_minus ("GAP-") is the same over the Met queries alone. ACC
    is the share of Met queries that are right. Equal confidences: wrong ones first (ours: the paper is silent, and the
    lower bound depends on no other order), unless `keeps_ties`. All are 0 to 1, and NaN where no Met query counts.

    >>> scorer(Outcomes(np.array([1.0, 2.0]), np.array([False, True]), np.array([False, True])))(np.ones(2, np.int64))
    {'GAP': 0.5, 'GAP_minus': 1.0, 'ACC': 1.0}
    """
    order = np.lexsort((outcomes.doubt,) if outcomes.keeps_ties else (outcomes.is_right, outcomes.doubt))  # stable
    is_met, is_right = outcomes.is_met[order], outcomes.is_right[order]

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        counts = times[order]
        met = int(counts[is_met].sum())
        if not met:
            return dict.fromkeys(LABELS, float("nan"))
        return {
            "GAP": _summed_precision(np.repeat(is_right, counts)) / met,
            "GAP_minus": _summed_precision(np.repeat(is_right[is_met], counts[is_met])) / met,
            "ACC": int(counts[is_right].sum()) / met,
        }

    return score


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
    """A part for each share of all distractors, each once, then one for each type that occurs, without those of unknown
    type; none without distractors. ids, is_met, types: (Q,).
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
    """DISTRACTORS: GAP of each system on each part, by system in the order of both; intervals as of `score_part`."""
    scorers = {name: _gap_scorer(outcomes) for name, outcomes in several.items()}
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in several}
    for part in parts:
        for row in score_part(scorers, part.is_in, replicates, seed):
            count = int((part.is_in & ~several[row["system"]].is_met).sum())
            counted = {"type": part.type, "share": part.share, "distractors": count, "gap": row["value"]}
            rows[row["system"]].append({**row, **counted})
    return pa.Table.from_pylist([*chain(*rows.values())], schema=DISTRACTORS)


def gallery_sizes(class_of: NDArray[np.int64], gallery_class: NDArray[np.int64]) -> NDArray[np.int64]:
    """(Q,) how many images of each query's class the gallery has; 0 for a distractor (class -1).

    >>> gallery_sizes(np.array([1, -1, 0]), np.array([0, 1, 1])).tolist()
    [2, 0, 1]
    """
    counts = np.bincount(gallery_class, minlength=int(class_of.max(initial=-1)) + 1)
    return np.where(class_of >= 0, counts[class_of], 0) if len(counts) else np.zeros(len(class_of), np.int64)


def sizes_table(several: Mapping[str, Outcomes], sizes: NDArray[np.int64]) -> pa.Table:
    """SIZES: ACC of each system by images of the class, ascending, the first one compared with the second.

    sizes: (Q,) as of `gallery_sizes`. Of a number without a Met query there is no row.
    """
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in several}
    for name, outcomes in several.items():
        for images in np.unique(sizes[outcomes.is_met]).tolist():
            is_here = outcomes.is_met & (sizes == images)
            acc = float(outcomes.is_right[is_here].mean())
            rows[name].append({"system": name, "images": images, "queries": int(is_here.sum()), "acc": acc})
    if len(several) > 1:
        (_, first), (other, second), *_ = rows.items()
        for row, beside in zip(first, second, strict=True):
            points = row["acc"] - beside["acc"]
            relative = points / beside["acc"] if beside["acc"] else None
            row |= {"compared_with": other, "points": points, "relative": relative}
    return pa.Table.from_pylist([*chain(*rows.values())], schema=SIZES)


def _summed_precision(is_right: NDArray[np.bool_]) -> float:
    """Sum of the precision at each right prediction, surest first; 0 of nothing."""
    places = np.flatnonzero(is_right) + 1
    return float((np.arange(1, len(places) + 1) / places).sum())


def _gap_scorer(outcomes: Outcomes) -> Scorer:
    score = scorer(outcomes)
    return lambda times: {"GAP": score(times)["GAP"]}
