"""Systems that are right on some units, for the tests of scores, pages and charts."""

import math

import numpy as np

from tasks.core.evaluate.systems import Ranking, Scorer

ACCURACY = Ranking("accuracy")


def right_on(*rights: bool) -> Scorer:
    """A scorer of a system that is right on these units."""
    is_right = np.array(rights)

    def score(times):
        of = times.sum()
        accuracy = float(times @ is_right / of) if of else math.nan
        return {"accuracy": accuracy, "error": 1 - accuracy, "never": math.nan}

    return score


GOOD, POOR = right_on(*[True] * 18, *[False] * 2), right_on(*[True] * 8, *[False] * 12)
STYLES = ["Rococo"] * 10 + [None] * 10
