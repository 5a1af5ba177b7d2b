"""Several detectors on the same images: every number, overall and by stratum, and whether the best is better than the
next.
"""

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.evaluate import Compare
from schemas.tables import CALIBRATION, SCORES
from tasks.core.evaluate import matching, presence, resampling
from tasks.core.evaluate.matching import Figures, Found, Matches
from tasks.core.evaluate.presence import Presence
from tasks.core.evaluate.scores import box_scores

Row = dict[str, Any]
UNKNOWN = "unknown"
AHEAD = "AP ahead of "
"""Begins the metric that says how far a detector is ahead of the one next after it."""


class _Detector(NamedTuple):
    """A detector and what it found."""

    name: str
    found: Found
    matched: Matches
    seen: Presence


Strata = Sequence[str | None] | None
"""(N,) the stratum of each image, null where it is not known; None: no strata."""


def scores(truth: Figures, several: Mapping[str, Found], strata: Strata, settings: Compare) -> pa.Table:
    """SCORES of each detector, over all images, and over those of each stratum.

    Intervals come from resamples of the images of their own row, the same for all detectors. The last rows that are
    about all images tell how far each detector is ahead of the one that comes next by AP.
    """
    detectors = [
        _Detector(name, found, matching.matches(truth, found, settings.at_most), presence.presence(truth, found))
        for name, found in several.items()
    ]
    rows: list[Row] = []
    for stratum, images in _strata(truth.images, strata):
        rows += _scores(stratum, images, truth, detectors, settings)
    return pa.Table.from_pylist(rows, schema=SCORES)


def calibration(truth: Figures, several: Mapping[str, Found], strata: Strata) -> pa.Table:
    """CALIBRATION of each detector, over all images, and over those of each stratum."""
    seen = {name: presence.presence(truth, found) for name, found in several.items()}
    rows: list[Row] = []
    for stratum, images in _strata(truth.images, strata):
        for name, whole in seen.items():
            rows += _calibration(name, stratum, presence.some(whole, images))
    return pa.Table.from_pylist(rows, schema=CALIBRATION)


def _strata(images: int, strata: Strata) -> Iterator[tuple[str | None, NDArray[np.int64]]]:
    """All images, then those of each stratum by its name."""
    yield None, np.arange(images)
    if strata is not None:
        named = np.array([UNKNOWN if stratum is None else stratum for stratum in strata], dtype=object)
        for stratum in sorted(set(named)):
            yield stratum, np.flatnonzero(named == stratum)


def _scores(
    stratum: str | None, rows: NDArray[np.int64], truth: Figures, detectors: Sequence[_Detector], settings: Compare
) -> Iterator[Row]:
    """SCORES rows of one stratum."""
    drawn = resampling.resampled(
        [matching.within(detector.matched, rows) for detector in detectors],
        settings.replicates,
        np.random.default_rng([settings.seed, _number(stratum)]),
    )
    values: list[dict[str, float | int | None]] = []
    for detector, samples in zip(detectors, drawn, strict=True):
        found = box_scores([_documents(truth, detector.found, rows)], settings.at_most)
        said = {"images": found.pop("images"), "figures": found.pop("figures")}
        values.append(found)
        common = {"detector": detector.name, "stratum": stratum, **said}
        for metric, value in found.items():
            yield {**common, **_with_interval(metric, value, samples)}
        yield from ({**common, **row} for row in _of_images(presence.some(detector.seen, rows), settings.score))
    if stratum is None:
        yield from _ahead(detectors, [value["AP"] for value in values], drawn, said)


def _with_interval(metric: str, value: float | None, samples: NDArray[np.float64]) -> Row:
    name = "AR" if metric == "AR100" else metric
    ends = None
    if value is not None and name in resampling.MEASURES:
        ends = resampling.interval(samples[:, resampling.MEASURES.index(name)])
    return {"metric": name, "value": value, **_ends(ends)}


def _of_images(seen: Presence, score: float) -> Iterator[Row]:
    """What the detector says of whole images at a score."""
    kept = presence.kept_at(score, seen)
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
    yield {"metric": "image_auc", "value": presence.auc(seen)}


def _ahead(
    detectors: Sequence[_Detector], aps: Sequence[float | None], drawn: NDArray[np.float64], said: Row
) -> Iterator[Row]:
    """How far each detector is ahead of the next by AP: the difference on the same resamples."""
    order = sorted(range(len(detectors)), key=lambda place: (-(aps[place] or 0.0), detectors[place].name))
    for one, other in itertools.pairwise(order):
        ends = resampling.interval(drawn[one, :, 0] - drawn[other, :, 0])
        yield {
            "detector": detectors[one].name,
            "stratum": None,
            "metric": f"{AHEAD}{detectors[other].name}",
            "value": (aps[one] or 0.0) - (aps[other] or 0.0),
            **_ends(ends),
            **said,
        }


def _calibration(name: str, stratum: str | None, seen: Presence) -> Iterator[Row]:
    """CALIBRATION rows of one detector on the images of one stratum."""
    for threshold in presence.GRID:
        kept = presence.kept_at(threshold, seen)
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


def _documents(truth: Figures, found: Found, rows: NDArray[np.int64]) -> tuple[Row, list[Row]]:
    """Some images as a COCO document and results, of one category."""
    drawn, boxes = np.flatnonzero(np.isin(truth.image, rows)), np.flatnonzero(np.isin(found.image, rows))
    document = {
        "images": [{"id": int(row)} for row in rows],
        "categories": [{"id": 1, "name": "figure"}],
        "annotations": [
            {
                "id": number,
                "image_id": int(truth.image[at]),
                "category_id": 1,
                "bbox": truth.xywh_px[at].tolist(),
                "area": float(truth.area_px2[at]),
                "iscrowd": int(truth.is_crowd[at]),
            }
            for number, at in enumerate(drawn.tolist(), 1)
        ],
    }
    results = [
        {
            "image_id": int(found.image[at]),
            "category_id": 1,
            "bbox": found.xywh_px[at].tolist(),
            "score": float(found.score[at]),
        }
        for at in boxes.tolist()
    ]
    return document, results


def _ends(interval: tuple[float, float] | None) -> Row:
    low, high = interval or (None, None)
    return {"low": low, "high": high}


def _number(stratum: str | None) -> int:
    """A number of the stratum's own, so that its resamples stay when others come and go."""
    return int.from_bytes(hashlib.sha256(repr(stratum).encode()).digest()[:8], "big")
