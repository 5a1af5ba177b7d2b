"""Stored thumbnails: where they are, and how to read many of them without holding all in memory."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import DamagedFile
from schemas.manifests import Context, TableRef
from schemas.tables import THUMBNAIL_PLACES
from tasks.core import tables
from tasks.engine import inspection, runs
from tasks.engine.parts import run_in_parts
from tasks.io.images import thumbnails
from tasks.io.store.store import Store


def ensure_thumbnails(blobs: pa.Array, context: Context, label: str) -> pa.Table:
    """(sha256, path): the table of each blob's thumbnail, in their order; made first where missing, but in a plan."""
    store = runs.store_of(context)
    stored = stored_thumbnails(store, blobs)
    lost = tables.missing(blobs, stored["sha256"])
    if len(lost) and not context.plan:
        arguments = (None, inspection.HASHES)
        run_in_parts(inspection.inspect_part, pa.table({"sha256": lost}), arguments, context, f"{label} · thumbnails")
        stored = stored_thumbnails(store, blobs)
        if still := len(tables.missing(blobs, stored["sha256"])):
            raise AssertionError(f"expected a thumbnail of each of {len(blobs)} blobs, got none of {still}")
    return stored


def stored_thumbnails(store: Store, blobs: pa.Array) -> pa.Table:
    """(sha256, path) of the blobs that have a stored thumbnail, in their order."""
    folder = inspection.THUMBNAILS_AT
    there = pa.array([f"{folder}/{name}" for name in store.list_folder(folder)], pa.string())
    places = [table for _, table in store.tables(inspection.THUMBNAIL_PLACES_AT)]
    everything = pa.concat_tables([THUMBNAIL_PLACES.empty_table(), *places])
    everything = everything.filter(pc.is_in(everything["path"], value_set=there))
    wanted = pc.filter(blobs, pc.is_in(blobs, value_set=everything["sha256"]))
    return tables.lookup(everything, "sha256", wanted)


def jpegs(store: Store, shelf: pa.Table) -> Iterator[tuple[str, memoryview]]:
    """Each blob of a (sha256, path) table once, and its thumbnail. Raises DamagedFile for one to be made anew."""
    for path in pc.unique(shelf["path"]).sort().to_pylist():
        wanted = pc.unique(shelf.filter(pc.equal(shelf["path"], path))["sha256"])
        rows = tables.lookup(store.read_table(TableRef(path=path, rows=0)), "sha256", wanted)
        for sha256, jpeg in zip(wanted.to_pylist(), rows["jpeg"], strict=True):
            if not jpeg.is_valid:
                raise DamagedFile(f"expected the thumbnail of {sha256} in {path}, got none")
            yield sha256, memoryview(jpeg.as_buffer()).cast("B")


def greys(store: Store, shelf: pa.Table) -> dict[str, NDArray[np.uint8]]:
    """The grey thumbnail of each blob of a (sha256, path) table."""
    return {sha256: thumbnails.grey(jpeg) for sha256, jpeg in jpegs(store, shelf)}
