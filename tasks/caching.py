"""What is kept, and when it is taken again: the three ways in which a stage gets its answer.

- `retrieved`: asked of the outside world once per (locator, validator); failures that may pass are asked again.
- `measured`: computed once per blob; only missing rows are computed, in parts.
- `decided`: taken once per (settings, code, digest of the whole view that it is taken from).

All three look at nothing but the store (tasks/io/store.py), whose files prove themselves: an answer that is gone or
damaged is simply missing. Prefect's own caching is switched off everywhere; why: docs/decisions/001-own-cache.md.
"""

import functools
import hashlib
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from prefect.client.schemas.objects import State as PrefectState
from prefect.runtime import task_run
from pydantic import BaseModel

from schemas.detect import Detect
from schemas.manifests import Context, Kind, State, Step, TableRef
from schemas.reasons import JUDGED, PASSING
from schemas.stages import AnyStage, Hash, Quality
from schemas.tables import RETRIEVALS, SOURCE_FIGURES
from tasks.core import figures, tables
from tasks.io import journal
from tasks.io.store import Store, parquet_bytes
from tasks.keys import key_of
from tasks.parts import PartTask, in_parts


def _may_pass(_task: Any, _run: Any, state: PrefectState[Any]) -> bool:
    """Whether a failure may be over at a second try: faults of disk and network, not errors of programs and people."""
    return isinstance(state.data, OSError) or isinstance(getattr(state.data, "result", None), OSError)


RETRIED: dict[str, Any] = {
    "retries": 2, "retry_delay_seconds": [1, 10], "retry_condition_fn": _may_pass, "persist_result": False,
}  # fmt: skip
"""Parts that touch disk or network: a passing fault of either should not end a night's run."""

PASSING_WORDS = pa.array(sorted(str(reason) for reason in PASSING))
_JUDGED = pa.array(sorted(str(reason) for reason in JUDGED))

ONCE: dict[str, Any] = {"persist_result": False}
"""Decisions: pure, so that a second try would only fail again."""


@functools.lru_cache(maxsize=16)
def _opened(url: str, plan: str) -> Store:
    return Store(url, is_overlay=bool(plan))


def opened(context: Context) -> Store:
    """The build's store, opened once per process."""
    return _opened(context.store, context.plan)


# ---------------------------------------------------------------------------------------------------- states


def kept_ids(store: Store, state: State) -> pa.ChunkedArray:
    """record_ids that no stage has dropped so far, sorted."""
    if state.steps:
        return tables.kept(store.read_table(state.steps[-1].outcome))["record_id"]
    return tables.kept(store.read_table(state.records))["record_id"]


def columns(store: Store, ref: TableRef | None, record_ids: pa.ChunkedArray, names: Sequence[str]) -> pa.Table:
    """Columns for these records, out of a table that is unique in record_id; a row of nulls where it has none."""
    if ref is None:
        raise AssertionError(f"expected a stage before this one that gives {', '.join(names)}, got none")
    return tables.looked_up(store.read_table(ref).select(["record_id", *names]), "record_id", record_ids).drop_columns(
        "record_id"
    )


