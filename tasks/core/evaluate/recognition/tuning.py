"""Which k and temperature: the pair with the highest GAP on the validation queries (The Met dataset, A.1)."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.evaluate_images import Ties
from tasks.core.evaluate.recognition.classifier import Votes, softmax_of, weigh_votes
from tasks.core.evaluate.recognition.scores import Outcomes, scorer


class BestPair(NamedTuple):
    """Of k and tau. gap: (ks, taus) GAP of every pair; NaN where there was nothing to choose by."""

    k: int
    tau: float
    gap: NDArray[np.float64]


def outcomes_of(votes: Votes, class_of: NDArray[np.int64], k: int, tau: float, ties: Ties = "log_odds") -> Outcomes:
    """What predictions by k images and this temperature come to; class_of: (Q,) the truth, -1 for a distractor."""
    is_official = ties == "official"
    doubt = -softmax_of(votes, k, tau) if is_official else weigh_votes(votes, k, tau)
    return Outcomes(doubt, np.asarray(class_of >= 0), np.asarray(votes.prediction == class_of), is_official)


def tune(
    ks: Sequence[int], taus: Sequence[float], outcomes: Callable[[int, float], Outcomes], times: NDArray[np.int64]
) -> BestPair:
    """The first pair with the highest GAP, in the order of k, then of tau (ours: the paper does not say of which).

    outcomes: those of the validation queries with a pair. times: (Q,) how often each query counts: 0 leaves out a
    distractor. A single pair needs no query; without a Met query to choose by, the first pair is taken and all GAPs
    are NaN.
    """
    gap = np.array([[scorer(outcomes(k, tau))(times)["GAP"] for tau in taus] for k in ks])
    best = int(np.argmax(np.nan_to_num(gap)))
    return BestPair(ks[best // len(taus)], taus[best % len(taus)], gap)
