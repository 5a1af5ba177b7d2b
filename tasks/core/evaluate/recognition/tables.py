"""What is compared: the gallery, the queries, their vectors, and what a system says of the queries."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_images import QUERY_TYPES
from schemas.phrases import counted, listed, quoted
from tasks.core.evaluate.recognition.scores import Outcomes
from tasks.core.evaluate.recognition.vectors import AT_ONCE

NO_CLASS = -1
_MOST_QUOTED = 3


class Gallery(NamedTuple):
    """ids: (G,) strings. classes: (N,) names, sorted. class_of: (G,) places in `classes`."""

    ids: pa.ChunkedArray
    classes: tuple[str, ...]
    class_of: NDArray[np.int64]


class Queries(NamedTuple):
    """ids: (Q,) strings. class_of: (Q,) places in the gallery's classes, NO_CLASS for a distractor. type: (Q,) of
    QUERY_TYPES, or "distractor" where only the class was given. photographer: (Q,), None where it is not known.
    """

    ids: pa.ChunkedArray
    class_of: NDArray[np.int64]
    type: tuple[str, ...]
    photographer: tuple[str | None, ...]

    @property
    def is_met(self) -> NDArray[np.bool_]:
        """(Q,) whether the query shows an exhibit; the others are distractors."""
        return np.asarray(self.class_of != NO_CLASS)


class QueryPredictions(NamedTuple):
    """Of Q test queries, in their order.

    prediction: (Q,) strings, classes, which may be others than the gallery's. confidence: (Q,) the higher, the surer.
    nearest: (Q,) strings, ids of the gallery images that predictions are by; null where none is.
    """

    prediction: pa.Array
    confidence: NDArray[np.float64]
    nearest: pa.Array
    outcomes: Outcomes


def check_gallery(table: pa.Table) -> Gallery:
    """The gallery of a table with `id` and `class`, strings.

    Raises BadInput for a missing value, an id that occurs twice, no image, and fewer than two classes, of which any
    confidence would be 1.
    """
    ids, classes = _ids("gallery", table), table["class"]
    if classes.null_count:
        raise BadInput(f"gallery: expected a class for each image, got {classes.null_count:,} without")
    if not len(ids):
        raise BadInput("gallery: expected images, got none")
    names = sorted(pc.unique(classes).to_pylist())
    if len(names) < 2:
        raise BadInput(f"gallery: expected at least two classes, got only {quoted(names[0])}")
    return Gallery(ids, tuple(names), _places(classes, names))


def check_queries(table: pa.Table, gallery: Gallery, name: str = "queries") -> Queries:
    """The queries of a table with `id`, `class` (null: a distractor) and, if they are there, `type` and `photographer`.

    name: what messages call them. A class that the gallery does not have is refused: nothing could be right about such
    a query (in the paper, the queries' classes are among the gallery's). If it is to count as a distractor, it needs no
    class. Raises BadInput for this, for an id that is missing or occurs twice, for no query, and for a type that is
    none, or does not fit the class: met has one, other_art and non_art have none.
    """
    ids, classes = _ids(name, table), table["class"]
    if not len(ids):
        raise BadInput(f"{name}: expected queries, got none")
    class_of = _places(classes, gallery.classes)
    is_met = np.asarray(classes.is_valid())
    if unknown := sorted(set(pc.unique(classes).drop_null().to_pylist()).difference(gallery.classes)):
        got = f"{counted(len(unknown), 'other class', 'other classes')} ({_quote_some(unknown)})"
        raise BadInput(f"{name}: expected classes of the gallery, or null for distractors, got {got}")
    types, photographers = (
        table[column].to_pylist() if column in table.column_names else [None] * len(ids)
        for column in ("type", "photographer")
    )
    named = []
    for row, (kind, has_class) in enumerate(zip(types, is_met.tolist(), strict=True)):
        if kind is not None and kind not in QUERY_TYPES:
            raise BadInput(f"{name}: expected the type met, other_art or non_art, got {quoted(kind)}")
        if kind is not None and (kind == "met") != has_class:
            expected = "a class where the type is met, and none elsewhere"
            raise BadInput(f"{name}: expected {expected}, got another in the query {quoted(ids[row].as_py())}")
        named.append(kind or ("met" if has_class else "distractor"))
    return Queries(ids, class_of, tuple(named), tuple(photographers))


def check_vectors(vectors: NDArray[Any], rows: int, name: str, dimensions: int | None = None) -> int:
    """How many of the vectors are zero, which are as near to everything.

    vectors: (rows, d), 16 to 64-bit floats of any length, may be a memory map. dimensions: what d must be, for queries
    that of the gallery. Raises BadInput for another shape or type, and for a number that is not finite.
    """
    if vectors.ndim != 2 or len(vectors) != rows or not vectors.shape[1]:
        raise BadInput(f"{name}: expected vectors of shape ({rows}, dimensions), got {vectors.shape}")
    if dimensions is not None and vectors.shape[1] != dimensions:
        raise BadInput(f"{name}: expected {dimensions} dimensions as in the gallery, got {vectors.shape[1]}")
    if vectors.dtype.kind != "f":
        raise BadInput(f"{name}: expected vectors of real numbers, got {vectors.dtype}")
    zero = 0
    for start in range(0, len(vectors), AT_ONCE):
        block = vectors[start : start + AT_ONCE]
        if not (is_finite := np.isfinite(block).all(axis=1)).all():
            raise BadInput(f"{name}: expected finite numbers, got NaN or infinity in row {start + is_finite.argmin()}")
        zero += int(np.count_nonzero(~block.any(axis=1)))
    return zero


def check_predictions(name: str, table: pa.Table, gallery: Gallery, queries: Queries) -> QueryPredictions:
    """Another program's predictions: a table with `id`, `prediction` (a class) and `confidence`, in any order of rows.

    prediction: any text; a class that the gallery does not have is wrong. confidence: any finite numbers, only their
    order counts. Raises BadInput for a missing value, for an id that occurs twice, and unless each of the test queries
    is there and no other.
    """
    ids, said = _ids(name, table), table["prediction"]
    if said.null_count:
        raise BadInput(f"{name}: expected a prediction in each row, got {said.null_count:,} without")
    rows = pc.index_in(queries.ids, value_set=ids.combine_chunks())
    if rows.null_count:
        missing = queries.ids.filter(pc.is_null(rows)).to_pylist()
        got = f"none for {counted(len(missing), 'query', 'queries')} ({_quote_some(missing)})"
        raise BadInput(f"{name}: expected a prediction for each test query, got {got}")
    if len(ids) > len(queries.ids):
        others = sorted({*ids.to_pylist()}.difference(queries.ids.to_pylist()))
        got = f"{counted(len(others), 'other', 'others')} ({_quote_some(others)})"
        raise BadInput(f"{name}: expected only the test queries, got {got}")
    confidence = np.asarray(pc.fill_null(table["confidence"].cast(pa.float64()).take(rows), np.nan))
    if not (is_finite := np.isfinite(confidence)).all():
        first = quoted(queries.ids[int(is_finite.argmin())].as_py())
        raise BadInput(f"{name}: expected a finite number as confidence in each row, got another for {first}")
    prediction = said.take(rows).combine_chunks()
    is_right = queries.is_met & (_places(prediction, gallery.classes) == queries.class_of)
    outcomes = Outcomes(-confidence, queries.is_met, is_right)
    return QueryPredictions(prediction, confidence, pa.nulls(len(rows), pa.string()), outcomes)


def foreign_notes(name: str, predictions: QueryPredictions, gallery: Gallery) -> list[str]:
    """A sentence on the predictions of classes that the gallery does not have, if there are any."""
    is_known = pc.is_in(predictions.prediction, value_set=pa.array(gallery.classes, pa.string()))
    if not (count := is_known.false_count):
        return []
    of, are = ("a class", "is") if count == 1 else ("classes", "are")
    return [f"{name}: {counted(count, 'prediction')} of {of} that the gallery does not have, which {are} wrong"]


def leak_notes(val: Queries, test: Queries) -> tuple[str, ...]:
    """What the validation and test queries share, so that k and the temperature are chosen on what is scored.

    In the paper, no photographer and no class is in both. Raises BadInput for an id that is in both.
    """
    if shared := sorted({*val.ids.to_pylist()}.intersection(test.ids.to_pylist())):
        got = f"{len(shared)} in both ({_quote_some(shared)})"
        raise BadInput(f"expected queries for validation or for test, got {got}")
    photographers = {*val.photographer}.intersection(test.photographer) - {None}
    classes = {*val.class_of.tolist()}.intersection(test.class_of.tolist()) - {NO_CLASS}
    return tuple(
        f"{counted(len(both), one, many)} in both the validation and the test queries"
        for both, one, many in ((photographers, "photographer", "photographers"), (classes, "class", "classes"))
        if both
    )


def _ids(name: str, table: pa.Table) -> pa.ChunkedArray:
    """The column `id`. Raises BadInput for a null, and for an id that occurs twice."""
    ids = table["id"]
    if ids.null_count:
        raise BadInput(f"{name}: expected an id in each row, got {ids.null_count:,} without")
    if len(pc.unique(ids)) < len(ids):
        counts = pc.value_counts(ids.combine_chunks())
        twice = counts.filter(pc.greater(counts.field("counts"), 1)).field("values")
        raise BadInput(f"{name}: expected each id once, got {_quote_some(sorted(twice.to_pylist()))} several times")
    return ids


def _places(values: pa.Array | pa.ChunkedArray, names: Sequence[str]) -> NDArray[np.int64]:
    """(N,) the place of each value among the names, NO_CLASS for null and for what is not there."""
    places = pc.index_in(values, value_set=pa.array(names, pa.string()))
    return np.asarray(pc.fill_null(places, NO_CLASS), np.int64)


def _quote_some(values: Sequence[str]) -> str:
    return listed([quoted(value) for value in values], _MOST_QUOTED)
