"""evaluate detector: detectors against people's boxes by COCO's numbers, and as filters of images (PoPArt)."""

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput
from schemas.evaluate_figures import DetectorSettings
from tasks.core.evaluate import charts
from tasks.core.evaluate.categories import category_notes, score_categories
from tasks.core.evaluate.detector import presence
from tasks.core.evaluate.detector.results import detections_of_release, detections_of_results
from tasks.core.evaluate.detector.scorer import FIGURES, OF_BOXES, detector_scorer
from tasks.core.evaluate.matching import Detections, detections_of_measure, figures_by_category, match_boxes
from tasks.core.evaluate.systems import Ranking, rank_systems
from tasks.core.evaluate.systems_page import Headings
from tasks.evaluate.evaluation import Evaluation, Resampling, evaluation
from tasks.io.files import inputs
from tasks.io.store.releases import Release
from tasks.subjects.ground_truth import MAX_FILE_BYTES, GroundTruth, is_coco_file
from tasks.subjects.truth import boxes_of_release

_RANKING = Ranking("AP")
_SHOWN = {
    **{name: name for name in ("AP", "AP50", "AP75", "APS", "APM", "APL", "AR")},
    "kept_share": "kept",
    "image_recall": "image recall",
    "image_precision": "image precision",
    "image_f1": "image F1",
    "image_auc": "image AUC",
}


def blobs_of(truth: GroundTruth) -> pa.Array:
    """SHA-256 of each image, once, sorted: the blobs that detectors look at."""
    return pc.unique(truth.images["sha256"]).sort()


def detections_by_detector(measured: pa.Table, truth: GroundTruth) -> tuple[dict[str, Detections], tuple[str, ...]]:
    """A detector's boxes of each category, out of its DETECT rows; and a note where it could not read images."""
    failed = measured.num_rows - measured["reason"].null_count
    notes = (f"the detector could not read {failed} images; they count as images without a box",) if failed else ()
    return {name: detections_of_measure(truth.images, measured, name) for name in truth.category_ids}, notes


def detections_in_results(name: str, url: str, truth: GroundTruth) -> tuple[dict[str, Detections], tuple[str, ...]]:
    """The boxes of each category in a file of COCO's results format; and notes. Raises BadInput."""
    data = inputs.read(f"results '{name}'", url, MAX_FILE_BYTES)
    return detections_of_results(name, data, truth.images, truth.others, truth.category_ids)


def detections_in_release(release: str, truth: GroundTruth) -> dict[str, dict[str, Detections]]:
    """The boxes that a release's own detectors have stored, by name and category. Raises BadInput where it has none."""
    if is_coco_file(release):
        raise BadInput("--release-detections: expected a release as the truth, got a COCO file")
    detections = detections_of_release(truth.images, boxes_of_release(Release(release)), truth.category_ids)
    if not detections:
        raise BadInput(f"--release-detections: expected a release with a detector's boxes, got {truth.name} without")
    return detections


def compare_by_coco(
    truth: GroundTruth,
    detections: Mapping[str, Mapping[str, Detections]],
    settings: DetectorSettings,
    resampling: Resampling,
    notes: Sequence[str] = (),
) -> Evaluation:
    """AP and AR, and how well images with a figure are told from others, over all images, by the truth's groups and by
    category; what thresholds keep.

    detections: by detector and category.
    """
    figures = figures_by_category(truth.images, truth.figures, truth.category_ids)
    seen, scorers, whole = {}, {}, {}
    for name, boxes in detections.items():
        seen[name] = {category: presence.compute_presence(figures[category], own) for category, own in boxes.items()}
        matched = {category: match_boxes(figures[category], own, settings.at_most) for category, own in boxes.items()}
        scorers[name] = {
            category: detector_scorer([one], seen[name][category], settings.score) for category, one in matched.items()
        }
        together = presence.join_presences([*seen[name].values()])
        whole[name] = detector_scorer([*matched.values()], together, settings.score)
    images = truth.images.num_rows
    scores = score_categories(scorers, OF_BOXES, images, truth.groups, _RANKING, *resampling, whole=whole)
    thresholds = presence.threshold_table(seen, truth.groups)
    names = rank_systems(scores.to_pylist(), _RANKING)
    return evaluation(
        "detectors",
        scores,
        Headings(f"Detectors on {truth.name}", "detector", "image", "images", _SHOWN, beside={FIGURES: "figures"}),
        _RANKING,
        resampling,
        notes=[
            *truth.notes,
            *notes,
            *category_notes({category: int((~own.is_crowd).sum()) for category, own in figures.items()}, "AP"),
            *presence.presence_notes(thresholds),
            f"an image is kept if it has a box with a score of at least {settings.score:g}; the best "
            f"{settings.at_most} boxes of each image and category count in AP and AR",
        ],
        details=["## What a threshold keeps and what it misses", "", *presence.threshold_lines(thresholds, names)],
        tables={"thresholds": thresholds},
        plots={"thresholds": charts.plot_thresholds(thresholds, names)},
    )
