"""What a reviewer of copies sees first: the least certain clusters, the closest pairs that were not merged, and why one
copy was kept.
"""

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
_RANKED_BY = (
    "preference",
    "rights_uri",
    "is_annotated",
    "width_px",
    "height_px",
    "bytes",
    "metadata",
    "record_id",
)
_STAGES = 32  # more stages than a recipe may drop copies in, one after the other


class Pair(NamedTuple):
    """Two records, what their comparison found (null: there was none) and a person's verdict (null: there is none)."""

    a: str
    b: str
    relation: str | None
    distance_bits: int | None
    score: float | None
    verdict: str | None
    detail: str | None
    """What the ledger says of a copy; null for a pair that was not merged."""


class Cluster(NamedTuple):
    """Copies of one work: the record that stayed, and as `copies` (copy, record that stayed) those of the others
    shown.
    """

    stays: str
    later: str | None
    """The reason for which a later stage dropped the record that stayed."""
    copies: tuple[Pair, ...]
    more: int


class ReviewSelection(NamedTuple):
    """What the page shows, and how many more clusters and pairs there are."""

    clusters: tuple[Cluster, ...] = ()
    more_clusters: int = 0
    apart: tuple[Pair, ...] = ()
    more_apart: int = 0

    def record_ids(self) -> list[str]:
        """All records that are shown, sorted, each once."""
        pairs = chain(self.apart, *(cluster.copies for cluster in self.clusters))
        return sorted({name for pair in pairs for name in (pair.a, pair.b)})


class _LedgerRows(NamedTuple):
    """The ledger by rank of record_id: which row stays for each, and the first row with the same bytes."""

    rows: pa.Table
    stays: _Rows
    blob: _Rows


class _RecordEdges(NamedTuple):
    """Edges between records of the ledger, as numbers: a, b (ranks), and their rows in the table of edges."""

    row: _Rows
    a: _Rows
    b: _Rows
    score: NDArray[np.float64]
    bits: _Rows
    has_no_verdict: NDArray[np.bool_]


def select_for_review(edges: pa.Table, ledger: pa.Table) -> ReviewSelection:
    """The clusters and pairs of EDGES and LEDGER that the page shows.

    Quick for a million of each; the order of rows changes nothing; empty in, empty out.

    Clusters come from the ledger: a record that was kept, and all that were dropped as copies of it. Those without a
    verdict come first, and of these the ones with the least certain copy: the smallest score against the record that
    was kept (a copy that was joined through another one has no score and comes first), the largest distance, ids. Equal
    bytes are certain. Copies inside a cluster have the same order.

    Pairs that were not merged are edges between two clusters, the closest one for each two: again first those without
    a verdict, then by larger score, smaller distance, ids.
    """
    book = _ledger_rows(ledger)
    looks = _record_edges(edges, book)
    return ReviewSelection(*_clusters(edges, book, looks), *_apart(edges, book, looks))


