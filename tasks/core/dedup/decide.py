"""Which images are copies of each other, which one of them stays, and what lies in one split.

What was taken down is in no build. Where the store still knows how it looked, it is a *witness*: its copies go, too.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.dedup import Dedup
from schemas.phrases import counted
from schemas.reasons import Reason
from schemas.relations import APART, COPIES, VERDICTS, Relation
from schemas.tables import DEDUP, EDGES
from tasks.core import tables
from tasks.core.columns import bools
from tasks.core.components import connected_components
from tasks.core.dedup.groups import NEVER, UNCERTAIN, Pairs, clusters, doubt_weights, pair_numbers, tie_weights
from tasks.core.dedup.preferences import preference_order

COLUMNS = (
    "record_id",
    "sha256",
    "rights_uri",
    "is_annotated",
    "width_px",
    "height_px",
    "bytes",
    "metadata",
    "is_second_choice",
    "preference",
)

MOST_DOUBT_BITS = 10
"""Of whole pictures that are farther apart a comparison may say that they are copies, never that they are two works:
one of a museum's 2,382 copies lost its work where pictures 12 bits apart were laid over each other in a wrong place."""

_PAIR_MEASURES = pa.schema(
    [("pair", pa.int64()), *(EDGES.field(name) for name in ("relation", "distance_bits", "score"))]
)
_BLOB_VERDICTS = pa.schema([("pair", pa.int64()), EDGES.field("verdict")])
_Rows = NDArray[np.int64]
_Mask = NDArray[np.bool_]


def decide(view: pa.Table, relations: pa.Table, verdicts: pa.Table, settings: Dedup) -> tuple[pa.Table, pa.Table]:
    """DEDUP outcome of a view with COLUMNS, in its order, and EDGES: each compared pair, and what was decided about it.

    view: `metadata` is how many fields of the record are filled in; `is_second_choice` and `preference` say which copy
    stays (tasks.core.dedup.preferences). relations: a, b (SHA-256), relation, distance_bits, score; each unordered pair
    once. verdicts: a, b (record_id), verdict. Pairs with a blob or a record that is not in the view are ignored. Empty
    in, empty out; the order of rows changes nothing else.

    Records of equal bytes are one. Pairs of a relation that the recipe drops are ties, pairs of two works are doubts,
    and ties join what no doubts outweigh (`groups`). Of a cluster the most preferable record is kept, and all others
    name it. A person's verdict replaces what was measured: `copy` always joins, `different` keeps apart, `related` does
    neither; but equal bytes are one, whatever the verdict. `group_id` is the smallest record_id that is connected by
    copies, by relations that the recipe drops or binds, and by `related`.

    Raises ValueError for a verdict of another word and for a pair of blobs that comes twice.
    """
    order = pc.sort_indices(view["record_id"])  # from here on a row's number is its record_id's rank
    rows = view.select(COLUMNS).take(order)
    every, blob = np.arange(len(order)), _ints(pc.index_in(rows["sha256"], value_set=rows["sha256"]))
    pairs = _pairs(rows["sha256"], blob, relations, _verdicts_of_blobs(rows["record_id"], blob, verdicts))
    ends, has_no_verdict, dropped = _ends(pairs), bools(pc.is_null(pairs["verdict"])), set(settings.drop_relations)
    is_firm = _is_any(pairs["verdict"], ["copy"])
    # equal files are one blob: they need no tie
    is_tie = has_no_verdict & _is_any(pairs["relation"], dropped - {Relation.SAME_FILE})
    is_bound = has_no_verdict & _is_any(pairs["relation"], dropped | set(settings.bind_relations))
    is_bound |= _is_any(pairs["verdict"], ["copy", "related"])
    firm = np.concatenate([np.stack([every, blob], axis=1), ends[is_firm]])
    weights = _weights(pairs, is_tie, has_no_verdict)
    weighed = np.concatenate([_strongest_first(pairs, weights > 0), np.flatnonzero(weights < 0)])
    cluster = clusters(len(order), firm, ends[weighed], weights[weighed])
    group = connected_components(len(order), np.concatenate([ends[is_bound], np.stack([every, cluster], axis=1)]))
    is_joined = cluster[ends[:, 0]] == cluster[ends[:, 1]]
    links = pairs.take(_strongest_first(pairs, (is_firm | is_tie) & is_joined))
    best, copies = np.empty(len(order), np.int64), preference_order(rows)[::-1]
    best[cluster[copies]] = copies  # the most preferable row of each cluster is written last
    outcome = _outcome(rows["record_id"], blob, best[cluster], group, links)
    edges = [rows["record_id"].take(pairs["a"]), rows["record_id"].take(pairs["b"]), *pairs.columns[2:], is_joined]
    return outcome.take(np.argsort(order)), pa.table(edges, schema=EDGES)


