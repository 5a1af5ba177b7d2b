"""Deformation: the rounded mean of an image's labels, half up."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.evaluate.deformation import deformation_buckets


def buckets(*rows: tuple[str | None, float | None]) -> pa.Table:
    return deformation_buckets(
        pa.array([image for image, _ in rows], pa.string()), pa.array([rating for _, rating in rows], pa.float64())
    )


@pytest.mark.parametrize(
    ("ratings", "bucket"),
    [
        ([5], 5),
        ([2, 3], 3),  # half up, as of all means (tasks/core/evaluate/deformation.py)
        ([3, None, 4], 4),
    ],
)
def test_the_rounded_mean_of_the_labels(ratings: list[float | None], bucket: int):
    assert buckets(*(("a", rating) for rating in ratings))["bucket"].to_pylist() == [bucket]


def test_images_come_sorted_with_their_counts_and_means():
    got = buckets(("b", 5), ("a", 1), ("b", 4), ("c", None))
    assert got.to_pylist() == [
        {"image": "a", "ratings": 1, "mean": 1.0, "bucket": 1},
        {"image": "b", "ratings": 2, "mean": 4.5, "bucket": 5},
    ]


def test_no_rating_no_bucket():
    assert buckets().num_rows == 0
    assert buckets(("a", None)).num_rows == 0


@pytest.mark.parametrize(
    ("rating", "got"), [(0, "0.0"), (6, "6.0"), (2.5, "2.5"), (float("nan"), "nan"), (float("inf"), "inf"), (-1, "-1")]
)
def test_what_is_no_label_is_refused(rating: float, got: str):
    with pytest.raises(BadInput, match=f"ratings: expected whole numbers from 1 to 5, got {got}"):
        buckets(("a", 3), ("a", rating))


def test_a_label_without_an_image_is_refused():
    with pytest.raises(BadInput, match="ratings: expected an image for every rating, got a rating without one"):
        buckets((None, 3))


@given(st.lists(st.integers(1, 5), min_size=1, max_size=40))
def test_a_bucket_is_half_a_label_from_the_mean_at_most(ratings: list[int]):
    row = buckets(*(("a", rating) for rating in ratings)).to_pylist()[0]
    assert -0.5 < row["bucket"] - row["mean"] <= 0.5
    assert row["ratings"] == len(ratings)
