"""Pairs of images of which one shows a part of the other, by keypoints; what was compared before is in the store."""

import hashlib
import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.errors import BadInput, DamagedFile
from schemas.manifests import Context, TableRef
from schemas.tables import KEYPOINTS, LOCAL_NEAR, LOCAL_PAIRS
from tasks.core import tables
from tasks.core.dedup import local, local_lists
from tasks.core.dedup.sizes import LEVEL_SCALE
from tasks.dedup.stored_keypoints import KEY, KEYPOINTS_AT, galleries, keypoint_places, whole_gallery
from tasks.engine import runs
from tasks.engine import thumbnails as stored_thumbnails
from tasks.engine.cache_keys import cache_key, code_digest
from tasks.engine.parts import run_in_parts
from tasks.io.images import keypoints
from tasks.io.store.layout import measure_folder, outcome_folder
from tasks.io.store.store import Store
from tasks.orchestration import retries
from tasks.orchestration.late_imports import imports_before

CODE = code_digest(local_lists)
_KERNELS = ("tasks.core.dedup.list_kernels",)
_FEW_PICTURES, _RANGES, _MOST_PICTURES = 2**10, 8, 2**14
"""A range of pictures, whose pairs are counted in one part, has some so few at the least and so many at the most;
between them there are eight ranges."""


class _Search(NamedTuple):
    """A collection as the parts of its search see it.

    places: KEYPOINT_PLACES, in the order of the pictures' numbers. ranges: how many there are. key: of the collection
    and its ranges.
    """

    places: TableRef
    ranges: int
    key: str

    def near_folders(self, number: int, sectors: Iterable[int] = local_lists.SECTORS) -> list[str]:
        """Where the near keypoints of a range lie, a folder for each list of these sectors."""
        names = [f"{sector}-{of_sector}" for sector in sectors for of_sector in local_lists.lists_of(sector)]
        return [measure_folder("local-near", self.key, str(number), name) for name in names]

    @property
    def bounds(self) -> NDArray[np.int64]:
        """(ranges + 1,) the first picture of each range, and the number of all pictures."""
        return np.arange(self.ranges + 1) * self.places.rows // self.ranges


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
def sift_part(sectors: pa.Table, search: _Search, context: Context) -> None:
    """Find the near keypoints of some sectors, and store them by ranges of pictures."""
    store = runs.store_of(context)
    places = store.read_table(search.places)
    for sector in sectors["sector"].to_pylist():
        codes = local_lists.codes_of_sector(sector, galleries(store, places))
        folders = [search.near_folders(number, [sector]) for number in range(search.ranges)]
        for place, of_sector in enumerate(local_lists.lists_of(sector)):
            near = local_lists.near_in_list(of_sector, codes)
            bounds = itertools.pairwise(local_lists.starts_in(near, search.bounds))
            for number, (start, stop) in enumerate(bounds):
                of_range = pa.table([near[start:stop]], schema=LOCAL_NEAR)
                store.write_table(folders[number][place], of_range, is_remembered=False)


@task(cache_policy=NO_CACHE, **retries.RETRY_IO)
@imports_before(*_KERNELS)
def count_part(ranges: pa.Table, search: _Search, into: str, context: Context) -> None:
    """Count the places that the pictures of some ranges share with others, and store the pairs that share enough."""
    store = runs.store_of(context)
    places = store.read_table(search.places)
    for number in ranges["range"].to_pylist():
        folders = search.near_folders(number)
        stored = [near for near in (_near(store, folder) for folder in folders) if near is not None]
        if (lost := len(folders) - len(stored)) and number in _stored_pairs(store, into):
            continue  # another build of the same collection was faster, and has removed them
        if lost:
            raise DamagedFile(f"expected near keypoints of {len(folders)} lists, got none of {lost}")
        pairs = local_lists.pairs_in_lists(stored)
        first, stop = search.bounds[number : number + 2].tolist()
        _store_pairs(store, into, number, places["sha256"], _count(store, places, pairs, (first, stop)))


