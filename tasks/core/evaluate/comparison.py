"""Several detectors on the same images: every number, overall and by stratum, and how far each is ahead of the next."""

import hashlib
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
from tasks.core.evaluate.matching import Detections, DrawnFigures, Matches
from tasks.core.evaluate.presence import Presence
from tasks.core.evaluate.scores import box_scores

Row = dict[str, Any]
UNKNOWN = "unknown"
AHEAD = "AP ahead of "
"""How the name of the metric begins that compares a detector with the next one by AP."""


class _Detector(NamedTuple):
    """A detector, its boxes, and what they come to."""

    name: str
    detections: Detections
    matches: Matches
    presence: Presence


Strata = Sequence[str | None] | None
"""(N,) the stratum of each image, null where it is not known; None: no strata."""


def score_detectors(
    truth: DrawnFigures, several: Mapping[str, Detections], strata: Strata, settings: CompareSettings
) -> pa.Table:
    """SCORES of each detector, over all images, and over those of each stratum.

    The intervals of a row come from resamples of its own images, which are the same for all detectors. The last rows
    about all images hold the difference in AP between each detector and the next one.
    """
    detectors = [
        _Detector(
            name,
            detections,
            matching.matches(truth, detections, settings.at_most),
            presence.compute_presence(truth, detections),
        )
        for name, detections in several.items()
    ]
    rows: list[Row] = []
    for stratum, images in _images_by_stratum(truth.images, strata):
        rows += _score_rows(stratum, images, truth, detectors, settings)
    return pa.Table.from_pylist(rows, schema=SCORES)


def calibrate_detectors(truth: DrawnFigures, several: Mapping[str, Detections], strata: Strata) -> pa.Table:
    """CALIBRATION of each detector, over all images, and over those of each stratum."""
    presences = {name: presence.compute_presence(truth, detections) for name, detections in several.items()}
    rows: list[Row] = []
    for stratum, images in _images_by_stratum(truth.images, strata):
        for name, whole in presences.items():
            rows += _calibration_rows(name, stratum, presence.select_images(whole, images))
    return pa.Table.from_pylist(rows, schema=CALIBRATION)


def _images_by_stratum(images: int, strata: Strata) -> Iterator[tuple[str | None, NDArray[np.int64]]]:
    """All images, then those of each stratum by its name."""
    yield None, np.arange(images)
    if strata is not None:
        named = np.array([UNKNOWN if stratum is None else stratum for stratum in strata], dtype=object)
        for stratum in sorted(set(named)):
            yield stratum, np.flatnonzero(named == stratum)


def _score_rows(
    stratum: str | None,
    rows: NDArray[np.int64],
    truth: DrawnFigures,
    detectors: Sequence[_Detector],
    settings: CompareSettings,
) -> Iterator[Row]:
    """SCORES rows of one stratum."""
    resamples = resampling.bootstrap_scores(
        [matching.select_images(detector.matches, rows) for detector in detectors],
        settings.replicates,
        np.random.default_rng([settings.seed, _stratum_seed(stratum)]),
    )
    values: list[dict[str, float | int | None]] = []
    for detector, samples in zip(detectors, resamples, strict=True):
        metrics = box_scores([_coco_of_images(truth, detector.detections, rows)], settings.at_most)
        counts = {"images": metrics.pop("images"), "figures": metrics.pop("figures")}
        values.append(metrics)
        common = {"detector": detector.name, "stratum": stratum, **counts}
        for metric, value in metrics.items():
            yield {**common, **_with_interval(metric, value, samples)}
        yield from (
            {**common, **row} for row in _image_rows(presence.select_images(detector.presence, rows), settings.score)
        )
    if stratum is None:
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
            "stratum": None,
            "metric": f"{AHEAD}{detectors[other].name}",
            "value": (aps[one] or 0.0) - (aps[other] or 0.0),
            **_ends(ends),
            **counts,
        }


def _calibration_rows(name: str, stratum: str | None, whole: Presence) -> Iterator[Row]:
    """CALIBRATION rows of one detector on the images of one stratum."""
    for threshold in presence.GRID:
        kept = presence.count_kept(threshold, whole)
        recall = _ends(presence.wilson(kept.kept_with_figure, kept.with_figure))
        precision = _ends(presence.wilson(kept.kept_with_figure, kept.kept))
        yield {
            "detector": name,
            "stratum": stratum,
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


def _coco_of_images(truth: DrawnFigures, detections: Detections, rows: NDArray[np.int64]) -> tuple[Row, list[Row]]:
    """Some of the images as a COCO document and results, with one category."""
    figures, boxes = (np.flatnonzero(np.isin(one.image, rows)) for one in (truth, detections))
    document = {
        "images": [{"id": int(row)} for row in rows],
        "categories": [{"id": 1, "name": "figure"}],
        "annotations": [
            annotation_entry(
                number,
                int(truth.image[at]),
                1,
                truth.xywh_px[at].tolist(),
                float(truth.area_px2[at]),
                is_crowd=bool(truth.is_crowd[at]),
            )
            for number, at in enumerate(figures.tolist(), 1)
        ],
    }
    results = [
        result_entry(int(detections.image[at]), 1, detections.xywh_px[at].tolist(), float(detections.score[at]))
        for at in boxes.tolist()
    ]
    return document, results


def _ends(interval: tuple[float, float] | None) -> Row:
    low, high = interval or (None, None)
    return {"low": low, "high": high}


def _stratum_seed(stratum: str | None) -> int:
    """A seed for the stratum alone: its resamples stay the same when other strata come or go."""
    return int.from_bytes(hashlib.sha256(repr(stratum).encode()).digest()[:8], "big")