def conclusive_pairs(measured: pa.Table) -> pa.Table:
    """Of pairs (a, b, view, relation ...) those whose relation decides something, in their order; without `view`.

    Only a comparison of the whole pictures, view 0, says that they are two works: crops may differ. And that they have
    nothing in common, only where their hashes are so near that it would have found what they share.
    """
    relation, is_whole = measured["relation"], pc.equal(measured["view"], 0)
    is_far = pc.and_(
        pc.equal(relation, Relation.DIFFERENT.value), pc.greater(measured["distance_bits"], MOST_DOUBT_BITS)
    )
    says = pc.or_(pc.and_(is_whole, pc.invert(is_far)), pa.array(~_is_any(relation, APART)))
    return measured.filter(pc.and_(pc.is_valid(relation), says)).drop_columns("view")


def _verdicts_of_blobs(names: pa.ChunkedArray, blob: _Rows, verdicts: pa.Table) -> pa.Table:
    """_BLOB_VERDICTS: people's verdicts on pairs of blobs, each pair once; inside one blob, on pairs of its rows."""
    unknown = [word for word in pc.unique(verdicts["verdict"]).to_pylist() if word not in VERDICTS]
    if unknown:
        raise ValueError(f"expected a verdict of {', '.join(VERDICTS)}, got {unknown[0]!r}")
    a, b, present = _pairs_present(names, verdicts)
    is_one = blob[a] == blob[b]
    numbers = pair_numbers(np.where(is_one, a, blob[a]), np.where(is_one, b, blob[b]), len(blob))
    word_of: dict[int, int] = {}
    for number, word in zip(numbers.tolist(), present["verdict"].to_pylist(), strict=True):
        word_of[number] = max(VERDICTS.index(word), word_of.get(number, 0))
    return pa.table([list(word_of), [VERDICTS[word] for word in word_of.values()]], schema=_BLOB_VERDICTS)


