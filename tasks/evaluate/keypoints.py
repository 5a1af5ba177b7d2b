"""evaluate keypoints: pose estimators by COCO's object keypoint similarity, with any scheme of joints."""

from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput
from schemas.evaluate_keypoints import KeypointSettings
from schemas.keypoints import KeypointScheme, shipped_schemes
from schemas.phrases import counted, quoted
from tasks.core.evaluate.keypoints.matches import match_poses
from tasks.core.evaluate.keypoints.poses import Poses, posed_figures_of, poses_of, sigmas_of
from tasks.core.evaluate.keypoints.scorer import MEASURES, keypoint_scorer
from tasks.core.evaluate.systems import Ranking, score_systems
from tasks.core.evaluate.systems_page import Headings
from tasks.engine.truth import GroundTruth, load_figures
from tasks.evaluate.evaluation import Evaluation, Resampling, evaluation
from tasks.io.files.arrays import read_table

_RESULTS = pa.schema(
    [
        ("image_id", pa.int64()),
        ("category_id", pa.int64()),
        ("keypoints", pa.list_(pa.float64())),
        ("score", pa.float64()),
        ("bbox", pa.list_(pa.float64())),
    ]
)
_RANKING = Ranking("AP")


class Figures(NamedTuple):
    """truth: a release or a COCO file. category, split: which of its figures and images count; None: all images."""

    truth: str
    category: str = "person"
    split: str | None = None


def evaluate_keypoints(
    figures: Figures,
    results: Mapping[str, str],
    settings: KeypointSettings,
    resampling: Resampling,
    *,
    by_style: bool = False,
) -> Evaluation:
    """AP and AR of each system, overall and by style.

    results: by name, a file in COCO's results format (.json; or a table with its columns). Raises BadInput.
    """
    if not results:
        raise BadInput("--results: expected at least one system as NAME=FILE, got none")
    scheme = shipped_schemes().get(settings.keypoints)
    if scheme is None:
        got = quoted(settings.keypoints)
        raise BadInput(f"keypoints: expected one of {', '.join(shipped_schemes())}, got {got}")
    truth = load_figures(figures.truth, category=figures.category, split=figures.split)
    posed, sigmas = posed_figures_of(truth.images, truth.figures, len(scheme.joints)), sigmas_of(scheme, settings)
    labelled = int(((posed.keypoints_xyv[..., 2] > 0).any(axis=1) & ~posed.drawn.is_crowd).sum())
    if not labelled:
        raise BadInput(f"{truth.name}: expected figures with keypoints of {scheme.name}, got none")
    poses, left_out = {}, list[str]()
    for name, url in results.items():
        poses[name], notes = _poses(name, url, truth, scheme)
        left_out += notes
    scores = score_systems(
        {name: keypoint_scorer(match_poses(posed, own, sigmas, settings.at_most)) for name, own in poses.items()},
        truth.images.num_rows,
        {"style": truth.images["style"].to_pylist()} if by_style else {},
        _RANKING,
        *resampling,
    )
    return evaluation(
        "keypoints",
        scores,
        Headings(f"Keypoints on {truth.name}", "system", "image", "images", {name: name for name in MEASURES}),
        _RANKING,
        resampling,
        notes=[*truth.notes, *left_out, f"{counted(labelled, 'figure')} with keypoints of {scheme.name}"],
    )


def _poses(name: str, url: str, truth: GroundTruth, scheme: KeypointScheme) -> tuple[Poses, list[str]]:
    """The poses of one system in the truth's images, and notes: how many of other categories and other images were
    passed over.

    Raises BadInput where none is left of a file that has some.
    """
    every = rows = read_table(name, url, _RESULTS, ("category_id", "bbox"))
    if "category_id" in rows.column_names:
        rows = rows.filter(pc.equal(rows["category_id"], truth.category_id))
    of_category = rows.num_rows
    if truth.others:
        rows = rows.filter(pc.invert(pc.is_in(rows["image_id"], value_set=pa.array(sorted(truth.others), pa.int64()))))
    passed_over = {"of other categories": every.num_rows - of_category, "in other images": of_category - rows.num_rows}
    if every.num_rows and not rows.num_rows:
        got = ", ".join(f"{count:,} {where}" for where, count in passed_over.items())
        raise BadInput(
            f"{name}: expected poses of the category {quoted(truth.category_id)} in the truth's images, got "
            f"{counted(every.num_rows, 'pose')}, {got}"
        )
    columns = {"image_id": rows["image_id"], "score": rows["score"], "keypoints_xyv": rows["keypoints"]}
    if "bbox" in rows.column_names:
        columns["xywh_px"] = rows["bbox"]
    notes = [f"{name}: left out {counted(count, 'pose')} {where}" for where, count in passed_over.items() if count]
    return poses_of(name, truth.images, pa.table(columns), len(scheme.joints)), notes
