"""The protocols that read tables and arrays: sketches, classifiers ... One flow a protocol, to be started anywhere."""

from collections.abc import Callable

from prefect import flow

from flows.evaluate.options import files_by_name, settings_of
from flows.parameters import Seed, Whole
from schemas.errors import BadInput
from schemas.evaluate_classification import ClassificationSettings
from schemas.evaluate_sketches import SketchSettings
from tasks.engine import flow_runs
from tasks.evaluate.classification import evaluate_classification as classification
from tasks.evaluate.evaluation import Evaluation, Resampling, make_folder
from tasks.evaluate.sketches import evaluate_sketches as sketches_of


@flow(name="evaluate_sketches", persist_result=False)
def evaluate_sketches(
    sketches: str,
    poses: str | None = None,
    answers: str | None = None,
    metrics: list[str] | None = None,
    changes: list[str] | None = None,
    by: list[str] | None = None,
    out: str | None = None,
    bootstrap: Whole = 1000,
    seed: Seed = 0,
) -> str:
    """How recognisable and how simple sketches are, by method, and whether people agree (SketchRef).

    Args:
        sketches: A table (.parquet, .csv or .json) with one row for each sketch.
        poses: A table of the figures' keypoints in photos and sketches; mOKS is computed from it.
        answers: A table of what people said.
        metrics: Each as NAME=FILE: a table of another metric, which is compared with what people said.
        changes: Each as FIELD=VALUE: a setting, such as alphas=[0.75, 1.75].
        by: Columns of the table of sketches: every number also for each of their values.
        out: Folder for the page, the tables (Parquet) and charts (SVG); by default nothing is written.
        bootstrap: Number of resamples of the photos for the 95 % intervals; 0 for no intervals.
        seed: Seed of the resamples, 0 or more.

    """

    def work() -> Evaluation:
        settings = settings_of(SketchSettings, changes or ())
        given = files_by_name("--metric", metrics or ())
        resampling = Resampling(bootstrap, seed)
        return sketches_of(
            sketches, settings, resampling, poses=poses, answers=answers, metrics=given, by=tuple(by or ())
        )

    return _run("sketches", out, work)


@flow(name="evaluate_classification", persist_result=False)
def evaluate_classification(
    predictions: list[str],
    changes: list[str] | None = None,
    by: list[str] | None = None,
    out: str | None = None,
    bootstrap: Whole = 1000,
    seed: Seed = 0,
) -> str:
    """How often classifiers are right, and what they take for what (ArtBench).

    Args:
        predictions: Each as NAME=FILE: a classifier and its table (.parquet, .csv or .json), one row for each image.
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

    return _run("classification", out, work)


def _run(protocol: str, out: str | None, evaluate: Callable[[], Evaluation]) -> str:
    """Evaluate, show it on Prefect's page, write it if asked, and return the summary."""

    def work() -> str:
        flow_runs.rename_run(f"evaluate · {protocol}")
        if out is not None:
            make_folder(out)
        result = evaluate()
        result.show()
        if out is not None:
            result.write(out)
        return flow_runs.completed_run(result.summary, f"{protocol} evaluated")

    return flow_runs.end_in_a_sentence(work)
