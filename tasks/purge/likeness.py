"""What shows the same work as given pictures, wherever in the store it is: found as dedup finds it, by measurements
that are there.

Dedup looks at what reaches it; this also at what was screened out before, or not drawn.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.relations import VIEW_NAMES
from schemas.stages import Dedup
from schemas.tables import HASH
from tasks.core import tables
from tasks.core.dedup import candidates, relate, search, views
from tasks.core.dedup.witnesses import COPIES
from tasks.engine import inspection, thumbnails
from tasks.engine.measure import stored_measurements
from tasks.io.images.inspection import PHASH
from tasks.io.store.store import Store

_RADIUS_BITS = Dedup(label="likeness").radius_bits
_KEYS = tuple(key for key in VIEW_NAMES if key != "phash")


def look_alikes(store: Store, pictures_of: pa.Array, others: pa.Array) -> set[tuple[str, str]]:
    """(SHA-256 of one of the pictures, of another blob) of each pair that shows one work, also mirrored, turned or a
    part of it.

    Blobs without thumbnail in the store are passed over; nothing is written. Parts of the pictures are found, but not
    pictures of which they are parts by more than a hash of the whole forgives: that needs hashes of all others' parts,
    which only dedup takes.
    """
    blobs = pc.unique(pa.concat_arrays([pictures_of, others])).sort()
    hashed = stored_measurements(store, inspection.HASHES, blobs, HASH)
    hashed = hashed.filter(pc.fill_null(pc.equal(hashed["phash_recipe"], PHASH), False))
    shelf = thumbnails.stored_thumbnails(store, hashed["sha256"].combine_chunks())
    mine = shelf.filter(pc.is_in(shelf["sha256"], value_set=pictures_of))
    if not mine.num_rows:
        return set()
    rows = tables.lookup(hashed, "sha256", shelf["sha256"])
    seen = {
        sha256: np.concatenate([views.view_hashes(grey, views.VIEWS[key]) for key in _KEYS])
        for sha256, grey in thumbnails.greys(store, mine).items()
    }
    phash = rows["phash"].to_numpy().astype(np.uint64)
    is_mine = np.asarray(pc.is_in(rows["sha256"], value_set=mine["sha256"]), np.bool_)
    asked = _distinct(np.concatenate([phash[is_mine], *seen.values()]))
    near, bits = search.near_pairs_between(asked, _distinct(phash), _RADIUS_BITS)
    ends = np.stack([asked[near[:, 0]], _distinct(phash)[near[:, 1]]], axis=1)
    rows = rows.filter(pa.array(is_mine | np.isin(phash, ends[:, 1]), pa.bool_()))
    pairs = _pairs(rows, seen, candidates.NearHashes(ends, bits))
    return _confirmed(store, rows, shelf, pairs)


def _distinct(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    found = np.unique(hashes)
    return found[~candidates.is_degenerate(found)]


def _pairs(rows: pa.Table, seen: dict[str, NDArray[np.uint64]], near: candidates.NearHashes) -> NDArray[np.int64]:
    """(P, 3) row, row and view of the pairs that are worth a second look.

    One row of each is a picture that was asked for.
    """
    names = rows["sha256"].to_pylist()
    # says nothing: these are found, not seen through views
    blank = np.zeros(sum(len(views.VIEWS[key]) for key in _KEYS), np.uint64)
    numbers = np.concatenate([views.view_numbers(key) for key in _KEYS]).astype(np.int16)
    hashes = np.stack([seen.get(name, blank) for name in names])
    found = candidates.candidates(
        rows["phash"].to_numpy().astype(np.uint64), near, [candidates.Views(hashes, numbers, near)]
    )
    is_mine = np.array([name in seen for name in names], np.bool_)
    stays = is_mine[found.a] | is_mine[found.b]
    return np.stack([found.a[stays], found.b[stays], found.view[stays].astype(np.int64)], axis=1)


def _confirmed(store: Store, rows: pa.Table, shelf: pa.Table, pairs: NDArray[np.int64]) -> set[tuple[str, str]]:
    needed = rows["sha256"].take(pa.array(np.unique(pairs[:, :2])))
    grey = thumbnails.greys(store, shelf.filter(pc.is_in(shelf["sha256"], value_set=needed)))
    known = rows.select(["sha256", "width_px", "height_px"]).to_pylist()
    found = set[tuple[str, str]]()
    for a, b, number in pairs.tolist():
        one, other = known[a], known[b]
        agreed = relate.measure_agreement(grey[one["sha256"]], grey[other["sha256"]], views.ALL_VIEWS[number])
        has_equal_size = (one["width_px"], one["height_px"]) == (other["width_px"], other["height_px"])
        if relate.relation_of_agreement(agreed, views.ALL_VIEWS[number], has_equal_size=has_equal_size) in COPIES:
            found |= {(one["sha256"], other["sha256"]), (other["sha256"], one["sha256"])}
    return found
