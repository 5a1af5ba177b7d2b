"""Images of the same work as given ones, by stored measurements: also of what was screened out before dedup."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.dedup import Dedup
from schemas.relations import COPIES, VIEW_NAMES, ViewName
from schemas.tables import HASH
from tasks.core import overlap, tables
from tasks.core.dedup import views
from tasks.core.dedup.candidates import RadiiBits
from tasks.engine import inspection, thumbnails
from tasks.engine.measure import stored_measurements
from tasks.io.images.inspection import PHASH
from tasks.io.store.store import Store
from tasks.subjects.second_look import Picture, look_at

_RADIUS_BITS = Dedup(label="likeness").radius_bits
_NAMES = tuple(name for name in VIEW_NAMES if name != "phash")
_KNOWN = ("sha256", "width_px", "height_px")


def look_alikes(store: Store, purged: pa.Array, others: pa.Array) -> set[tuple[str, str]]:
    """Pairs of SHA-256, in both orders, of a purged blob and another that shows the same work, also mirrored or turned.

    Blobs without a thumbnail in the store are passed over; nothing is written. Parts of the purged pictures are found.
    Larger pictures of which they are parts are found only if the hashes of both wholes are near: more needs hashes of
    the parts of all others, which only dedup takes.
    """
    blobs = pc.unique(pa.concat_arrays([purged, others])).sort()
    hashed = stored_measurements(store, inspection.HASHES, blobs, HASH)
    hashed = hashed.filter(pc.fill_null(pc.equal(hashed["phash_recipe"], PHASH), False))
    shelf = thumbnails.stored_thumbnails(store, hashed["sha256"].combine_chunks())
    rows = tables.lookup(hashed, "sha256", shelf["sha256"])
    is_purged = pc.is_in(rows["sha256"], value_set=purged)
    mine, its = rows.filter(is_purged), rows.filter(pc.invert(is_purged))
    if not mine.num_rows:
        return set()
    greys = thumbnails.greys(store, shelf.filter(pc.is_in(shelf["sha256"], value_set=mine["sha256"])))
    hashes: dict[ViewName, NDArray[np.uint64]] = {
        name: np.stack([views.view_hashes(greys[sha256], views.VIEWS[name]) for sha256 in mine["sha256"].to_pylist()])
        for name in _NAMES
    }
    sides = overlap.Fingerprints(_phash(mine), hashes), overlap.Fingerprints(_phash(its), {})
    pairs = overlap.pairs_between(*sides, RadiiBits(_RADIUS_BITS, _RADIUS_BITS))
    return _copies_among(store, mine.take(pa.array(pairs.one)), its.take(pa.array(pairs.other)), shelf, pairs.view)


def _phash(rows: pa.Table) -> NDArray[np.uint64]:
    return np.asarray(rows["phash"].to_numpy().astype(np.uint64))


def _copies_among(
    store: Store, mine: pa.Table, its: pa.Table, shelf: pa.Table, numbers: NDArray[np.int16]
) -> set[tuple[str, str]]:
    """Those of the pairs (P,), by that view of the first, that show one work; in both orders."""
    needed = pa.chunked_array([*mine["sha256"].chunks, *its["sha256"].chunks], pa.string())
    shown = shelf.filter(pc.is_in(shelf["sha256"], value_set=pc.unique(needed)))
    pictures = {sha256: Picture(jpeg) for sha256, jpeg in thumbnails.jpegs(store, shown)}
    copies = set[tuple[str, str]]()
    known = [[tuple(row.values()) for row in of.select(_KNOWN).to_pylist()] for of in (mine, its)]
    for (one, *size), (other, *its_size), number in zip(*known, numbers.tolist(), strict=True):
        view = views.ALL_VIEWS[number]
        relation, _ = look_at(pictures[one], pictures[other], view, has_equal_size=size == its_size)
        if relation in COPIES:
            copies |= {(one, other), (other, one)}
    return copies
