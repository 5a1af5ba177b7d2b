"""What raters drew and rated, one long table, as arrays; how deformed figures are by their ratings (section 7.1)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_figures import LIKERT
from schemas.phrases import listed, quoted
from tasks.core.coco.box import MAX_PX
from tasks.core.columns import floats, whole
from tasks.core.evaluate.deformation import round_means
from tasks.core.evaluate.table_columns import names_column, number_column, quoted_cell, refuse_empty

MOST_PAIRS = 20_000_000
"""Of a rater and an image, whoever saw it: each takes some fifty bytes, all of them 1 GB."""
MOST_COMPARISONS = 10_000_000
"""Of two raters of one image, over all images: each takes some 150 bytes and 40 microseconds."""
MOST_BOXES = 10_000
"""Of all raters in one image: each is compared with each."""
LEAST_PX = 1e-6
"""Of a box's sides: the area of far smaller ones is 0, and by 0 no overlap can be divided."""

CORNERS = ("x_min", "y_min", "x_max", "y_max")
KEYPOINTS = "keypoints_xyv"

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
    """A table of RATINGS as arrays, in any order of rows; without `rating` nobody rated. Raises as `check_ratings`."""
    if "rating" not in table.column_names:
        table = table.append_column("rating", pa.nulls(table.num_rows, pa.int8()))
    check_ratings(table)
    # as objects: numpy's own texts all take the room of the longest, and lose null characters at their ends
    names = [np.array(table[column].to_pylist(), object) for column in ("rater", "image")]
    (raters, rater), (images, image) = (np.unique(column, return_inverse=True) for column in names)
    is_seen = np.zeros((len(raters), len(images)), np.bool_)
    is_seen[rater, image] = True
    rating = np.full(is_seen.shape, np.nan)
    rating[rater, image] = floats(table["rating"])
    xyxy = _corners(table)
    rows = np.flatnonzero(~np.isnan(xyxy[:, 0]))
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


def deformation_buckets(ratings: Ratings) -> NDArray[np.int64]:
    """(I,) 1 to 5: the rounded mean of all ratings of each image, whoever is compared; UNRATED without any."""
    count = (~np.isnan(ratings.rating)).sum(axis=0)
    return round_means(np.nan_to_num(ratings.rating, nan=0.0).sum(axis=0).astype(np.int64), count)


def check_ratings(table: pa.Table) -> None:
    """Raise BadInput, one sentence, for RATINGS that contradict themselves.

    Refused: no row; a rater or image without a name; a box of which only some corners are given, that is not finite,
    too far away, or not LEAST_PX wide and high; a rating that is not of 1 to 5; a row twice; a rater with a box and an
    empty box, or with two ratings, in one image; lists of keypoints that are none; fewer than two raters; more than
    MOST_BOXES rows of an image, MOST_PAIRS of raters and images, or MOST_COMPARISONS.
    """
    refuse_empty("ratings", table, "boxes")
    for name in ("rater", "image"):
        names_column("ratings", table, name)
    for name in CORNERS:
        number_column("ratings", table, name, -MAX_PX, MAX_PX, null=True)
    number_column("ratings", table, "rating", *LIKERT, null=True, whole_numbers=True)
    _check_size(table)
    _check_boxes(table)
    _check_pairs(table)
    if KEYPOINTS in table.column_names:
        _check_keypoints(table)
    raters = pc.unique(table["rater"]).to_pylist()
    if len(raters) < 2:
        raise BadInput(f"ratings: expected at least two raters, got {quoted(raters[0])} alone")


