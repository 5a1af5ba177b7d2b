"""The step that a stage hands on: its outcome, and the counts that must close."""

import pyarrow as pa

from schemas.manifests import StageKind, State, Step, TableRef
from schemas.stages import AnyStage
from tasks.core import tables
from tasks.io.store.layout import outcome_folder
from tasks.io.store.store import Store


def step_of(
    store: Store,
    kind: StageKind,
    label: str,
    stage: str,
    entering: pa.ChunkedArray,
    outcome: pa.Table | TableRef,
    *,
    computed: int = 0,
    notes: tuple[str, ...] = (),
) -> Step:
    """The step of an outcome; asserts that what entered is what was kept and dropped."""
    ref = outcome if isinstance(outcome, TableRef) else store.write_table(outcome_folder(stage), outcome)
    table = store.read_table(ref)
    tables.assert_closed(entering, table)
    pa.default_memory_pool().release_unused()  # what the stage took and gave back, the next one need not add to
    dropped = tables.dropped_counts(table)
    return Step(
        label=label,
        stage=stage,
        kind=kind,
        outcome=ref,
        kept=table.num_rows - sum(dropped.values()),
        dropped=dropped,
        computed=computed,
        notes=notes,
    )


def planned_step(
    store: Store, state: State, kind: StageKind, label: str, stage: str, rows: pa.Table, *, computed: int, pending: int
) -> Step:
    """In a plan, the step of a stage that still has work to do; rows: the outcome of records that are known already."""
    ref, dropped = store.write_table(outcome_folder(stage), rows), tables.dropped_counts(rows)
    return Step(
        label=label,
        stage=stage,
        kind=kind,
        outcome=ref,
        kept=ref.rows - sum(dropped.values()) + pending,
        dropped=dropped,
        computed=computed,
        pending=pending,
    )


def provisional_step(store: Store, settings: AnyStage, state: State, outcome: pa.Table) -> Step:
    """In a plan, a decision that will be taken again once earlier stages have given their missing rows.

    Its outcome for the rows that are there already is used meanwhile: a good estimate for later stages.
    """
    return planned_step(
        store, state, "decide", settings.label, settings.stage, outcome, computed=1, pending=state.pending
    )
