"""Pose estimators by COCO's average precision of keypoints (docs/evaluating/keypoints.md)."""

from typing import TYPE_CHECKING, Annotated

from flows.parameters import Attributes, Categories, Changes, Folder, Option, Resamples, Seed, Split, Truth

if TYPE_CHECKING:
    from tasks.evaluate.evaluation import Evaluation


def evaluate_keypoints(
    truth: Truth,
    results: Annotated[list[str], Option("NAME=FILE")],
    categories: Categories | None = None,
    split: Split | None = None,
    by: Attributes | None = None,
    changes: Changes | None = None,
    out: Folder | None = None,
    bootstrap: Resamples = 1000,
    seed: Seed = 0,
) -> "Evaluation":
    """Compare pose estimators with the keypoints that people gave: AP and AR by object keypoint similarity (COCO).

    Args:
        truth: A release (its folder or URL, or its name's `latest`), or a COCO JSON file. No image is needed.
        results: Each as NAME=FILE: the poses of a system, in COCO's results format, with the truth's image ids.
        categories: Figures of these categories count, by default person; of several each is scored, and their mean.
            all: every category of the truth.
        split: Use only images of this split.
        by: Attributes of images, such as style: every number is computed for each of their values, too. Columns of a
            release's images, or fields of a COCO file's `images[].metadata`.
        changes: Each as FIELD=VALUE: a setting, such as keypoints=coco-17 or at_most=20.
        out: Folder for the page, the table (Parquet) and the chart (SVG); by default nothing is written.
        bootstrap: Number of resamples of the images for the 95 % intervals; 0 for no intervals.
        seed: Seed of the resamples, 0 or more.

    """
    from flows.evaluate.options import files_by_name, settings_of
    from flows.evaluate.running import run
    from schemas.evaluate_figures import KeypointSettings
    from tasks.evaluate.evaluation import Resampling
    from tasks.evaluate.keypoints import evaluate_keypoints as keypoints
    from tasks.subjects.truth import Chosen

    def work() -> "Evaluation":
        files = files_by_name("--results", results)
        settings, resampling = settings_of(KeypointSettings, changes or ()), Resampling(bootstrap, seed)
        chosen = Chosen(tuple(categories or ("person",)), split, tuple(by or ()))
        return keypoints(truth, chosen, files, settings, resampling)

    return run("keypoints", out, work)
