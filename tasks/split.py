"""split (decide): train, val and test. Published images keep theirs; only what is new is dealt."""

import pyarrow as pa
import pyarrow.compute as pc
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.draw import Split
from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from tasks import caching
from tasks.core import split as core
from tasks.core import tables
from tasks.io import releases
from tasks.io.store import Store
from tasks.keys import code_of, key_of

CODE = code_of(core)


@task(task_run_name="{settings.label}", cache_policy=NO_CACHE, **caching.ONCE)
def split(settings: Split, state: State, recipe: Recipe, context: Context) -> Step:
    """A split for each kept record; the draw is taken anew if a new record, a setting or the rule is another."""
    store = caching.opened(context)
    ids = caching.kept_ids(store, state)
    everyone = _with_dropped_copies(store, state, ids)
    names = everyone.to_pylist()
    published = _published(store, settings, recipe, everyone)
    unit = core.units_of(names, _bonds(store, state, everyone))
    figures = caching.figure_counts(store, state, everyone, settings.category, settings.score)
    is_kept = pc.is_in(everyone, value_set=ids).to_pylist()
    style = caching.column(store, state.records, everyone, "style").to_pylist()
    dealt = core.units(names, unit, style, figures.tolist(), published, is_kept)
    split_of = dict(zip(dealt["unit"].to_pylist(), dealt["published"].to_pylist(), strict=True))
    new, is_new = dealt.filter(pc.is_null(dealt["published"])), False
    if new.num_rows:
        ref, is_new = caching.decided(store, "split", settings, CODE, new, lambda: core.draw(new, settings))
        drawn = store.read_table(ref)
        split_of |= dict(zip(drawn["unit"].to_pylist(), drawn["split"].to_pylist(), strict=True))
    outcome = core.outcome(everyone, unit, published, split_of).filter(pa.array(is_kept, pa.bool_()))
    if state.pending:
        return caching.foreseen(store, settings, state, outcome)
    return caching.step(store, "decide", settings.label, "split", ids, outcome, computed=int(is_new))


def _with_dropped_copies(store: Store, state: State, ids: pa.ChunkedArray) -> pa.ChunkedArray:
    """The kept records and their copies that a dedup dropped: a better copy takes the split in which its work was published."""
    outcomes = [store.read_table(step.outcome) for step in state.steps if step.stage == "dedup"]
    groups = [(table, pc.is_in(table["record_id"], value_set=ids)) for table in outcomes]
    copies = [
        table.filter(pc.is_in(table["group_id"], value_set=table.filter(mine)["group_id"]))["record_id"]
        for table, mine in groups
    ]
    everyone = pa.chunked_array([chunk for found in (ids, *copies) for chunk in found.chunks], pa.string())
    return pa.chunked_array([pc.unique(everyone).sort()], pa.string())


def _bonds(store: Store, state: State, ids: pa.ChunkedArray) -> list[list[str | None]]:
    """Words that tie records: the groups of every dedup, and what the sources declare."""
    dedups = [step.outcome for step in state.steps if step.stage == "dedup"]
    groups = [caching.column(store, ref, ids, "group_id").to_pylist() for ref in dedups]
    return [*groups, caching.column(store, state.records, ids, "declared_group").to_pylist()]


def _published(store: Store, settings: Split, recipe: Recipe, ids: pa.ChunkedArray) -> list[str | None]:
    """The split in which each record was last published, as long as the split's settings are equal."""
    previous = releases.predecessor(store, recipe.name)
    if previous is None or previous.manifest.split_sha256 != key_of(split=settings):
        return [None] * len(ids)
    return list(tables.looked_up(previous.ledger(), "record_id", ids)["last_split"].to_pylist())
