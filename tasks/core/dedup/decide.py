"""Which images are copies of each other, which one of them stays, and what lies in one split."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.draw import SPLITS
from schemas.reasons import Reason
from schemas.relations import APART, VERDICTS, Relation
from schemas.stages import Dedup
from schemas.tables import DEDUP, EDGES
from tasks.core import tables
from tasks.core.components import connected
from tasks.core.dedup.groups import Pairs, clusters

COLUMNS = (
    "record_id",
    "sha256",
    "rights_uri",
    "is_annotated",
    "width_px",
    "height_px",
    "bytes",
    "metadata",
    "is_second",
)

_MEASURED = pa.schema([("key", pa.int64()), *(EDGES.field(name) for name in ("relation", "distance_bits", "score"))])
_SPOKEN = pa.schema([("key", pa.int64()), EDGES.field("verdict")])
_Rows = NDArray[np.int64]
_Mask = NDArray[np.bool_]


class _Ties(NamedTuple):
    """What each pair is: copies by a person's word, copies by the second look, two works, or to lie in one split."""

    is_told: _Mask
    is_accepted: _Mask
    is_apart: _Mask
    is_bound: _Mask


def decide(view: pa.Table, relations: pa.Table, verdicts: pa.Table, settings: Dedup) -> tuple[pa.Table, pa.Table]:
    """DEDUP outcome of a view with COLUMNS, in its order, and EDGES: each pair that was looked at, and what came of it.

    view: `metadata` is how many fields of the record say something; `is_second`: it stays only where no other of its
    copies can (`seconds`). relations: a, b (SHA-256), relation, distance_bits, score; each unordered pair once.
    verdicts: a, b (record_id), verdict. What names a blob or a record that is not in the view is passed over. Empty in,
    empty out; the order of rows changes nothing else.

    Records of equal bytes are one. Pairs of a relation that it drops are joined,
    pairs of two works are kept apart (`clusters`). Of a cluster the most preferable record stays, and all others name
    it. A person's word stands in place of what was measured: `copy` joins for good, `different` keeps apart, `related`
    does neither; but equal bytes are one whatever is said. `group_id` is the smallest record_id that is connected by
    copies, by relations that the recipe drops or binds, and by `related`.

    Raises ValueError for a verdict of another word and for a pair of blobs that comes twice.
    """
    order = pc.sort_indices(view["record_id"])  # from here on a row's number is its record_id's rank
    rows = view.select(COLUMNS).take(order)
    every, blob = np.arange(len(order)), _ints(pc.index_in(rows["sha256"], value_set=rows["sha256"]))
    pairs = _pairs(rows["sha256"], blob, relations, _spoken(rows["record_id"], blob, verdicts))
    ends, ties = _ends(pairs), _ties(pairs, settings)
    firm = np.concatenate([np.stack([every, blob], axis=1), ends[ties.is_told]])
    cluster = clusters(len(order), firm, ends[_strongest_first(pairs, ties.is_accepted)], ends[ties.is_apart])
    group = connected(len(order), np.concatenate([ends[ties.is_bound], np.stack([every, cluster], axis=1)]))
    is_joined = cluster[ends[:, 0]] == cluster[ends[:, 1]]
    links = pairs.take(_strongest_first(pairs, (ties.is_told | ties.is_accepted) & is_joined))
    stays = _best_of_each(cluster, preference(rows))
    outcome = _outcome(rows["record_id"], blob, stays, group, links)
    edges = [rows["record_id"].take(pairs["a"]), rows["record_id"].take(pairs["b"]), *pairs.columns[2:], is_joined]
    return outcome.take(np.argsort(order)), pa.table(edges, schema=EDGES)


def seconds(group_id: pa.ChunkedArray, published: pa.ChunkedArray, role: pa.ChunkedArray) -> _Mask:
    """(N,) which records of a group may stay only where no other copy can, or they would take the place of one that
    must not go.

    Those that were published in a split of lower rank (train < val < test) than another of their group: `split` will
    drop them, and no copy would be left. And queries in a group that has an image of the gallery: that one hangs.
    """
    rank = _ints(pc.fill_null(pc.index_in(published, value_set=pa.array(SPLITS)), -1))
    group = _ints(group_id.combine_chunks().dictionary_encode().indices)
    highest, hangs = np.full(len(group), -1), np.zeros(len(group), np.bool_)
    np.maximum.at(highest, group, rank)
    hangs[group[_bools(pc.fill_null(pc.equal(role, "gallery"), False))]] = True
    is_query = _bools(pc.fill_null(pc.equal(role, "query"), False))
    return ((rank >= 0) & (rank < highest[group])) | (is_query & hangs[group])


