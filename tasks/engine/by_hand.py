"""What people say of single records, for every stage that asks; the file is the recipe's `by_hand` binding."""

import pyarrow as pa
import pyarrow.compute as pc

from schemas.by_hand import Action
from schemas.draw import Sample
from schemas.errors import BadInput
from schemas.manifests import Context, State, TableRef
from schemas.recipe import Recipe
from schemas.stages import Dedup
from schemas.tables import BY_HAND, LEDGER, TAKEN_DOWN
from tasks.core import by_hand as core
from tasks.core.names import aliases
from tasks.engine import runs
from tasks.io.files import by_hand as files
from tasks.io.store import releases, tombstones
from tasks.io.store.store import Store

_SHOWN = 5


def said_by_hand(recipe: Recipe, context: Context) -> pa.Table:
    """BY_HAND that the recipe names; empty where it names none.

    Raises BadInput where the file is none, or nothing can obey it.
    """
    if recipe.by_hand is None:
        return BY_HAND.empty_table()
    url, name = context.bindings[recipe.by_hand], f"binding '{recipe.by_hand}'"
    said = core.said(name, files.rows_of_csv(recipe.by_hand, url))
    replaced = said.filter(pc.equal(said["action"], "replace"))["name"].to_pylist()
    if replaced and not any(isinstance(stage, Sample) for stage in recipe.stages):
        raise BadInput(f"{name}: expected a sample stage in the recipe, whose draw replaces '{replaced[0]}', got none")
    return said


def marked(recipe: Recipe, context: Context, record_ids: pa.ChunkedArray | pa.Array, action: Action) -> pa.Array:
    """(N,) whether the file names each record with that action, such as include or replace."""
    return core.marked(said_by_hand(recipe, context), record_ids, action)


def buried(store: Store, recipe: Recipe) -> pa.Table:
    """TOMBSTONES of the dataset: the store's, and those that came with its last release, as into another store."""
    previous = releases.predecessor(store, recipe.name)
    return core.all_buried(tombstones.tombstones(store, recipe.name), previous.tombstones() if previous else None)


def not_asked_for(store: Store, recipe: Recipe) -> pa.Array:
    """record_ids of what is purged, whose pages a crawl leaves out.

    Not of such as hold further images that are here (`key-2`).
    """
    previous, stones = releases.predecessor(store, recipe.name), buried(store, recipe)["record_id"].to_pylist()
    known = previous.ledger()["record_id"].to_pylist() if previous and stones else []
    further = {name.rpartition("-")[0] for name in set(known) - set(stones) if name.rpartition("-")[2].isdigit()}
    return pa.array(sorted(set(stones) - further), pa.string())


def left_out(store: Store, state: State, recipe: Recipe, context: Context) -> tuple[str, ...]:
    """A sentence on records that a person included and that are not in all the same, and why."""
    said = said_by_hand(recipe, context)
    wanted = said.filter(pc.equal(said["action"], "include"))["name"]
    why = dict.fromkeys(wanted.to_pylist(), "no source lists it")
    for ref in (state.records, *(step.outcome for step in state.steps)):
        table = store.read_table(ref).select(["record_id", "reason"])
        for row in table.filter(pc.is_in(table["record_id"], value_set=wanted)).to_pylist():
            why[row["record_id"]] = row["reason"]
    lost = [f"{name} ({reason})" for name, reason in why.items() if reason is not None]
    more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
    return (
        f"by hand: {len(lost)} of {len(why)} included records are not in: {', '.join(lost[:_SHOWN])}{more}",
    ) * bool(lost)


def obeyed(
    store: Store, recipe: Recipe, context: Context, records: pa.Table
) -> tuple[pa.Table, TableRef | None, tuple[str, ...]]:
    """RECORDS without what is excluded or taken down, the table of what is taken down (if anything), and notes."""
    said, stones = said_by_hand(recipe, context), buried(store, recipe)
    if not said.num_rows and not stones.num_rows:
        return records, None, ()
    previous = releases.predecessor(store, recipe.name)
    found = core.obeyed(
        records,
        said,
        stones,
        previous.ledger() if previous else LEDGER.empty_table(),
        aliases.merge_aliases(recipe.artists),
    )
    ref = store.write_table("outcomes/taken_down", found.taken_down) if found.taken_down.num_rows else None
    return found.records, ref, (*found.notes, *_of_copies(recipe, found.taken_down))


def _of_copies(recipe: Recipe, taken_down: pa.Table) -> tuple[str, ...]:
    works = pc.sum(taken_down["is_work"]).as_py() or 0
    if not works or any(isinstance(stage, Dedup) for stage in recipe.stages):
        return ()
    return (
        f"by hand: the recipe has no dedup: of {works} works that are taken down only copies of equal "
        "bytes are dropped",
    )


def without_copies(records: pa.Table, ledger: pa.Table) -> pa.Table:
    """RECORDS that say nothing of what the ledger calls taken down, by whatever stage; see core.by_hand."""
    return core.without_copies(records, ledger)


def taken_down(store: Store, state: State) -> pa.Table:
    """TAKEN_DOWN of a build."""
    return store.read_table(state.taken_down) if state.taken_down else TAKEN_DOWN.empty_table()


def without_same_bytes(fetched: pa.Table, state: State, context: Context) -> pa.Table:
    """A FETCH outcome in which the files of what is taken down are dropped, whichever record brings them."""
    return core.without_same_bytes(fetched, taken_down(runs.store_of(context), state))
