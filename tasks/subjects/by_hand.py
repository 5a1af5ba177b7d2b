"""The list by hand, for every stage that needs it; the file is the recipe's `by_hand` binding."""

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput
from schemas.manifests import Context, State, TableRef
from schemas.phrases import listed, quoted
from schemas.recipe import Recipe
from schemas.tables import BY_HAND, LEDGER, TAKEDOWNS, TAKEN_DOWN
from tasks.core import by_hand as core
from tasks.core.names import matching
from tasks.engine import runs
from tasks.io.files import csv_files
from tasks.io.store import datasets
from tasks.io.store.layout import outcome_folder
from tasks.io.store.releases import Release
from tasks.io.store.store import Store

_EXAMPLES = 5


def read_manual_lists(recipe: Recipe, context: Context) -> pa.Table:
    """BY_HAND of the recipe's file, empty without one. Raises BadInput for a bad file, or replacing without a draw."""
    if recipe.by_hand is None:
        return BY_HAND.empty_table()
    url, name = context.bindings[recipe.by_hand], f"binding '{recipe.by_hand}'"
    manual = core.parse_manual_lists(name, csv_files.rows_by_hand(recipe.by_hand, url))
    replaced = manual.filter(pc.equal(manual["action"], "replace"))["name"].to_pylist()
    if replaced and not any(stage.has_draw for stage in recipe.stages):
        raise BadInput(
            f"{name}: expected a sample stage in the recipe to replace {quoted(replaced[0])} in its draw, got none"
        )
    return manual


def manual_lists_of(state: State, recipe: Recipe, context: Context) -> pa.Table:
    """BY_HAND of the recipe's file, with ids as the records of this build have them. Raises as read_manual_lists."""
    manual = read_manual_lists(recipe, context)
    if not manual.num_rows:
        return manual
    return core.with_known_ids(manual, runs.store_of(context).read_table(state.records, ["record_id"])["record_id"])


def wishes(
    state: State, recipe: Recipe, context: Context, record_ids: pa.ChunkedArray
) -> tuple[pa.Array, pa.ChunkedArray]:
    """(N,) whether the file includes each record, and (N,) why each was sent back, null where it was not."""
    manual = manual_lists_of(state, recipe, context)
    return core.is_named(manual, record_ids, "include"), core.replaced_because(manual, record_ids)


def all_tombstones(store: Store, recipe: Recipe, previous: Release | None) -> pa.Table:
    """TOMBSTONES of the dataset: those of the store, and of its last release, which may come from another store."""
    of_store = datasets.read_tombstones(store, recipe.name)
    return core.merge_tombstones(of_store, previous.tombstones() if previous else None)


def purged_ids(store: Store, recipe: Recipe, previous: Release | None) -> pa.Array:
    """record_ids of purged records, whose pages a crawl leaves out; not where a page has further images (`key-2`)."""
    purged = all_tombstones(store, recipe, previous)["record_id"].to_pylist()
    known = previous.ledger()["record_id"].to_pylist() if previous and purged else []
    further = {name.rpartition("-")[0] for name in set(known) - set(purged) if name.rpartition("-")[2].isdigit()}
    return pa.array(sorted(set(purged) - further), pa.string())


def missing_inclusion_notes(store: Store, state: State, recipe: Recipe, context: Context) -> tuple[str, ...]:
    """A sentence on records that a person included and that are not in the release nevertheless, and why."""
    manual = manual_lists_of(state, recipe, context)
    wanted = manual.filter(pc.equal(manual["action"], "include"))["name"]
    why = dict.fromkeys(wanted.to_pylist(), "no source lists it")
    for ref in (state.records, *(step.outcome for step in state.steps)):
        table = store.read_table(ref, ["record_id", "reason"])
        for row in table.filter(pc.is_in(table["record_id"], value_set=wanted)).to_pylist():
            why[row["record_id"]] = row["reason"]
    missing = [f"{name} ({reason})" for name, reason in why.items() if reason is not None]
    note = f"by hand: {len(missing)} of {len(why)} included records are not in the release"
    return (f"{note}: {listed(missing, _EXAMPLES)}",) if missing else ()


def apply_manual_lists(
    store: Store, recipe: Recipe, context: Context, records: pa.Table, previous: Release | None
) -> tuple[pa.Table, TableRef | None, tuple[str, ...]]:
    """RECORDS without what is excluded or taken down, the table of what is taken down (if anything), and notes."""
    manual, purged = read_manual_lists(recipe, context), all_tombstones(store, recipe, previous)
    if not manual.num_rows and not purged.num_rows:
        return records, None, ()
    ledger, takedowns, aliases = LEDGER.empty_table(), TAKEDOWNS.empty_table(), matching.merge_aliases(recipe.artists)
    if previous is not None:
        ledger, takedowns = previous.ledger(), previous.takedowns()
    outcome = core.apply_manual_lists(records, manual, purged, ledger, takedowns, aliases)
    ref = store.write_table(outcome_folder("taken_down"), outcome.taken_down) if outcome.taken_down.num_rows else None
    notes, works = outcome.notes, pc.sum(outcome.taken_down["is_work"]).as_py() or 0
    if works and not any(stage.finds_copies for stage in recipe.stages):
        only = f"of {works} works that are taken down only copies with equal bytes are dropped"
        notes = (*notes, f"by hand: the recipe has no dedup stage, so {only}")
    return outcome.records, ref, tuple(notes)


def taken_down(store: Store, state: State) -> pa.Table:
    """TAKEN_DOWN of a build."""
    return store.read_table(state.taken_down) if state.taken_down else TAKEN_DOWN.empty_table()