def evidence(measured: pa.Table) -> pa.Table:
    """Of pairs (a, b, view, relation ...) those that say something to the decision, in their order; without `view`.

    That one is no crop of the other, as they were laid, does not say that they are two works: that is for the whole,
    view 0.
    """
    is_apart = pc.is_in(measured["relation"], value_set=pa.array(sorted(APART), pa.string()))
    says = pc.and_(pc.is_valid(measured["relation"]), pc.or_(pc.equal(measured["view"], 0), pc.invert(is_apart)))
    return measured.filter(says).drop_columns("view")


def preference(view: pa.Table) -> _Rows:
    """Row indices, the copy that one would rather keep first.

    By: what may stay (`seconds`), open rights (public domain, then Creative Commons or rightsstatements.org, then
    NOASSERTION), annotated by people, more pixels, more bytes (less compressed), more metadata, smaller record_id.
    """
    uris = view["rights_uri"]
    is_open, is_stated = _bools(pc.match_substring(uris, "/publicdomain/")), _bools(pc.starts_with(uris, "http"))
    return np.lexsort(
        (
            _ints(pc.rank(view["record_id"], tiebreaker="first")),
            -_ints(view["metadata"]),
            -_ints(view["bytes"]),
            -_ints(view["width_px"]) * _ints(view["height_px"]),
            ~_bools(view["is_annotated"]),
            np.where(is_open, 0, np.where(is_stated, 1, 2)),
            _bools(view["is_second"]),
        )
    )


def _spoken(names: pa.ChunkedArray, blob: _Rows, verdicts: pa.Table) -> pa.Table:
    """_SPOKEN: what people said of pairs of blobs, each pair once; inside one blob, of pairs of its rows."""
    unknown = [word for word in pc.unique(verdicts["verdict"]).to_pylist() if word not in VERDICTS]
    if unknown:
        raise ValueError(f"expected a verdict of {', '.join(VERDICTS)}, got {unknown[0]!r}")
    a, b, present = _present(names, verdicts)
    is_one = blob[a] == blob[b]
    keys = _keys(np.where(is_one, a, blob[a]), np.where(is_one, b, blob[b]), len(blob))
    said: dict[int, int] = {}
    for key, word in zip(keys.tolist(), present["verdict"].to_pylist(), strict=True):
        said[key] = max(VERDICTS.index(word), said.get(key, 0))
    return pa.table([list(said), [VERDICTS[word] for word in said.values()]], schema=_SPOKEN)


