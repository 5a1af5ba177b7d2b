"""How often classifiers are right, and what they take for what (docs/evaluating/classification.md)."""

from typing import TYPE_CHECKING, Annotated

from flows.parameters import Attributes, Changes, Folder, Option, Resamples, Seed
from schemas.errors import BadInput

if TYPE_CHECKING:
    from tasks.evaluate.evaluation import Evaluation


def evaluate_classification(
    predictions: Annotated[list[str], Option("NAME=FILE")],
    changes: Changes | None = None,
    by: Attributes | None = None,
    out: Folder | None = None,
    bootstrap: Resamples = 1000,
    seed: Seed = 0,
) -> "Evaluation":
    """How often classifiers are right, and what they take for what (ArtBench).

    Args:
        predictions: Each as NAME=FILE: a classifier and its table (.parquet, .csv, .tsv or .json), a row an image.
        changes: Each as FIELD=VALUE: a setting, such as top=[1, 5].
        by: Columns of the first table: every number also for each of their values.
        out: Folder for the page, the tables (Parquet) and charts (SVG); by default nothing is written.
        bootstrap: Number of resamples of the images for the 95 % intervals; 0 for no intervals.
        seed: Seed of the resamples, 0 or more.

    """
    from flows.evaluate.options import files_by_name, settings_of
    from flows.evaluate.running import run
    from schemas.evaluate_images import ClassificationSettings
    from tasks.evaluate.classification import evaluate_classification as classification
    from tasks.evaluate.evaluation import Resampling

    def work() -> "Evaluation":
        files = files_by_name("--predictions", predictions)
        if not files:
            raise BadInput("--predictions: expected at least one classifier as NAME=FILE, got none")
        settings = settings_of(ClassificationSettings, changes or ())
        return classification(files, settings, Resampling(bootstrap, seed), tuple(by or ()))

    return run("classification", out, work)
