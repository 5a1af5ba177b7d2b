"""The second look at pairs: their relations, measured once and stored."""

import functools
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.manifests import Context
from schemas.tables import RELATIONS
from tasks.core.dedup import beside, candidates, relate, views
from tasks.dedup.stored_keypoints import all_keypoint_places, stored_keypoints
from tasks.engine import inspection, runs
from tasks.engine import thumbnails as stored_thumbnails
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.engine.parts import run_in_parts
from tasks.io.images import colour_thumbnails, keypoints, thumbnails
from tasks.io.store.layout import measure_folder
from tasks.io.store.store import Store
from tasks.orchestration import retries
from tasks.orchestration.late_imports import imports_before
from tasks.subjects import second_look
from tasks.subjects.second_look import Picture, look_at

CODE = code_digest(relate, beside, keypoints, thumbnails, colour_thumbnails, second_look)
FOLDER = measure_folder("relations", cache_key(code=CODE, of=inspection.CODE))
RELATION_COLUMNS = ["relation", "score", "share", "tone"]
_SHELVES_PER_BLOCK = 8
"""Pairs are taken in blocks whose thumbnails lie in few tables of up to 2,000, so that each table is read seldom."""


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
@imports_before(
    "tasks.core.dedup.local_kernels",
    "tasks.core.dedup.registration",
    "tasks.core.dedup.search_bands",
)
def compare_part(pairs: pa.Table, _settings: None, into: str, context: Context) -> None:
    """Compare one batch of pairs and store what they are to each other."""
    store = runs.store_of(context)
    shown = _both_sides(pairs, "thumbnail")
    pictures = {sha256: Picture(jpeg) for sha256, jpeg in stored_thumbnails.jpegs(store, shown)}
    corners = stored_keypoints(store, _both_sides(pairs, "keypoints"))
    rows = pairs.select(["a", "b", "view", "has_equal_size"]).to_pylist()
    for row in rows:
        one, other, view = row["a"], row["b"], views.ALL_VIEWS[row["view"]]
        both = (corners[one], corners[other]) if view.is_local else None
        relation, agreement = look_at(
            pictures[one], pictures[other], view, has_equal_size=row["has_equal_size"], keypoints=both
        )
        row["relation"] = relation
        for name in ("score", "share", "tone"):
            row[name] = round(getattr(agreement, name), relate.STORED_DECIMALS)
    store.write_table(into, pa.Table.from_pylist(rows, schema=RELATIONS))


def _both_sides(pairs: pa.Table, name: str) -> pa.Table:
    """(sha256, path) of the blobs of both sides that have a table of that name."""
    sides = [pa.table({"sha256": pairs[side], "path": pairs[f"{name}_{side}"]}) for side in ("a", "b")]
    return pa.concat_tables(sides).drop_null()


def stored_relations(blobs: pa.Array, pairs: pa.Table, store: Store) -> pa.Table:
    """RELATION_COLUMNS of pairs (a and b places in the sorted blobs, view), in order; nulls where none is stored."""
    found = [(np.empty(0, np.int64), RELATIONS.empty_table().select(RELATION_COLUMNS))]
    for _, table in store.tables(FOLDER):  # one after the other: as text, pairs take ten times as much memory
        ends = [pc.index_in(table[side], value_set=blobs) for side in ("a", "b")]
        is_here = pc.and_(pc.is_valid(ends[0]), pc.is_valid(ends[1]))
        codes = _codes(ends[0].filter(is_here), ends[1].filter(is_here), table["view"].filter(is_here), len(blobs))
        found.append((codes, table.select(RELATION_COLUMNS).filter(is_here)))
    # two builds at once may have looked at one pair twice
    distinct, first = np.unique(np.concatenate([codes for codes, _ in found]), return_index=True)
    stored = pa.concat_tables([table for _, table in found]).take(pa.array(first))
    wanted = _codes(pairs["a"], pairs["b"], pairs["view"], len(blobs))
    return stored.take(pc.index_in(pa.array(wanted), value_set=pa.array(distinct)))


def _codes(a: pa.ChunkedArray, b: pa.ChunkedArray, view: pa.ChunkedArray, blobs: int) -> NDArray[np.int64]:
    """(P,) one number for each pair and view."""
    one, other, view_number = (column.to_numpy().astype(np.int64) for column in (a, b, view))
    return np.asarray((one * blobs + other) * len(views.ALL_VIEWS) + view_number)


def ensure_relations(
    blobs: pa.Array, pairs: pa.Table, sizes: NDArray[np.int64], context: Context, label: str
) -> pa.Table:
    """RELATION_COLUMNS of pairs, compared first where none is stored, but not in a plan. sizes: (N, 2) px of blobs."""
    store = runs.store_of(context)
    found = stored_relations(blobs, pairs, store)
    todo = pairs.filter(pc.is_null(found["relation"]))
    if todo.num_rows and not context.plan:
        blocks = _in_blocks(blobs, todo, sizes, context, label)
        run_in_parts(compare_part, blocks, (None, FOLDER), context, f"{label} · pairs")
        found = stored_relations(blobs, pairs, store)
        if lost := found["relation"].null_count:
            raise AssertionError(f"expected a relation of each of {pairs.num_rows} pairs, got none for {lost}")
    return found


def _in_blocks(blobs: pa.Array, todo: pa.Table, sizes: NDArray[np.int64], context: Context, label: str) -> pa.Table:
    """The pairs as parts read them; texts are dictionaries, since written out they take half a kilobyte a pair."""
    a, b = (todo[side].to_numpy() for side in ("a", "b"))
    ends = np.concatenate([a, b])
    ensure_thumbnails = functools.partial(stored_thumbnails.ensure_thumbnails, context=context, label=label)
    thumbnails_at = _places(blobs, ends, ends, ensure_thumbnails)
    is_local = np.tile(todo["view"].to_numpy() == views.ALL_VIEWS.index(views.LOCAL), 2)
    # a pair is local because the keypoints of both sides are alike
    keypoints_at = _places(blobs, ends, ends[is_local], functools.partial(all_keypoint_places, runs.store_of(context)))
    shelf = pc.rank(thumbnails_at.dictionary, tiebreaker="dense").to_numpy().astype(np.int64)
    block = shelf[thumbnails_at.indices.to_numpy()] // _SHELVES_PER_BLOCK
    order = pa.array(np.lexsort((b, a, block[len(a) :], block[: len(a)])))
    return pa.table(
        {
            "a": pa.DictionaryArray.from_arrays(pa.array(a, pa.int32()).take(order), blobs),
            "b": pa.DictionaryArray.from_arrays(pa.array(b, pa.int32()).take(order), blobs),
            "view": todo["view"].take(order),
            "has_equal_size": pa.array((sizes[a] == sizes[b]).all(axis=1)).take(order),
            "thumbnail_a": thumbnails_at.slice(0, len(a)).take(order),
            "thumbnail_b": thumbnails_at.slice(len(a)).take(order),
            "keypoints_a": keypoints_at.slice(0, len(a)).take(order),
            "keypoints_b": keypoints_at.slice(len(a)).take(order),
        }
    )


def _places(
    blobs: pa.Array, ends: NDArray[np.int64], needed: NDArray[np.int64], places_of: Callable[[pa.Array], pa.Table]
) -> pa.DictionaryArray:
    """The table that holds each end's thumbnail or keypoints, as `places_of` says of what is needed; else null."""
    distinct = pa.array(candidates.distinct(needed))
    paths = places_of(blobs.take(distinct))["path"].combine_chunks().dictionary_encode()
    return paths.take(pc.index_in(pa.array(ends), value_set=distinct))
