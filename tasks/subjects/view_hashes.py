"""The hashes by which pairs are found: of whole pictures, and of how they would look as another's copy."""

from collections.abc import Sequence

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
from tasks.engine import inspection, runs
from tasks.engine import thumbnails as stored_thumbnails
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.engine.measure import stored_measurements
from tasks.engine.parts import run_in_parts
from tasks.io.images import thumbnails
from tasks.io.store.layout import measure_folder
from tasks.orchestration import retries

CODE = code_digest(views, thumbnails)


Hashes = NDArray[np.uint64]


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
def hash_views_part(blobs: pa.Table, folder_of: dict[ViewName, str], context: Context) -> None:
    """Hash the views of one batch of thumbnails, which are read once, and store them: a table for each name."""
    store = runs.store_of(context)
    greys = stored_thumbnails.greys(store, blobs)
    for name, folder in folder_of.items():
        rows = [
            {"sha256": sha256, "keys": views.view_hashes(greys[sha256], views.VIEWS[name])}
            for sha256 in blobs["sha256"].to_pylist()
        ]
        store.write_table(folder, pa.Table.from_pylist(rows, schema=VIEW_HASHES))


def ensure_view_hashes(
    names: Sequence[ViewName], blobs: pa.Array, context: Context, label: str
) -> dict[ViewName, Hashes]:
    """(N, V) hashes of each blob's views by name, computed where missing; in a plan there may be fewer rows."""
    store = runs.store_of(context)
    keys = {name: cache_key(key=name, recipe=views.HASH_VERSION, code=CODE, of=inspection.CODE) for name in names}
    folder_of: dict[ViewName, str] = {name: measure_folder("view-hashes", key) for name, key in keys.items()}
    have = {name: stored_measurements(store, folder, blobs, VIEW_HASHES) for name, folder in folder_of.items()}
    for todo, lacking in _missing_together(blobs, have):
        if context.plan:
            break
        places = stored_thumbnails.ensure_thumbnails(todo, context, label)
        places = places.sort_by([("path", "ascending"), ("sha256", "ascending")])
        folders = {name: folder_of[name] for name in lacking}
        run_in_parts(hash_views_part, places, (folders,), context, f"{label} · views")
        have |= {name: stored_measurements(store, folder, blobs, VIEW_HASHES) for name, folder in folders.items()}
    if not context.plan and (lost := sum(len(blobs) - found.num_rows for found in have.values())):
        raise AssertionError(
            f"expected hashes of the views {', '.join(names)} of {len(blobs)} blobs, got {lost} too few"
        )
    flat = {name: found["keys"].combine_chunks().flatten().to_numpy().astype(np.uint64) for name, found in have.items()}
    return {name: hashes.reshape(have[name].num_rows, len(views.VIEWS[name])) for name, hashes in flat.items()}


def _missing_together(blobs: pa.Array, have: dict[ViewName, pa.Table]) -> list[tuple[pa.Array, list[ViewName]]]:
    """Blobs whose hashes are missing, and the names for which they are: those that miss the same blobs at once."""
    found: list[tuple[pa.Array, list[ViewName]]] = []
    for name, hashed in have.items():
        todo = tables.missing(blobs, hashed["sha256"])
        names = next((names for missing, names in found if missing.equals(todo)), None)
        if names is not None:
            names.append(name)
        elif len(todo):
            found.append((todo, [name]))
    return found
