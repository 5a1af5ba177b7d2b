"""Several detectors on the same images: every number, overall and by group, and how far each is ahead of the next."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.evaluate import CompareSettings
from schemas.tables import CALIBRATION, SCORES
from tasks.core.coco.entries import annotation_entry, result_entry
from tasks.core.evaluate import matching, presence, resampling
from tasks.core.evaluate.categories import CATEGORY
from tasks.core.evaluate.groups import Groups, UnitGroup, unit_groups
from tasks.core.evaluate.matching import Detections, DrawnFigures, Matches
from tasks.core.evaluate.presence import Presence
from tasks.core.evaluate.scores import box_scores
from tasks.core.evaluate.systems import LEAST_UNITS

Row = dict[str, Any]
AHEAD = "AP ahead of "
"""How the name of the metric begins that compares a detector with the next one by AP."""


Figures = Mapping[str, DrawnFigures]
"""By category, what people drew in the same images; one category or more."""
FoundBoxes = Mapping[str, Mapping[str, Detections]]
"""By detector and category, the boxes of each; the categories are those of the figures, in their order."""


class _Detector(NamedTuple):
    """A detector, its boxes, and what they come to, by category."""

    name: str
    detections: Mapping[str, Detections]
    matches: Mapping[str, Matches]
    presence: Mapping[str, Presence]


class _Part(NamedTuple):
    """What some rows are about: some of the images, and some of the categories."""

    attribute: str | None
    stratum: str | None
    images: NDArray[np.int64]
    categories: Sequence[str]
    seed: Sequence[int]


def score_detectors(truth: Figures, several: FoundBoxes, groups: Groups, settings: CompareSettings) -> pa.Table:
    """SCORES of each detector, over all images, over those of each group, and, where there are several categories, of
    each by itself.

    The intervals of a row come from resamples of its own images, which are the same for all detectors; of fewer than
    LEAST_UNITS images AP and AR have none. The last rows about all images hold the difference in AP between each
    detector and the next one.
    """
    detectors = [
        _Detector(
            name,
            boxes,
            {category: matching.matches(truth[category], own, settings.at_most) for category, own in boxes.items()},
            _presences(truth, boxes),
        )
        for name, boxes in several.items()
    ]
    rows: list[Row] = []
    for part in _parts(truth, groups, settings.seed):
        rows += _score_rows(part, truth, detectors, settings)
    return pa.Table.from_pylist(rows, schema=SCORES)


def calibrate_detectors(truth: Figures, several: FoundBoxes, groups: Groups) -> pa.Table:
    """CALIBRATION of each detector, of the same parts as in `score_detectors`."""
    presences = {name: _presences(truth, boxes) for name, boxes in several.items()}
    rows: list[Row] = []
    for part in _parts(truth, groups, 0):
        for name, whole in presences.items():
            rows += _calibration_rows(name, part, _presence_in(whole, part))
    return pa.Table.from_pylist(rows, schema=CALIBRATION)


def _parts(truth: Figures, groups: Groups, seed: int) -> Iterator[_Part]:
    """All images and categories, then each category if there are several, then each group."""
    images = next(iter(truth.values())).images
    whole, *others = unit_groups(images, groups)
    of_category = [UnitGroup(CATEGORY, category, whole.is_in) for category in truth] if len(truth) > 1 else []
    for group in (whole, *others, *of_category):
        categories = [str(group.value)] if group in of_category else [*truth]
        yield _Part(group.attribute, group.value, np.flatnonzero(group.is_in), categories, group.seed(seed))


def _presences(truth: Figures, boxes: Mapping[str, Detections]) -> dict[str, Presence]:
    return {category: presence.compute_presence(truth[category], own) for category, own in boxes.items()}


def _presence_in(whole: Mapping[str, Presence], part: _Part) -> Presence:
    joined = presence.join_presences([whole[category] for category in part.categories])
    return presence.select_images(joined, part.images)


def _score_rows(
    part: _Part, truth: Figures, detectors: Sequence[_Detector], settings: CompareSettings
) -> Iterator[Row]:
    """SCORES rows of one part."""
    matched = [
        [matching.select_images(detector.matches[category], part.images) for category in part.categories]
        for detector in detectors
    ]
    replicates = settings.replicates if len(part.images) >= LEAST_UNITS else 0
    resamples = resampling.bootstrap_scores(matched, replicates, np.random.default_rng(part.seed))
    values: list[dict[str, float | int | None]] = []
    for detector, samples in zip(detectors, resamples, strict=True):
        metrics = box_scores([_coco_of_part(truth, detector.detections, part)], settings.at_most)
        counts = {"images": metrics.pop("images"), "figures": metrics.pop("figures")}
        values.append(metrics)
        common = {"detector": detector.name, "attribute": part.attribute, "stratum": part.stratum, **counts}
        for metric, value in metrics.items():
            yield {**common, **_with_interval(metric, value, samples)}
        yield from ({**common, **row} for row in _image_rows(_presence_in(detector.presence, part), settings.score))
    if part.attribute is None:
        yield from _lead_rows(detectors, [value["AP"] for value in values], resamples, counts)


def _with_interval(metric: str, value: float | None, samples: NDArray[np.float64]) -> Row:
    name = "AR" if metric == "AR100" else metric
    ends = None
    if value is not None and name in resampling.MEASURES:
        ends = resampling.interval(samples[:, resampling.MEASURES.index(name)])
    return {"metric": name, "value": value, **_ends(ends)}


def _image_rows(whole: Presence, score: float) -> Iterator[Row]:
    """How well the detector tells images with a figure from others, at a score."""
    kept = presence.count_kept(score, whole)
    yield {"metric": "kept_share", "value": kept.kept_share, **_ends(presence.wilson(kept.kept, kept.images))}
    yield {
        "metric": "image_recall",
        "value": kept.recall,
        **_ends(presence.wilson(kept.kept_with_figure, kept.with_figure)),
    }
    yield {
        "metric": "image_precision",
        "value": kept.precision,
        **_ends(presence.wilson(kept.kept_with_figure, kept.kept)),
    }
    yield {"metric": "image_f1", "value": kept.f1}
    yield {"metric": "image_auc", "value": presence.auc(whole)}


def _lead_rows(
    detectors: Sequence[_Detector], aps: Sequence[float | None], resamples: NDArray[np.float64], counts: Row
) -> Iterator[Row]:
    """The difference in AP between each detector and the next one, with its interval on the same resamples."""
    order = sorted(range(len(detectors)), key=lambda place: (-(aps[place] or 0.0), detectors[place].name))
    for one, other in itertools.pairwise(order):
        ends = resampling.interval(resamples[one, :, 0] - resamples[other, :, 0])
        yield {
            "detector": detectors[one].name,
            "metric": f"{AHEAD}{detectors[other].name}",
            "value": (aps[one] or 0.0) - (aps[other] or 0.0),
            **_ends(ends),
            **counts,
        }


def _calibration_rows(name: str, part: _Part, own: Presence) -> Iterator[Row]:
    """CALIBRATION rows of one detector on one part."""
    for threshold in presence.GRID:
        kept = presence.count_kept(threshold, own)
        recall = _ends(presence.wilson(kept.kept_with_figure, kept.with_figure))
        precision = _ends(presence.wilson(kept.kept_with_figure, kept.kept))
        yield {
            "detector": name,
            "attribute": part.attribute,
            "stratum": part.stratum,
            "threshold": threshold,
            **kept._asdict(),
            "kept_share": kept.kept_share,
            "recall": kept.recall,
            "recall_low": recall["low"],
            "recall_high": recall["high"],
            "precision": kept.precision,
            "precision_low": precision["low"],
            "precision_high": precision["high"],
        }


def _coco_of_part(truth: Figures, boxes: Mapping[str, Detections], part: _Part) -> tuple[Row, list[Row]]:
    """A part as a COCO document and results. Ids of categories are their places, from 1 on."""
    annotations: list[Row] = []
    results: list[Row] = []
    for category_id, category in enumerate(part.categories, 1):
        drawn, found = truth[category], boxes[category]
        annotations += [
            annotation_entry(
                len(annotations) + number,
                int(drawn.image[at]),
                category_id,
                drawn.xywh_px[at].tolist(),
                float(drawn.area_px2[at]),
                is_crowd=bool(drawn.is_crowd[at]),
            )
            for number, at in enumerate(np.flatnonzero(np.isin(drawn.image, part.images)).tolist(), 1)
        ]
        results += [
            result_entry(int(found.image[at]), category_id, found.xywh_px[at].tolist(), float(found.score[at]))
            for at in np.flatnonzero(np.isin(found.image, part.images)).tolist()
        ]
    document = {
        "images": [{"id": int(row)} for row in part.images],
        "categories": [{"id": place, "name": name} for place, name in enumerate(part.categories, 1)],
        "annotations": annotations,
    }
    return document, results


def _ends(interval: tuple[float, float] | None) -> Row:
    low, high = interval or (None, None)
    return {"low": low, "high": high}
