"""What an evaluation of classifiers writes: columns and tables of its page, tables of classes, charts."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np
import pyarrow as pa

from schemas.evaluate_images import CLASS_SCORES, CONFUSION
from tasks.core.evaluate import charts
from tasks.core.evaluate.classification.predictions import ClassPredictions
from tasks.core.evaluate.classification.scorer import class_scores, confusion_cells, confusion_matrix, row_shares
from tasks.core.evaluate.systems_page import Headings
from tasks.core.markdown import cell, number, table

_MOST_LISTED, _MOST_COLUMNS, _MOST_CONFUSIONS = 200, 20, 10
"""So many classes have a line each on the page, more stand in the file alone; so many a confusion matrix there."""
_SHARES = ("precision", "recall", "f1")


def tops_shown(several: Mapping[str, ClassPredictions], top: Sequence[int]) -> list[int]:
    """The k that say something: up to the number of classes, where all classifiers give probabilities."""
    if any(own.rank is None for own in several.values()):
        return []
    most = max((len(own.classes) for own in several.values()), default=0)
    return [k for k in top if k <= most]


def headings(top: Sequence[int]) -> Headings:
    """The words of the page. top: each k that is shown."""
    tops = {f"top_{k}": f"top {k}" for k in top}
    means = {f"macro_{name}": f"mean {name}" for name in ("precision", "recall", "F1")}
    return Headings("Classifiers", "classifier", "image", "images", {"accuracy": "accuracy", **tops, **means})


def class_lines(classes: pa.Table) -> list[str]:
    """A table of the classes of each classifier, in the order of CLASS_SCORES; a sentence where they are too many to
    read.
    """
    lines: list[str] = []
    for name, of_one in groupby(classes.to_pylist(), itemgetter("classifier")):
        own = list(of_one)
        cells = [[cell(row["class"]), *(number(row[key]) for key in _SHARES), str(row["images"])] for row in own]
        shown = [f"{len(own):,} classes: their numbers are in classes.parquet."]
        if len(own) <= _MOST_LISTED:
            shown = table(["class", "precision", "recall", "F1", "images"], cells)
        lines += [f"## {cell(name)} by class", "", *shown, ""]
    return lines[:-1]


def confusion_lines(several: Mapping[str, ClassPredictions]) -> list[str]:
    """The confusion matrix of each classifier in images; of too many classes the most frequent confusions."""
    lines: list[str] = []
    for name, own in several.items():
        if len(own.classes) > _MOST_COLUMNS:
            lines += ["", *_most_frequent_lines(name, own)]
            continue
        names = [cell(one) for one in own.classes]
        rows = [[row, *map(str, counts)] for row, counts in zip(names, confusion_matrix(own).tolist(), strict=True)]
        title = f"## {cell(name)}: true classes in rows, predicted classes in columns"
        lines += ["", title, "", *table(["", *names], rows)]
    return lines[1:]


def _most_frequent_lines(name: str, own: ClassPredictions) -> list[str]:
    """Of equal numbers the first by true and by predicted class."""
    true, predicted, images = confusion_cells(own)
    wrong = np.flatnonzero(true != predicted)
    first = wrong[np.argsort(-images[wrong], kind="stable")][:_MOST_CONFUSIONS]
    if not len(first):
        return [f"## {cell(name)} confuses no classes"]
    rows = [[cell(own.classes[true[at]]), cell(own.classes[predicted[at]]), f"{images[at]:,}"] for at in first.tolist()]
    title = f"## {cell(name)}: the most frequent of {len(wrong):,} confusions (all are in confusion.parquet)"
    return [title, "", *table(["true class", "predicted class", "images"], rows)]


def classes_table(several: Mapping[str, ClassPredictions]) -> pa.Table:
    """CLASS_SCORES: each classifier's classes, in the order of their names."""
    parts = [CLASS_SCORES.empty_table()]
    for name, own in several.items():
        scores = class_scores(own)
        columns = [
            pa.repeat(name, len(own.classes)),
            pa.array(own.classes, pa.string()),
            *(pa.array(values, from_pandas=True) for values in scores[:3]),
            scores.images,
            scores.predictions,
        ]
        parts.append(pa.table(columns, schema=CLASS_SCORES))
    return pa.concat_tables(parts)


def confusion_table(several: Mapping[str, ClassPredictions]) -> pa.Table:
    """CONFUSION: the cells above 0 of each classifier's matrix, by true and by predicted class."""
    parts = [CONFUSION.empty_table()]
    for name, own in several.items():
        *places, images = confusion_cells(own)
        names = (pa.array(own.classes, pa.string()).take(pa.array(place)) for place in places)
        parts.append(pa.table([pa.repeat(name, len(images)), *names, images], schema=CONFUSION))
    return pa.concat_tables(parts)


def confusion_charts(several: Mapping[str, ClassPredictions]) -> Iterator[str]:
    """A chart of each classifier's matrix as shares of its rows; empty where there are too many classes to see."""
    for name, own in several.items():
        title = f"{name}: true class in rows, predicted class in columns, % of each row"
        yield charts.plot_matrix(title, own.classes, row_shares(own)) if len(own.classes) <= charts.MOST_CELLS else ""
