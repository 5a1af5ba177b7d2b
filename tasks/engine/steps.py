"""The step of a stage: its outcome, and counts that must close; decisions, once per settings, code and whole view."""

import hashlib
from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pydantic import BaseModel

from schemas.fetch import Scrape
from schemas.manifests import State, Step, TableRef
from schemas.reasons import Reason
from schemas.stages import AnyStage
from tasks.core import tables
from tasks.engine.cache_keys import cache_key
from tasks.engine.views import kept_ids
from tasks.io.store.layout import decision_folder, outcome_folder
from tasks.io.store.store import Store, parquet_bytes


def step_of(
    store: Store,
    settings: AnyStage | Scrape,
    entering: pa.ChunkedArray,
    outcome: pa.Table | TableRef,
    *,
    computed: int = 0,
    notes: tuple[str, ...] = (),
) -> Step:
    """The step of an outcome; asserts that what entered is what was kept and dropped, for reasons of the stage."""
    ref = outcome if isinstance(outcome, TableRef) else store.write_table(outcome_folder(settings.stage), outcome)
    table = store.read_table(ref)
    tables.assert_closed(entering, table)
    pa.default_memory_pool().release_unused()  # what the stage took and gave back, the next one need not add to
    dropped = tables.dropped_counts(table)
    if others := [reason for reason in dropped if not settings.may_drop_for(Reason(reason))]:
        raise AssertionError(f"expected reasons of {settings.stage}, as its settings declare them, got {others}")
    return _step(settings, ref, dropped, computed).model_copy(update={"notes": notes})


def planned_step(store: Store, settings: AnyStage, rows: pa.Table, *, computed: int, pending: int) -> Step:
    """In a plan, the step of a stage that still has work to do; rows: the outcome of records that are known already."""
    ref = store.write_table(outcome_folder(settings.stage), rows)
    return _step(settings, ref, tables.dropped_counts(rows), computed, pending)


def _step(settings: AnyStage | Scrape, ref: TableRef, dropped: dict[str, int], computed: int, pending: int = 0) -> Step:
    said: dict[str, Any] = {"label": settings.label, "stage": settings.stage, "kind": settings.step_kind}
    kept = ref.rows - sum(dropped.values()) + pending
    return Step(**said, outcome=ref, kept=kept, dropped=dropped, computed=computed, pending=pending)


def provisional_step(store: Store, settings: AnyStage, state: State, outcome: pa.Table) -> Step:
    """In a plan, a decision that is taken again once all rows are there; on those of now it is a good estimate."""
    return planned_step(store, settings, outcome, computed=1, pending=state.pending)


MakeTable = Callable[[], pa.Table]


def decide_once(
    store: Store, stage: str, settings: BaseModel, code: str, view: pa.Table, rule: MakeTable
) -> tuple[TableRef, bool]:
    """The table that the rule gives for this view, settings and code, and whether the rule had to run now."""
    key = cache_key(settings=settings, code=code, view=hashlib.sha256(parquet_bytes(view)).hexdigest())
    folder = decision_folder(stage, key)
    for ref, _ in store.tables(folder):
        return ref, False
    return store.write_table(folder, rule()), True


def decide_step(
    store: Store,
    settings: AnyStage,
    state: State,
    code: str,
    view: MakeTable,
    decide: Callable[[pa.Table, Any], pa.Table],
) -> Step:
    """The step of a stage whose outcome is one decision on one view."""
    ids, current = kept_ids(store, state), view()
    if state.pending:
        return provisional_step(store, settings, state, decide(current, settings))
    ref, is_new = decide_once(store, settings.stage, settings, code, current, lambda: decide(current, settings))
    return step_of(store, settings, ids, ref, computed=int(is_new))
