"""evaluate: detectors against people's boxes.

What a detector finds comes from `detect`; here it is compared, and written down.
"""

import hashlib
import json
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
from tasks.core.evaluate.groups import Groups
from tasks.core.evaluate.matching import Detections, DrawnFigures
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


def detections_by_detector(measured: pa.Table, truth: GroundTruth) -> tuple[dict[str, Detections], tuple[str, ...]]:
    """A detector's boxes of each category, out of its DETECT rows; and a note where it could not read images."""
    failed = measured.num_rows - measured["reason"].null_count
    notes = (f"the detector could not read {failed} images; they count as images without a box",) if failed else ()
    boxes = {name: matching.detections_of_measure(truth.images, measured, name) for name in truth.category_ids}
    return boxes, notes


def detections_in_results(
    name: str, url: str, truth: GroundTruth, *, any_score: bool = False
) -> tuple[dict[str, Detections], tuple[str, ...]]:
    """The boxes of each category in a file of COCO's results format, by the truth's image ids; and notes. Raises
    BadInput.

    any_score: take any finite scores, as they are; otherwise they are 0 to 1, and rounded as those that are stored.
    """
    data = inputs.read(f"results '{name}'", url, MAX_FILE_BYTES)
    return results.detections_of_results(
        name, data, truth.images, truth.others, truth.category_ids, any_score=any_score
    )


def detections_in_release(release: str, truth: GroundTruth) -> dict[str, dict[str, Detections]]:
    """The boxes that a release's own detectors have stored, by their names and by category.

    Raises BadInput where it has none.
    """
    if is_coco_file(release):
        raise BadInput("--release-detections: expected a release as the truth, got a COCO file")
    detections = results.detections_of_release(truth.images, boxes_of_release(Release(release)), truth.category_ids)
    if not detections:
        raise BadInput(f"--release-detections: expected a release with a detector's boxes, got {truth.name} without")
    return detections


@task(task_run_name="compare", cache_policy=NO_CACHE, **retries.NO_RETRY)
def compare(
    truth: GroundTruth,
    detections: Mapping[str, Mapping[str, Detections]],
    settings: CompareSettings,
    notes: Sequence[str],
    context: Context,
) -> Evaluation:
    """Every number of every detector, by its name and by category.

    Computed once for the same images, boxes, groups, settings and code.
    """
    store, figures = runs.store_of(context), _figures_of(truth)
    settings = settings.model_copy(update={"categories": tuple(truth.category_ids)})
    digests = [*map(_digest, detections.values()), truth.sha256, _digest_of_groups(truth.groups)]
    view = pa.table({"name": [*detections, "truth", "groups"], "sha256": digests})
    ref, _ = decide_once(
        store,
        "evaluate",
        settings,
        CODE,
        view,
        lambda: comparison.score_detectors(figures, detections, truth.groups, settings),
    )
    scores, calibration = store.read_table(ref), comparison.calibrate_detectors(figures, detections, truth.groups)
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


def _figures_of(truth: GroundTruth) -> dict[str, DrawnFigures]:
    """What people drew, by category."""
    return matching.figures_by_category(truth.images, truth.figures, truth.category_ids)


def _digest(detections: Mapping[str, Detections]) -> str:
    """SHA-256 of a detector's boxes; the names of categories are in the truth's and in the settings."""
    digest = hashlib.sha256()
    for boxes in detections.values():
        for values in (np.array(len(boxes.image)), *boxes):
            digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def _digest_of_groups(groups: Groups) -> str:
    return hashlib.sha256(json.dumps(groups).encode()).hexdigest()