def _check_size(table: pa.Table) -> None:
    raters, images = (pc.value_counts(whole(table[name])) for name in ("rater", "image"))
    if len(raters) * len(images) > MOST_PAIRS:
        got = f"{len(raters):,} x {len(images):,}"
        raise BadInput(f"ratings: expected at most {MOST_PAIRS:,} pairs of a rater and an image, got {got}")
    rows = images.field("counts")
    if (most := pc.max(rows).as_py()) > MOST_BOXES:
        image = quoted(images.field("values")[pc.index(rows, most).as_py()].as_py())
        raise BadInput(f"ratings: expected at most {MOST_BOXES:,} rows for each image, got {most:,} for {image}")
    seen = table.select(["rater", "image"]).group_by(["rater", "image"]).aggregate([])
    raters_of = np.asarray(pc.value_counts(seen["image"].combine_chunks()).field("counts"))
    if (pairs := int((raters_of * (raters_of - 1) // 2).sum())) > MOST_COMPARISONS:
        expected = f"at most {MOST_COMPARISONS:,} comparisons of two raters of one image"
        raise BadInput(f"ratings: expected {expected}, got {pairs:,}")


def _check_boxes(table: pa.Table) -> None:
    is_given = np.stack([table[name].is_valid().to_numpy() for name in CORNERS], axis=1)
    xyxy = _corners(table)
    is_box = is_given.all(axis=1)
    _refuse_rows(table, is_given.any(axis=1) & ~is_box, "all four corners of a box or none")
    is_wide = (xyxy[:, 2:] > xyxy[:, :2]).all(axis=1)
    _refuse_rows(table, is_box & ~is_wide, "x_max above x_min and y_max above y_min")
    is_thin = (xyxy[:, 2:] - xyxy[:, :2] < LEAST_PX).any(axis=1)
    _refuse_rows(table, is_box & is_thin, f"boxes at least {LEAST_PX:g} px wide and high")


def _check_pairs(table: pa.Table) -> None:
    """What rows of one rater and image must not say."""
    boxes: dict[tuple[str, str], set[tuple[float, ...] | None]] = {}
    ratings: dict[tuple[str, str], float | None] = {}
    columns = (table[name].to_pylist() for name in ("rater", "image", "rating"))
    for rater, image, rating, box in zip(*columns, _corners(table).tolist(), strict=True):
        pair, drawn = (rater, image), None if np.isnan(box[0]) else tuple(box)
        before = boxes.setdefault(pair, set())
        who = f"rater {quoted(rater)} in image {quoted(image)}"
        if drawn in before:
            raise BadInput(f"ratings: expected each box once, got {quoted(drawn or 'no box')} twice from {who}")
        before.add(drawn)
        if None in before and len(before) > 1:
            raise BadInput(f"ratings: expected boxes or one row without a box, got both from {who}")
        if ratings.setdefault(pair, rating) != rating:
            two = f"{quoted_cell(ratings[pair])} and {quoted_cell(rating)}"
            raise BadInput(f"ratings: expected one rating on all rows of a rater and image, got {two} from {who}")


def _check_keypoints(table: pa.Table) -> None:
    has_box = ~np.isnan(_corners(table)[:, 0])
    given = [
        (has, values) for has, values in zip(has_box.tolist(), table[KEYPOINTS].to_pylist(), strict=True) if values
    ]
    lengths = {len(values) for _, values in given}
    if len(lengths) > 1 or any(length % 3 for length in lengths):
        got = f"lists of {listed([str(length) for length in sorted(lengths)], 5)} numbers"
        raise BadInput(f"ratings: expected x, y, v of the same joints in each row of {KEYPOINTS}, got {got}")
    for has, values in given:
        numbers = np.array(values, np.float64)
        is_good = (np.abs(numbers) <= MAX_PX).all() and np.isin(numbers[2::3], (0, 1, 2)).all()
        if not has or not is_good:
            expected = "finite x and y and a v of 0, 1 or 2 of a box's joints"
            raise BadInput(f"ratings: expected {expected}, got {quoted(values)}")


def _refuse_rows(table: pa.Table, is_odd: Any, expected: str) -> None:
    """Raise BadInput for the box of the first of these rows, if there is one. is_odd: (N,)."""
    for row in table.filter(pa.array(is_odd)).slice(0, 1).to_pylist():
        who = f"rater {quoted(row['rater'])} in image {quoted(row['image'])}"
        raise BadInput(f"ratings: expected {expected}, got {quoted([row[name] for name in CORNERS])} from {who}")


def _keypoints(table: pa.Table, rows: Integers) -> Floats | None:
    """(B, K, 3) of these rows; None where no row has any."""
    if KEYPOINTS not in table.column_names:
        return None
    lists = table[KEYPOINTS].to_pylist()
    size = max((len(values) for values in lists if values), default=0)
    if not size:
        return None
    return np.array([lists[row] or [0.0] * size for row in rows], np.float64).reshape(-1, size // 3, 3)


def _corners(table: pa.Table) -> Floats:
    """(N, 4) the boxes of a table of RATINGS' columns; NaN for null."""
    return np.stack([floats(table[name]) for name in CORNERS], axis=1)
