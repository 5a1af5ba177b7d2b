"""evaluate: detectors against people's boxes.

What a detector finds comes from `detect`; here it is compared, and written down.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from prefect import task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.context import FlowRunContext

from schemas.errors import BadInput
from schemas.evaluate import Compare
from schemas.manifests import Context
from tasks.core.evaluate import comparison, drawings, matching, results, words
from tasks.core.evaluate.matching import Found
from tasks.engine import runs
from tasks.engine.cache_keys import code_digest
from tasks.engine.decide import decide_once
from tasks.engine.truth import MAX_FILE_BYTES, Annotated, table_of
from tasks.io.files import inputs, outputs
from tasks.io.store.releases import Release
from tasks.io.store.store import parquet_bytes

CODE = code_digest(comparison)
SUMMARY = "detectors"


class Comparison(NamedTuple):
    """What came out: SCORES, CALIBRATION, and both as words."""

    scores: pa.Table
    calibration: pa.Table
    summary: str
    page: str


def blobs(looked: Annotated) -> pa.Array:
    """SHA-256 of each image, once, sorted: what detectors are asked about."""
    return pc.unique(looked.images["sha256"]).sort()


def found_by(measured: pa.Table, looked: Annotated, category: str) -> tuple[Found, tuple[str, ...]]:
    """Boxes of a category out of a detector's DETECT rows; and a note where it could not read images."""
    failed = measured.num_rows - measured["reason"].null_count
    notes = (f"{failed} images could not be read by the detector, and count as images without a box",) if failed else ()
    return matching.found_in(looked.images, measured, category), notes


def found_in_results(name: str, url: str, looked: Annotated) -> tuple[Found, tuple[str, ...]]:
    """Boxes out of a file in COCO's results format, by the truth's image ids; and notes. Raises BadInput."""
    data = inputs.read(f"results '{name}'", url, MAX_FILE_BYTES)
    return results.found_of_results(name, data, looked.images, looked.others, looked.category_id)


def found_in_release(truth: str, looked: Annotated) -> dict[str, Found]:
    """What a release's own detectors have found, by their names. Raises BadInput where it has none."""
    if truth.lower().endswith(".json"):
        raise BadInput("--release-detections: expected a release as the truth, got a COCO file")
    found = results.found_of_release(looked.images, table_of(Release(truth), "annotations"), looked.category_id)
    if not found:
        raise BadInput(f"--release-detections: expected a release with a detector's boxes, got {looked.name} without")
    return found


@task(task_run_name="compare", cache_policy=NO_CACHE, **runs.NO_RETRY)
def compare(
    looked: Annotated, several: Mapping[str, Found], settings: Compare, notes: Sequence[str], context: Context
) -> Comparison:
    """Every number of every detector.

    Taken once for the same images, boxes, settings and code; in Prefect's UI as an artifact.
    """
    store, truth = runs.store_of(context), matching.figures_of(looked.images, looked.figures)
    strata = looked.images["style"].to_pylist() if settings.by else None
    view = pa.table({"name": [*several, "truth"], "sha256": [*map(_sha256, several.values()), looked.sha256]})
    ref, _ = decide_once(
        store, "evaluate", settings, CODE, view, lambda: comparison.scores(truth, several, strata, settings)
    )
    scores, calibration = store.read_table(ref), comparison.calibration(truth, several, strata)
    summary = "\n".join(words.summary(looked.name, scores, settings))
    if FlowRunContext.get() is not None:
        create_markdown_artifact(summary, key=SUMMARY, description="Detectors against people's boxes")
    said = [*looked.notes, *notes, *words.of_presence(calibration)]
    page = words.full(looked.name, scores, calibration, settings, said)
    return Comparison(scores, calibration, summary, page)


def make_folder(out: str) -> None:
    """Raise BadInput where there can be no such folder: that is better known before detectors run for an hour."""
    outputs.write("--out", out, {})


def write(found: Comparison, out: str) -> None:
    """Leave the tables, as Markdown and as Parquet, and the drawings in a folder.

    Raises BadInput where it can't be written.
    """
    outputs.write(
        "--out",
        out,
        {
            "detectors.md": found.page.encode(),
            "detectors.parquet": parquet_bytes(found.scores),
            "thresholds.parquet": parquet_bytes(found.calibration),
            "detectors.svg": drawings.of_scores(found.scores).encode(),
            "calibration.svg": drawings.of_calibration(
                found.calibration, words.ranked(found.scores.to_pylist())
            ).encode(),
        },
    )


def _sha256(found: Found) -> str:
    """Digest of what a detector found."""
    digest = hashlib.sha256()
    for values in found:
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()
