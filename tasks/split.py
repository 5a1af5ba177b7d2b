"""split (decide): train, val and test. Published images keep theirs; only what is new is dealt."""

import pyarrow as pa
import pyarrow.compute as pc
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.draw import Split
from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from tasks import caching, lineage
from tasks.core import strata
from tasks.core.split import decide as core
from tasks.core.split import drift
from tasks.io.store import Store
from tasks.keys import code_of

CODE = code_of(core)


@task(task_run_name="{settings.label}", cache_policy=NO_CACHE, **caching.ONCE)
def split(settings: Split, state: State, recipe: Recipe, context: Context) -> Step:
    """A split for each kept record; taken anew if a new record, what is published, a setting or the rule is another.

    Raises Refused where what is published keeps the splits too far from their ratios, or is of another dataset.
    """
    store = caching.opened(context)
    ids = caching.kept_ids(store, state)
    view = _view(store, settings, state, recipe, ids)
    if state.pending:
        return caching.foreseen(store, settings, state, core.decide(view, settings))
    if core.is_settled(view, settings):  # nothing is dealt: that is no decision, and the next build need not find it
        outcome: pa.Table = core.decide(view, settings)
        step = caching.step(store, "decide", settings.label, "split", ids, outcome)
    else:
        ref, is_new = caching.decided(store, "split", settings, CODE, view, lambda: core.decide(view, settings))
        outcome = store.read_table(ref)
        step = caching.step(store, "decide", settings.label, "split", ids, ref, computed=int(is_new))
    dealt, seen = _dealt(outcome, settings), view.filter(view["is_kept"])
    if pc.any(pc.is_valid(view["published"])).as_py():
        drift.check(outcome.filter(dealt), settings)
    return step.model_copy(update={"notes": tuple(drift.notes(seen.filter(dealt), outcome.filter(dealt), settings))})


def _view(store: Store, settings: Split, state: State, recipe: Recipe, ids: pa.ChunkedArray) -> pa.Table:
    """The kept records, and their copies that a dedup dropped: a better copy takes the split in which its work was published."""
    everyone = _with_dropped_copies(store, state, ids)
    said = caching.columns(
        store, state.records, everyone, ("style", "styles", "artist", "source", "declared_group", "series", "year")
    )
    known: dict[str, pa.ChunkedArray] = {**{name: said[name] for name in ("style", "styles", "source", "artist")}, "object": said["declared_group"],
             "century": strata.century(said["year"])}  # fmt: skip
    columns: dict[str, pa.ChunkedArray] = {
        "record_id": everyone, "is_kept": pc.is_in(everyone, value_set=ids),
        "published": lineage.published(store, recipe, everyone),
        "figures": caching.figure_counts(store, state, everyone, settings.category, settings.score),
        **{key: known[key] for key in settings.by},
        "copies_sha256": caching.column(store, state.outcome("fetch"), everyone, "sha256"),
        "together_declared": said["declared_group"],
    }  # fmt: skip
    dedups = [step.outcome for step in state.steps if step.stage == "dedup"]
    columns |= {
        f"copies_{number}": caching.column(store, ref, everyone, "group_id") for number, ref in enumerate(dedups)
    }
    series = pc.binary_join_element_wise(
        pc.fill_null(said["artist"], ""), said["series"], "\n"
    )  # of one artist: names repeat
    columns |= {f"together_{key}": {"artist": said["artist"], "series": series}[key] for key in settings.together}
    if settings.roles:
        roles = pa.array([settings.roles[source] for source in settings.roles], pa.string())
        columns["role"] = roles.take(
            pc.index_in(said["source"], value_set=pa.array(list(settings.roles))).combine_chunks()
        )
    return pa.table(columns)


def _dealt(outcome: pa.Table, settings: Split) -> pa.ChunkedArray:
    """Which rows the ratios hold for: not those of a gallery. record_ids begin with their source's name."""
    is_gallery = pa.chunked_array([pa.repeat(pa.scalar(False), outcome.num_rows)])
    for source, role in settings.roles.items():
        if role == "gallery":
            is_gallery = pc.or_(is_gallery, pc.starts_with(outcome["record_id"], f"{source}:"))
    return pc.invert(is_gallery)


def _with_dropped_copies(store: Store, state: State, ids: pa.ChunkedArray) -> pa.ChunkedArray:
    outcomes = [store.read_table(step.outcome) for step in state.steps if step.stage == "dedup"]
    groups = [(table, pc.is_in(table["record_id"], value_set=ids)) for table in outcomes]
    copies = [
        table.filter(pc.is_in(table["group_id"], value_set=table.filter(mine)["group_id"]))["record_id"]
        for table, mine in groups
    ]
    everyone = pa.chunked_array([chunk for found in (ids, *copies) for chunk in found.chunks], pa.string())
    return pa.chunked_array([pc.unique(everyone).sort()], pa.string())