def local_pairs(blobs: pa.Array, context: Context, label: str) -> local.LocalPairs | None:
    """All pairs of blobs, by their places in a sorted array, that share enough places; None: a plan can't say yet.

    They are those of this collection, since among more pictures chance is left out sooner: what was built before plays
    no part, and a collection with one picture more is searched anew. Raises BadInput for more images than can be
    numbered.
    """
    if len(blobs) > local_lists.MOST_PICTURES:
        raise BadInput(f"{label}: expected at most {local_lists.MOST_PICTURES} images for local, got {len(blobs)}")
    store = runs.store_of(context)
    ranges = max(min(_RANGES, -(-len(blobs) // _FEW_PICTURES)), -(-len(blobs) // _MOST_PICTURES))
    digest = hashlib.sha256("".join(blobs.to_pylist()).encode()).hexdigest()
    key = cache_key(of=KEY, code=CODE, blobs=digest, ranges=ranges)
    into = measure_folder("local-pairs", key)
    todo = sorted(set(range(ranges)) - _stored_pairs(store, into).keys())
    if todo and context.plan and (ranges > 1 or len(keypoint_places(store, blobs)) < len(blobs)):
        return None
    if todo or not context.plan:  # keypoints also where all pairs are known: some may still have to be compared
        places = ensure_keypoints(blobs, context, label)
    if todo and ranges == 1:
        _store_pairs(store, into, 0, blobs, local_lists.matches_within(whole_gallery(store, places)))
    elif todo:
        at = store.write_table(outcome_folder("local-places"), places, is_remembered=False)
        _search(_Search(at, ranges, key), todo, into, context, label)
    stored = _stored_pairs(store, into)
    if lost := len(set(range(ranges)) - stored.keys()):
        raise AssertionError(f"expected the pairs of {ranges} ranges of pictures, got none of {lost}")
    pairs = pa.concat_tables([LOCAL_PAIRS.empty_table(), *stored.values()]).drop_null()
    a, b = (pc.index_in(pairs[side], value_set=blobs).to_numpy().astype(np.int64) for side in ("a", "b"))
    return local.LocalPairs(a, b, pairs["matches"].to_numpy())


def _search(search: _Search, todo: list[int], into: str, context: Context, label: str) -> None:
    """Search the lists of all sectors, and count the pairs of those ranges; each a task."""
    store, one_a_part = runs.store_of(context), context.model_copy(update={"part_rows": 1})
    sectors = [
        sector
        for sector in local_lists.SECTORS
        if any(_near(store, folder) is None for number in todo for folder in search.near_folders(number, [sector]))
    ]
    run_in_parts(sift_part, pa.table({"sector": sectors}), (search,), one_a_part, f"{label} · places")
    run_in_parts(count_part, pa.table({"range": todo}), (search, into), one_a_part, f"{label} · places in common")
    for folder in [folder for number in range(search.ranges) for folder in search.near_folders(number)]:
        for name in store.list_folder(folder):
            store.remove(f"{folder}/{name}")


def ensure_keypoints(blobs: pa.Array, context: Context, label: str) -> pa.Table:
    """KEYPOINT_PLACES of the blobs, in their order; keypoints are found first where they are missing."""
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


def _near(store: Store, folder: str) -> NDArray[np.uint64] | None:
    """What is stored of one range and list; None where nothing is."""
    return next((table["near"].to_numpy() for _, table in store.tables(folder)), None)


def _count(store: Store, places: pa.Table, pairs: NDArray[np.int64], of: tuple[int, int]) -> local.LocalPairs:
    """Those of the pairs (P, 2) that share enough places. of: the first picture on the left, and the one after all."""
    left = whole_gallery(store, places.slice(of[0], of[1] - of[0]))
    matches, place_of = np.zeros(len(pairs), np.int64), np.full(places.num_rows, -1)
    for numbers, right in galleries(store, places):
        place_of[:] = -1
        place_of[numbers] = np.arange(len(numbers))
        here = np.flatnonzero(place_of[pairs[:, 1]] >= 0)
        ends = np.stack([pairs[here, 0] - of[0], place_of[pairs[here, 1]]], axis=1)
        matches[here] = local_lists.count_shared(left, right, ends)
    is_enough = matches >= local.LEAST_MATCHES
    return local.LocalPairs(pairs[is_enough, 0], pairs[is_enough, 1], matches[is_enough])


def _store_pairs(
    store: Store, into: str, number: int, blobs: pa.Array | pa.ChunkedArray, found: local.LocalPairs
) -> None:
    # a first row without a pair, which counts the pairs: a range in which nothing is alike is done, too
    first = pa.table([[number], [None], [None], [len(found.a)]], schema=LOCAL_PAIRS)
    ends = [blobs.take(pa.array(side)) for side in (found.a, found.b)]
    rows = pa.table([pa.repeat(number, len(found.a)), *ends, found.matches], schema=LOCAL_PAIRS)
    store.write_table(into, pa.concat_tables([first, rows]))


def _stored_pairs(store: Store, folder: str) -> dict[int, pa.Table]:
    """LOCAL_PAIRS of each range that are all there: a purge takes some of them, and the picture may come back."""
    found = {}
    for _, table in store.tables(folder):
        if table["a"].null_count == 1 and table["matches"][0].as_py() == table.num_rows - 1:
            found[table["range"][0].as_py()] = table
    return dict(sorted(found.items()))
