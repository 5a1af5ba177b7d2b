"""What a test asks a Prefect server, waits for, and finds in its logs."""

import functools
import re
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import requests

ENDED = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")
"""The types of the states that a run does not leave by itself."""

LOG_ENTRY = re.compile(r"^(?=\d\d:\d\d:\d\d\.\d+ \| |[A-Z]+(?: \||:) )", re.MULTILINE)
"""Where an entry of a log begins: with a time as Prefect writes it, or with a level as uvicorn does."""

DATABASE_LOCKED = "sqlite3.OperationalError: database is locked\n"

CANCELLED = re.compile(r"^asyncio\.exceptions\.CancelledError: Cancelled via cancel scope .*\s*\Z", re.MULTILINE)
"""How the traceback of a server's service ends that was writing when the server was ended."""

Value = TypeVar("Value")


def poll(question: Callable[[], Value | None], what: str, timeout_s: float = 60, every_s: float = 0.1) -> Value:
    """The first answer that is true; what was waited for is in the error if there is none in time."""
    until_s = time.monotonic() + timeout_s
    while not (answer := question()):
        assert time.monotonic() < until_s, f"expected {what} within {timeout_s:.0f} s"
        time.sleep(every_s)
    return answer


class Log:
    """What a process has written so far, and which of it has been checked."""

    def __init__(self, path: Path) -> None:
        self.path, self._checked = path, 0
        path.touch()

    def text(self) -> str:
        return self.path.read_text(encoding="utf-8", errors="replace")

    def check(self) -> None:
        """Fail if a traceback was written since the last check, but for two that Prefect's server logs by itself:
        SQLite's answer that somebody else is writing just now, where it is busy (it does the same again later, its
        services in their next round, a worker's heartbeat when the worker connects again); and that a service was
        stopped within its work.
        """
        new = self.text()[self._checked :]
        self._checked += len(new)
        for entry in LOG_ENTRY.split(new):
            shown = entry if len(entry) < 6000 else f"{entry[:3000]}\n...\n{entry[-3000:]}"
            allowed = "Traceback" not in entry or DATABASE_LOCKED in entry or CANCELLED.search(entry)
            assert allowed, f"expected no traceback in {self.path.name}, got\n{shown}"


class PrefectApi:
    """A server at an address, with the logs of it and of its worker."""

    api: str
    auth: tuple[str, str] | None = None
    log: Log
    worker_log: Log

    def post(self, path: str, body: Any) -> Any:
        return self._ask("POST", path, json=body, headers=self.token)

    def patch(self, path: str, body: Any) -> None:
        self._ask("PATCH", path, json=body, headers=self.token)

    def get(self, path: str) -> Any:
        return self._ask("GET", path)

    @functools.cached_property
    def token(self) -> Mapping[str, str]:
        """The headers by which a request may change something; none where the server asks for none."""
        client = str(uuid.uuid4())
        answer = self._answer("GET", f"csrf-token?client={client}")
        if answer.status_code == requests.codes.unprocessable:
            return {}
        assert answer.ok, answer.text
        return {"Prefect-Csrf-Token": answer.json()["token"], "Prefect-Csrf-Client": client}

    def _ask(self, method: str, path: str, **options: Any) -> Any:
        response = self._answer(method, path, **options)
        assert response.ok, response.text
        return response.json() if response.content else None

    def _answer(self, method: str, path: str, **options: Any) -> requests.Response:
        """Ask again while the server's database is locked by another request, as Prefect's own client does."""

        def answered() -> list[requests.Response]:
            response = requests.request(method, f"{self.api}/{path}", timeout=30, auth=self.auth, **options)
            return [] if response.status_code == requests.codes.unavailable else [response]

        (response,) = poll(answered, "an answer of the server", timeout_s=30)
        return response

    def run_of(self, deployment: str, parameters: dict[str, Any], flow: str = "build_dataset") -> dict[str, Any]:
        """A new run of a deployment."""
        found = self.get(f"deployments/name/{flow}/{deployment}")
        body = {"parameters": parameters, "state": {"type": "SCHEDULED"}}
        run: dict[str, Any] = self.post(f"deployments/{found['id']}/create_flow_run", body)
        return run

    def run(self, run_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.get(f"flow_runs/{run_id}")
        return found

    def ended(self, run_id: str) -> dict[str, Any]:
        """The run, when it has ended."""

        def found() -> dict[str, Any] | None:
            run = self.run(run_id)
            return run if run["state"]["type"] in ENDED else None

        try:
            return poll(found, "an end of the run", timeout_s=240)
        except AssertionError as problem:
            states = self.get(f"flow_run_states/?flow_run_id={run_id}")
            told = "\n".join(f"{state['timestamp']} {state['name']}: {state['message']}" for state in states)
            raise AssertionError(f"{problem}\n{told}\n{self.worker_log.text()[-5000:]}") from None

    def check_logs(self) -> None:
        """Fail if the server or the worker has written a traceback since the last check."""
        self.log.check()
        self.worker_log.check()
