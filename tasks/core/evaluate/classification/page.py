"""What an evaluation of classifiers writes: columns and tables of its page, tables of classes, charts."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.evaluate_images import CLASS_SCORES, CONFUSION
from tasks.core.evaluate import charts
from tasks.core.evaluate.classification.predictions import (
    Predictions,
    class_scores,
    confusion_cells,
    confusion_matrix,
    row_shares,
)
from tasks.core.evaluate.systems_page import Headings
from tasks.core.markdown import cell, number, table

MOST_LISTED = 200
"""So many classes have a line each on the page; more stand in the file alone."""

MOST_COLUMNS = 20
"""So many classes have a confusion matrix on the page."""
_MOST_CONFUSIONS = 10

_SHARES = ("precision", "recall", "f1")


def tops_shown(several: Mapping[str, Predictions], top: Sequence[int]) -> list[int]:
    """The k that say something: up to the number of classes, where all classifiers give probabilities."""
    if any(own.rank is None for own in several.values()):
        return []
    most = max((len(own.classes) for own in several.values()), default=0)
    return [k for k in top if k <= most]


def headings(top: Sequence[int]) -> Headings:
    """The words of the page. top: each k that is shown."""
    metrics = {
        "accuracy": "accuracy",
        **{f"top_{k}": f"top {k}" for k in top},
        "macro_precision": "mean precision",
        "macro_recall": "mean recall",
        "macro_F1": "mean F1",
    }
    return Headings("Classifiers", "classifier", "image", "images", metrics)


def class_lines(classes: pa.Table) -> list[str]:
    """A table of the classes of each classifier, in their order; a sentence instead where they are too many to read.

    classes: CLASS_SCORES.
    """
    rows = classes.to_pylist()
    lines: list[str] = []
    for name in dict.fromkeys(row["classifier"] for row in rows):
        own = [row for row in rows if row["classifier"] == name]
        lines += [f"## {cell(name)} by class", ""]
        if len(own) > MOST_LISTED:
            lines += [f"{len(own):,} classes: their numbers are in classes.parquet.", ""]
            continue
        cells = [[cell(row["class"]), *(number(row[key]) for key in _SHARES), str(row["images"])] for row in own]
        lines += [*table(["class", "precision", "recall", "F1", "images"], cells), ""]
    return lines[:-1]


def confusion_lines(several: Mapping[str, Predictions]) -> list[str]:
    """The confusion matrix of each classifier in numbers of images; of more than MOST_COLUMNS classes the most frequent
    confusions.
    """
    lines: list[str] = []
    for name, own in several.items():
        is_shown = len(own.classes) <= MOST_COLUMNS
        lines += ["", *(_matrix_lines(name, own) if is_shown else _most_frequent_lines(name, own))]
    return lines[1:]


def _matrix_lines(name: str, own: Predictions) -> list[str]:
    names = [cell(one) for one in own.classes]
    rows = [[row, *map(str, counts)] for row, counts in zip(names, confusion_matrix(own).tolist(), strict=True)]
    return [f"## {cell(name)}: true classes in rows, predicted classes in columns", "", *table(["", *names], rows)]


def _most_frequent_lines(name: str, own: Predictions) -> list[str]:
    """Of equal numbers the first by true and by predicted class."""
    cells = confusion_cells(own)
    wrong = np.flatnonzero(cells.true != cells.predicted)
    first = wrong[np.argsort(-cells.images[wrong], kind="stable")][:_MOST_CONFUSIONS]
    if not len(first):
        return [f"## {cell(name)} confuses no classes"]
    rows = [
        [cell(own.classes[cells.true[at]]), cell(own.classes[cells.predicted[at]]), f"{cells.images[at]:,}"]
        for at in first.tolist()
    ]
    title = f"## {cell(name)}: the most frequent of {len(wrong):,} confusions (all are in confusion.parquet)"
    return [title, "", *table(["true class", "predicted class", "images"], rows)]


def classes_table(several: Mapping[str, Predictions]) -> pa.Table:
    """CLASS_SCORES: each classifier's classes, in the order of their names."""
    parts = []
    for name, own in several.items():
        scores = class_scores(own)
        columns = [
            pa.repeat(name, len(own.classes)),
            pa.array(own.classes, pa.string()),
            *(_nullable(getattr(scores, key)) for key in _SHARES),
            scores.images,
            scores.predictions,
        ]
        parts.append(pa.table(columns, schema=CLASS_SCORES))
    return pa.concat_tables(parts) if parts else CLASS_SCORES.empty_table()


def confusion_table(several: Mapping[str, Predictions]) -> pa.Table:
    """CONFUSION: the cells above 0 of each classifier's matrix, by true and by predicted class."""
    parts = []
    for name, own in several.items():
        cells, names = confusion_cells(own), pa.array(own.classes, pa.string())
        columns = [pa.repeat(name, len(cells.images)), names.take(pa.array(cells.true))]
        parts.append(pa.table([*columns, names.take(pa.array(cells.predicted)), cells.images], schema=CONFUSION))
    return pa.concat_tables(parts) if parts else CONFUSION.empty_table()


def confusion_charts(several: Mapping[str, Predictions]) -> Iterator[str]:
    """A chart of each classifier's matrix as shares of its rows; empty where there are too many classes to see."""
    for name, own in several.items():
        is_shown = len(own.classes) <= charts.MOST_CELLS
        title = f"{name}: true class in rows, predicted class in columns, % of each row"
        yield charts.plot_matrix(title, own.classes, row_shares(own)) if is_shown else ""


def _nullable(values: NDArray[np.float64]) -> pa.Array:
    return pa.array(values, mask=np.isnan(values))
