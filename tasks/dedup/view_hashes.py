"""The hashes by which pairs are found: of whole pictures, and of how they would look as another's copy."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.manifests import Context
from schemas.relations import ViewName
from schemas.tables import VIEW_HASHES
from tasks.core import tables
from tasks.core.dedup import views
from tasks.engine import inspection, retries, runs
from tasks.engine import thumbnails as shelves
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.engine.measure import stored_measurements
from tasks.engine.parts import run_in_parts
from tasks.io.images import thumbnails
from tasks.io.store.layout import measure_folder

CODE = code_digest(views, thumbnails)


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
def hash_views_part(blobs: pa.Table, name: ViewName, into: str, context: Context) -> None:
    """Hash the views of one batch of thumbnails and store the hashes."""
    store = runs.store_of(context)
    greys = shelves.greys(store, blobs)
    rows = [
        {"sha256": sha256, "keys": views.view_hashes(greys[sha256], views.VIEWS[name])}
        for sha256 in blobs["sha256"].to_pylist()
    ]
    store.write_table(into, pa.Table.from_pylist(rows, schema=VIEW_HASHES))


def ensure_view_hashes(name: ViewName, blobs: pa.Array, context: Context, label: str) -> NDArray[np.uint64]:
    """(N, V) hashes of the views of that name for each blob, computed where they are missing.

    In a plan, fewer rows may be there.
    """
    store = runs.store_of(context)
    folder = measure_folder(
        "view-hashes", cache_key(key=name, recipe=views.HASH_VERSION, code=CODE, of=inspection.CODE)
    )
    have = stored_measurements(store, folder, blobs, VIEW_HASHES)
    todo = tables.missing(blobs, have["sha256"])
    if len(todo) and not context.plan:
        shelf = shelves.ensure_thumbnails(todo, context, label)
        run_in_parts(
            hash_views_part,
            shelf.sort_by([("path", "ascending"), ("sha256", "ascending")]),
            (name, folder),
            context,
            label,
        )
        have = stored_measurements(store, folder, blobs, VIEW_HASHES)
        if lost := len(blobs) - have.num_rows:
            raise AssertionError(
                f"expected hashes of the views {name} of each of {len(blobs)} blobs, got none for {lost}"
            )
    flat = have["keys"].combine_chunks().flatten().to_numpy().astype(np.uint64)
    return np.asarray(flat.reshape(have.num_rows, len(views.VIEWS[name])))
