"""How deformed images are: means of ratings, a half up."""

import numpy as np
import pytest

from schemas.evaluate_raters import RaterSettings
from tasks.core.evaluate.raters.buckets import UNRATED, deformation_buckets, mean_ratings, score_table
from tasks.core.evaluate.raters.leave_one_out import leave_one_out
from tasks.core.evaluate.raters.ratings import read_ratings
from tests.support.raters import FIRST, SECOND, row, table


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


def test_scores_by_bucket():
    rows = [row("a", "1", FIRST, 1), row("b", "1", SECOND, 2), row("a", "2", FIRST, 5), row("b", "2", None, 4)]
    whole = read_ratings(table(*rows))
    got = score_table(whole, leave_one_out(whole, RaterSettings())).to_pylist()
    assert len(got) == 6 * 3
    by = {(one["bucket"], one["rater"]): one for one in got}
    assert by[2, None]["f1"] == 1
    assert (by[5, "a"]["precision"], by[5, "a"]["recall"], by[5, "a"]["f1"]) == (0, None, 0)
    assert (by[5, "b"]["missed"], by[5, None]["f1"], by[5, None]["images"]) == (1, 0, 1)
    assert (by[None, "a"]["right"], by[None, "a"]["wrong"], by[None, "a"]["f1"]) == (1, 1, 2 / 3)
    assert (by[1, None]["f1"], by[1, None]["images"], by[1, "a"]["images"]) == (None, 0, 0)
    assert (by[None, None]["right"], by[None, None]["images"]) == (2, 2)


def test_an_image_without_a_rating_is_in_no_bucket():
    whole = read_ratings(table(row("a", "1", FIRST), row("b", "1", SECOND)))
    got = score_table(whole, leave_one_out(whole, RaterSettings())).to_pylist()
    assert [one["bucket"] for one in got if one["images"]] == [None] * 3
