"""Stored keypoints of thumbnails: where they are, and how they are read."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import DamagedFile
from schemas.manifests import TableRef
from schemas.tables import KEYPOINT_PLACES, KEYPOINTS
from tasks.core import tables
from tasks.core.dedup import local
from tasks.engine import inspection
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.io.images import keypoints, thumbnails
from tasks.io.store.layout import measure_folder
from tasks.io.store.store import Store

CODE = code_digest(keypoints, local, thumbnails)
KEY = cache_key(recipe=keypoints.VERSION, code=CODE, of=inspection.CODE)
KEYPOINTS_AT = measure_folder("keypoints", KEY)


def keypoint_places(store: Store, blobs: pa.Array) -> pa.Table:
    """KEYPOINT_PLACES of the blobs that have stored keypoints, in their order."""
    found = [KEYPOINT_PLACES.empty_table()]
    for ref, table in store.tables(KEYPOINTS_AT):  # one after the other: all together may be too much
        columns = table["sha256"], pa.repeat(ref.path, table.num_rows), np.arange(table.num_rows)
        here = pa.table(columns, schema=KEYPOINT_PLACES)
        found.append(here.filter(pc.is_in(here["sha256"], value_set=blobs)))
    everything = pa.concat_tables(found)
    return tables.lookup(everything, "sha256", pc.filter(blobs, pc.is_in(blobs, value_set=everything["sha256"])))


def all_keypoint_places(store: Store, blobs: pa.Array) -> pa.Table:
    """`keypoint_places` of blobs that had some. Raises DamagedFile where they are gone: the build finds them again."""
    stored = keypoint_places(store, blobs)
    if lost := len(blobs) - len(stored):
        raise DamagedFile(f"expected the keypoints of {len(blobs)} blobs, got those of {lost} too few")
    return stored


def stored_keypoints(store: Store, places: pa.Table) -> dict[str, local.Keypoints]:
    """The keypoints of each blob of a (sha256, path) table."""
    found: dict[str, local.Keypoints] = {}
    for path in pc.unique(places["path"]).sort().to_pylist():
        table = store.read_table(TableRef(path=path, rows=0))
        rows = table.filter(pc.is_in(table["sha256"], value_set=places["sha256"]))
        gallery = gallery_of(rows)
        found |= {sha256: gallery.picture(number) for number, sha256 in enumerate(rows["sha256"].to_pylist())}
    return found


def galleries(store: Store, places: pa.Table) -> Iterator[tuple[NDArray[np.int64], local.KeypointTable]]:
    """The keypoints of a KEYPOINT_PLACES table, and which of its rows each has: one stored table after the other."""
    for numbers, rows in _stored_rows(store, places):
        yield numbers, gallery_of(rows)


def whole_gallery(store: Store, places: pa.Table) -> local.KeypointTable:
    """The same at once, in the order of the rows."""
    stored = [*_stored_rows(store, places)]
    order = np.argsort(np.concatenate([np.empty(0, np.int64), *(numbers for numbers, _ in stored)]))
    return gallery_of(pa.concat_tables([KEYPOINTS.empty_table(), *(rows for _, rows in stored)]).take(pa.array(order)))


def _stored_rows(store: Store, places: pa.Table) -> Iterator[tuple[NDArray[np.int64], pa.Table]]:
    paths = places["path"].combine_chunks().dictionary_encode()
    table_of, rows = paths.indices.to_numpy(), places["row"].to_numpy()
    order = np.argsort(table_of, kind="stable")
    ends = np.cumsum(np.bincount(table_of, minlength=len(paths.dictionary)))
    for path, numbers in zip(paths.dictionary.to_pylist(), np.split(order, ends[:-1]), strict=True):
        yield numbers, store.read_table(TableRef(path=path, rows=0)).take(pa.array(rows[numbers]))


def gallery_of(rows: pa.Table) -> local.KeypointTable:
    """The keypoints of the blobs of some KEYPOINTS, in the order of the rows."""
    codes = rows["codes"].combine_chunks()
    starts = np.append(0, np.cumsum(pc.list_value_length(codes).to_numpy()))
    places: NDArray[np.uint8] = rows["places"].combine_chunks().flatten().to_numpy().reshape(-1, 4)
    return local.KeypointTable(local.Keypoints(codes.flatten().to_numpy(), places), starts.astype(np.int64))
