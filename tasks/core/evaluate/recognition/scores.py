"""GAP, GAP- and ACC of predictions (The Met dataset, section 2)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.systems import Scorer

NAMES = ("GAP", "GAP_minus", "ACC")
LABELS = {"GAP": "GAP", "GAP_minus": "GAP-", "ACC": "ACC"}
"""How each is written in tables."""


class Outcomes(NamedTuple):
    """What is scored, one row a query. doubt: (Q,) any numbers: the lower, the surer of its prediction.

    is_met: the query shows an exhibit of the gallery; the others are distractors. is_right: the prediction is the
    query's class, which it never is for a distractor. keeps_ties: equal doubts stay in the order of the queries;
    otherwise wrong predictions come first.
    """

    doubt: NDArray[np.float64]
    is_met: NDArray[np.bool_]
    is_right: NDArray[np.bool_]
    keeps_ties: bool = False


def scorer(outcomes: Outcomes) -> Scorer:
    """A function that computes NAMES where each query counts so many times (Q,); it sorts only once.

    GAP = 1/M sum of p(i) r(i) over all queries by falling confidence: r(i), the prediction at place i is right; p(i),
    the share of right ones up to there; M Met queries. GAP_minus ("GAP-") is the same over the Met queries alone. ACC
    is the share of Met queries that are right. Equal confidences: wrong ones first (ours: the paper is silent, and the
    lower bound depends on no other order), unless `keeps_ties`. All are 0 to 1, and NaN where no Met query counts.

    >>> scorer(Outcomes(np.array([1.0, 2.0]), np.array([False, True]), np.array([False, True])))(np.ones(2, np.int64))
    {'GAP': 0.5, 'GAP_minus': 1.0, 'ACC': 1.0}
    """
    order = (
        np.argsort(outcomes.doubt, kind="stable")
        if outcomes.keeps_ties
        else np.lexsort((outcomes.is_right, outcomes.doubt))
    )
    is_met, is_right = outcomes.is_met[order], outcomes.is_right[order]

    def score(times: NDArray[np.int64]) -> dict[str, float]:
        counts = times[order]
        met = int(counts[is_met].sum())
        if not met:
            return dict.fromkeys(NAMES, float("nan"))
        return {
            "GAP": _summed_precision(np.repeat(is_right, counts)) / met,
            "GAP_minus": _summed_precision(np.repeat(is_right[is_met], counts[is_met])) / met,
            "ACC": int(counts[is_right].sum()) / met,
        }

    return score


def _summed_precision(is_right: NDArray[np.bool_]) -> float:
    """Sum of the precision at each right prediction, surest first; 0 of nothing."""
    places = np.flatnonzero(is_right) + 1
    return float((np.arange(1, len(places) + 1) / places).sum())
