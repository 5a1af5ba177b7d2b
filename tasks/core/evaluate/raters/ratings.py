"""What raters drew and rated: one long table, checked, as arrays in an order that is not the rows'."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tasks.core.evaluate.raters.check import KEYPOINTS, check_ratings, corners_of, floats_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Ratings(NamedTuple):
    """Boxes and ratings of R raters in I images.

    raters, images: names, ascending. is_seen: (R, I) who saw what. rating: (R, I) 1 to 5, NaN where there is none.
    xyxy_px: (B, 4) all boxes as (x_min, y_min, x_max, y_max), by image, then by coordinates, then by rater. rater,
    image: (B,) whose they are. keypoints_xyv: (B, K, 3), v = 0 where a joint is not given; None without keypoints.
    """

    raters: tuple[str, ...]
    images: tuple[str, ...]
    is_seen: NDArray[np.bool_]
    rating: Floats
    xyxy_px: Floats
    rater: Integers
    image: Integers
    keypoints_xyv: Floats | None = None

    def boxes_by_image(self) -> Iterator[tuple[int, slice]]:
        """Each image's number and where its boxes are, also of an image without any."""
        edges = np.searchsorted(self.image, np.arange(len(self.images) + 1))
        for number in range(len(self.images)):
            yield number, slice(int(edges[number]), int(edges[number + 1]))


def read_ratings(table: pa.Table) -> Ratings:
    """A table of RATINGS' columns as arrays. The order of its rows makes no difference; without `rating` nobody rated.

    Raises BadInput for whatever `check_ratings` refuses.
    """
    if "rating" not in table.column_names:
        table = table.append_column("rating", pa.nulls(table.num_rows))
    check_ratings(table)
    # as objects: numpy's own texts all take the room of the longest, and lose null characters at their ends
    names = [np.array(table[column].cast(pa.string()).to_pylist(), object) for column in ("rater", "image")]
    (raters, rater), (images, image) = (np.unique(column, return_inverse=True) for column in names)
    is_seen = np.zeros((len(raters), len(images)), np.bool_)
    is_seen[rater, image] = True
    rating = np.full(is_seen.shape, np.nan)
    rating[rater, image] = floats_of(table["rating"])
    xyxy = corners_of(table)
    has_box = ~np.isnan(xyxy[:, 0])
    rows = np.flatnonzero(has_box)
    rows = rows[np.lexsort((rater[rows], *xyxy[rows].T[::-1], image[rows]))]
    return Ratings(
        tuple(raters.tolist()),
        tuple(images.tolist()),
        is_seen,
        rating,
        xyxy[rows],
        rater[rows].astype(np.int64),
        image[rows].astype(np.int64),
        _keypoints(table, rows),
    )


def _keypoints(table: pa.Table, rows: Integers) -> Floats | None:
    """(B, K, 3) of these rows; None where no row has any."""
    if KEYPOINTS not in table.column_names:
        return None
    lists = table[KEYPOINTS].to_pylist()
    size = max((len(values) for values in lists if values), default=0)
    if not size:
        return None
    return np.array([lists[row] or [0.0] * size for row in rows], np.float64).reshape(-1, size // 3, 3)