def column(store: Store, ref: TableRef | None, record_ids: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """One such column."""
    return columns(store, ref, record_ids, [name])[name]


_SAYING = ("source_url", "title", "artist", "style", "date_text", "year", "rights_text")


def metadata(store: Store, state: State, record_ids: pa.ChunkedArray) -> NDArray[np.int64]:
    """(N,) how many fields of each record say something: of two copies, the one of which more is known."""
    known = columns(store, state.records, record_ids, _SAYING)
    return np.asarray(np.sum([np.asarray(pc.is_valid(known[name])) for name in _SAYING], axis=0), np.int64)


def figure_counts(
    store: Store, state: State, record_ids: pa.ChunkedArray, category: str, score: float, *, by_detector: bool = False
) -> NDArray[np.int64]:
    """(N,) figures of each record: by people where they annotated it (unless `by_detector`), else by the detector, if there is one."""
    found = state.outcome("detect")
    detected = (
        column(store, found, record_ids, "figures")
        if found
        else pa.chunked_array([pa.nulls(len(record_ids), SOURCE_FIGURES.field("figures").type)])
    )
    by_machine = figures.counts(detected, category, score)
    if by_detector:
        return by_machine
    by_people = figures.counts(column(store, state.figures, record_ids, "figures"), category, score)
    is_annotated = np.asarray(column(store, state.records, record_ids, "is_annotated").to_numpy(), dtype=np.bool_)
    return figures.judged(is_annotated, by_people, by_machine)


def step(
    store: Store, kind: Kind, label: str, stage: str, entering: pa.ChunkedArray, outcome: pa.Table | TableRef, *,
    computed: int = 0, notes: tuple[str, ...] = (),
) -> Step:  # fmt: skip
    """The step that an outcome tells of; asserts that what entered is what was kept and dropped."""
    ref = outcome if isinstance(outcome, TableRef) else store.write_table(f"outcomes/{stage}", outcome)
    table = store.read_table(ref)
    tables.assert_closed(entering, table)
    dropped = tables.dropped_counts(table)
    return Step(
        label=label, stage=stage, kind=kind, outcome=ref, kept=table.num_rows - sum(dropped.values()), dropped=dropped,
        computed=computed, notes=notes,
    )  # fmt: skip


def planned(
    store: Store, state: State, kind: Kind, label: str, stage: str, rows: pa.Table, *, computed: int, pending: int
) -> Step:
    """In a plan, the step of a stage that has something to do first: `rows` are the records that are known to go on."""
    ref, dropped = store.write_table(f"outcomes/{stage}", rows), tables.dropped_counts(rows)
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


# ---------------------------------------------------------------------------------------------------- decide


def decided(
    store: Store, stage: str, settings: BaseModel, code: str, view: pa.Table, rule: Callable[[], pa.Table]
) -> tuple[TableRef, bool]:
    """The table that the rule gives for this view, settings and code, and whether it had to be taken now."""
    key = key_of(settings=settings, code=code, view=hashlib.sha256(parquet_bytes(view)).hexdigest())
    folder = f"decisions/{stage}/{key}"
    for ref, _ in store.tables(folder):
        return ref, False
    return store.write_table(folder, rule()), True


def decision(
    store: Store,
    settings: AnyStage,
    state: State,
    code: str,
    view: Callable[[], pa.Table],
    decide: Callable[[pa.Table, Any], pa.Table],
) -> Step:
    """The step of a stage whose outcome is one decision on one view."""
    ids, seen = kept_ids(store, state), view()
    if state.pending:
        return foreseen(store, settings, state, decide(seen, settings))
    ref, is_new = decided(store, settings.stage, settings, code, seen, lambda: decide(seen, settings))
    return step(store, "decide", settings.label, settings.stage, ids, ref, computed=int(is_new))


def foreseen(store: Store, settings: AnyStage, state: State, outcome: pa.Table) -> Step:
    """In a plan, a decision that will be taken again once rows are there that earlier stages have yet to give.

    Its outcome for the rows that are there already stands in for it: a good guess at what later stages will see.
    """
    return planned(store, state, "decide", settings.label, settings.stage, outcome, computed=1, pending=state.pending)


# ---------------------------------------------------------------------------------------------------- measure


def measured(
    part: PartTask,
    settings: Hash | Detect | Quality,
    state: State,
    context: Context,
    folder: str,
    schema: pa.Schema,
    asked: Any = None,
    *,
    comes_with_fetch: bool = False,
    rows: Callable[[pa.Array], pa.Table] | None = None,
) -> Step:
    """The measure's row for the blob of each kept record; a blob without a measurement drops its record for the reason.

    `folder`, named after the measure's key, is where its rows are. `part` computes and stores the rows of one batch of
    blobs: part(blobs, asked, folder, context). comes_with_fetch: fetch leaves the rows of what it gets. rows: the missing
    blobs as the parts take them; by default, a table of their sha256 alone.
    """
    store, word, label = opened(context), settings.stage, settings.label
    record_ids = kept_ids(store, state)
    blobs = column(store, state.outcome("fetch"), record_ids, "sha256")
    needed = pc.unique(blobs).sort()
    have = measurements(store, folder, needed, schema)
    todo = tables.missing(needed, have["sha256"])
    if context.plan and (len(todo) or state.pending):
        count, is_known = (
            len(todo) + (0 if comes_with_fetch else state.pending),
            pc.is_in(blobs, value_set=have["sha256"]),
        )
        known = _by_record(record_ids.filter(is_known), blobs.filter(is_known), have)
        return planned(store, state, "measure", label, word, known, computed=count, pending=len(todo) + state.pending)
    have = measurements_of(part, label, needed, context, folder, schema, asked, rows=rows)
    outcome = _by_record(record_ids, blobs, have)
    return step(store, "measure", label, word, record_ids, outcome, computed=len(todo))


def measurements_of(
    part: PartTask,
    label: str,
    needed: pa.Array,
    context: Context,
    folder: str,
    schema: pa.Schema,
    asked: Any = None,
    *,
    rows: Callable[[pa.Array], pa.Table] | None = None,
) -> pa.Table:
    """The measure's row for each of the needed blobs (unique, sorted), in their order; missing ones are computed. See `measured`."""
    store = opened(context)
    have = measurements(store, folder, needed, schema)
    if len(todo := tables.missing(needed, have["sha256"])):
        in_parts(part, rows(todo) if rows else pa.table({"sha256": todo}), (asked, folder), context, label)
        have = measurements(store, folder, needed, schema)
    if lost := len(needed) - have.num_rows:
        raise AssertionError(f"expected a row of {label} for each of {len(needed)} blobs, got none for {lost}")
    return have


def _by_record(record_ids: pa.ChunkedArray, blobs: pa.ChunkedArray, have: pa.Table) -> pa.Table:
    """The outcome of a measure: what was measured of each record's blob."""
    outcome = tables.looked_up(have, "sha256", blobs).add_column(0, "record_id", record_ids)
    return outcome.append_column("kept_record_id", pa.nulls(len(record_ids), pa.string()))


def measurements(store: Store, folder: str, needed: pa.Array, schema: pa.Schema) -> pa.Table:
    """The stored rows of a measure for the needed blobs, one each; fewer where some are missing."""
    everything = pa.concat_tables([schema.empty_table(), *(table for _, table in store.tables(folder))])
    wanted = pc.filter(needed, pc.is_in(needed, value_set=everything["sha256"]))
    return tables.looked_up(everything, "sha256", wanted)


# ---------------------------------------------------------------------------------------------------- retrieve

Refresh = Literal["new", "failed", "all"]


def retrieved(
    part: PartTask,
    settings: Any,
    source: str,
    requests: pa.Table,
    rules: str,
    context: Context,
    label: str,
    *,
    refresh: Refresh = "new",
    even_in_plan: bool = False,
) -> tuple[pa.Table, int]:
    """RETRIEVALS row of each request, in order, and how many had to be asked now.

    requests: columns locator, validator (unique together). Asked are those that were never had, whose blob is gone,
    that failed in passing, or whose bytes were judged by other `rules` (limits, code); by `refresh`, also those that
    failed for good, or all. In a plan nothing is asked (unless `even_in_plan`, which leaves nothing behind either): rows
    still to come are null. part(requests, settings, rules, folder, context) asks and stores the rows of one batch; what
    is known of a request, such as its ETag, comes with it.
    """
    store = opened(context)
    folder = f"retrievals/{source}"
    if not context.plan:
        journal.absorb(store, folder, RETRIEVALS)
    known = _known(store, folder, requests)
    todo = _with_mixed_hosts(known.filter(_to_ask(store, known, rules, refresh)))
    if todo.num_rows and (even_in_plan or not context.plan):
        in_parts(part, todo, (settings, rules, folder), context, label)
        known = _known(store, folder, requests)
    return known, todo.num_rows


def still_to_ask(requests: pa.Table, folder: str, context: Context) -> pa.Table:
    """Of a part that is tried again after a fault: the requests for which its first try has kept no row."""
    if not context.began_s or (task_run.run_count or 0) < 2:
        return requests
    store = opened(context)
    journal.absorb(store, folder, RETRIEVALS)
    known = _known(store, folder, requests)
    is_new = pc.greater_equal(known["retrieved_at"], datetime.fromtimestamp(context.began_s, UTC))
    return requests.filter(pc.invert(pc.and_(pc.fill_null(is_new, False), pc.invert(_is_passing(known)))))


def _known(store: Store, folder: str, requests: pa.Table) -> pa.Table:
    """RETRIEVALS row of each request, in order, null but for the request where there is none.

    The newest row counts, but a failure in passing takes nothing from what was had before.
    """
    keys = _request_keys(requests)
    found = [tables.as_schema(table, RETRIEVALS) for _, table in store.tables(folder)]
    rows = pa.concat_tables([RETRIEVALS.empty_table(), *found])
    rows = rows.filter(pc.is_in(_request_keys(rows), value_set=keys))
    rows = rows.append_column("request", _request_keys(rows)).append_column("lasts", pc.invert(_is_passing(rows)))
    order = pc.sort_indices(rows, [("request", "ascending"), ("lasts", "ascending"), ("retrieved_at", "ascending")])
    best = tables.last_of_each(rows.take(order), "request").drop_columns("lasts")
    looked = tables.looked_up(best, "request", keys).drop_columns("request")
    for place, name in enumerate(("locator", "validator")):
        looked = looked.set_column(place, RETRIEVALS.field(name), requests[name])
    return looked


def _to_ask(store: Store, known: pa.Table, rules: str, refresh: Refresh) -> pa.ChunkedArray:
    """(N,) whether each row must be asked for."""
    if refresh == "all":
        return pa.chunked_array([pa.array([True] * known.num_rows, pa.bool_())])
    sizes = store.blob_sizes()
    names, lengths = known["sha256"].to_pylist(), known["bytes"].to_pylist()
    is_had = pa.array(
        [name is not None and sizes.get(name) == length for name, length in zip(names, lengths, strict=True)],
        pa.bool_(),
    )
    is_outdated = pc.and_kleene(pc.is_in(known["reason"], value_set=_JUDGED), pc.not_equal(known["rules"], rules))
    has_lastingly_failed = pc.and_(
        pc.is_valid(known["reason"]), pc.invert(pc.or_(_is_passing(known), pc.fill_null(is_outdated, True)))
    )
    if refresh == "failed":
        return pc.invert(is_had)
    return pc.invert(pc.or_(is_had, has_lastingly_failed))


def _is_passing(rows: pa.Table) -> pa.ChunkedArray:
    return pc.is_in(rows["reason"], value_set=PASSING_WORDS)


def _request_keys(table: pa.Table) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(table["locator"], pc.fill_null(table["validator"], ""), "\n")


def _with_mixed_hosts(requests: pa.Table) -> pa.Table:
    """The requests in the order of a hash, so that each part asks every host and none waits for a slow one alone."""
    lots = [zlib.crc32(locator.encode()) for locator in requests["locator"].to_pylist()]
    return requests.take(pc.sort_indices(pa.array(lots, pa.uint32())))
