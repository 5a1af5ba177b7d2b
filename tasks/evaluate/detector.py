"""evaluate: detectors against people's boxes.

What a detector finds comes from `detect`; here it is compared, and written down.
"""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.errors import BadInput
from schemas.evaluate import CompareSettings
from schemas.manifests import Context
from tasks.core.evaluate import charts, comparison, markdown, matching, results
from tasks.core.evaluate.matching import Detections
from tasks.engine import retries, runs
from tasks.engine.code_digests import code_digest
from tasks.engine.decide import decide_once
from tasks.engine.truth import MAX_FILE_BYTES, GroundTruth, boxes_of_release, is_coco_file
from tasks.evaluate.evaluation import Evaluation
from tasks.io.files import inputs
from tasks.io.store.releases import Release
from tasks.io.store.store import parquet_bytes

CODE = code_digest(comparison)


def blobs_of(truth: GroundTruth) -> pa.Array:
    """SHA-256 of each image, once, sorted: the blobs that detectors look at."""
    return pc.unique(truth.images["sha256"]).sort()


def detections_by_detector(measured: pa.Table, truth: GroundTruth, category: str) -> tuple[Detections, tuple[str, ...]]:
    """A detector's boxes of a category, out of its DETECT rows; and a note where it could not read images."""
    failed = measured.num_rows - measured["reason"].null_count
    notes = (f"the detector could not read {failed} images; they count as images without a box",) if failed else ()
    return matching.detections_of_measure(truth.images, measured, category), notes


def detections_in_results(
    name: str, url: str, truth: GroundTruth, *, any_score: bool = False
) -> tuple[Detections, tuple[str, ...]]:
    """The boxes of a file in COCO's results format, by the truth's image ids; and notes. Raises BadInput.

    any_score: take any finite scores, as they are; otherwise they are 0 to 1, and rounded as those that are stored.
    """
    data = inputs.read(f"results '{name}'", url, MAX_FILE_BYTES)
    return results.detections_of_results(name, data, truth.images, truth.others, truth.category_id, any_score=any_score)


def detections_in_release(release: str, truth: GroundTruth) -> dict[str, Detections]:
    """The boxes that a release's own detectors have stored, by their names.

    Raises BadInput where it has none.
    """
    if is_coco_file(release):
        raise BadInput("--release-detections: expected a release as the truth, got a COCO file")
    detections = results.detections_of_release(truth.images, boxes_of_release(Release(release)), truth.category_id)
    if not detections:
        raise BadInput(f"--release-detections: expected a release with a detector's boxes, got {truth.name} without")
    return detections


@task(task_run_name="compare", cache_policy=NO_CACHE, **retries.NO_RETRY)
def compare(
    truth: GroundTruth,
    detections: Mapping[str, Detections],
    settings: CompareSettings,
    notes: Sequence[str],
    context: Context,
) -> Evaluation:
    """Every number of every detector, by its name.

    Computed once for the same images, boxes, settings and code.
    """
    store, figures = runs.store_of(context), matching.figures_of(truth.images, truth.figures)
    strata = truth.images["style"].to_pylist() if settings.by else None
    view = pa.table({"name": [*detections, "truth"], "sha256": [*map(_digest, detections.values()), truth.sha256]})
    ref, _ = decide_once(
        store,
        "evaluate",
        settings,
        CODE,
        view,
        lambda: comparison.score_detectors(figures, detections, strata, settings),
    )
    scores, calibration = store.read_table(ref), comparison.calibrate_detectors(figures, detections, strata)
    notes = [*truth.notes, *notes, *markdown.presence_notes(calibration)]
    names = markdown.rank_detectors(scores.to_pylist())
    files = {
        "detectors.md": markdown.page(truth.name, scores, calibration, settings, notes).encode(),
        "detectors.parquet": parquet_bytes(scores),
        "thresholds.parquet": parquet_bytes(calibration),
        "detectors.svg": charts.plot_scores(scores).encode(),
        "calibration.svg": charts.plot_calibration(calibration, names).encode(),
    }
    return Evaluation("detectors", "\n".join(markdown.summary_lines(truth.name, scores, settings)), files)


def _digest(detections: Detections) -> str:
    """SHA-256 of a detector's boxes."""
    digest = hashlib.sha256()
    for values in detections:
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()
