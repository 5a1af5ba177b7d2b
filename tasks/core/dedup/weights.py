"""How much a look at two pictures weighs: for one work, or against it.

Thousandths, whole numbers: their sums do not depend on the order. docs/decisions/015-ties-and-doubts.md has what was
measured.
"""

import numpy as np
from numpy.typing import NDArray

from tasks.core.dedup.scores import APART_SCORE, COPY_SCORE

WEAKEST_TIE, STRONGEST_TIE = 100, 1000
WEAKEST_DOUBT, STRONGEST_DOUBT = -1000, -2000
"""One doubt refuses the strongest tie that it contradicts; two strong ties outweigh a weak doubt."""
LOST = -300
"""Of a score of 0: the look found nothing that both show, or got lost. A tie with a score of 0.69 outweighs it."""
UNCERTAIN = -50
"""Two refuse the weakest tie. Leaves of one book are uncertain, one and all. So is 1 in 18 pairs of hard copies; but
their ties are many, and weigh more."""

_Scores = NDArray[np.float64]
_Weights = NDArray[np.int64]


def tie_weights(score: _Scores) -> _Weights:
    """(N,) for the scores of copies: evenly from WEAKEST_TIE at COPY_SCORE to STRONGEST_TIE at 1, level below.

    >>> tie_weights(np.array([0.6, 0.8, 1.0])).tolist()
    [100, 550, 1000]
    """
    return _ramp(score, (COPY_SCORE, 1.0), (WEAKEST_TIE, STRONGEST_TIE))


def doubt_weights(score: _Scores) -> _Weights:
    """(N,) for the scores of two works: from WEAKEST_DOUBT at APART_SCORE to STRONGEST_DOUBT next to 0, level above.

    A score of 0 is LOST.

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
