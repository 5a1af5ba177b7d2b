"""Damage in a store, mended by the build that meets it.

Blobs are hashed when they are read, so damage shows one file at a time. A build that meets any checks all that it may
read, removes what is damaged, and takes its stages again: what is gone is fetched, measured or dropped with its reason.
"""

import contextlib
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.errors import DamagedFile
from schemas.manifests import Context
from schemas.phrases import counted
from schemas.recipe import Recipe
from tasks.engine import inspection, runs
from tasks.engine.parts import run_in_parts
from tasks.io.store import layout
from tasks.io.store.store import Store
from tasks.orchestration import retries


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
def check_part(blobs: pa.Table, context: Context) -> None:
    """Hash a batch of blobs; damaged ones are removed."""
    store = runs.store_of(context)
    for sha256 in blobs["sha256"].to_pylist():
        with contextlib.suppress(DamagedFile):
            store.read_blob(sha256)


def remove_damaged_files(recipe: Recipe, context: Context, problem: DamagedFile) -> str:
    """Check all that a build of the recipe may read; what is damaged is removed, or hidden from a plan. A sentence."""
    store = runs.store_of(context)
    known = _known_blobs(store, recipe)
    stored = pa.array(sorted(known & store.blob_sizes().keys()), pa.string())
    run_in_parts(check_part, pa.table({"sha256": stored}), (), context, "check-store")
    lost = len(known - store.blob_sizes().keys())
    for _ in store.tables(inspection.THUMBNAILS_AT):
        pass  # a listing removes what is damaged; other tables are checked whenever they are read
    return (
        f"the store is damaged ({problem}): of {counted(len(known), 'stored file')}, all checked now, {lost} are "
        "damaged, and removed, or missing; they are fetched again"
    )


def _known_blobs(store: Store, recipe: Recipe) -> set[Any]:
    """SHA-256 of all blobs that requests of the recipe's sources have given."""
    of_sources = (layout.images_folder, layout.listings_folder, layout.answers_folder)
    folders = [folder(source.name) for source in recipe.sources for folder in of_sources]
    found = set[Any]()
    for folder in (*folders, layout.DOWNLOADS):
        for _, table in store.tables(folder):
            found |= set(pc.unique(table["sha256"]).drop_null().to_pylist())
    return found
