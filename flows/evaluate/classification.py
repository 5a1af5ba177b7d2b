"""How often classifiers are right, and what they take for what (docs/evaluating/classification.md)."""

from prefect import flow

from flows.evaluate.options import files_by_name, settings_of
from flows.evaluate.running import run
from flows.parameters import Resamples, Seed
from schemas.errors import BadInput
from schemas.evaluate_classification import ClassificationSettings
from tasks.evaluate.classification import evaluate_classification as classification
from tasks.evaluate.evaluation import Evaluation, Resampling


@flow(name="evaluate_classification", persist_result=False)
def evaluate_classification(
    predictions: list[str],
    changes: list[str] | None = None,
    by: list[str] | None = None,
    out: str | None = None,
    bootstrap: Resamples = 1000,
    seed: Seed = 0,
) -> Evaluation:
    """How often classifiers are right, and what they take for what (ArtBench).

    Args:
        predictions: Each as NAME=FILE: a classifier and its table (.parquet, .csv, .tsv or .json), a row an image.
        changes: Each as FIELD=VALUE: a setting, such as top=[1, 5].
        by: Columns of the first table: every number also for each of their values.
        out: Folder for the page, the tables (Parquet) and charts (SVG); by default nothing is written.
        bootstrap: Number of resamples of the images for the 95 % intervals; 0 for no intervals.
        seed: Seed of the resamples, 0 or more.

    """

    def work() -> Evaluation:
        files = files_by_name("--predictions", predictions)
        if not files:
            raise BadInput("--predictions: expected at least one classifier as NAME=FILE, got none")
        settings = settings_of(ClassificationSettings, changes or ())
        return classification(files, settings, Resampling(bootstrap, seed), tuple(by or ()))

    return run("classification", out, work)
