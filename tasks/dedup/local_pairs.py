"""Pairs of images of which one shows a part of the other, by keypoints; what was compared before is in the store."""

import hashlib
import itertools
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.manifests import Context, TableRef
from schemas.tables import KEYPOINTS, LOCAL_BLOBS, LOCAL_PAIRS
from tasks.core import tables
from tasks.core.dedup import local
from tasks.core.dedup.sizes import LEVEL_SCALE
from tasks.dedup.stored_keypoints import KEY, KEYPOINTS_AT, gallery_of, keypoint_places
from tasks.engine import runs
from tasks.engine import thumbnails as stored_thumbnails
from tasks.engine.parts import run_in_parts
from tasks.io.images import keypoints
from tasks.io.store.layout import measure_folder, outcome_folder
from tasks.io.store.store import Store
from tasks.orchestration import retries
from tasks.orchestration.late_imports import imports_before

PAIRS_AT = measure_folder("local-pairs", KEY)
BLOBS_AT = measure_folder("local-blobs", KEY)
_KERNELS = ("tasks.core.dedup.local_kernels", "tasks.core.dedup.search_bands")
PIECE_BLOBS = 2**14
"""Pictures on either side of one piece of the work: some 1 GB of memory."""


class _Piece(NamedTuple):
    """Pictures start .. stop - 1 of each side; sides are numbers of tables. key: of the SHA-256s on both sides."""

    left: int
    left_start: int
    left_stop: int
    right: int
    right_start: int
    right_stop: int
    key: str

    @property
    def is_within(self) -> bool:
        """Whether the same pictures lie on both sides."""
        return (self.left, self.left_start) == (self.right, self.right_start)


def keypoints_of(grey: NDArray[np.uint8]) -> local.Keypoints:
    """Of a thumbnail, (H, W)."""
    codes, places = keypoints.find_keypoints(
        grey, most=local.MOST_KEYPOINTS, side_px=local.SIDE_PX, level_scale=LEVEL_SCALE
    )
    return local.distinctive_keypoints(local.Keypoints(codes, places))


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
@imports_before(*_KERNELS)
def find_keypoints_part(blobs: pa.Table, _settings: None, into: str, context: Context) -> None:
    """Find the keypoints of one batch of thumbnails and store them."""
    store = runs.store_of(context)
    greys = stored_thumbnails.greys(store, blobs)
    rows = []
    for sha256 in blobs["sha256"].to_pylist():
        found = keypoints_of(greys[sha256])
        rows.append({"sha256": sha256, "codes": found.codes, "places": found.places.ravel()})
    store.write_table(into, pa.Table.from_pylist(rows, schema=KEYPOINTS))


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
@imports_before(*_KERNELS)
def match_part(pieces: pa.Table, sides: list[TableRef], into: str, context: Context) -> None:
    """Compare the keypoints of some pieces and store the pairs."""
    store = runs.store_of(context)
    for row in pieces.to_pylist():
        piece = _Piece(**row)
        blobs = [store.read_table(ref)["sha256"].combine_chunks() for ref in sides]
        _match_piece(piece, blobs, into, store)


def local_pairs(blobs: pa.Array, context: Context, label: str) -> local.LocalPairs | None:
    """All pairs of blobs, by their places in a sorted array, that share enough places; None: a plan can't say yet."""
    store = runs.store_of(context)
    has_all = len(keypoint_places(store, blobs)) == len(blobs)
    known, outgrown = _compared_before(store, blobs)
    new = tables.missing(blobs, known)
    if context.plan and (len(new) or not has_all):
        return None
    if not has_all:
        ensure_keypoints(blobs, context, label)
    if not len(new):
        return _stored_pairs(store, blobs)
    _match_new(known, new, context, label)
    pairs = _stored_pairs(store, blobs)
    kept = store.write_table(BLOBS_AT, pa.table([blobs, _counts(pairs, blobs)], schema=LOCAL_BLOBS))
    for ref in outgrown:
        if ref.path != kept.path:
            store.remove(ref.path)
    return pairs


def _counts(pairs: local.LocalPairs, blobs: pa.Array) -> NDArray[np.uint32]:
    """(N,) of how many pairs each blob is the smaller."""
    return np.bincount(pairs.a, minlength=len(blobs)).astype(np.uint32)


def ensure_keypoints(blobs: pa.Array, context: Context, label: str) -> pa.Table:
    """(sha256, path): the table in which each blob's keypoints lie, in the order of the blobs."""
    store = runs.store_of(context)
    stored = keypoint_places(store, blobs)
    todo = tables.missing(blobs, stored["sha256"])
    if not len(todo):
        return stored
    places = stored_thumbnails.ensure_thumbnails(todo, context, label)
    places = places.sort_by([("path", "ascending"), ("sha256", "ascending")])
    run_in_parts(find_keypoints_part, places, (None, KEYPOINTS_AT), context, f"{label} · keypoints")
    stored = keypoint_places(store, blobs)
    if lost := len(tables.missing(blobs, stored["sha256"])):
        raise AssertionError(f"expected the keypoints of {len(blobs)} blobs, got those of {lost} too few")
    return stored


