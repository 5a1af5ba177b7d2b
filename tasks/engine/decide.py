"""Decisions: taken once per (settings, code, digest of the whole view that they are taken from)."""

import hashlib
from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pydantic import BaseModel

from schemas.manifests import State, Step, TableRef
from schemas.stages import AnyStage
from tasks.engine import steps
from tasks.engine.cache_keys import cache_key
from tasks.engine.views import kept_ids
from tasks.io.store.layout import decision_folder
from tasks.io.store.store import Store, parquet_bytes


def decide_once(
    store: Store, stage: str, settings: BaseModel, code: str, view: pa.Table, rule: Callable[[], pa.Table]
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
    view: Callable[[], pa.Table],
    decide: Callable[[pa.Table, Any], pa.Table],
) -> Step:
    """The step of a stage whose outcome is one decision on one view."""
    ids, current = kept_ids(store, state), view()
    if state.pending:
        return steps.provisional_step(store, settings, state, decide(current, settings))
    ref, is_new = decide_once(store, settings.stage, settings, code, current, lambda: decide(current, settings))
    return steps.step_of(store, settings, ids, ref, computed=int(is_new))
