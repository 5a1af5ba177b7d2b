"""What a system says of the test queries, whichever way it came to it."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import counted, quoted
from tasks.core.evaluate.recognition.recognise import Recognition
from tasks.core.evaluate.recognition.scores import Outcomes
from tasks.core.evaluate.recognition.tables import Gallery, Queries, ids_of, quote_some, texts_of


class Predictions(NamedTuple):
    """Of Q test queries, in their order.

    prediction: (Q,) strings, classes, which may be others than the gallery's. confidence: (Q,) the higher, the surer.
    nearest: (Q,) strings, ids of the gallery images that predictions are by; null where none is. outcomes: what
    `scores.scorer` scores.
    """

    prediction: pa.Array
    confidence: NDArray[np.float64]
    nearest: pa.Array
    outcomes: Outcomes


def predictions_of(found: Recognition, gallery: Gallery) -> Predictions:
    """The predictions by a gallery's nearest images, with the names of its classes and images."""
    return Predictions(
        pa.array(gallery.classes, pa.string()).take(pa.array(found.prediction)),
        found.confidence,
        gallery.ids.combine_chunks().take(pa.array(found.nearest)),
        found.outcomes,
    )


def check_predictions(name: str, table: pa.Table, gallery: Gallery, queries: Queries) -> Predictions:
    """Another program's predictions: a table with `id`, `prediction` (a class) and `confidence`, in any order of rows.

    prediction: any text; a class that the gallery does not have is wrong. confidence: any finite numbers, only their
    order counts. Raises BadInput for a missing column or value, for an id that occurs twice, and unless each of the
    test queries is there and no other.
    """
    ids, said = ids_of(name, table), texts_of(name, table, "prediction")
    if said.null_count:
        raise BadInput(f"{name}: expected a prediction in each row, got {said.null_count:,} without")
    rows = pc.index_in(queries.ids, value_set=ids.combine_chunks())
    if rows.null_count:
        missing = queries.ids.filter(pc.is_null(rows)).to_pylist()
        got = f"none for {counted(len(missing), 'query', 'queries')} ({quote_some(missing)})"
        raise BadInput(f"{name}: expected a prediction for each test query, got {got}")
    if len(ids) > len(queries.ids):
        others = sorted({*ids.to_pylist()}.difference(queries.ids.to_pylist()))
        got = f"{counted(len(others), 'other', 'others')} ({quote_some(others)})"
        raise BadInput(f"{name}: expected only the test queries, got {got}")
    confidence = np.asarray(pc.fill_null(table["confidence"].cast(pa.float64()).take(rows), np.nan))
    if not (is_finite := np.isfinite(confidence)).all():
        first = quoted(queries.ids[int(is_finite.argmin())].as_py())
        raise BadInput(f"{name}: expected a finite number as confidence in each row, got another for {first}")
    prediction = said.take(rows).combine_chunks()
    classes = np.asarray(pc.fill_null(pc.index_in(prediction, value_set=pa.array(gallery.classes, pa.string())), -1))
    is_right = queries.is_met & (classes == queries.class_of)
    return Predictions(
        prediction, confidence, pa.nulls(len(rows), pa.string()), Outcomes(-confidence, queries.is_met, is_right)
    )


def count_foreign(predictions: Predictions, gallery: Gallery) -> int:
    """How many predictions are of classes that the gallery does not have."""
    is_known = pc.is_in(predictions.prediction, value_set=pa.array(gallery.classes, pa.string()))
    return len(is_known) - int(pc.sum(is_known, min_count=0).as_py())
