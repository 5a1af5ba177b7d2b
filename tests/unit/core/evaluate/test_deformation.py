"""The rounded mean of ratings: a half goes up."""

import numpy as np
import pytest

from tasks.core.evaluate.deformation import UNRATED, round_means


@pytest.mark.parametrize(
    ("ratings", "bucket"),
    [
        ([1], 1),
        ([5], 5),
        ([1, 2], 2),  # half up: Python's round gives 2 here, too
        ([2, 3], 3),  # and 2 here
        ([4, 5], 5),
        ([1, 1, 2], 1),
        ([1, 2, 2], 2),
        ([2, 2, 2, 3, 3, 3], 3),
        ([], UNRATED),
    ],
)
def test_the_rounded_mean(ratings: list[int], bucket: int):
    assert round_means(np.array([sum(ratings)]), np.array([len(ratings)])).tolist() == [bucket]


def test_of_no_image_there_is_none():
    assert round_means(np.zeros(0, np.int64), np.zeros(0, np.int64)).shape == (0,)
