"""Retrievals: requested from the outside once per (locator, validator); passing failures are requested again."""

import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from prefect.runtime import task_run

from schemas.errors import DamagedFile
from schemas.manifests import Context
from schemas.reasons import FAILURES_IN_BYTES, PASSING_WORDS
from schemas.tables import RETRIEVALS
from tasks.core import server_refusals, tables
from tasks.engine import runs
from tasks.engine.parts import PartTask, run_in_parts
from tasks.io.store import journal
from tasks.io.store.store import Store

_JUDGED_BY = ["locator", "reason", "sha256", "run"]
_JUDGED = pa.array(sorted(str(reason) for reason in FAILURES_IN_BYTES))

Refresh = Literal["new", "failed", "all"]


def retrieve(
    part: PartTask,
    settings: Any,
    folder: str,
    requests: pa.Table,
    rules: str,
    context: Context,
    label: str,
    *,
    refresh: Refresh = "new",
    even_in_plan: bool = False,
) -> tuple[pa.Table, int]:
    """RETRIEVALS row of each request, in order, and how many had to be sent now.

    requests: locator, validator (unique together). folder: where their rows lie. Sent are those without a row, whose
    blob is gone, that failed in passing, that a host in trouble may have refused (`open_refusals`), or whose bytes were
    judged by other `rules` (limits, code); by `refresh`, also those that failed for good, or all. In a plan nothing is
    sent (unless `even_in_plan`, which leaves nothing behind): rows to come are null. part(requests, settings, rules,
    folder, context) sends a batch, with all that is known of it, such as ETags, and stores its rows.

    A row with a sha256 has its blob in the store: where an earlier one is gone and can't be had again, the row says
    why. Raises DamagedFile if a blob is gone that has come just now.
    """
    store = runs.store_of(context)
    if not context.plan:
        journal.absorb(store, folder, RETRIEVALS)
    known, sizes = _known(store, folder, requests), store.blob_sizes()
    must_be_sent = _must_be_sent(known, sizes, rules, refresh)
    todo = _with_mixed_hosts(known.filter(pc.or_(must_be_sent, open_refusals(store, folder, known))))
    if todo.num_rows and (even_in_plan or not context.plan):
        run_in_parts(part, todo, (settings, rules, folder), context, label)
        known = _known(store, folder, requests, store.blob_sizes())
        lost = known.filter(pc.and_(pc.is_null(known["reason"]), pc.is_null(known["sha256"])))
        if lost.num_rows:
            raise DamagedFile(f"expected the blob of '{lost['locator'][0]}', which has come just now, got none")
    return known, todo.num_rows


def open_refusals(store: Store, folder: str, answers: pa.Table) -> pa.ChunkedArray:
    """(N,) whether each RETRIEVALS row of a folder is a refusal that is not final yet."""
    if not pc.any(refused := server_refusals.are_refused(answers)).as_py():
        return refused
    stored = [tables.as_schema(table, RETRIEVALS).select(_JUDGED_BY) for _, table in store.tables(folder)]
    return server_refusals.are_open(answers, pa.concat_tables([RETRIEVALS.empty_table().select(_JUDGED_BY), *stored]))


def unanswered_requests(requests: pa.Table, folder: str, context: Context) -> pa.Table:
    """If a part is tried again after a fault: the requests for which its first try stored no row; else all of them."""
    if not context.began_s or (task_run.run_count or 0) < 2:
        return requests
    store = runs.store_of(context)
    journal.absorb(store, folder, RETRIEVALS)
    known = _known(store, folder, requests)
    is_new = pc.greater_equal(known["retrieved_at"], datetime.fromtimestamp(context.began_s, UTC))
    return requests.filter(pc.invert(pc.and_(pc.fill_null(is_new, False), pc.invert(_is_passing(known)))))


def _known(store: Store, folder: str, requests: pa.Table, sizes: Mapping[str, int] | None = None) -> pa.Table:
    """The stored RETRIEVALS row of each request, in order; null but for the request if there is none. The newest
    counts, but a passing failure replaces none. sizes: bytes of each blob; given, only rows with their blob count.
    """
    keys = _request_keys(requests)
    stored = [tables.as_schema(table, RETRIEVALS) for _, table in store.tables(folder)]
    rows = pa.concat_tables([RETRIEVALS.empty_table(), *stored])
    rows = rows.filter(pc.is_in(_request_keys(rows), value_set=keys))
    if sizes is not None:
        rows = rows.filter(pc.or_(pc.is_valid(rows["reason"]), _has_blob(rows, sizes)))
    # sorted are numbers of requests and rows: the rows themselves are many megabytes, and copied once, at the end
    requested, lasts = pc.index_in(_request_keys(rows), value_set=keys), pc.invert(_is_passing(rows))
    columns = [requested, lasts, rows["retrieved_at"], np.arange(rows.num_rows)]
    numbers = pa.table(columns, ["request", "lasts", "retrieved_at", "row"])
    order = pc.sort_indices(numbers, [("request", "ascending"), ("lasts", "ascending"), ("retrieved_at", "ascending")])
    best = tables.last_of_each(numbers.select(["request", "row"]).take(order), "request")
    latest = rows.take(tables.lookup(best, "request", pc.index_in(keys, value_set=keys))["row"])
    return tables.with_columns(latest, {name: requests[name] for name in ("locator", "validator")})


def _has_blob(rows: pa.Table, sizes: Mapping[str, int]) -> pa.Array:
    """(N,) whether the blob of each row is there in its size."""
    names, lengths = rows["sha256"].to_pylist(), rows["bytes"].to_pylist()
    is_there = [name is not None and sizes.get(name) == length for name, length in zip(names, lengths, strict=True)]
    return pa.array(is_there, pa.bool_())


def _must_be_sent(known: pa.Table, sizes: Mapping[str, int], rules: str, refresh: Refresh) -> pa.ChunkedArray:
    if refresh == "all":
        return pa.chunked_array([pa.array([True] * known.num_rows, pa.bool_())])
    is_stored = _has_blob(known, sizes)
    if refresh == "failed":
        return pc.invert(is_stored)
    is_outdated = pc.and_kleene(pc.is_in(known["reason"], value_set=_JUDGED), pc.not_equal(known["rules"], rules))
    may_change = pc.or_(_is_passing(known), pc.fill_null(is_outdated, True))
    return pc.invert(pc.or_(is_stored, pc.and_(pc.is_valid(known["reason"]), pc.invert(may_change))))


def _is_passing(rows: pa.Table) -> pa.ChunkedArray:
    return pc.is_in(rows["reason"], value_set=PASSING_WORDS)


def _request_keys(table: pa.Table) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(table["locator"], pc.fill_null(table["validator"], ""), "\n")


def _with_mixed_hosts(requests: pa.Table) -> pa.Table:
    """The requests in the order of a hash, so that each part has all hosts and none waits for a slow host alone."""
    order = [zlib.crc32(locator.encode()) for locator in requests["locator"].to_pylist()]
    return requests.take(pc.sort_indices(pa.array(order, pa.uint32())))
