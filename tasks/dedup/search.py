"""Pairs of near hashes: searches are stored, only what is new is searched, large searches in pieces."""

import hashlib
import itertools
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.manifests import Context, TableRef
from schemas.tables import SEARCH_HASHES, SEARCH_PAIRS
from tasks.core.dedup import search
from tasks.core.dedup.candidates import RadiiBits, is_among
from tasks.engine import runs
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.engine.parts import run_in_parts
from tasks.io.store.layout import measure_folder, outcome_folder
from tasks.io.store.store import Store, parquet_bytes
from tasks.orchestration import retries
from tasks.orchestration.late_imports import imports_before

CODE = code_digest(search)
PIECE_HASHES = 2**24
"""Hashes on either side of one piece of a search: with its pairs, some 1 GB of memory."""

Hashes = NDArray[np.uint64]
Job = tuple[Hashes, Hashes | None, bool]  # left, right (None: the pairs within left), whether left are hashes of views


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
@imports_before("tasks.core.dedup.search_bands")
def search_part(pieces: pa.Table, settings: tuple[list[TableRef], RadiiBits], into: str, context: Context) -> None:
    """Search some pieces of a large search and store their pairs."""
    refs, radii_bits = settings
    store = runs.store_of(context)

    def hashes_of(side: int, start: int, stop: int) -> Hashes:
        hashes: Hashes = store.read_table(refs[side])["key"].to_numpy()
        return hashes[start:stop]

    for piece in pieces.to_pylist():
        left = hashes_of(*piece["left"])
        right = None if piece["right"] is None else hashes_of(*piece["right"])
        found = _search(left, right, radii_bits, is_view=piece["is_view"], threads=1)
        # a first row without a pair: a piece in which nothing is near is done, too
        first = pa.table([pa.nulls(1, field.type) for field in SEARCH_PAIRS], schema=SEARCH_PAIRS)
        rows = pa.concat_tables([first, found])
        store.write_table(into, rows.append_column("piece", pa.array([piece["piece"]] * rows.num_rows, pa.int32())))


def near_hashes(wholes: Hashes, view_hashes: Hashes, radii_bits: RadiiBits, context: Context, label: str) -> pa.Table:
    """SEARCH_PAIRS among distinct sorted hashes of wholes, and between the distinct sorted hashes of views and them."""
    store = runs.store_of(context)
    search_key = cache_key(radii_bits=radii_bits, code=CODE)
    (old_wholes, old_views, old), outgrown = _earlier_search(store, search_key, wholes, view_hashes)
    new_wholes, new_views = wholes[~is_among(wholes, old_wholes)], view_hashes[~is_among(view_hashes, old_views)]
    if not len(new_wholes) and not len(new_views):
        return old
    jobs: list[Job] = [
        (new_wholes, None, False),
        (old_wholes, new_wholes, False),
        (view_hashes, new_wholes, True),
        (new_views, old_wholes, True),
    ]
    found = _search_jobs(jobs, radii_bits, context, label)
    order = [(name, "ascending") for name in ("is_view", "left", "right")]
    everything = pa.concat_tables([old, *found]).sort_by(order)
    kept = _store_search(store, search_key, wholes, view_hashes, everything)
    # what this search holds too; its pairs, in a folder of its name, are then read no more
    for ref in outgrown:
        if ref.path != kept.path:
            store.remove(ref.path)
    return everything


def _search_jobs(jobs: list[Job], radii_bits: RadiiBits, context: Context, label: str) -> list[pa.Table]:
    """The pairs of each job; in pieces, each a task, where there is more than one piece of work in any."""
    jobs = [(left, right, is_view) for left, right, is_view in jobs if len(left) and (right is None or len(right))]
    pieces = _pieces(jobs)
    if len(pieces) <= len(jobs) or context.plan:
        return [
            _search(left, right, radii_bits, is_view=is_view, threads=context.workers) for left, right, is_view in jobs
        ]
    store, folder = runs.store_of(context), outcome_folder("search-hashes")
    sides = [pa.table({"key": side}) for left, right, _ in jobs for side in (left, right) if side is not None]
    refs = [store.write_table(folder, side, is_remembered=False) for side in sides]
    key = cache_key(radii_bits=radii_bits, code=CODE, of=[ref.path for ref in refs], pieces=pieces)
    into = measure_folder("search-pieces", key)
    done = {found["piece"][0].as_py() for _, found in store.tables(into)}
    todo = pa.Table.from_pylist([piece for piece in pieces if piece["piece"] not in done])
    one_a_part = context.model_copy(update={"part_rows": 1})
    run_in_parts(search_part, todo, ((refs, radii_bits), into), one_a_part, f"{label} · search")
    stored = [found for _, found in store.tables(into)]
    if lost := len(pieces) - len({found["piece"][0].as_py() for found in stored}):
        raise AssertionError(f"expected the pairs of {len(pieces)} pieces of a search, got none of {lost}")
    return [found.filter(pc.is_valid(found["left"])).drop_columns("piece") for found in stored]


