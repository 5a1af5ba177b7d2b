"""Images of the same work as given ones, by stored measurements: also of what was screened out before dedup."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.dedup import Dedup
from schemas.relations import COPIES, VIEW_NAMES
from schemas.tables import HASH
from tasks.core import tables
from tasks.core.dedup import candidates, relate, search, views
from tasks.engine import inspection, thumbnails
from tasks.engine.measure import stored_measurements
from tasks.io.images.inspection import PHASH
from tasks.io.store.store import Store

_RADIUS_BITS = Dedup(label="likeness").radius_bits
_KEYS = tuple(key for key in VIEW_NAMES if key != "phash")


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
    mine = shelf.filter(pc.is_in(shelf["sha256"], value_set=purged))
    if not mine.num_rows:
        return set()
    rows = tables.lookup(hashed, "sha256", shelf["sha256"])
    view_hashes = {
        sha256: np.concatenate([views.view_hashes(grey, views.VIEWS[key]) for key in _KEYS])
        for sha256, grey in thumbnails.greys(store, mine).items()
    }
    phash = rows["phash"].to_numpy().astype(np.uint64)
    is_mine = np.asarray(pc.is_in(rows["sha256"], value_set=mine["sha256"]), np.bool_)
    wanted = _distinct(np.concatenate([phash[is_mine], *view_hashes.values()]))
    near, bits = search.near_pairs_between(wanted, _distinct(phash), _RADIUS_BITS)
    ends = np.stack([wanted[near[:, 0]], _distinct(phash)[near[:, 1]]], axis=1)
    rows = rows.filter(pa.array(is_mine | np.isin(phash, ends[:, 1]), pa.bool_()))
    pairs = _candidate_pairs(rows, view_hashes, candidates.NearHashes(ends, bits))
    return _copies_among(store, rows, shelf, pairs)


def _distinct(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Sorted distinct hashes, without those of flat pictures."""
    distinct = np.unique(hashes)
    return distinct[~candidates.is_degenerate(distinct)]


def _candidate_pairs(
    rows: pa.Table, view_hashes: dict[str, NDArray[np.uint64]], near: candidates.NearHashes
) -> NDArray[np.int64]:
    """(P, 3) row, row and view of the pairs that are worth a second look; one row of each is a purged blob."""
    names = rows["sha256"].to_pylist()
    # a zero hash matches nothing: other blobs are compared as wholes only
    blank = np.zeros(sum(len(views.VIEWS[key]) for key in _KEYS), np.uint64)
    numbers = np.concatenate([views.view_numbers(key) for key in _KEYS]).astype(np.int16)
    hashes = np.stack([view_hashes.get(name, blank) for name in names])
    found = candidates.candidates(
        rows["phash"].to_numpy().astype(np.uint64), near, [candidates.ViewHashes(hashes, numbers, near)]
    )
    is_mine = np.array([name in view_hashes for name in names], np.bool_)
    stays = is_mine[found.a] | is_mine[found.b]
    return np.stack([found.a[stays], found.b[stays], found.view[stays].astype(np.int64)], axis=1)


def _copies_among(store: Store, rows: pa.Table, shelf: pa.Table, pairs: NDArray[np.int64]) -> set[tuple[str, str]]:
    needed = rows["sha256"].take(pa.array(np.unique(pairs[:, :2])))
    grey = thumbnails.greys(store, shelf.filter(pc.is_in(shelf["sha256"], value_set=needed)))
    known = [tuple(row.values()) for row in rows.select(["sha256", "width_px", "height_px"]).to_pylist()]
    copies = set[tuple[str, str]]()
    for a, b, number in pairs.tolist():
        (one, *size), (other, *its_size), view = known[a], known[b], views.ALL_VIEWS[number]
        agreed = relate.measure_agreement(grey[one], grey[other], view)
        if relate.relation_of_agreement(agreed, view, has_equal_size=size == its_size) in COPIES:
            copies |= {(one, other), (other, one)}
    return copies
