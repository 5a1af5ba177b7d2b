"""How deformed images are: means of ratings, a half up."""

import numpy as np
import pytest

from tasks.core.evaluate.deformation import UNRATED
from tasks.core.evaluate.raters.buckets import deformation_buckets, mean_ratings
from tasks.core.evaluate.raters.ratings import read_ratings
from tests.support.raters import row, table


@pytest.mark.parametrize(
    ("given_ratings", "mean", "bucket"),
    [
        ((1, 2), 1.5, 2),
        ((2, 3), 2.5, 3),
        ((1, 1, 2), 4 / 3, 1),
        ((4, 5), 4.5, 5),
        ((5, 5), 5, 5),
        ((1, 1), 1, 1),
        ((1, 1, 1, 2, 2, 2), 1.5, 2),
        ((3, None), 3, 3),
        ((None, None), np.nan, UNRATED),
    ],
)
def test_the_rounded_mean(given_ratings: tuple[int | None, ...], mean: float, bucket: int):
    whole = read_ratings(table(*(row(str(at), "1", None, rating) for at, rating in enumerate(given_ratings))))
    assert deformation_buckets(whole).tolist() == [bucket]
    assert mean_ratings(whole) == pytest.approx([mean], nan_ok=True)
