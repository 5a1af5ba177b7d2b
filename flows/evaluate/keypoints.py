"""Pose estimators by COCO's average precision of keypoints (docs/evaluating/keypoints.md)."""

from typing import Literal

from prefect import flow

from flows.evaluate.options import files_by_name, settings_of
from flows.evaluate.running import run
from flows.parameters import Seed, Whole
from schemas.evaluate_keypoints import KeypointSettings
from tasks.evaluate.evaluation import Evaluation, Resampling
from tasks.evaluate.keypoints import Figures
from tasks.evaluate.keypoints import evaluate_keypoints as keypoints


@flow(name="evaluate_keypoints", persist_result=False)
def evaluate_keypoints(
    truth: str,
    results: list[str],
    category: str = "person",
    split: str | None = None,
    by: Literal["style"] | None = None,
    changes: list[str] | None = None,
    out: str | None = None,
    bootstrap: Whole = 1000,
    seed: Seed = 0,
) -> str:
    """Compare pose estimators with the keypoints that people gave: AP and AR by object keypoint similarity (COCO).

    Args:
        truth: A release (its folder or URL, or its name's `latest`), or a COCO JSON file. No image is needed.
        results: Each as NAME=FILE: the poses of a system, in COCO's results format, with the truth's image ids.
        category: Only figures of this category count.
        split: Use only images of this split.
        by: style, to compute every number for each style, too.
        changes: Each as FIELD=VALUE: a setting, such as keypoints=coco-17 or at_most=20.
        out: Folder for the page, the table (Parquet) and the chart (SVG); by default nothing is written.
        bootstrap: Number of resamples of the images for the 95 % intervals; 0 for no intervals.
        seed: Seed of the resamples, 0 or more.

    """

    def work() -> Evaluation:
        files = files_by_name("--results", results)
        settings, resampling = settings_of(KeypointSettings, changes or ()), Resampling(bootstrap, seed)
        return keypoints(Figures(truth, category, split), files, settings, resampling, by_style=by == "style")

    return run("keypoints", out, work)
