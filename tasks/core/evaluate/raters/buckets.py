"""How deformed the figures of an image are, by its raters: the rounded mean of their ratings (section 7.1)."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.evaluate_raters import LIKERT, RATER_SCORES
from tasks.core.evaluate.raters.leave_one_out import NAMES, BoxCounts, mean_of_defined, score_raters
from tasks.core.evaluate.raters.ratings import Ratings

Row = dict[str, Any]
BUCKETS = tuple(range(LIKERT[0], LIKERT[1] + 1))
UNRATED = 0
"""The bucket of an image that nobody rated."""


def deformation_buckets(ratings: Ratings) -> NDArray[np.int64]:
    """(I,) 1 to 5: the mean of each image's ratings, rounded, a half up (ours); UNRATED without any rating.

    All raters count, whoever is compared.
    """
    count = (~np.isnan(ratings.rating)).sum(axis=0)
    total = np.nan_to_num(ratings.rating, nan=0.0).sum(axis=0).astype(np.int64)
    return np.asarray((2 * total + count) // np.maximum(2 * count, 1), np.int64)


def mean_ratings(ratings: Ratings) -> NDArray[np.float64]:
    """(I,) the mean of each image's ratings; NaN without any."""
    return mean_of_defined(ratings.rating)


def score_table(ratings: Ratings, counts: BoxCounts) -> pa.Table:
    """RATER_SCORES. A bucket without an image has its rows, with nulls; so has a rater who saw none of its images.

    `images`: of a rater, those that are scored; of the mean, those that are scored of any rater. The mean's boxes are
    the sums.
    """
    bucket = deformation_buckets(ratings)
    rows: list[Row] = []
    for number in (None, *BUCKETS):
        times = np.ones(len(bucket), np.int64) if number is None else (bucket == number).astype(np.int64)
        scores = score_raters(counts, times)
        sums = np.stack([values @ times for values in (counts.right, counts.wrong, counts.missed)], axis=1)
        images = counts.is_scored @ times
        any_images = int(counts.is_scored.any(axis=0) @ times)
        rows.append(_row(number, None, mean_of_defined(scores), any_images, sums.sum(axis=0)))
        for place, rater in enumerate(ratings.raters):
            rows.append(_row(number, rater, scores[place], int(images[place]), sums[place]))
    return pa.Table.from_pylist(rows, schema=RATER_SCORES)


def _row(
    bucket: int | None, rater: str | None, scores: NDArray[np.float64], images: int, sums: NDArray[np.int64]
) -> Row:
    values = (None if np.isnan(value) else float(value) for value in scores)
    return {
        "bucket": bucket,
        "rater": rater,
        **dict(zip(NAMES, values, strict=True)),
        "images": images,
        **dict(zip(("right", "wrong", "missed"), sums.tolist(), strict=True)),
    }