def _pieces(jobs: list[Job]) -> list[dict[str, Any]]:
    """What makes up all jobs. left, right: number of the side, start and stop; right null: the pairs within left."""
    found: list[dict[str, Any]] = []
    side = 0
    for left, right, is_view in jobs:
        if right is None:
            ranges = search.piece_pairs(len(left), -(-len(left) // PIECE_HASHES))
        else:
            ranges = list(itertools.product(_ranges(len(left)), _ranges(len(right))))
        other_side = side + (right is not None)
        for one, other in ranges:
            is_within = right is None and one == other
            place = None if is_within else [other_side, other.start, other.stop]
            start = [side, one.start, one.stop]
            found.append({"piece": len(found), "is_view": is_view, "left": start, "right": place})
        side = other_side + 1
    return found


def _ranges(hashes: int) -> list[range]:
    return [range(start, min(start + PIECE_HASHES, hashes)) for start in range(0, hashes, PIECE_HASHES)]


def _search(left: Hashes, right: Hashes | None, radii_bits: RadiiBits, *, is_view: bool, threads: int) -> pa.Table:
    """SEARCH_PAIRS of one job."""
    radius_bits = radii_bits.views if is_view else radii_bits.wholes
    if right is None:
        pairs, distances = search.near_pairs(left, radius_bits, threads)
        right = left
    else:
        pairs, distances = search.near_pairs_between(left, right, radius_bits, threads)
    one, other = left[pairs[:, 0]], right[pairs[:, 1]]
    if not is_view:  # of two wholes the smaller hash is on the left
        one, other = np.minimum(one, other), np.maximum(one, other)
    return pa.table([one, other, distances, np.full(len(pairs), is_view)], schema=SEARCH_PAIRS)


def _earlier_search(
    store: Store, search_key: str, wholes: Hashes, view_hashes: Hashes
) -> tuple[tuple[Hashes, Hashes, pa.Table], list[TableRef]]:
    """Hashes and pairs of the largest earlier search that this one shares; and searches of which it has all hashes."""
    best = wholes[:0], view_hashes[:0], SEARCH_PAIRS.empty_table()
    outgrown = []
    for ref, table in store.tables(measure_folder("search-hashes", search_key)):
        is_view, hashes = table["is_view"].to_numpy(), table["key"].to_numpy()
        is_here = is_among(hashes, wholes) & ~is_view | is_among(hashes, view_hashes) & is_view
        had_wholes, had_views = hashes[is_here & ~is_view], hashes[is_here & is_view]
        count = len(had_wholes) + len(had_views)
        if count == table.num_rows:
            outgrown.append(ref)
        if count <= len(best[0]) + len(best[1]):
            continue
        folder = measure_folder("search-pairs", search_key, ref.sha256)
        pairs = pa.concat_tables([SEARCH_PAIRS.empty_table(), *(found for _, found in store.tables(folder))])
        if pairs.num_rows == pc.sum(table["pairs"]).as_py():  # else a table of pairs is gone
            left, right, of_view = (pairs[name].to_numpy() for name in ("left", "right", "is_view"))
            is_left = np.where(of_view, is_among(left, had_views), is_among(left, had_wholes))
            best = had_wholes, had_views, pairs.filter(pa.array(is_among(right, had_wholes) & is_left))
    return best, outgrown


def _store_search(store: Store, search_key: str, wholes: Hashes, view_hashes: Hashes, pairs: pa.Table) -> TableRef:
    """Store the pairs, then the hashes among which they were searched."""
    left, is_view = pairs["left"].to_numpy(), pairs["is_view"].to_numpy()
    sides = []
    for hashes, of_views in ((wholes, False), (view_hashes, True)):
        counts = np.bincount(np.searchsorted(hashes, left[is_view == of_views]), minlength=len(hashes))
        columns = [hashes, np.full(len(hashes), of_views), counts.astype(np.uint32)]
        sides.append(pa.table(columns, schema=SEARCH_HASHES))
    searched = pa.concat_tables(sides)
    digest = hashlib.sha256(parquet_bytes(searched)).hexdigest()
    store.write_table(measure_folder("search-pairs", search_key, digest), pairs)
    return store.write_table(measure_folder("search-hashes", search_key), searched)
