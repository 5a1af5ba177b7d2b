"""What a reviewer of copies sees first: the least certain clusters, the closest other pairs, why one copy was kept."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.reasons import Reason
from schemas.relations import Relation
from tasks.core.columns import bools
from tasks.core.dedup.groups import pair_numbers
from tasks.core.dedup.preferences import preference_keys

MOST_CLUSTERS = 24
MOST_COPIES = 8
MOST_PAIRS = 24
"""Few enough to send the page by mail, and to look through in one sitting."""

_Rows = NDArray[np.int64]
_FARTHEST_BITS = 65
_RANKED_BY = ("preference", "rights_uri", "is_annotated", "width_px", "height_px", "bytes", "metadata", "record_id")
_FOUND = ("relation", "distance_bits", "score", "verdict")
_STAGES = 32  # more stages than a recipe may drop copies in, one after the other


class RecordPair(NamedTuple):
    """Two records, what their comparison found (null: there was none) and a person's verdict (null: there is none)."""

    a: str
    b: str
    relation: str | None
    distance_bits: int | None
    score: float | None
    verdict: str | None
    detail: str | None  # what the ledger says of a copy; null for a pair that was not merged


class Cluster(NamedTuple):
    """Copies of one work: the record that stayed, and, of the others, those shown as (copy, record that stayed)."""

    stays: str
    later: str | None  # the reason for which a later stage dropped the record that stayed
    copies: tuple[RecordPair, ...]
    more: int


class ReviewSelection(NamedTuple):
    """What the page shows, and how many more clusters and pairs there are."""

    clusters: tuple[Cluster, ...] = ()
    more_clusters: int = 0
    apart: tuple[RecordPair, ...] = ()
    more_apart: int = 0

    def record_ids(self) -> list[str]:
        """All records that are shown, sorted, each once."""
        pairs = chain(self.apart, *(cluster.copies for cluster in self.clusters))
        return sorted({name for pair in pairs for name in (pair.a, pair.b)})


def select_for_review(edges: pa.Table, ledger: pa.Table) -> ReviewSelection:
    """The clusters and pairs of EDGES and LEDGER that the page shows; the order of rows changes nothing.

    Clusters: each record that was kept, with all that were dropped as its copies. Those without a verdict come first,
    and of these the ones with the least certain copy: the smallest score against the record that was kept (a copy that
    was joined through another one has none and comes first), the largest distance, ids. Equal bytes are certain. Copies
    inside a cluster have the same order. Pairs that were not merged: the closest edge between each two clusters, first
    those without a verdict, then by larger score, smaller distance, ids.
    """
    review = _Review(edges, ledger)
    return ReviewSelection(*review.clusters(), *review.apart())


