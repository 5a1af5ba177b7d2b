"""imagehash's hashes of blobs: what `hash` gives records as attributes, and by what `dedup` may find pairs."""

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.hash_kinds import HashKind
from schemas.manifests import Context
from schemas.tables import LIBRARY_HASHES
from tasks.engine import inspection, runs, thumbnails
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.engine.measure import measure_blobs, stored_measurements
from tasks.io.images import library_hashes
from tasks.io.store.layout import measure_folder
from tasks.orchestration import retries

CODE = code_digest(library_hashes)


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
def library_hashes_part(blobs: pa.Table, kind: HashKind, into: str, context: Context) -> None:
    """Hash one batch of thumbnails (sha256, path) and store the hashes."""
    store = runs.store_of(context)
    rows = []
    for sha256, jpeg in thumbnails.jpegs(store, blobs):
        text, words = library_hashes.library_hash(jpeg, kind)
        rows.append({"sha256": sha256, "hash": text, "keys": words})
    store.write_table(into, pa.Table.from_pylist(rows, schema=LIBRARY_HASHES))


def stored_hashes(kind: HashKind, blobs: pa.Array, context: Context) -> pa.Table:
    """LIBRARY_HASHES of those of the blobs (unique, sorted) that are hashed already, in their order."""
    return stored_measurements(runs.store_of(context), _folder(kind), blobs, LIBRARY_HASHES)


def ensure_hashes(kind: HashKind, blobs: pa.Array, context: Context, label: str) -> pa.Table:
    """LIBRARY_HASHES of the blobs (unique, sorted), in their order; in a plan, of those that are hashed already."""
    if context.plan:
        return stored_hashes(kind, blobs, context)
    name, folder = f"{label} · {kind}", _folder(kind)

    def thumbnail_paths(missing: pa.Array) -> pa.Table:
        paths = thumbnails.ensure_thumbnails(missing, context, label)
        return paths.sort_by([("path", "ascending"), ("sha256", "ascending")])

    return measure_blobs(library_hashes_part, name, blobs, context, folder, LIBRARY_HASHES, kind, rows=thumbnail_paths)


def _folder(kind: HashKind) -> str:
    key = cache_key(kind=kind, library=library_hashes.VERSION, code=CODE, of=inspection.CODE)
    return measure_folder("library-hashes", key)
