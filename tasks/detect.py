"""detect (measure): the boxes that a detector finds in each blob, with all scores above a low floor."""

import hashlib

import pyarrow as pa
import pyarrow.compute as pc
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.detect import Detect
from schemas.manifests import Context, State, Step
from schemas.tables import DETECT
from tasks.engine import detectors, runs
from tasks.engine.detectors import results
from tasks.engine.measure import measure_blobs, measure_step
from tasks.engine.views import column_of, kept_ids
from tasks.io.store.layout import measure_folder
from tasks.io.store.store import parquet_bytes


@task(cache_policy=NO_CACHE, **runs.RETRY_IO)
def detect_part(blobs: pa.Table, settings: Detect, into: str, context: Context) -> None:
    """Detect in one batch of blobs and store what was found; an unreadable blob is a row with a reason."""
    store = runs.store_of(context)
    found = detectors.rows(settings, blobs, context, store.read_blob)
    store.write_table(into, pa.Table.from_pylist(list(found), schema=DETECT).sort_by("sha256"))


def detect(settings: Detect, state: State, context: Context) -> Step:
    """What the detector finds for each kept record; only blobs that these weights have not seen are computed."""
    if settings.family == "results":
        return _looked_up(settings, state, context)
    return measure_step(
        detect_part, settings, state, context, _folder(settings, context), DETECT, part_settings=settings
    )


def detections(settings: Detect, blobs: pa.Array, context: Context) -> pa.Table:
    """DETECT row of each of these blobs, whatever release they are of, sorted; only missing ones are computed.

    Results of another program are looked up by the blobs' SHA-256 alone, since blobs have no names here.
    """
    check_detector(settings, context)
    asked, folder = settings, _folder(settings, context)
    return measure_blobs(detect_part, settings.label or settings.stage, blobs, context, folder, DETECT, asked)


def check_detector(settings: Detect, context: Context) -> None:
    """Raise BadInput if the bound weights are missing, not those that the recipe pins, or not of this model."""
    detectors.check(settings, context)


def _looked_up(settings: Detect, state: State, context: Context) -> Step:
    """As `detect`, out of another program's results, whose images may be known by the names that records give them."""
    store = runs.store_of(context)
    ids = kept_ids(store, state)
    of_record = column_of(store, state.outcome("fetch"), ids, "sha256").to_pylist()
    locators = column_of(store, state.records, ids, "locator").to_pylist()

    def named(blobs: pa.Array) -> pa.Table:
        return results.named(blobs, of_record, locators)

    everything = named(pc.unique(pa.array(of_record, pa.string())).drop_null().sort())
    folder = _folder(settings, context, hashlib.sha256(parquet_bytes(everything)).hexdigest())
    return measure_step(detect_part, settings, state, context, folder, DETECT, part_settings=settings, rows=named)


def _folder(settings: Detect, context: Context, names: str = "") -> str:
    return measure_folder("detect", detectors.key(settings, context, names))
