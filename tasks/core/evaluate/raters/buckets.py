"""How deformed the figures of an image are, by its raters: the rounded mean of their ratings (section 7.1)."""

import numpy as np
from numpy.typing import NDArray

from tasks.core.evaluate.deformation import round_means
from tasks.core.evaluate.means import means_along
from tasks.core.evaluate.raters.ratings import Ratings


def deformation_buckets(ratings: Ratings) -> NDArray[np.int64]:
    """(I,) 1 to 5: the mean of each image's ratings, rounded; UNRATED without any rating.

    All raters count, whoever is compared.
    """
    count = (~np.isnan(ratings.rating)).sum(axis=0)
    return round_means(np.nan_to_num(ratings.rating, nan=0.0).sum(axis=0).astype(np.int64), count)


def mean_ratings(ratings: Ratings) -> NDArray[np.float64]:
    """(I,) the mean of each image's ratings; NaN without any."""
    return means_along(ratings.rating)
