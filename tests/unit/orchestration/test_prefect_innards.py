"""Each touch of Prefect's innards: what it needs of Prefect is there, and Prefect still goes wrong without it."""

import ast
import contextlib
import inspect
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from prefect import flow, flow_engine, task_engine
from prefect._flow_run_suspension import FlowRunSuspensionRequest
from prefect.client.schemas.objects import FlowRun
from prefect.client.schemas.schedules import CronSchedule
from prefect.concurrency._leases import maintain_concurrency_lease
from prefect.context import FlowRunContext
from prefect.exceptions import Pause
from prefect.states import Suspended
from prefect.task_runners import ThreadPoolTaskRunner
from prefect.transactions import get_transaction, transaction
from prefect.workers.process import ProcessJobConfiguration

from tasks.orchestration import prefect_innards as innards

ROOT = Path(innards.__file__).resolve().parents[2]
PRIVATE = ("prefect.server", "prefect.flow_engine", "prefect.task_engine", "prefect.events.worker")
PRIVATE_TOO = ("prefect.logging.handlers", "prefect.concurrency._")


def run(program: str, *words: str, **environment: str) -> str:
    """What a program prints, in a process of its own: it patches Prefect."""
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def touches(file: Path) -> bool:
    """Whether a file names what is Prefect's own business."""
    nodes = [*ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    names += [f"{node.module}.{one.name}" for node in nodes if isinstance(node, ast.ImportFrom) for one in node.names]
    names += [one.name for node in nodes if isinstance(node, ast.Import) for one in node.names]
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    is_private = any(name.startswith(("prefect._", *PRIVATE, *PRIVATE_TOO)) for name in names)
    return is_private or any(text.startswith("PREFECT__") for text in texts)


def test_no_other_file_touches_prefects_innards():
    files = [
        ROOT / "bilderatlas.py",
        *(file for room in ("flows", "tasks", "schemas") for file in (ROOT / room).rglob("*.py")),
    ]
    assert [file for file in files if touches(file)] == [Path(innards.__file__)]


def test_a_run_has_a_process_by_the_engine_that_knows_the_run_by_a_variable(monkeypatch):
    flow_run = FlowRun(flow_id=uuid4())
    job = ProcessJobConfiguration()
    job.prepare_for_flow_run(flow_run)
    assert job.env[innards.RUN_ID] == str(flow_run.id)
    assert job.command.endswith(f" {innards.ENGINE}")
    for value, is_run in [(str(flow_run.id), True), (None, False)]:
        with monkeypatch.context() as patch:
            patch.delenv(innards.RUN_ID, raising=False)
            if value is not None:
                patch.setenv(innards.RUN_ID, value)
            assert innards.is_run_process() == is_run


def test_prefect_says_in_these_lines_what_a_state_says():
    lines = {"Finished in state": (flow_engine, task_engine), "Task run failed with {failure_type}: ": (task_engine,)}
    for line, engines in lines.items():
        for engine in engines:
            assert f'f"{line}' in inspect.getsource(engine)
        start = line.format(failure_type="state")
        assert innards.repeats_state(logging.LogRecord("prefect.task_runs", 20, "", 1, f"{start}...", (), None))
    assert 'failure_type = "exception" if isinstance(exc_or_state, Exception) else "state"' in " ".join(
        inspect.getsource(task_engine).split()
    )


def test_prefect_tells_of_the_error_that_ends_a_flow_in_this_function(caplog, monkeypatch):
    engine = flow_engine.FlowRunEngine(flow=flow(lambda: None, name="a-flow"))
    engine.flow_run, engine.logger = FlowRun(flow_id=uuid4()), logging.Logger(innards.LOGGERS[0], logging.INFO)
    engine.logger.addHandler(caplog.handler)
    monkeypatch.setattr(engine, "setup_run_context", contextlib.nullcontext)
    monkeypatch.setattr(engine, "handle_exception", print)
    monkeypatch.setattr(flow_engine, "_send_heartbeats", contextlib.nullcontext)
    with engine.run_context():
        engine.logger.error("a line of the flow's own")
        raise ZeroDivisionError
    assert [innards.is_end_of_flow(record) for record in caplog.records] == [False, True]


def test_a_run_hears_of_its_pause_from_its_context():
    assert "flow_run_suspension_request=flow_run_suspension_request" in inspect.getsource(flow_engine.FlowRunEngine)
    request = FlowRunSuspensionRequest()
    with FlowRunContext.model_construct(flow_run_suspension_request=request):
        innards.raise_if_paused()
        request.mark_requested(Suspended())
        with pytest.raises(Pause):
            innards.raise_if_paused()
    innards.raise_if_paused()


def test_prefect_takes_a_schedule_whose_time_never_comes():
    assert CronSchedule(cron="0 0 31 2 *").cron
    assert innards.next_time("0 0 29 2 *") > 0
    with pytest.raises(ValueError, match="failed to find next date"):
        innards.next_time("0 0 31 2 *")


@pytest.mark.parametrize(("kind", "waits"), [(innards.Threads, False), (ThreadPoolTaskRunner, True)])
def test_prefect_waits_for_threads_that_still_run(kind: type[ThreadPoolTaskRunner], waits: bool):
    has_begun, may_end = threading.Event(), threading.Event()
    with kind(max_workers=1) as runner:
        assert runner._executor is not None
        runner._executor.submit(lambda: has_begun.set() or may_end.wait(60))
        assert has_begun.wait(60)
        cancel = threading.Thread(target=runner.cancel_all)
        cancel.start()
        cancel.join(0.5 if waits else 30)
        assert cancel.is_alive() == waits
        may_end.set()
        cancel.join(60)


@pytest.mark.parametrize(("block", "kept"), [(innards.apart, 0), (contextlib.nullcontext, 1)])
def test_prefect_keeps_a_tasks_transaction_for_as_long_as_the_task_that_submits_it_runs(block: Any, kept: int):
    with transaction() as outer:
        with block(), transaction():
            pass
        assert len(outer.children) == kept
        assert get_transaction() is outer


KEEPER = """
import flows.build_dataset, flows.evaluate.detector, flows.train
from prefect import flow_engine
print(flow_engine.maintain_concurrency_lease.__module__)
"""


@pytest.mark.server
@pytest.mark.parametrize(
    ("environment", "module"), [({}, maintain_concurrency_lease.__module__), ({innards.RUN_ID: "0"}, innards.__name__)]
)
def test_a_process_that_prefect_starts_for_a_run_keeps_the_slot(environment, module, monkeypatch):
    monkeypatch.delenv(innards.RUN_ID, raising=False)
    assert run(KEEPER, **environment).strip() == module


def test_prefects_engine_calls_the_function_that_is_replaced():
    calls = " ".join(inspect.getsource(flow_engine.FlowRunEngine).split())
    assert "maintain_concurrency_lease( lease_id, 300, raise_on_lease_renewal_failure=True" in calls
    given = inspect.signature(maintain_concurrency_lease)
    inspect.signature(innards.keep_lease).bind(*given.parameters)


SERVICES = """
import sys, time
from prefect.events.clients import NullEventsClient
from prefect.events.worker import EventsWorker
from prefect.logging.handlers import APILogWorker
from prefect.settings import PREFECT_API_URL, temporary_settings
from tasks.orchestration import prefect_innards as innards

class QuietClient(NullEventsClient):
    def __init__(self, api_url=None):
        super().__init__()

import prefect.events.worker
prefect.events.worker.PrefectEventsClient = innards.PrefectEventsClient = QuietClient  # needs no server
if sys.argv[1] == "ours":
    innards.send_events_by_server()
ONE, OTHER = "http://127.0.0.1:1/api", "http://127.0.0.1:2/api"

def services(url):
    with temporary_settings({PREFECT_API_URL: url}):
        return EventsWorker.instance(), APILogWorker.instance()

(one, log), (other, other_log) = services(ONE), services(OTHER)
print(one is other, log is other_log)
if sys.argv[1] == "ours":
    while not all(hasattr(service, "_client") for service in (log, other_log)):
        time.sleep(0.05)
    assert [innards.server_of(service) for service in (one, log, other)] == [ONE, ONE, OTHER]
    assert innards.server_of(object()) is None
    ended = innards.stop_services(ONE)
    assert [future.result(60) for future in ended] == [True, True]
    assert [service._stopped for service in (one, log, other, other_log)] == [True, True, False, False]
"""


@pytest.mark.server
@pytest.mark.parametrize(("way", "is_shared"), [("ours", "False False\n"), ("prefect's", "True False\n")])
def test_prefect_has_one_service_of_events_for_all_servers(way, is_shared):
    assert run(SERVICES, way) == is_shared


@pytest.mark.server
def test_prefect_finds_the_temporary_server_that_was_made_first(monkeypatch):
    from prefect.server.api.server import SubprocessASGIServer

    monkeypatch.setattr(SubprocessASGIServer, "_instances", {})
    ports: list[int] = []

    def fail(port: int) -> "subprocess.Popen[bytes]":
        ports.append(port)
        raise KeyboardInterrupt

    server = innards.make_temporary_server(fail)
    assert SubprocessASGIServer() is innards.make_temporary_server(fail) is server
    with pytest.raises(KeyboardInterrupt):
        server.start()
    assert server.api_url == f"http://127.0.0.1:{ports[0]}/api"
    assert not server.running
    assert SubprocessASGIServer() is not server  # the next try begins anew

    def start(_port: int) -> "subprocess.Popen[bytes]":
        return subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

    monkeypatch.setattr(SubprocessASGIServer, "_instances", {})
    server = innards.make_temporary_server(start)
    process = server.server_process = server._run_uvicorn_command()
    server.stop()
    assert process.returncode is not None
    assert process.stdin is not None
    assert process.stdin.closed


APP = """
import asyncio, sys
import httpx
from tasks.orchestration.prefect_innards import make_server_app

async def ask(path):
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        return (await client.get(path)).status_code

app = make_server_app(is_temporary=sys.argv[1] == "temporary")
print(*(asyncio.run(ask(path)) for path in ("/api/health", "/")))
"""


@pytest.mark.server
@pytest.mark.parametrize(("kind", "statuses"), [("temporary", "200 404\n"), ("lasting", "200 200\n")])
def test_a_server_can_be_put_behind_a_wall_and_a_temporary_one_has_no_page(tmp_path, kind, statuses):
    assert run(APP, kind, PREFECT_HOME=str(tmp_path)) == statuses


TRANSACTIONS = """
import asyncio, importlib, sys

if sys.argv[1] == "in turn":
    importlib.import_module(sys.argv[2]).write_in_turn()

from prefect.server.database import provide_database_interface
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

database = provide_database_interface()

async def insert(number):
    async with database.session_context(begin_transaction=True) as session:
        await session.execute(text(f"INSERT INTO numbers VALUES ({number})"))

async def main():
    async with database.session_context(begin_transaction=True) as session:
        await session.execute(text("CREATE TABLE numbers (number)"))
    try:
        async with database.session_context(begin_transaction=True) as session:
            await session.execute(text("SELECT * FROM numbers"))
            other = asyncio.ensure_future(insert(2))
            await asyncio.wait([other], timeout=1)
            await session.execute(text("INSERT INTO numbers VALUES (1)"))
    except OperationalError as problem:
        print(problem.orig)
    await other
    async with database.session_context() as session:
        print(*(await session.execute(text("SELECT number FROM numbers"))).scalars())
    (await database.engine()).sync_engine.pool.dispose()

asyncio.run(main())
"""


@pytest.mark.server
@pytest.mark.parametrize(("way", "told"), [("in turn", "1 2\n"), ("prefect's", "database is locked\n2\n")])
def test_of_two_transactions_that_read_and_write_the_later_one_waits(tmp_path, way, told):
    url = f"sqlite+aiosqlite:///{tmp_path}/numbers.db"
    settings = {"PREFECT_HOME": str(tmp_path), "PREFECT_SERVER_DATABASE_CONNECTION_URL": url}
    assert run(TRANSACTIONS, way, innards.__name__, **settings) == told
