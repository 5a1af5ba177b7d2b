"""Batches as Prefect tasks: how many at once, what is tried again, what an error of a part does, and an interrupt."""

import gc
import signal
import threading
import time
import weakref
from typing import Any

import pyarrow as pa
import pytest
from prefect import flow, task
from prefect.cache_policies import NO_CACHE

from flows.runner import runner
from schemas.manifests import Context
from tasks.engine.parts import run_in_parts
from tasks.orchestration.retries import RETRY_IO

pytestmark = pytest.mark.server
AT_ONCE = {**RETRY_IO, "retry_delay_seconds": 0, "cache_policy": NO_CACHE}


def run(part: Any, rows: int, **more: Any) -> None:
    """in_parts inside a flow."""

    @flow(task_runner=runner(None), persist_result=False)
    def parts() -> None:
        run_in_parts(part, pa.table({"row": range(rows)}), (), Context(store="memory://parts", **more), "parts")

    parts()


def test_at_most_as_many_parts_run_at_once_as_there_are_workers_and_every_row_is_seen_once(prefect_server):
    lock, running, most, seen = threading.Lock(), set(), [0], []
    both = threading.Barrier(3, timeout=60)

    @task(**AT_ONCE)
    def part(batch: pa.Table, context: Context) -> None:
        with lock:
            running.add(threading.get_ident())
            most[0] = max(most[0], len(running))
        both.wait()  # ends only if three parts run at once
        with lock:
            running.discard(threading.get_ident())
            seen.extend(batch["row"].to_pylist())

    run(part, 45, workers=3, part_rows=5)
    assert sorted(seen) == list(range(45))
    assert most[0] == 3


def test_what_a_part_was_given_is_forgotten_once_it_has_ended(prefect_server):
    given, deadline_s = [], time.monotonic() + 60

    @task(**AT_ONCE)
    def part(batch: pa.Table, context: Context) -> None:
        given.append(weakref.ref(batch))

    def are_kept() -> int:
        gc.collect()
        return sum(batch() is not None for batch in given)

    @task(**AT_ONCE)
    def stage() -> int:  # as `run_stage` is: what it keeps, it keeps until its end
        run_in_parts(part, pa.table({"row": range(50)}), (), Context(store="memory://parts", part_rows=1), "parts")
        while are_kept() > 5 and time.monotonic() < deadline_s:  # events that are still to be sent know their tasks
            threading.Event().wait(0.1)
        return are_kept()

    @flow(task_runner=runner(None), persist_result=False)
    def stages() -> int:
        return stage()

    assert stages() <= 5
    assert len(given) == 50


def test_a_fault_of_the_disk_is_tried_again(prefect_server):
    tries = []

    @task(**AT_ONCE)
    def part(batch: pa.Table, context: Context) -> None:
        tries.append(batch.num_rows)
        if len(tries) < 3:
            raise OSError("the disk is busy")

    run(part, 4)
    assert tries == [4, 4, 4]


def test_so_is_a_storage_service_that_does_not_answer(prefect_server):
    exceptions, tries = pytest.importorskip("botocore.exceptions"), []

    @task(**AT_ONCE)
    def part(batch: pa.Table, context: Context) -> None:
        tries.append(batch.num_rows)
        if len(tries) < 2:
            raise exceptions.EndpointConnectionError(endpoint_url="http://127.0.0.1:9")

    run(part, 4)
    assert tries == [4, 4]


def test_an_error_of_the_program_is_not_tried_again_and_no_further_part_is_started(prefect_server):
    tries = []

    @task(**AT_ONCE)
    def part(batch: pa.Table, context: Context) -> None:
        tries.append(batch["row"][0].as_py())
        raise ValueError("expected this")

    with pytest.raises(ValueError, match="expected this"):
        run(part, 10, workers=1, part_rows=2)
    assert tries[0] == 0
    assert len(tries) <= 2


def test_an_interrupt_does_not_wait_for_parts_that_run(prefect_server):
    before, is_over = signal.signal(signal.SIGINT, signal.default_int_handler), threading.Event()
    ended: list[int] = []

    @task(**AT_ONCE)
    def part(batch: pa.Table, context: Context) -> None:
        if batch["row"][0].as_py() == 0:
            return  # the next part finds a thread that has begun: before, the pool would not know it
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        is_over.wait(20)
        ended.append(1)

    try:
        with pytest.raises(KeyboardInterrupt):
            run(part, 10, workers=1, part_rows=1)
        assert not ended
    finally:
        is_over.set()
        signal.signal(signal.SIGINT, before)
