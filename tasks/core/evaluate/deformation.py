"""How deformed the figures of an image are: the rounded mean of its ratings (Ginosar et al., 2014, section 7.1)."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import quoted
from tasks.core.columns import Column

Integers = NDArray[np.int64]
BUCKETS = (1, 2, 3, 4, 5)
"""From "very lifelike" to "not at all lifelike" (section 5.2)."""
UNRATED = 0
"""The bucket of an image that nobody rated."""


def round_means(total: Integers, count: Integers) -> Integers:
    """(I,) means of ratings, rounded, a half up (ours: the paper does not say); UNRATED where nobody rated.

    total, count: (I,) sums and numbers of ratings of 1 to 5. In whole numbers, so that 2.5 is exactly that.

    >>> round_means(np.array([3, 5, 4, 0]), np.array([2, 2, 3, 0])).tolist()
    [2, 3, 1, 0]
    """
    return np.asarray((2 * total + count) // np.maximum(2 * count, 1), np.int64)


def deformation_buckets(image: Column, rating: Column) -> pa.Table:
    """The bucket of each image that has a label, sorted by image.

    image, rating: (R,) one row for each label of a person, a whole number from 1 to 5, or null, which is passed over.
    Returns image (of its own type), ratings (how many), mean and bucket, as of `round_means`. Raises BadInput for a
    label that is none, and for one without an image.

    >>> deformation_buckets(pa.array(["a", "a", "b", "b"]), pa.array([1, 2, 2, 3]))["bucket"].to_pylist()
    [2, 3]
    """
    labels = pa.table({"image": image, "rating": rating.cast(pa.float64())}).filter(pc.is_valid(rating))
    if labels["image"].null_count:
        raise BadInput("ratings: expected an image for every rating, got a rating without one")
    is_label = pc.is_in(labels["rating"], value_set=pa.array(BUCKETS, pa.float64()))
    if strange := labels["rating"].filter(pc.invert(is_label)).to_pylist():
        raise BadInput(f"ratings: expected whole numbers from 1 to 5, got {quoted(strange[0])}")
    by_image = labels.group_by("image").aggregate([("rating", "sum"), ("rating", "count")]).sort_by("image")
    total, count = by_image["rating_sum"].to_numpy().astype(np.int64), by_image["rating_count"].to_numpy()
    return pa.table(
        {
            "image": by_image["image"],
            "ratings": pa.array(count, pa.int64()),
            "mean": pa.array(total / count, pa.float64()),
            "bucket": pa.array(round_means(total, count), pa.int64()),
        }
    )
