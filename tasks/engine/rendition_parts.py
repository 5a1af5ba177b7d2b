"""Renditions drawn in parts, as measures are: those that a store does not have yet."""

import contextlib
import hashlib

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.manifests import Context
from schemas.renditions import Rendition
from schemas.tables import RENDITIONS
from tasks.engine import runs
from tasks.engine.measure import measure_blobs
from tasks.engine.renditions import drawn_anew, rendition_key
from tasks.io.images import decode
from tasks.io.store.layout import measure_folder, rendition_path
from tasks.orchestration import retries


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
def rendition_part(blobs: pa.Table, rendition: Rendition, into: str, context: Context) -> None:
    """Draw one batch of blobs and store what was drawn; one that can't be decoded is a row without a digest."""
    store, key, rows = runs.store_of(context), rendition_key(rendition), []
    for sha256 in blobs["sha256"].to_pylist():
        digest = None
        with contextlib.suppress(decode.UnreadableImage):
            drawn = drawn_anew(store.read_blob(sha256), rendition)
            digest = hashlib.sha256(drawn).hexdigest()
            store.write_bytes(rendition_path(key, sha256), drawn)
        rows.append({"sha256": sha256, "rendition_sha256": digest})
    store.write_table(into, pa.Table.from_pylist(rows, schema=RENDITIONS))


def ensure_renditions(rendition: Rendition, blobs: pa.Array, context: Context, label: str) -> None:
    """Draw those of the blobs (unique, sorted) that have no such rendition in the store yet."""
    folder, name = measure_folder("rendition-digests", rendition_key(rendition)), f"{label} · {rendition.side_px} px"
    measure_blobs(rendition_part, name, blobs, context, folder, RENDITIONS, rendition)