def _pairs(sha256: pa.ChunkedArray, blob: _Rows, relations: pa.Table, verdicts: pa.Table) -> pa.Table:
    """EDGES up to the verdict, sorted, but a and b are rows: a pair of blobs stands for the first row of each, and a
    blob's further rows are paired with its first alone: all pairs would grow as their number's square.
    """
    size = len(blob)
    a, b, present = _pairs_present(sha256, relations)
    looked_at = pa.table(
        [pair_numbers(a, b, size), *present.select(_PAIR_MEASURES.names[1:]).columns], names=_PAIR_MEASURES.names
    )
    judged = _ints(verdicts["pair"])
    further = np.flatnonzero(blob != np.arange(size))
    judged_same = judged[blob[judged // size] == blob[judged % size]]
    same = np.union1d(pair_numbers(blob[further], further, size), judged_same)
    files = [same, pa.repeat(Relation.SAME_FILE.value, len(same)), np.zeros(len(same), np.int16), np.ones(len(same))]
    measured = pa.concat_tables([looked_at.cast(_PAIR_MEASURES), pa.table(files, schema=_PAIR_MEASURES)])
    unmeasured = verdicts.filter(pc.invert(pc.is_in(verdicts["pair"], value_set=measured["pair"])))
    pairs = pa.concat_tables([measured, unmeasured.select(["pair"])], promote_options="default").sort_by("pair")
    number = _ints(pairs["pair"])
    if not np.all(number[1:] > number[:-1]):
        raise ValueError("expected each pair of blobs once, got one of them twice")
    verdict = tables.lookup(verdicts, "pair", pairs["pair"])["verdict"]
    columns = {name: pairs[name] for name in _PAIR_MEASURES.names[1:]}
    return pa.table({"a": number // size, "b": number % size, **columns, "verdict": verdict})


def _pairs_present(values: pa.ChunkedArray, pairs: pa.Table) -> tuple[_Rows, _Rows, pa.Table]:
    """The first rows of a and of b of each pair of two different values that are both present, and these pairs."""
    # at once: all values are hashed once
    both = pa.chunked_array([*pairs["a"].chunks, *pairs["b"].chunks], values.type)
    place = pc.index_in(both, value_set=values)
    a, b = place.slice(0, len(pairs)), place.slice(len(pairs))
    is_pair = pc.fill_null(pc.not_equal(a, b), False)
    return _ints(a.filter(is_pair)), _ints(b.filter(is_pair)), pairs.filter(is_pair)


def _ends(pairs: pa.Table) -> Pairs:
    return np.stack([_ints(pairs["a"]), _ints(pairs["b"])], axis=1)


def _weights(pairs: pa.Table, is_tie: _Mask, has_no_verdict: _Mask) -> NDArray[np.int64]:
    """(P,) how much each pair counts for one work (above 0) or for two (below 0)."""
    score = pc.fill_null(pairs["score"], 0.0).to_numpy()
    is_doubt = has_no_verdict & _is_any(pairs["relation"], APART)
    weights = np.zeros(len(score), np.int64)
    weights[is_tie], weights[is_doubt] = tie_weights(score[is_tie]), doubt_weights(score[is_doubt])
    weights[has_no_verdict & _is_any(pairs["relation"], [Relation.UNCERTAIN])] = UNCERTAIN
    weights[_is_any(pairs["verdict"], ["different"])] = NEVER
    return weights


def _is_any(column: pa.ChunkedArray, words: Iterable[str]) -> _Mask:
    return bools(pc.is_in(column, value_set=pa.array(sorted(words), pa.string())))


def _strongest_first(pairs: pa.Table, is_chosen: _Mask) -> _Rows:
    """The chosen pairs: those with a verdict, then by smaller distance, larger score, ids."""
    chosen = np.flatnonzero(is_chosen)
    has_no_verdict = bools(pc.is_null(pairs["verdict"]))
    distance, score = _ints(pc.fill_null(pairs["distance_bits"], 0)), pc.fill_null(pairs["score"], 0.0).to_numpy()
    return chosen[np.lexsort((-score[chosen], distance[chosen], has_no_verdict[chosen]))]


def _outcome(names: pa.ChunkedArray, blob: _Rows, stays: _Rows, group: _Rows, links: pa.Table) -> pa.Table:
    """DEDUP outcome of the rows. stays: (N,) the row that is kept in place of each, itself where it is kept."""
    is_dropped, is_same = stays != np.arange(len(stays)), blob[stays] == blob
    is_near = is_dropped & ~is_same
    gone, which = np.unique(blob[is_near], return_inverse=True)
    texts = _details(names, gone, blob[stays], links)
    place = np.full(len(stays), len(texts))
    place[is_near] = which
    detail = pa.array([*texts, "same bytes"], pa.string()).take(pa.array(place, mask=~is_dropped))
    words = pa.array([Reason.NEAR_DUPLICATE.value, Reason.EXACT_DUPLICATE.value])
    reason = words.take(pa.array(is_same.astype(np.int64), mask=~is_dropped))
    kept, group_id = names.take(pa.array(stays, mask=~is_dropped)), names.take(pa.array(group))
    return tables.outcome(DEDUP, names, reason=reason, detail=detail, kept_record_id=kept, group_id=group_id)


def _details(names: pa.ChunkedArray, gone: _Rows, kept: _Rows, links: pa.Table) -> list[str]:
    """How each node in `gone` is a copy of kept[node]: directly, or through the next node on the shortest path to it.
    links: _pairs that join copies, the strongest first; of paths of one length the one with the strongest first step.
    """
    ends = _ends(links)
    is_direct = np.any(kept[ends] == ends, axis=1)
    text_of = {
        row["b"] if kept[row["a"]] == row["a"] else row["a"]: _link_text(row)
        for row in links.filter(pa.array(is_direct)).to_pylist()
    }
    chained = kept[np.array([node for node in gone.tolist() if node not in text_of], np.int64)]
    towards = _next_steps(ends[np.isin(kept[ends[:, 0]], chained)], np.unique(chained).tolist())
    return [text_of.get(node) or f"through {names[towards[node]].as_py()}" for node in gone.tolist()]


def _link_text(link: dict[str, Any]) -> str:
    if link["verdict"]:
        return "copy, by verdict"
    return f"{link['relation']}, {counted(link['distance_bits'], 'bit')} apart, score {link['score']:.3f}"


def _next_steps(links: Pairs, goals: list[int]) -> dict[int, int]:
    """For each node that links lead to, the next one on its path to a goal: of the nearest, the first linked one."""
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


def decide_with_witnesses(
    view: pa.Table, witnesses: pa.Table, relations: pa.Table, verdicts: pa.Table, settings: Dedup
) -> tuple[pa.Table, pa.Table]:
    """Outcome and edges as `decide` gives them, but copies of witnesses are dropped first, as taken down.

    witnesses: the columns of the view, and `detail`: why it was taken down. They are in neither outcome nor edges. A
    copy is what a build would join with a witness; what has one of the relations COPIES to that, unless
    a person has said that the two are different or only related; and all that a build would join with it.
    """
    if not witnesses.num_rows:
        return decide(view, relations, verdicts, settings)
    both = pa.concat_tables([view.select(COLUMNS), witnesses.select(COLUMNS)])
    outcome, edges = decide(both, relations, verdicts, settings)
    why = dict(zip(witnesses["record_id"].to_pylist(), witnesses["detail"].to_pylist(), strict=True))
    details = sorted(_details_of_copies(outcome, edges, why).items())
    detail_of = {name: text for name, text in details if name not in why}
    names = pa.array([*detail_of], pa.string())
    is_copy = pc.is_in(view["record_id"], value_set=names)
    kept, edges = decide(view.filter(pc.invert(is_copy)), relations, verdicts, settings)
    reason, detail = pa.repeat(str(Reason.TAKEN_DOWN), len(names)), pa.array([*detail_of.values()], pa.string())
    dropped = tables.outcome(DEDUP, pa.chunked_array([names]), reason=reason, detail=detail, group_id=names)
    return tables.lookup(pa.concat_tables([kept, dropped]), "record_id", view["record_id"]), edges


def _details_of_copies(outcome: pa.Table, edges: pa.Table, why: dict[str, str]) -> dict[str, str]:
    """For each record that goes with a witness, the detail of its drop."""
    names = outcome["record_id"].to_pylist()
    cluster = dict(zip(names, pc.coalesce(outcome["kept_record_id"], outcome["record_id"]).to_pylist(), strict=True))
    of_cluster: dict[str, str] = {}  # the witness with the smallest record_id
    for name in sorted(why, reverse=True):
        of_cluster[cluster[name]] = name
    direct: dict[str, tuple[str, str]] = {}
    joined = dict(of_cluster)
    for a, b, relation in sorted(copy_edges(edges)):
        for one, other in ((a, b), (b, a)):
            if one in why:
                direct.setdefault(other, (one, relation))
            if (witness := of_cluster.get(cluster[one])) is not None:
                joined.setdefault(cluster[other], witness)
    texts = {}
    for name in names:
        if cluster[name] in joined:
            witness, relation = direct.get(name, (joined[cluster[name]], ""))
            texts[name] = f"copy of {witness}{f' ({relation})' * bool(relation)}: {why[witness]}"
    return texts


def copy_edges(edges: pa.Table) -> Iterator[tuple[str, str, str]]:
    """(a, b, how) of pairs that show one work."""
    is_found = bools(pc.is_null(edges["verdict"])) & _is_any(edges["relation"], COPIES)
    is_copy = pa.array(is_found | _is_any(edges["verdict"], ["copy"]))
    for row in edges.filter(is_copy).select(["a", "b", "relation", "verdict"]).to_pylist():
        yield row["a"], row["b"], "by verdict" if row["verdict"] else row["relation"]
