"""Measures: computed once per blob; only missing rows are computed, in parts."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.detect import Detect
from schemas.hash import Hash
from schemas.manifests import Context, State, Step
from schemas.quality import Quality
from tasks.core import tables
from tasks.engine import runs, steps
from tasks.engine.parts import PartTask, run_in_parts
from tasks.engine.views import column_of, kept_ids
from tasks.io.store.store import Store


def measure_step(
    part: PartTask,
    settings: Hash | Detect | Quality,
    state: State,
    context: Context,
    folder: str,
    schema: pa.Schema,
    part_settings: Any = None,
    *,
    is_measured_by_fetch: bool = False,
    rows: Callable[[pa.Array], pa.Table] | None = None,
) -> Step:
    """The step of a measure: the row of each kept record's blob; a row with a reason drops its record.

    folder: where the rows lie, named after the cache key. part(blobs, part_settings, folder, context) computes and
    stores the rows of one batch of blobs. is_measured_by_fetch: fetch stores the rows of what it gets. rows: makes of
    the missing blobs the table that parts take; by default, one of their sha256 alone.
    """
    store = runs.store_of(context)
    record_ids = kept_ids(store, state)
    blobs = column_of(store, state.outcome("fetch"), record_ids, "sha256")
    needed = pc.unique(blobs).sort()
    have = stored_measurements(store, folder, needed, schema)
    todo = tables.missing(needed, have["sha256"])
    if context.plan and (len(todo) or state.pending):
        count = len(todo) + (0 if is_measured_by_fetch else state.pending)
        is_known = pc.is_in(blobs, value_set=have["sha256"])
        known = _by_record(record_ids.filter(is_known), blobs.filter(is_known), have)
        return steps.planned_step(store, settings, known, computed=count, pending=len(todo) + state.pending)
    have = measure_blobs(part, settings.label, needed, context, folder, schema, part_settings, rows=rows)
    return steps.step_of(store, settings, record_ids, _by_record(record_ids, blobs, have), computed=len(todo))


def measure_blobs(
    part: PartTask,
    label: str,
    needed: pa.Array,
    context: Context,
    folder: str,
    schema: pa.Schema,
    part_settings: Any = None,
    *,
    rows: Callable[[pa.Array], pa.Table] | None = None,
) -> pa.Table:
    """The measure's row for each of the needed blobs (unique, sorted), in their order; missing ones are computed.
    Parameters as of `measure_step`. Raises AssertionError if the parts left a blob without a row.
    """
    store = runs.store_of(context)
    have = stored_measurements(store, folder, needed, schema)
    if len(todo := tables.missing(needed, have["sha256"])):
        run_in_parts(part, rows(todo) if rows else pa.table({"sha256": todo}), (part_settings, folder), context, label)
        have = stored_measurements(store, folder, needed, schema)
    if lost := len(needed) - have.num_rows:
        raise AssertionError(f"expected a row of {label} for each of {len(needed)} blobs, got none for {lost}")
    return have


def _by_record(record_ids: pa.ChunkedArray, blobs: pa.ChunkedArray, have: pa.Table) -> pa.Table:
    outcome = tables.lookup(have, "sha256", blobs).add_column(0, "record_id", record_ids)
    return outcome.append_column("kept_record_id", pa.nulls(len(record_ids), pa.string()))


def stored_measurements(store: Store, folder: str, needed: pa.Array, schema: pa.Schema) -> pa.Table:
    """The stored rows of a measure for the needed blobs, in their order, one each; fewer if some are missing."""
    everything = pa.concat_tables([schema.empty_table(), *(table for _, table in store.tables(folder))])
    wanted = pc.filter(needed, pc.is_in(needed, value_set=everything["sha256"]))
    return tables.lookup(everything, "sha256", wanted)
