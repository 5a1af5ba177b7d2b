"""evaluate classification: how often classifiers are right, and what they take for what (ArtBench, Fig. 5)."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from schemas.evaluate_classification import CONFUSION, ClassificationSettings
from tasks.core.evaluate import charts
from tasks.core.evaluate.classification.confusion import class_scores, confusion_matrix, row_shares
from tasks.core.evaluate.classification.predictions import (
    Predictions,
    check_predictions,
    refuse_other_images,
    with_all_classes,
)
from tasks.core.evaluate.classification.scores import classification_scorer
from tasks.core.evaluate.markdown import cell, number, table
from tasks.core.evaluate.systems import Ranking, score_systems
from tasks.core.evaluate.systems_page import Headings
from tasks.evaluate.evaluation import Evaluation, Resampling, evaluation, groups_of
from tasks.io.files.arrays import read_table

_COLUMNS = pa.schema(
    [(name, pa.string()) for name in ("image", "true_class", "predicted_class")]
    + [("probabilities", pa.list_(pa.float64()))]
)
_RANKING = Ranking("accuracy")


def evaluate_classification(
    predictions: Mapping[str, str], settings: ClassificationSettings, resampling: Resampling, by: Sequence[str] = ()
) -> Evaluation:
    """Accuracy and the mean precision, recall and F1 of classes, and each classifier's confusion matrix.

    predictions: by the name of each classifier, a table of the same images. by: columns of the first table. Raises
    BadInput for a table that is none, and for other images.
    """
    tables = {name: read_table(name, url, _COLUMNS, _COLUMNS.names) for name, url in predictions.items()}
    several = with_all_classes({name: check_predictions(name, own, settings.classes) for name, own in tables.items()})
    refuse_other_images(several)
    has_ranks = all(own.rank is not None for own in several.values())
    top = [k for k in settings.top if k <= len(next(iter(several.values())).classes)] if has_ranks else []
    first = next(iter(tables))
    scores = score_systems(
        {name: classification_scorer(own, top) for name, own in several.items()},
        len(next(iter(several.values())).images),
        _in_order(groups_of(first, tables[first], by), tables[first], several[first]),
        _RANKING,
        *resampling,
    )
    metrics = {
        "accuracy": "accuracy",
        **{f"top_{k}": f"top {k}" for k in top},
        "macro_precision": "mean precision",
        "macro_recall": "mean recall",
        "macro_F1": "mean F1",
    }
    shares = {name: row_shares(confusion_matrix(own)) for name, own in several.items()}
    return evaluation(
        "classification",
        scores,
        Headings("Classifiers", "classifier", "image", "images", metrics),
        _RANKING,
        resampling,
        more=[line for name, own in several.items() for line in _class_lines(name, own)],
        tables={"confusion": _confusion_table(several)},
        plots={
            f"confusion-{place}": charts.plot_matrix(f"{name}: true class in rows", several[name].classes, share)
            for place, (name, share) in enumerate(shares.items(), 1)
        },
    )


def _in_order(
    groups: Mapping[str, list[str | None]], rows: pa.Table, predictions: Predictions
) -> dict[str, list[str | None]]:
    """The groups in the order of the predictions' images."""
    ids = rows["image"].to_pylist()
    ordered = {}
    for column, values in groups.items():
        value_of = dict(zip(ids, values, strict=True))
        ordered[column] = [value_of[image] for image in predictions.images]
    return ordered


def _class_lines(name: str, predictions: Predictions) -> list[str]:
    scores = class_scores(confusion_matrix(predictions))
    lines = [
        [cell(one), *(number(float(values[place])) for values in (scores.precision, scores.recall, scores.f1)), str(n)]
        for place, (one, n) in enumerate(zip(predictions.classes, scores.images, strict=True))
    ]
    return [f"## {cell(name)} by class", "", *table(["class", "precision", "recall", "F1", "images"], lines), ""]


def _confusion_table(several: Mapping[str, Predictions]) -> pa.Table:
    """CONFUSION."""
    rows = [
        {"classifier": name, "true_class": true, "predicted_class": predicted, "images": int(count)}
        for name, own in several.items()
        for true, counts in zip(own.classes, confusion_matrix(own), strict=True)
        for predicted, count in zip(own.classes, counts, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=CONFUSION)
