"""How recognisable and how simple sketches are, and whether people agree (docs/evaluating/sketches.md)."""

from typing import TYPE_CHECKING, Annotated

from flows.parameters import Argument, Attributes, Changes, File, Folder, Option, Resamples, Seed

if TYPE_CHECKING:
    from tasks.evaluate.evaluation import Evaluation


def evaluate_sketches(
    sketches: Annotated[str, Argument("SKETCHES")],
    poses: File | None = None,
    answers: File | None = None,
    metrics: Annotated[list[str], Option("NAME=FILE", "--metric")] | None = None,
    changes: Changes | None = None,
    by: Attributes | None = None,
    out: Folder | None = None,
    bootstrap: Resamples = 1000,
    seed: Seed = 0,
) -> "Evaluation":
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
    from flows.evaluate.options import files_by_name, settings_of
    from flows.evaluate.running import run
    from schemas.evaluate_images import SketchSettings
    from tasks.evaluate.evaluation import Resampling
    from tasks.evaluate.sketches import evaluate_sketches as sketches_of

    def work() -> "Evaluation":
        settings = settings_of(SketchSettings, changes or ())
        given = files_by_name("--metric", metrics or ())
        resampling = Resampling(bootstrap, seed)
        return sketches_of(
            sketches, settings, resampling, poses=poses, answers=answers, metrics=given, by=tuple(by or ())
        )

    return run("sketches", out, work)