def _compared_before(store: Store, blobs: pa.Array) -> tuple[pa.Array, list[TableRef]]:
    """Most of these blobs that were all compared with each other, and the tables of which these blobs hold all."""
    best: pa.Array = blobs[:0]
    outgrown = []
    for ref, table in store.tables(BLOBS_AT):
        table = table.sort_by("sha256")
        compared = table["sha256"].combine_chunks()
        # else a table of pairs is gone, or a purge took one of the two
        is_whole = _counts(_stored_pairs(store, compared), compared) == table["pairs"].to_numpy()
        here = pc.filter(blobs, pc.is_in(blobs, value_set=compared.filter(pa.array(is_whole, pa.bool_()))))
        if pc.all(pc.is_in(compared, value_set=blobs)).as_py() is not False:
            outgrown.append(ref)
        if len(here) > len(best):
            best = here
    return best, outgrown


def _match_new(known: pa.Array, new: pa.Array, context: Context, label: str) -> None:
    """Compare new blobs with each other and with those that were compared before; in pieces, each a task."""
    store = runs.store_of(context)
    sides = [new, known]
    done = _done_pieces(store)
    todo = [piece for piece in _pieces(sides) if piece.key not in done]
    if len(todo) <= 1:
        for piece in todo:
            _match_piece(piece, sides, PAIRS_AT, store)
        return
    folder, tables_of = outcome_folder("local-blobs"), [pa.table({"sha256": side}) for side in sides]
    refs = [store.write_table(folder, table, is_remembered=False) for table in tables_of]
    rows = pa.Table.from_pylist([piece._asdict() for piece in todo])
    run_in_parts(match_part, rows, (refs, PAIRS_AT), context.model_copy(update={"part_rows": 1}), f"{label} · places")


def _done_pieces(store: Store) -> set[str]:
    """Keys of the pieces whose pairs are all there: a purge takes some of them, and the picture may come back."""
    done = set()
    for _, table in store.tables(PAIRS_AT):
        first = table.filter(pc.is_null(table["a"]))
        if first["matches"].to_pylist() == [table.num_rows - first.num_rows]:
            done.add(first["piece"][0].as_py())
    return done


def _pieces(sides: list[pa.Array]) -> list[_Piece]:
    blocks = [
        [(side, start, min(start + PIECE_BLOBS, len(blobs))) for start in range(0, len(blobs), PIECE_BLOBS)]
        for side, blobs in enumerate(sides)
    ]
    pairs = [*itertools.combinations_with_replacement(blocks[0], 2), *itertools.product(blocks[0], blocks[1])]
    digests = {
        block: hashlib.sha256("".join(sides[block[0]][block[1] : block[2]].to_pylist()).encode()).hexdigest()
        for block in itertools.chain(*blocks)
    }
    return [_Piece(*one, *other, f"{digests[one]}{digests[other]}") for one, other in pairs]


def _match_piece(piece: _Piece, sides: list[pa.Array], into: str, store: Store) -> None:
    left = sides[piece.left][piece.left_start : piece.left_stop]
    right = sides[piece.right][piece.right_start : piece.right_stop]
    mine = _gallery(store, left)
    found = local.match_galleries(mine, None if piece.is_within else _gallery(store, right))
    one, other = left.take(pa.array(found.a)), right.take(pa.array(found.b))
    # a first row without a pair, which counts the pairs: a piece in which nothing is alike is done, too
    first = pa.table([[piece.key], [None], [None], [len(one)]], schema=LOCAL_PAIRS)
    rows = pa.table([pa.repeat(piece.key, len(one)), one, other, found.matches], schema=LOCAL_PAIRS)
    store.write_table(into, pa.concat_tables([first, rows]))


def _gallery(store: Store, blobs: pa.Array) -> local.KeypointTable:
    """The keypoints of these blobs, in their order."""
    here = [KEYPOINTS.empty_table()]
    for _, table in store.tables(KEYPOINTS_AT):  # one after the other: all together may be too much
        here.append(table.filter(pc.is_in(table["sha256"], value_set=blobs)))
    return gallery_of(tables.lookup(pa.concat_tables(here), "sha256", blobs))


def _stored_pairs(store: Store, blobs: pa.Array) -> local.LocalPairs:
    """The stored pairs of two of these blobs, each once."""
    found = [LOCAL_PAIRS.empty_table()]
    for _, table in store.tables(PAIRS_AT):
        is_here = pc.and_(*(pc.is_in(table[side], value_set=blobs) for side in ("a", "b")))
        found.append(table.filter(pc.and_(is_here, pc.is_valid(table["a"]))))
    pairs = pa.concat_tables(found)
    ends = [pc.index_in(pairs[side], value_set=blobs).to_numpy().astype(np.int64) for side in ("a", "b")]
    low, high = np.minimum(*ends), np.maximum(*ends)
    _, first = np.unique(low * len(blobs) + high, return_index=True)
    return local.LocalPairs(low[first], high[first], pairs["matches"].to_numpy()[first].astype(np.int64))
