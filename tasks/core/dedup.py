"""Which images are copies of each other, and which one of them stays."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.reasons import Reason
from schemas.stages import Dedup
from schemas.tables import DEDUP
from tasks.core import tables
from tasks.core.components import smallest_connected

COLUMNS = ("record_id", "sha256", "phash", "rights_uri", "is_annotated", "width_px", "height_px", "bytes", "metadata")
_BLOCK = 2048


def near_pairs(hashes: NDArray[np.uint64], radius_bits: int) -> NDArray[np.int64]:
    """Pairs (i, j), i < j, whose 64-bit hashes differ in at most `radius_bits`.

    hashes: (N,). Returns (P, 2), sorted. Exact, by comparing all: N^2 / 2 comparisons, memory bounded by a block.

    >>> near_pairs(np.array([0, 7, 1], np.uint64), 2).tolist()
    [[0, 2], [1, 2]]
    """
    found = [np.empty((0, 2), np.int64)]
    for start in range(0, len(hashes), _BLOCK):
        block = hashes[start : start + _BLOCK, None]
        left, right = np.nonzero(np.bitwise_count(block ^ hashes[None, start:]) <= radius_bits)
        pairs = np.stack([left, right], axis=1) + start
        found.append(pairs[pairs[:, 0] < pairs[:, 1]])
    return np.concatenate(found)


def decide(view: pa.Table, settings: Dedup) -> pa.Table:
    """DEDUP outcome of a view with COLUMNS (`metadata`: how many fields of the record say something).

    Images are copies if their bytes are equal or their hashes lie within the radius. Going from the most to the least
    preferable (`preference`), an image stays unless a copy of it already does: so each drop names a record that stays
    and is itself a copy of it, never just a copy of a copy. `group_id` is wider: the smallest record_id that chains of
    copies lead to, so that what they join lies in one split.
    """
    names = view["record_id"].to_pylist()
    order = preference(view)
    hashes, node_of = np.unique(view["phash"].to_numpy(), return_inverse=True)
    pairs = near_pairs(hashes, settings.radius_bits)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    best = _best_of_nodes(order, node_of, len(hashes))
    stays_by = _staying(best, rank, hashes, pairs)
    kept_row = best[stays_by[node_of]]
    groups = smallest_connected(names, node_of, pairs)
    rows = [_verdict(view, hashes[node_of], row, int(kept_row[row]), names) for row in range(len(names))]
    return tables.outcome(
        DEDUP, view["record_id"], reason=[row[0] for row in rows], detail=[row[1] for row in rows],
        kept_record_id=[row[2] for row in rows], group_id=groups,
    )  # fmt: skip


def preference(view: pa.Table) -> NDArray[np.int64]:
    """Row indices, the copy that one would rather keep first.

    By: open rights (public domain, then Creative Commons or rightsstatements.org, then NOASSERTION), annotated by
    people, more pixels, more bytes (less compressed), more metadata, smaller record_id.
    """
    openness = np.array([_openness(uri) for uri in view["rights_uri"].to_pylist()], np.int64)
    pixels = view["width_px"].to_numpy().astype(np.int64) * view["height_px"].to_numpy()
    by_name = np.argsort(np.argsort(np.array(view["record_id"].to_pylist(), dtype=object), kind="stable"))
    return np.lexsort(
        (
            by_name,
            -view["metadata"].to_numpy(),
            -view["bytes"].to_numpy(),
            -pixels,
            ~_bools(view["is_annotated"]),
            openness,
        )
    )


def _openness(uri: str) -> int:
    if "/publicdomain/" in uri:
        return 0
    return 1 if uri.startswith("http") else 2


def _bools(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    return np.asarray(column.to_numpy(), dtype=np.bool_)


def _best_of_nodes(order: NDArray[np.int64], node_of: NDArray[np.int64], nodes: int) -> NDArray[np.int64]:
    """(nodes,) the most preferable row of each distinct hash."""
    best = np.empty(nodes, np.int64)
    best[node_of[order[::-1]]] = order[::-1]  # written from the least preferable on: the last one written is the best
    return best


def _staying(
    best: NDArray[np.int64], rank: NDArray[np.int64], hashes: NDArray[np.uint64], pairs: NDArray[np.int64]
) -> NDArray[np.int64]:
    """(nodes,) the node that stays for each node: itself, or the nearest staying neighbour."""
    neighbours: dict[int, list[int]] = {}
    for left, right in pairs.tolist():
        neighbours.setdefault(left, []).append(right)
        neighbours.setdefault(right, []).append(left)
    stays_by = np.arange(len(best))
    for node in sorted(neighbours, key=lambda node: int(rank[best[node]])):
        staying = [near for near in neighbours[node] if stays_by[near] == near and rank[best[near]] < rank[best[node]]]
        if staying:
            stays_by[node] = min(
                staying, key=lambda near: (int(np.bitwise_count(hashes[near] ^ hashes[node])), int(rank[best[near]]))
            )
    return stays_by


def _verdict(
    view: pa.Table, hashes: NDArray[np.uint64], row: int, stays: int, names: list[str]
) -> tuple[str | None, str | None, str | None]:
    if row == stays:
        return None, None, None
    if view["sha256"][row] == view["sha256"][stays]:
        return Reason.EXACT_DUPLICATE, "same bytes", names[stays]
    distance = int(np.bitwise_count(hashes[row] ^ hashes[stays]))
    return Reason.NEAR_DUPLICATE, f"pHash {distance} bits apart", names[stays]