def why_it_stayed(stays: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> str:
    """The first line of the order of copies by which one record comes before the best of the others, in words.

    Rows have preference (by the recipe's `prefer`), record_id, rights_uri, is_annotated, width_px, height_px, bytes and
    metadata (how many fields say something); null counts as nothing. At least one other. What this order does not
    explain, another rule has decided.

    >>> row = {"preference": 0, "rights_uri": "NOASSERTION", "is_annotated": False, "width_px": 2, "height_px": 2}
    >>> row |= {"bytes": 9, "metadata": 1}
    >>> why_it_stayed({**row, "record_id": "s:b"}, [{**row, "record_id": "s:a", "bytes": 7}])
    'its file is larger: 9 against 7 bytes'
    """
    rows = [stays, *others]
    keys = preference_keys(pa.table({name: [row[name] for row in rows] for name in _RANKED_BY}))
    best = 1 + int(np.lexsort(keys[::-1, 1:])[0])
    other, (mine, its) = rows[best], keys[:, [0, best]].T.tolist()
    reasons = (
        "the recipe prefers it",
        f"its rights are more open: {stays['rights_uri'] or 'none'} against {other['rights_uri'] or 'none'}",
        "people have annotated it",
        f"it has more pixels: {_size(stays)} against {_size(other)}",
        f"its file is larger: {stays['bytes'] or 0:,} against {other['bytes'] or 0:,} bytes",
        f"its record has more fields filled in: {stays['metadata'] or 0} against {other['metadata'] or 0}",
        "everything else is equal, and its record_id is smaller",
    )
    if mine > its:
        return "decided by another rule than the order of copies"
    return next((reason for reason, one, two in zip(reasons, mine, its, strict=True) if one != two), reasons[-1])


def _size(row: Mapping[str, Any]) -> str:
    return f"{row['width_px'] or 0} × {row['height_px'] or 0}"


def _ledger_rows(ledger: pa.Table) -> _LedgerRows:
    rows = ledger.select(["record_id", "kept", "reason", "detail", "kept_record_id", "sha256"])
    rows = rows.take(pc.sort_indices(rows["record_id"]))
    every = np.arange(rows.num_rows)
    is_copy = bools(pc.is_in(rows["reason"], value_set=pa.array([Reason.EXACT_DUPLICATE, Reason.NEAR_DUPLICATE])))
    named = _ranks(rows["kept_record_id"], rows["record_id"])
    stays = np.where(is_copy & (named >= 0), named, every)
    for _ in range(_STAGES.bit_length()):  # what stayed in one stage may be a copy in a later one
        stays = stays[stays]
    blob = np.where(bools(pc.is_valid(rows["sha256"])), _ranks(rows["sha256"], rows["sha256"]), every)
    return _LedgerRows(rows, stays, blob)


def _record_edges(edges: pa.Table, book: _LedgerRows) -> _RecordEdges:
    names = book.rows["record_id"]
    a, b = _ranks(edges["a"], names), _ranks(edges["b"], names)
    row = np.flatnonzero((a >= 0) & (b >= 0) & (a != b))
    score = np.nan_to_num(np.asarray(pc.fill_null(edges["score"], -1.0), np.float64), nan=-1.0)
    bits = np.asarray(pc.fill_null(edges["distance_bits"], _FARTHEST_BITS), np.int64)
    is_unsaid = bools(pc.is_null(edges["verdict"]))
    return _RecordEdges(row, np.minimum(a, b)[row], np.maximum(a, b)[row], score[row], bits[row], is_unsaid[row])


def _clusters(edges: pa.Table, book: _LedgerRows, looks: _RecordEdges) -> tuple[tuple[Cluster, ...], int]:
    copies = np.flatnonzero(book.stays != np.arange(len(book.stays)))
    stays = book.stays[copies]
    is_same = book.blob[copies] == book.blob[stays]
    look = np.where(is_same, -1, _best_edges(book.blob[copies], book.blob[stays], book, looks))
    has_look = look >= 0
    score, bits, is_unsaid = np.where(is_same, 1.0, 0.0), np.where(is_same, 0, _FARTHEST_BITS), ~is_same
    score[has_look], bits[has_look] = looks.score[look[has_look]], looks.bits[look[has_look]]
    is_unsaid[has_look] = looks.has_no_verdict[look[has_look]]
    order = np.lexsort((copies, stays, -bits, score, ~is_unsaid))
    found, first = np.unique(stays[order], return_index=True)
    chosen = found[np.argsort(first)[:MOST_CLUSTERS]]
    clusters = []
    for kept in chosen.tolist():
        members = order[stays[order] == kept]
        pairs = [
            _copy(edges, book, int(copies[at]), kept, int(looks.row[look[at]]) if look[at] >= 0 else None)
            for at in members[:MOST_COPIES].tolist()
        ]
        row = _row(book.rows, kept)
        clusters.append(Cluster(row["record_id"], row["reason"], tuple(pairs), max(0, len(members) - MOST_COPIES)))
    return tuple(clusters), len(found) - len(chosen)


def _copy(edges: pa.Table, book: _LedgerRows, copy: int, kept: int, edge: int | None) -> Pair:
    one, other = _row(book.rows, copy), _row(book.rows, kept)
    names = one["record_id"], other["record_id"]
    if edge is not None:
        return _pair(names, _row(edges, edge), one["detail"])
    if book.blob[copy] == book.blob[kept]:
        return Pair(*names, Relation.SAME_FILE.value, 0, 1.0, None, one["detail"])
    return Pair(*names, None, None, None, None, one["detail"])


def _apart(edges: pa.Table, book: _LedgerRows, looks: _RecordEdges) -> tuple[tuple[Pair, ...], int]:
    places = np.flatnonzero(book.stays[looks.a] != book.stays[looks.b])
    a, b, is_unsaid = looks.a[places], looks.b[places], looks.has_no_verdict[places]
    between = pair_numbers(book.stays[a], book.stays[b], len(book.stays))
    is_settled = np.isin(between, between[~is_unsaid])  # what is said of two copies is said of their works
    order = np.lexsort((b, a, looks.bits[places], -looks.score[places], is_unsaid, is_settled))
    _, first = np.unique(between[order], return_index=True)
    chosen = places[order[np.sort(first)[:MOST_PAIRS]]]
    pairs = []
    for place in chosen.tolist():
        names = (_row(book.rows, int(end[place]))["record_id"] for end in (looks.a, looks.b))
        pairs.append(_pair((next(names), next(names)), _row(edges, int(looks.row[place])), None))
    return tuple(pairs), len(first) - len(chosen)


def _best_edges(one: _Rows, other: _Rows, book: _LedgerRows, looks: _RecordEdges) -> _Rows:
    """For each two blobs the place of the best edge between any records of them; -1 where there is none.

    An edge stands for all records of its two blobs (EDGES names their first ones). Best: by a person's word, then by
    larger score, smaller distance, ids.
    """
    size = len(book.blob)
    keys = pair_numbers(book.blob[looks.a], book.blob[looks.b], size)
    order = np.lexsort((looks.b, looks.a, looks.bits, -looks.score, looks.has_no_verdict, keys))
    known, first = np.unique(keys[order], return_index=True)
    if not len(known):
        return np.full(len(one), -1)
    wanted = pair_numbers(one, other, size)
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[at] == wanted, order[first[at]], -1)


def _pair(names: tuple[str, str], edge: Mapping[str, Any], detail: str | None) -> Pair:
    return Pair(*names, edge["relation"], edge["distance_bits"], edge["score"], edge["verdict"], detail)


def _row(table: pa.Table, row: int) -> dict[str, Any]:
    return dict(table.slice(row, 1).to_pylist()[0])


def _ranks(values: pa.ChunkedArray, among: pa.ChunkedArray) -> _Rows:
    """Where each value first stands among others; -1 where it does not."""
    return np.asarray(pc.fill_null(pc.index_in(values, value_set=among), -1), np.int64)