def _pairs(sha256: pa.ChunkedArray, blob: _Rows, relations: pa.Table, spoken: pa.Table) -> pa.Table:
    """EDGES up to the verdict, sorted, but a and b are rows: what was measured of two blobs is said of their first
    ones.

    A blob's further rows are paired with its first alone: all pairs of them would grow as their number's square.
    """
    size = len(blob)
    a, b, present = _present(sha256, relations)
    looked_at = pa.table([_keys(a, b, size), *present.select(_MEASURED.names[1:]).columns], names=_MEASURED.names)
    told = _ints(spoken["key"])
    further = np.flatnonzero(blob != np.arange(size))
    same = np.union1d(_keys(blob[further], further, size), told[blob[told // size] == blob[told % size]])
    files = [same, pa.repeat(Relation.SAME_FILE.value, len(same)), np.zeros(len(same), np.int16), np.ones(len(same))]
    measured = pa.concat_tables([looked_at.cast(_MEASURED), pa.table(files, schema=_MEASURED)])
    unseen = spoken.filter(pc.invert(pc.is_in(spoken["key"], value_set=measured["key"])))
    pairs = pa.concat_tables([measured, unseen.select(["key"])], promote_options="default").sort_by("key")
    key = _ints(pairs["key"])
    if not np.all(key[1:] > key[:-1]):
        raise ValueError("expected each pair of blobs once, got one of them twice")
    verdict = tables.lookup(spoken, "key", pairs["key"])["verdict"]
    columns = {name: pairs[name] for name in _MEASURED.names[1:]}
    return pa.table({"a": key // size, "b": key % size, **columns, "verdict": verdict})


def _present(values: pa.ChunkedArray, pairs: pa.Table) -> tuple[_Rows, _Rows, pa.Table]:
    """The first rows of a and of b of each pair of two different values that are both there, and these pairs."""
    # at once: all values are hashed once
    both = pa.chunked_array([*pairs["a"].chunks, *pairs["b"].chunks], values.type)
    place = pc.index_in(both, value_set=values)
    a, b = place.slice(0, len(pairs)), place.slice(len(pairs))
    is_pair = pc.fill_null(pc.not_equal(a, b), False)
    return _ints(a.filter(is_pair)), _ints(b.filter(is_pair)), pairs.filter(is_pair)


def _keys(a: _Rows, b: _Rows, size: int) -> _Rows:
    """One number for each unordered pair, in the order of (smaller, larger)."""
    return np.minimum(a, b) * size + np.maximum(a, b)


def _ends(pairs: pa.Table) -> Pairs:
    return np.stack([_ints(pairs["a"]), _ints(pairs["b"])], axis=1)


def _ties(pairs: pa.Table, settings: Dedup) -> _Ties:
    """Same files are copies by being one blob: they are not among those accepted."""
    dropped, unsaid = set(settings.drop_relations), _bools(pc.is_null(pairs["verdict"]))

    def is_any(column: str, words: Iterable[str]) -> _Mask:
        return _bools(pc.is_in(pairs[column], value_set=pa.array(sorted(words), pa.string())))

    return _Ties(
        is_told=is_any("verdict", ["copy"]),
        is_accepted=unsaid & is_any("relation", dropped - {Relation.SAME_FILE}),
        is_apart=is_any("verdict", ["different"]) | (unsaid & is_any("relation", APART)),
        is_bound=is_any("verdict", ["copy", "related"])
        | (unsaid & is_any("relation", dropped | set(settings.bind_relations))),
    )


def _strongest_first(pairs: pa.Table, is_chosen: _Mask) -> _Rows:
    """The chosen pairs: by a person's word, then by smaller distance, larger score, ids."""
    chosen = np.flatnonzero(is_chosen)
    unsaid = _bools(pc.is_null(pairs["verdict"]))
    distance, score = _ints(pc.fill_null(pairs["distance_bits"], 0)), pc.fill_null(pairs["score"], 0.0).to_numpy()
    return chosen[np.lexsort((-score[chosen], distance[chosen], unsaid[chosen]))]


def _best_of_each(cluster: _Rows, order: _Rows) -> _Rows:
    """For each row the most preferable one of its cluster."""
    best = np.empty(len(order), np.int64)
    best[cluster[order[::-1]]] = order[::-1]  # written from the least preferable on: the last one written is the best
    return best[cluster]


def _outcome(names: pa.ChunkedArray, blob: _Rows, stays: _Rows, group: _Rows, links: pa.Table) -> pa.Table:
    """DEDUP outcome of the rows, of which stays[row] stays for each."""
    is_dropped, is_same = stays != np.arange(len(stays)), blob[stays] == blob
    is_near = is_dropped & ~is_same
    gone, which = np.unique(blob[is_near], return_inverse=True)
    texts = _details(names, gone, blob[stays], links)
    place = np.full(len(stays), len(texts))
    place[is_near] = which
    detail = pa.array([*texts, "same bytes"], pa.string()).take(pa.array(place, mask=~is_dropped))
    words = pa.array([Reason.NEAR_DUPLICATE.value, Reason.EXACT_DUPLICATE.value])
    return tables.outcome(
        DEDUP,
        names,
        reason=words.take(pa.array(is_same.astype(np.int64), mask=~is_dropped)),
        detail=detail,
        kept_record_id=names.take(pa.array(stays, mask=~is_dropped)),
        group_id=names.take(pa.array(group)),
    )


def _details(names: pa.ChunkedArray, gone: _Rows, kept: _Rows, links: pa.Table) -> list[str]:
    """How each node in `gone` is a copy of kept[node]: itself, or through the node that is next on the shortest way
    there.

    links: _pairs that join copies, the strongest first; of ways of one length the one with the strongest first step.
    """
    ends = _ends(links)
    is_direct = np.any(kept[ends] == ends, axis=1)
    said = {
        row["b"] if kept[row["a"]] == row["a"] else row["a"]: _link_text(row)
        for row in links.filter(pa.array(is_direct)).to_pylist()
    }
    chained = kept[np.array([node for node in gone.tolist() if node not in said], np.int64)]
    towards = _next_steps(ends[np.isin(kept[ends[:, 0]], chained)], np.unique(chained).tolist())
    return [said.get(node) or f"through {names[towards[node]].as_py()}" for node in gone.tolist()]


def _link_text(link: dict[str, Any]) -> str:
    if link["verdict"]:
        return "copy, by verdict"
    bits = "1 bit" if link["distance_bits"] == 1 else f"{link['distance_bits']} bits"
    return f"{link['relation']}, {bits} apart, score {link['score']:.3f}"


def _next_steps(links: Pairs, goals: list[int]) -> dict[int, int]:
    """For each node that links lead to, the next one on its way to a goal: of the nearest, the first that is linked."""
    linked: defaultdict[int, list[int]] = defaultdict(list)
    for one, other in links.tolist():
        linked[one].append(other)
        linked[other].append(one)
    steps = {goal: goal for goal in goals}
    wave = set(goals)
    while wave:
        wave = {near for node in wave for near in linked[node] if near not in steps}
        steps |= {node: next(near for near in linked[node] if near in steps) for node in wave}
    return steps


def _ints(column: pa.ChunkedArray | pa.Array) -> _Rows:
    return np.asarray(column, np.int64)


def _bools(column: pa.ChunkedArray | pa.Array) -> _Mask:
    return np.asarray(column, np.bool_)
