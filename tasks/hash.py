"""hash (measure): size in the upright frame, format and perceptual hashes of each blob."""

import pyarrow as pa
import pyarrow.compute as pc

from schemas.hash import Hash
from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from schemas.tables import HASH
from tasks.core import tables
from tasks.engine import inspection, runs, steps
from tasks.engine.measure import measure_step
from tasks.engine.views import column_of, kept_ids
from tasks.io.store.layout import outcome_folder
from tasks.subjects import library_hashes


def hash_(settings: Hash, state: State, recipe: Recipe, context: Context) -> Step:
    """Measure each kept blob that fetch has not measured; other hashes of the recipe are attributes of the records."""
    step = measure_step(
        inspection.inspect_part, settings, state, context, inspection.HASHES, HASH, is_measured_by_fetch=True
    )
    return _with_other_hashes(step, settings, state, context) if settings.also else step


def _with_other_hashes(step: Step, settings: Hash, state: State, context: Context) -> Step:
    store = runs.store_of(context)
    records, ids = store.read_table(state.records), kept_ids(store, state.then(step))
    blobs = column_of(store, state.outcome("fetch"), ids, "sha256")
    needed = pc.unique(blobs).sort()
    stored = [library_hashes.stored_hashes(kind, needed, context)["sha256"] for kind in settings.also]
    lacking = pc.unique(pa.concat_arrays([tables.missing(needed, of_kind) for of_kind in stored]))
    for kind in settings.also:
        found = library_hashes.ensure_hashes(kind, needed, context, settings.label)
        hashes = tables.lookup(found, "sha256", blobs)["hash"]
        of_all = hashes.take(pc.index_in(records["record_id"], value_set=ids))
        records = tables.with_columns(records, {kind: of_all})
    if context.plan and (len(lacking) or state.pending):
        waiting = ids.filter(pc.is_in(blobs, value_set=lacking))
        outcome = store.read_table(step.outcome)
        known = outcome.filter(pc.invert(pc.is_in(outcome["record_id"], value_set=waiting)))
        computed, pending = step.computed + len(lacking) + state.pending, step.pending + len(waiting)
        step = steps.planned_step(store, settings, known, computed=computed, pending=pending)
    else:
        step = step.model_copy(update={"computed": step.computed + len(lacking)})
    return step.model_copy(update={"records": store.write_table(outcome_folder("hash"), records)})
