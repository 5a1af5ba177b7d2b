"""evaluate detector --protocol voc: detectors against people's boxes by PASCAL VOC's rule (Picasso, section 5.5)."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.evaluate_figures import RATINGS, RaterSettings, VocSettings
from schemas.file_names import FileNames
from schemas.phrases import counted, listed, quoted
from tasks.core.evaluate import charts, matching, voc
from tasks.core.evaluate.categories import category_notes, score_categories
from tasks.core.evaluate.deformation import deformation_buckets
from tasks.core.evaluate.raters.leave_one_out import NAMES, leave_one_out, score_raters
from tasks.core.evaluate.raters.ratings import read_ratings
from tasks.core.evaluate.systems import Groups, Ranking
from tasks.core.evaluate.systems_page import Headings
from tasks.core.tables import lookup
from tasks.evaluate.evaluation import Evaluation, Resampling, evaluation
from tasks.io.files.arrays import read_table
from tasks.subjects.ground_truth import GroundTruth

BASELINE = "full-frame"
"""One box an image, as large as the canvas: what can be had for nothing."""

_MOST_SHOWN = 5
_RANKING = Ranking("AP_2010")
_LABELS = ("AP (2010)", "AP (2007)", "best F", "precision there", "recall there", "its score")
_METRICS = dict(zip(voc.MEASURES, (*_LABELS, "most precision", "most recall"), strict=True))
_RATINGS = pa.schema([("image_id", pa.int64()), ("rating", pa.float64())])


def compare_by_voc(
    truth: GroundTruth,
    detections: Mapping[str, Mapping[str, matching.Detections]],
    settings: VocSettings,
    resampling: Resampling,
    *,
    ratings: str | None = None,
    people: str | None = None,
    notes: Sequence[str] = (),
) -> Evaluation:
    """AP, best F and the full-frame baseline, over all images, by the truth's groups, and by how deformed people find
    the figures; of several categories, which are scored one by one, AP is their mean.

    detections: by detector and category. ratings: a table with image_id and rating (1 to 5); without it, how deformed
    figures are is what the truth says. people: a table of raters' boxes (RATINGS): the plot then has a dot for each
    rater, scored against the other raters. Raises BadInput where these are none, for a detector that is called like the
    baseline, and for people and several categories.
    """
    if BASELINE in detections:
        raise BadInput(f"expected another name than that of the baseline, got {quoted(BASELINE)}")
    categories = [*truth.category_ids]
    if people is not None and len(categories) > 1:
        raise BadInput(f"--people: expected one category, as raters' boxes have none, got {len(categories)}")
    figures = matching.figures_by_category(truth.images, truth.figures, categories)
    frame = voc.full_frame_boxes(truth.images["width_px"], truth.images["height_px"])
    boxes = {**detections, BASELINE: dict.fromkeys(categories, frame)}
    verdicts = {
        name: {category: voc.voc_verdicts(figures[category], own[category], settings) for category in categories}
        for name, own in boxes.items()
    }
    buckets, more_notes = _buckets(truth, ratings)
    scorers = {name: {category: voc.voc_scorer(one) for category, one in own.items()} for name, own in verdicts.items()}
    groups = {**truth.groups, **buckets}
    scores = score_categories(scorers, voc.AVERAGED, truth.images.num_rows, groups, _RANKING, *resampling)
    dots = {}
    if people is not None:
        dots["people"], note = _people(people, truth, settings)
        more_notes.append(note)
    plots = {}
    for place, category in enumerate(categories, 1):
        curves = {name: voc.precision_recall_curve(own[category]) for name, own in verdicts.items()}
        key, of = ("curves", "") if len(categories) == 1 else (f"curves-{place}", category)
        plots[key] = charts.plot_curves(*voc.plot_arrays(curves, dots), of=of)
    return evaluation(
        "voc",
        scores,
        Headings(f"Detectors on {truth.name}, by PASCAL VOC's rule", "detector", "image", "images", _METRICS),
        _RANKING,
        resampling,
        notes=[
            *truth.notes,
            *notes,
            *more_notes,
            *category_notes({category: int((~own.is_crowd).sum()) for category, own in figures.items()}, "AP"),
            f"a box is right from an IoU of {settings.iou:g} on",
        ],
        plots=plots,
    )


def _people(
    url: str, truth: GroundTruth, settings: VocSettings
) -> tuple[tuple[NDArray[np.float64], NDArray[np.float64]], str]:
    """Recall and precision of each rater, against the consensus of the others; and over which images: the truth's,
    where raters' names of images are names of its files, with or without ending.
    """
    drawn = read_ratings(read_table("--people", url, RATINGS, ("rating", "keypoints_xyv")))
    ids = truth.images["image_id"].to_pylist()
    files = [truth.file_names[number] for number in ids if number in truth.file_names]
    names = FileNames([*files, *(PurePosixPath(file).stem for file in files)])
    is_in_truth = np.array([names.find(image) is not None for image in drawn.images], np.int64)
    count = int(is_in_truth.sum())
    scores = score_raters(leave_one_out(drawn, RaterSettings(iou=settings.iou)), is_in_truth if count else None)
    of = f"{counted(count, 'image')} of the truth" if count else f"all {len(drawn.images):,} images of their own file"
    points = scores[:, NAMES.index("recall")], scores[:, NAMES.index("precision")]
    return points, f"dots of people: over {of}, each against the consensus of the others"


def _buckets(truth: GroundTruth, ratings: str | None) -> tuple[Groups, list[str]]:
    """The bucket of each image as a group, without ratings that of the truth itself, if it has any; and a note on rated
    images that the truth does not have. Raises BadInput where none is rated that it has.
    """
    ids = truth.images["image_id"].to_pylist()
    found, notes = [truth.deformation.get(number) for number in ids], list[str]()
    if ratings is None and not any(found):
        return {}, []
    if ratings is not None:
        table = read_table("--ratings", ratings, _RATINGS)
        buckets = deformation_buckets(table["image_id"], table["rating"])
        found = lookup(buckets, "image", truth.images["image_id"])["bucket"].to_pylist()
        others = sorted({*buckets["image"].to_pylist()} - {*ids})
        if all(bucket is None for bucket in found):
            got = f"ratings of {counted(len(others), 'other')}"
            raise BadInput(f"--ratings: expected ratings of the truth's images, got {got}")
        if unknown := [str(number) for number in others if number not in truth.others]:
            left_out = f"{counted(len(unknown), 'image')} that the truth does not have"
            notes.append(f"--ratings: left out {left_out} ({listed(unknown, _MOST_SHOWN)})")
    return {"deformation": [None if bucket is None else str(bucket) for bucket in found]}, notes
