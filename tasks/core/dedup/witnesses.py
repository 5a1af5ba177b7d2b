"""Copies of what was taken down: none of them takes its place.

What was taken down is in no build. But the store may still know how it looked; then it is a *witness*: it is looked at
beside the records that are there, and whatever turns out to be its copy goes the same way.
"""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from schemas.reasons import Reason
from schemas.relations import Relation
from schemas.stages import Dedup
from schemas.tables import DEDUP
from tasks.core import tables
from tasks.core.dedup import decide as rule

COPIES = frozenset(set(Relation) - {Relation.UNCERTAIN, Relation.LOOK_ALIKE, Relation.DIFFERENT})
"""Relations that show the work, or a part of it, whether or not the recipe drops copies of that kind."""


def decide(
    view: pa.Table, witnesses: pa.Table, relations: pa.Table, verdicts: pa.Table, settings: Dedup
) -> tuple[pa.Table, pa.Table]:
    """Outcome and edges as `dedup.decide.decide` gives them, but copies of witnesses are dropped first, as taken down.

    witnesses: the columns of the view, and `detail`: why it was taken down. They are in neither table that comes out.
    A copy is what a build with the witnesses would join with one of them; what is in one of COPIES with what it joins,
    unless a person has said that the two are different or only related; and all that a build would join with that.
    """
    if not witnesses.num_rows:
        return rule.decide(view, relations, verdicts, settings)
    both = pa.concat_tables([view.select(rule.COLUMNS), witnesses.select(rule.COLUMNS)])
    outcome, edges = rule.decide(both, relations, verdicts, settings)
    why = dict(zip(witnesses["record_id"].to_pylist(), witnesses["detail"].to_pylist(), strict=True))
    detail_of = {name: text for name, text in _details_of_copies(outcome, edges, why).items() if name not in why}
    names = pa.array(sorted(detail_of), pa.string())
    is_copy = pc.is_in(view["record_id"], value_set=names)
    kept, edges = rule.decide(view.filter(pc.invert(is_copy)), relations, verdicts, settings)
    dropped = tables.outcome(
        DEDUP,
        pa.chunked_array([names]),
        reason=pa.array([str(Reason.TAKEN_DOWN)] * len(names), pa.string()),
        detail=pa.array([detail_of[name] for name in names.to_pylist()], pa.string()),
        group_id=names,
    )
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
    is_found = pc.is_in(edges["relation"], value_set=pa.array(sorted(COPIES), pa.string()))
    is_copy = pc.or_(
        pc.and_(pc.is_null(edges["verdict"]), is_found), pc.fill_null(pc.equal(edges["verdict"], "copy"), False)
    )
    for row in edges.filter(is_copy).select(["a", "b", "relation", "verdict"]).to_pylist():
        yield row["a"], row["b"], "by verdict" if row["verdict"] else row["relation"]
