"""The table of sketches: which method drew which photo, and what was measured of the sketch."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import quoted
from tasks.core.evaluate.table_columns import (
    names_column,
    number_column,
    quoted_cell,
    refuse_empty,
    refuse_repeats,
    require_columns,
    text_column,
)

COMPLEXITIES = ("photo_complexity", "sketch_complexity")

_LEAST, _MOST = 1e-15, 1e15
"""Between these a complexity must lie, so that a ratio is a number."""


class Sketches(NamedTuple):
    """S sketches, by M methods, of P photos.

    ids: (S,) ascending. methods: (M,) names, ascending. method: (S,) place there. photos: (P,) names, ascending. photo:
    (S,) place there. subsets: (P,) of each photo. strokes: (S,), 0 where the table says none. mean_oks: (S,) 0..1;
    cosine: (S,) -1..1, between the class name and the sketch; ratio: (S,) the simplicity ratio, C(photo) / C(sketch)
    (Eq. 3): above 1 where the sketch is simpler than its photo. NaN where the table has no value.
    """

    ids: tuple[str, ...]
    methods: tuple[str, ...]
    method: NDArray[np.int64]
    photos: tuple[str, ...]
    photo: NDArray[np.int64]
    subsets: tuple[str, ...]
    strokes: NDArray[np.int64]
    mean_oks: NDArray[np.float64]
    cosine: NDArray[np.float64]
    ratio: NDArray[np.float64]


def check_sketches(name: str, table: pa.Table) -> Sketches:
    """The sketches of a table, one a row, in any order.

    Columns: sketch, method, photo and subset, texts; class (text), strokes (whole number), mean_oks, clip_cosine,
    photo_complexity and sketch_complexity (numbers), which may be left out. Class, strokes, mean_oks and clip_cosine
    may be null.

    name: the table's, for messages. Raises BadInput for an empty table, a value out of its range, one complexity
    without the other, a sketch that stands twice, two sketches of one photo by one method with as many strokes, and a
    photo whose rows differ in subset, class or complexity.
    """
    refuse_empty(name, table, "sketches")
    ids, method, photo, subset = (
        names_column(name, table, column) for column in ("sketch", "method", "photo", "subset")
    )
    strokes = np.nan_to_num(_numbers(name, table, "strokes", 1, 1e9)).astype(np.int64)
    refuse_repeats(name, ids, "each sketch once")
    drawn = list(zip(method, photo, strokes.tolist(), strict=True))
    refuse_repeats(name, drawn, "one sketch for each method, photo and number of strokes")
    classes = text_column(name, table, "class", null=True) if "class" in table.column_names else [None] * len(ids)
    ratio, complexity = _ratio(name, table)
    for column, values in (("subset", subset), ("class", classes), ("photo_complexity", complexity)):
        _refuse_two_of_a_photo(name, photo, column, values)
    order = np.argsort(np.array(ids, object))
    methods, at_method = np.unique(np.array(method, object), return_inverse=True)
    photos, first, at_photo = np.unique(np.array(photo, object), return_index=True, return_inverse=True)
    return Sketches(
        tuple(sorted(ids)),
        tuple(methods.tolist()),
        at_method[order].astype(np.int64),
        tuple(photos.tolist()),
        at_photo[order].astype(np.int64),
        tuple(subset[row] for row in first.tolist()),
        strokes[order],
        _numbers(name, table, "mean_oks", 0, 1)[order],
        _numbers(name, table, "clip_cosine", -1, 1)[order],
        ratio[order],
    )


def values_of_photos(column: str, sketches: Sketches, value_of: Mapping[str, str | None]) -> list[str | None]:
    """(P,) the value of each photo. value_of: of each sketch by its id, in a column by which photos are grouped.

    Raises BadInput where two sketches of a photo differ.
    """
    values: dict[int, str | None] = {}
    for sketch, photo in zip(sketches.ids, sketches.photo.tolist(), strict=True):
        if values.setdefault(photo, value_of[sketch]) != value_of[sketch]:
            two = f"{quoted_cell(values[photo])} and {quoted_cell(value_of[sketch])}"
            got = f"{two} for {quoted(sketches.photos[photo])}"
            raise BadInput(f"--by {column}: expected one value for all sketches of a photo, got {got}")
    return [values[photo] for photo in range(len(sketches.photos))]


def _numbers(name: str, table: pa.Table, column: str, least: float, most: float) -> NDArray[np.float64]:
    """(S,) of a column that may be left out."""
    if column not in table.column_names:
        return np.full(table.num_rows, np.nan)
    return number_column(name, table, column, least, most, null=True, whole_numbers=column == "strokes")


def _ratio(name: str, table: pa.Table) -> tuple[NDArray[np.float64], list[float]]:
    """(S,) simplicity ratios, and the complexities of the photos; NaN and 0 where the table has no complexities.

    By which method complexities were taken, such as bytes after compression, is part of a result: the paper takes the
    compression ratio of Machado et al. (2015) without codec or quality.
    """
    if not set(COMPLEXITIES) & set(table.column_names):
        return np.full(table.num_rows, np.nan), [0.0] * table.num_rows
    require_columns(name, table, COMPLEXITIES)
    photo, sketch = (number_column(name, table, column, _LEAST, _MOST) for column in COMPLEXITIES)
    return photo / sketch, photo.tolist()


def _refuse_two_of_a_photo(name: str, photo: Sequence[str], column: str, values: Sequence[object]) -> None:
    """Raises BadInput where two rows of one photo differ in a column that is about the photo."""
    first: dict[str, tuple[int, object]] = {}
    for row, (key, value) in enumerate(zip(photo, values, strict=True)):
        place, expected = first.setdefault(key, (row, value))
        if value != expected:
            told = f"{column} {quoted_cell(expected)} of photo {quoted(key)}, as in row {place}"
            raise BadInput(f"{name}[{row}]: expected {told}, got {quoted_cell(value)}")
