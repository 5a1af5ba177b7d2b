"""Images by how deformed people find their figures: the rounded mean of an image's labels (Picasso, section 7.1)."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import quoted
from tasks.core import tables
from tasks.core.columns import Column

BUCKETS = (1, 2, 3, 4, 5)
"""From "very lifelike" to "not at all lifelike" (section 5.2)."""


def deformation_buckets(image: Column, rating: Column) -> pa.Table:
    """The bucket of each image that has a label, sorted by image.

    image, rating: (R,) one row for each label of a person. A label is a whole number from 1 to 5; null: the person gave
    none, and the row is passed over. Returns image (of the type that it had), ratings (how many), mean and bucket, the
    rounded mean: half goes up (ours: the paper does not say), and means are compared as whole numbers, so that 2.5 is
    exactly that. Raises BadInput for a label that is none, and for one without an image.

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
            "bucket": pa.array((2 * total + count) // (2 * count), pa.int64()),
        }
    )


def times_by_bucket(buckets: pa.Table, image: Column) -> dict[int, NDArray[np.int64]]:
    """For each of BUCKETS (N,) whether an image is in it, as 0 and 1: the `times` of a scorer for the bucket alone.

    buckets: of `deformation_buckets`. image: (N,), the images that are scored, of the type that they have there. An
    image that nobody has labelled is in no bucket.
    """
    bucket = tables.lookup(buckets, "image", image)["bucket"].combine_chunks()
    number = np.asarray(bucket.fill_null(0))
    return {one: (number == one).astype(np.int64) for one in BUCKETS}
