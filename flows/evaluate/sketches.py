"""How recognisable and how simple sketches are, and whether people agree (docs/evaluating/sketches.md)."""

from prefect import flow

from flows.evaluate.options import files_by_name, settings_of
from flows.evaluate.running import run
from flows.parameters import Resamples, Seed
from schemas.evaluate_sketches import SketchSettings
from tasks.evaluate.evaluation import Evaluation, Resampling
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
    bootstrap: Resamples = 1000,
    seed: Seed = 0,
) -> Evaluation:
    """How recognisable and how simple sketches are, by method, and whether people agree (SketchRef).

    Args:
        sketches: A table (.parquet, .csv, .tsv or .json) with one row for each sketch.
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

    return run("sketches", out, work)
