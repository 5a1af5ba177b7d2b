"""split (decide): train, val and test. Published images keep theirs; only what is new is dealt."""

import pyarrow as pa
import pyarrow.compute as pc

from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from schemas.split import Split
from tasks.core import strata, tables
from tasks.core.names.spellings import joined_names, joined_note
from tasks.core.split import decide as core
from tasks.core.split import drift, units
from tasks.engine import runs, steps
from tasks.engine.cache_keys import code_digest
from tasks.engine.steps import decide_once
from tasks.engine.views import column_of, columns_of, figure_counts, grouping_values, kept_ids, own_splits
from tasks.io.store.store import Store
from tasks.subjects import previous
from tasks.subjects.roles import check_roles, roles_of, roles_of_renamed

CODE = code_digest(core)


def split(settings: Split, state: State, recipe: Recipe, context: Context) -> Step:
    """A split for each kept record. Raises Refusal where what is published is another dataset's, or far from ratios."""
    store = runs.store_of(context)
    ids = kept_ids(store, state)
    check_roles(store, recipe, state, ids)
    view = _view(store, settings, state, recipe, ids)
    if state.pending:
        foreseen = steps.provisional_step(store, settings, state, core.decide(view, settings))
        return foreseen.model_copy(update={"notes": previous.lineage_notes(store, recipe, state.previous)})
    if core.is_settled(view, settings):  # nothing is dealt: that is no decision, and the next build need not find it
        outcome: pa.Table = core.decide(view, settings)
        step = steps.step_of(store, settings, ids, outcome)
    else:
        ref, is_new = decide_once(store, "split", settings, CODE, view, lambda: core.decide(view, settings))
        outcome = store.read_table(ref)
        step = steps.step_of(store, settings, ids, ref, computed=int(is_new))
    notes = [*previous.lineage_notes(store, recipe, state.previous), *_notes(view, outcome, settings)]
    notes += core.joined_across_splits_note(settings.label, outcome)
    names = joined_names(view.filter(view["is_kept"]), core.name_columns(settings))
    return step.model_copy(update={"notes": (*notes, *joined_note(settings.label, names))})


def _notes(view: pa.Table, outcome: pa.Table, settings: Split) -> tuple[str, ...]:
    """Sentences on the splits. Raises Refusal where what is published keeps them too far from the ratios."""
    is_dealt, kept = pa.array(core.is_dealt(view, settings)), view.filter(view["is_kept"])
    is_query = pc.fill_null(pc.not_equal(kept["role"], "gallery"), True)
    gap_notes = drift.gap_notes(kept.filter(is_query), outcome["split"].filter(is_query), settings)
    own_notes: tuple[str, ...] = ()
    if "keep" in view.column_names:
        is_in_own = pc.and_not(is_query, is_dealt)  # or in their group's
        own_notes = units.kept_note(settings.label, outcome["split"].filter(is_in_own).drop_null())
    if not settings.seats:
        return (*own_notes, *gap_notes)
    dealt = outcome.filter(is_dealt)
    if pc.any(pc.is_valid(view["published"])).as_py():
        joined = tuple(core.joined_across_splits_note(settings.label, outcome))
        afresh = tables.with_columns(view, {"published": pa.nulls(view.num_rows, pa.string())})
        drift.check(dealt, settings, lambda: core.decide(afresh, settings).filter(is_dealt), joined)
    return (*own_notes, *drift.notes(kept.filter(is_dealt), dealt, settings), *gap_notes)


def _view(store: Store, settings: Split, state: State, recipe: Recipe, ids: pa.ChunkedArray) -> pa.Table:
    """The kept records, and what says where they were published: dropped copies, and other names of their files."""
    dedups = [step.outcome for step in state.steps if step.stage == "dedup"]
    outcomes = [store.read_table(ref) for ref in dedups]
    copies = [table.filter(pc.is_valid(table["kept_record_id"]))["record_id"] for table in outcomes]
    everyone = pa.chunked_array([chunk for found in (ids, *copies) for chunk in found.chunks], pa.string())
    everyone = pa.chunked_array([pc.unique(everyone).sort()], pa.string())
    known = grouping_values(store, state, recipe, everyone, {*settings.by, *settings.together})
    sha256 = column_of(store, state.outcome("fetch"), everyone, "sha256")
    fields = columns_of(store, state.records, everyone, ("source", "declared_group"))
    # a source's words are its own, but where there are roles: queries name what is in the gallery
    of_source = pc.binary_join_element_wise(fields["source"], fields["declared_group"], "\n")
    columns: dict[str, pa.ChunkedArray] = {
        "record_id": everyone,
        "is_kept": pc.is_in(everyone, value_set=ids),
        "published": previous.published_splits(store, recipe, state.previous, everyone, sha256),
        "figures": pa.chunked_array([figure_counts(store, state, everyone, settings.category, settings.score)]),
        "role": roles_of(store, recipe, state, everyone),
        **{strata.stratum_column(field): known[field] for field in settings.by},
        "copies_sha256": sha256,
        "declared": fields["declared_group"] if settings.roles else of_source,
        **{f"copies_{number}": column_of(store, ref, everyone, "group_id") for number, ref in enumerate(dedups)},
        **{core.bond_column(field): known[field] for field in settings.together},
    }
    if (keep := own_splits(store, recipe, state, everyone)) is not None:
        columns["keep"] = keep
    renamed = previous.renamed_records(store, recipe, state.previous, everyone, sha256)
    return _with_renamed_records(pa.table(columns), renamed, roles_of_renamed(store, recipe, state, renamed))


def _with_renamed_records(view: pa.Table, renamed: pa.Table, role: pa.ChunkedArray) -> pa.Table:
    """The view, and rows that are not kept, for the splits in which files were published."""
    if not renamed.num_rows:
        return view
    more = renamed.drop_columns("source").rename_columns({"sha256": "copies_sha256"}).append_column("role", role)
    for name, value in (("is_kept", False), ("figures", 0)):
        more = more.append_column(name, pa.repeat(value, more.num_rows))
    return pa.concat_tables([view, more], promote_options="default")