def why_it_stayed(stays: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> str:
    """The first line of the order of copies by which one record comes before the best of the others, in words.

    Rows have _RANKED_BY: preference by the recipe's `prefer`, metadata: how many fields say something; null counts as
    nothing. At least one other. What this order does not explain, another rule has decided.

    >>> row = {"preference": 0, "rights_uri": "NOASSERTION", "is_annotated": False, "width_px": 2, "height_px": 2}
    >>> row |= {"bytes": 9, "metadata": 1}
    >>> why_it_stayed({**row, "record_id": "s:b"}, [{**row, "record_id": "s:a", "bytes": 7}])
    'its file is larger: 9 against 7 bytes'
    """
    rows = [stays, *others]
    keys = preference_keys(pa.table({name: [row[name] for row in rows] for name in _RANKED_BY}))
    best = 1 + int(np.lexsort(keys[::-1, 1:])[0])
    other, (mine, its) = rows[best], keys[:, [0, best]].T.tolist()
    size, its_size = (f"{row['width_px'] or 0} × {row['height_px'] or 0}" for row in (stays, other))
    reasons = (
        "the recipe prefers it",
        f"its rights are more open: {stays['rights_uri'] or 'none'} against {other['rights_uri'] or 'none'}",
        "people have annotated it",
        f"it has more pixels: {size} against {its_size}",
        f"its file is larger: {stays['bytes'] or 0:,} against {other['bytes'] or 0:,} bytes",
        f"its record has more fields filled in: {stays['metadata'] or 0} against {other['metadata'] or 0}",
        "everything else is equal, and its record_id is smaller",
    )
    if mine > its:
        return "decided by another rule than the order of copies"
    return next((reason for reason, one, two in zip(reasons, mine, its, strict=True) if one != two), reasons[-1])


class _Review:
    """The ledger by rank of record_id, and the edges between its records as numbers.

    stays: which row stays for each; blob: the first row with the same bytes; a < b: ranks of the edges' records.
    """

    def __init__(self, edges: pa.Table, ledger: pa.Table) -> None:
        rows = ledger.select(["record_id", "kept", "reason", "detail", "kept_record_id", "sha256"])
        rows = self.rows = rows.take(pc.sort_indices(rows["record_id"]))
        every = np.arange(rows.num_rows)
        is_copy = bools(pc.is_in(rows["reason"], value_set=pa.array([Reason.EXACT_DUPLICATE, Reason.NEAR_DUPLICATE])))
        named = _ranks(rows["kept_record_id"], rows["record_id"])
        self.stays = np.where(is_copy & (named >= 0), named, every)
        for _ in range(_STAGES.bit_length()):  # what stayed in one stage may be a copy in a later one
            self.stays = self.stays[self.stays]
        self.blob = np.where(bools(pc.is_valid(rows["sha256"])), _ranks(rows["sha256"], rows["sha256"]), every)
        pairs = np.stack([_ranks(edges[end], rows["record_id"]) for end in ("a", "b")])
        is_known = (pairs[0] >= 0) & (pairs[1] >= 0) & (pairs[0] != pairs[1])
        self.a, self.b = np.sort(pairs[:, is_known], axis=0)
        self.edges = edges.select(_FOUND).filter(pa.array(is_known))
        self.score = np.nan_to_num(np.asarray(pc.fill_null(self.edges["score"], -1.0), np.float64), nan=-1.0)
        self.bits = np.asarray(pc.fill_null(self.edges["distance_bits"], _FARTHEST_BITS), np.int64)
        self.has_no_verdict = bools(pc.is_null(self.edges["verdict"]))

    def clusters(self) -> tuple[tuple[Cluster, ...], int]:
        copies = np.flatnonzero(self.stays != np.arange(len(self.stays)))
        stays = self.stays[copies]
        is_same = self.blob[copies] == self.blob[stays]
        edge = np.where(is_same, -1, self._best_edges(self.blob[copies], self.blob[stays]))
        # without an edge what is appended counts
        score = np.where(is_same, 1.0, np.append(self.score, 0.0)[edge])
        bits = np.where(is_same, 0, np.append(self.bits, _FARTHEST_BITS)[edge])
        is_unsaid = ~is_same & np.append(self.has_no_verdict, True)[edge]
        order = np.lexsort((copies, stays, -bits, score, ~is_unsaid))
        found, first = np.unique(stays[order], return_index=True)
        chosen = found[np.argsort(first)[:MOST_CLUSTERS]]
        clusters = []
        for kept in chosen.tolist():
            members = order[stays[order] == kept]
            shown = members[:MOST_COPIES]
            pairs = [self._pair(*ends) for ends in zip(copies[shown], stays[shown], edge[shown], strict=True)]
            row = _row(self.rows, kept)
            clusters.append(Cluster(row["record_id"], row["reason"], tuple(pairs), len(members) - len(shown)))
        return tuple(clusters), len(found) - len(chosen)

    def apart(self) -> tuple[tuple[RecordPair, ...], int]:
        places = np.flatnonzero(self.stays[self.a] != self.stays[self.b])
        a, b, is_unsaid = self.a[places], self.b[places], self.has_no_verdict[places]
        between = pair_numbers(self.stays[a], self.stays[b], len(self.stays))
        is_settled = np.isin(between, between[~is_unsaid])  # what is said of two copies is said of their works
        order = np.lexsort((b, a, self.bits[places], -self.score[places], is_unsaid, is_settled))
        _, first = np.unique(between[order], return_index=True)
        chosen = places[order[np.sort(first)[:MOST_PAIRS]]]
        pairs = (self._pair(self.a[place], self.b[place], place)._replace(detail=None) for place in chosen)
        return tuple(pairs), len(first) - len(chosen)

    def _best_edges(self, one: _Rows, other: _Rows) -> _Rows:
        """For each two blobs the place of the best edge between any records of them; -1 where there is none.

        An edge stands for all records of its two blobs (EDGES names their first ones). Best: by a person's word, then
        by larger score, smaller distance, ids.
        """
        size = len(self.blob)
        keys = pair_numbers(self.blob[self.a], self.blob[self.b], size)
        order = np.lexsort((self.b, self.a, self.bits, -self.score, self.has_no_verdict, keys))
        known, first = np.unique(keys[order], return_index=True)
        if not len(known):
            return np.full(len(one), -1)
        wanted = pair_numbers(one, other, size)
        at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        return np.where(known[at] == wanted, order[first[at]], -1)

    def _pair(self, one: int, other: int, edge: int) -> RecordPair:
        """A pair of rows with what an edge says; -1: there is none, but two rows of one blob are one file."""
        row, other_row = _row(self.rows, one), _row(self.rows, other)
        found: dict[str, Any] = dict.fromkeys(_FOUND)
        if edge >= 0:
            found = _row(self.edges, edge)
        elif self.blob[one] == self.blob[other]:
            found |= {"relation": Relation.SAME_FILE.value, "distance_bits": 0, "score": 1.0}
        return RecordPair(row["record_id"], other_row["record_id"], **found, detail=row["detail"])


def _row(table: pa.Table, row: int) -> dict[str, Any]:
    return dict(table.slice(row, 1).to_pylist()[0])


def _ranks(values: pa.ChunkedArray, among: pa.ChunkedArray) -> _Rows:
    """Where each value first stands among others; -1 where it does not."""
    return np.asarray(pc.fill_null(pc.index_in(values, value_set=among), -1), np.int64)
