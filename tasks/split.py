"""split (decide): train, val and test. Published images keep theirs; only what is new is dealt."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from schemas.split import Split
from tasks.core import strata
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
    """A split for each kept record; taken anew if a new record, what is published, a setting or the rule is another.
    Raises Refusal where what is published keeps the splits too far from their ratios, or is of another dataset.
    """
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
    is_dealt, kept = core.is_dealt(view, settings), view.filter(view["is_kept"])
    is_query = pc.fill_null(pc.not_equal(kept["role"], "gallery"), True)
    gap_notes = drift.gap_notes(kept.filter(is_query), outcome["split"].filter(is_query), settings)
    own_notes = (
        () if settings.keep is None else units.kept_note(settings.label, _in_own_splits(view, outcome, is_dealt))
    )
    if not settings.seats:
        return (*own_notes, *gap_notes)
    mask = pa.array(is_dealt)
    dealt = outcome.filter(mask)
    if pc.any(pc.is_valid(view["published"])).as_py():
        joined = tuple(core.joined_across_splits_note(settings.label, outcome))
        drift.check(dealt, settings, lambda: _afresh(view, settings).filter(mask), joined)
    return (*own_notes, *drift.notes(kept.filter(mask), dealt, settings), *gap_notes)


def _in_own_splits(view: pa.Table, outcome: pa.Table, is_dealt: NDArray[np.bool_]) -> pa.ChunkedArray:
    """The splits of images that are where their sources have them, or their group."""
    role = view.filter(view["is_kept"])["role"]
    is_query = np.asarray(pc.fill_null(pc.not_equal(role, "gallery"), True))
    return outcome["split"].filter(pa.array(~is_dealt & is_query)).drop_null()


def _afresh(view: pa.Table, settings: Split) -> pa.Table:
    nothing = pa.nulls(view.num_rows, pa.string())
    return core.decide(view.set_column(view.schema.get_field_index("published"), "published", nothing), settings)


def _view(store: Store, settings: Split, state: State, recipe: Recipe, ids: pa.ChunkedArray) -> pa.Table:
    """The kept records, and what says where they were published: dropped copies, and other names of their files."""
    everyone = _with_dropped_copies(store, state, ids)
    known = grouping_values(store, state, recipe, everyone, {*settings.by, *settings.together})
    sha256 = column_of(store, state.outcome("fetch"), everyone, "sha256")
    columns: dict[str, pa.ChunkedArray] = {
        "record_id": everyone,
        "is_kept": pc.is_in(everyone, value_set=ids),
        "published": previous.published_splits(store, recipe, state.previous, everyone, sha256),
        "figures": pa.chunked_array([figure_counts(store, state, everyone, settings.category, settings.score)]),
        "role": roles_of(store, recipe, state, everyone),
        **{strata.stratum_column(field): known[field] for field in settings.by},
        "copies_sha256": sha256,
        "declared": _declared(settings, columns_of(store, state.records, everyone, ("source", "declared_group"))),
    }
    dedups = [step.outcome for step in state.steps if step.stage == "dedup"]
    columns |= {f"copies_{number}": column_of(store, ref, everyone, "group_id") for number, ref in enumerate(dedups)}
    columns |= {core.bond_column(field): known[field] for field in settings.together}
    if (keep := own_splits(store, recipe, state, everyone)) is not None:
        columns["keep"] = keep
    renamed = previous.renamed_records(store, recipe, state.previous, everyone, sha256)
    return _with_renamed_records(pa.table(columns), renamed, roles_of_renamed(store, recipe, state, renamed))


def _declared(settings: Split, fields: pa.Table) -> pa.ChunkedArray:
    """What a source declares as one object.

    Its words are its own, but where there are roles: queries name what is in the gallery.
    """
    group = fields["declared_group"]
    return group if settings.roles else pc.binary_join_element_wise(fields["source"], group, "\n")


def _with_renamed_records(view: pa.Table, renamed: pa.Table, role: pa.ChunkedArray) -> pa.Table:
    """The view, and rows that are not kept, for the splits in which files were published."""
    size = renamed.num_rows
    more = pa.table(
        {
            "record_id": renamed["record_id"],
            "published": renamed["published"],
            "copies_sha256": renamed["sha256"],
            "role": role,
            "is_kept": np.zeros(size, np.bool_),
            "figures": np.zeros(size, np.int64),
        }
    )
    return pa.concat_tables([view, more], promote_options="default") if size else view


def _with_dropped_copies(store: Store, state: State, ids: pa.ChunkedArray) -> pa.ChunkedArray:
    outcomes = [store.read_table(step.outcome) for step in state.steps if step.stage == "dedup"]
    copies = [table.filter(pc.is_valid(table["kept_record_id"]))["record_id"] for table in outcomes]
    everyone = pa.chunked_array([chunk for found in (ids, *copies) for chunk in found.chunks], pa.string())
    return pa.chunked_array([pc.unique(everyone).sort()], pa.string())
