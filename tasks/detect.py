"""detect (measure): a detector's boxes in each blob, with all scores above a low floor."""

import hashlib

import pyarrow as pa
import pyarrow.compute as pc
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.detect import Detect
from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from schemas.tables import DETECT
from tasks.engine import runs
from tasks.engine.measure import measure_blobs, measure_step
from tasks.engine.views import column_of, kept_ids
from tasks.io.store.layout import measure_folder
from tasks.io.store.store import parquet_bytes
from tasks.orchestration import retries
from tasks.subjects import detectors
from tasks.subjects.detectors import results


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
def detect_part(blobs: pa.Table, settings: Detect, into: str, context: Context) -> None:
    """Detect in one batch of blobs and store the rows; an unreadable blob is a row with a reason."""
    store = runs.store_of(context)
    rows = detectors.rows(settings, blobs, context, store.read_blob)
    store.write_table(into, pa.Table.from_pylist(list(rows), schema=DETECT).sort_by("sha256"))


def detect(settings: Detect, state: State, recipe: Recipe, context: Context) -> Step:
    """The detections of each kept record; only blobs without stored detections of these weights are computed."""
    if settings.family == "results":
        return _detect_from_results(settings, state, context)
    folder = _folder(settings, context)
    return measure_step(detect_part, settings, state, context, folder, DETECT, part_settings=settings)


def detections(settings: Detect, blobs: pa.Array, context: Context) -> pa.Table:
    """The DETECT row of each blob, sorted; only missing ones are computed. Results are looked up by SHA-256 alone."""
    check_detector(settings, context)
    label, folder = settings.label or settings.stage, _folder(settings, context)
    return measure_blobs(detect_part, label, blobs, context, folder, DETECT, settings)


def check_detector(settings: Detect, context: Context, recipe: Recipe | None = None) -> None:
    """Raise BadInput as `detectors.check`. recipe: if given, results must have the keypoints of its categories."""
    detectors.check(settings, context, recipe.schemes_by_category if recipe else None)


def _detect_from_results(settings: Detect, state: State, context: Context) -> Step:
    """As `detect`, from another program's results, whose images may be matched by the names of records."""
    store = runs.store_of(context)
    ids = kept_ids(store, state)
    of_record = column_of(store, state.outcome("fetch"), ids, "sha256").to_pylist()
    locators = column_of(store, state.records, ids, "locator").to_pylist()

    def with_names(blobs: pa.Array) -> pa.Table:
        return results.blob_names(blobs, of_record, locators)

    everything = with_names(pc.unique(pa.array(of_record, pa.string())).drop_null().sort())
    folder = _folder(settings, context, hashlib.sha256(parquet_bytes(everything)).hexdigest())
    return measure_step(detect_part, settings, state, context, folder, DETECT, part_settings=settings, rows=with_names)


def _folder(settings: Detect, context: Context, names: str = "") -> str:
    return measure_folder("detect", detectors.measure_key(settings, context, names))
