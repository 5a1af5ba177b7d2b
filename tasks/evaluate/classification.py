"""evaluate classification: how often classifiers are right, and what they take for what (ArtBench, Fig. 5)."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from schemas.evaluate_images import ClassificationSettings
from tasks.core.evaluate.classification import page, predictions, scorer
from tasks.core.evaluate.systems import Ranking, groups_of, score_systems
from tasks.evaluate.evaluation import Evaluation, Resampling, evaluation
from tasks.io.files.arrays import read_table

_TEXT = pa.string()
_COLUMNS = pa.schema(
    {"image": _TEXT, "true_class": _TEXT, "predicted_class": _TEXT, "probabilities": pa.list_(pa.float64())}
)
_OPTIONAL = ("predicted_class", "probabilities")  # one of them is asked for by `check_predictions`
_RANKING = Ranking("accuracy")


def evaluate_classification(
    files: Mapping[str, str], settings: ClassificationSettings, resampling: Resampling, by: Sequence[str] = ()
) -> Evaluation:
    """Accuracy and the mean precision, recall and F1 of classes, and each classifier's confusion matrix.

    files: by the name of each classifier, a table of what it says of the same images. by: columns of the first table.
    Raises BadInput for a table that is none, and for other images.
    """
    first = next(iter(files))
    tables = {
        name: read_table(name, url, _COLUMNS, _OPTIONAL, by if name == first else ()) for name, url in files.items()
    }
    checked = {name: predictions.check_predictions(name, own, settings.classes) for name, own in tables.items()}
    several = predictions.with_all_classes(checked)
    predictions.refuse_other_images(several)
    top = page.tops_shown(several, settings.top)
    scores = score_systems(
        {name: scorer.classification_scorer(own, top) for name, own in several.items()},
        len(several[first].images),
        groups_of(tables[first].sort_by("image"), by),  # as predictions are
        _RANKING,
        *resampling,
    )
    classes = page.classes_table(several)
    return evaluation(
        "classification",
        scores,
        page.headings(top),
        _RANKING,
        resampling,
        more=[*page.class_lines(classes), "", *page.confusion_lines(several)],
        tables={"classes": classes, "confusion": page.confusion_table(several)},
        plots={f"confusion-{place}": chart for place, chart in enumerate(page.confusion_charts(several), 1)},
    )
