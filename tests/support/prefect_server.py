"""A Prefect server and its worker as a person runs them, with a home and logs of their own that a test can read."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import requests

from tests.support.desk import ROOT

BIN = Path(sys.executable).parent
QUIET = {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1"}
"""No telemetry: where there is no network, its errors would be in the logs."""

LOG_ENTRY = re.compile(r"^(?=\d\d:\d\d:\d\d\.\d+ \| |[A-Z]+(?: \||:) )", re.MULTILINE)
"""Where an entry of a log begins: with a time as Prefect writes it, or with a level as uvicorn does."""

DATABASE_LOCKED = "sqlite3.OperationalError: database is locked\n"

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
        """Fail if a traceback was written since the last check, but for SQLite's answer that somebody else is writing
        just now: Prefect's server logs it with its traceback where it is busy, and does the same again later (its
        services in their next round, a worker's heartbeat when the worker connects again).
        """
        new = self.text()[self._checked :]
        self._checked += len(new)
        for entry in LOG_ENTRY.split(new):
            shown = entry if len(entry) < 6000 else f"{entry[:3000]}\n...\n{entry[-3000:]}"
            allowed = "Traceback" not in entry or DATABASE_LOCKED in entry
            assert allowed, f"expected no traceback in {self.path.name}, got\n{shown}"


_PREFECT = "from flows.garbage import collect_apart as a; a(); from prefect.cli import app; app()"
"""Prefect's command as `serve` runs it: on SQLite its server would stand still at times (flows/garbage.py)."""


class PrefectServer:
    """A Prefect server as a person would run it, with a home of its own."""

    def __init__(self, home: Path, **settings: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.api = f"http://127.0.0.1:{self.port}/api"
        loud = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_LOGGING")}
        self.environment = {**loud, "PREFECT_HOME": str(home), "PREFECT_API_URL": self.api, **QUIET, **settings}
        name, _, password = settings.get("PREFECT_API_AUTH_STRING", "").partition(":")
        self.auth = (name, password) if name else None
        self.log, self.worker_log = Log(home / "server.log"), Log(home / "worker.log")
        self.start()

    def start(self) -> None:
        """Start the server; also again, after it was stopped."""
        self.process = self._start(self.log, "server", "start", "--host", "127.0.0.1", "--port", str(self.port))

    def _start(self, log: Log, *words: str) -> "subprocess.Popen[bytes]":
        with log.path.open("ab") as file:
            return subprocess.Popen(
                [*([BIN / "python", "-c", _PREFECT] if words[0] == "server" else [BIN / "prefect"]), *words],
                env=self.environment,
                cwd=ROOT,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def until_ready(self) -> None:
        poll(self._is_ready, f"a server that answers at {self.api}", timeout_s=180)

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, f"expected a server, got one that ended:\n{self.log.text()[-3000:]}"
        with contextlib.suppress(requests.ConnectionError):
            return bool(requests.get(f"{self.api}/health", timeout=30, auth=self.auth).json())
        return False

    def prefect(self, *words: str, timeout_s: float = 240) -> str:
        """What a command of Prefect prints."""
        done = subprocess.run(
            [BIN / "prefect", *words],
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start_worker(self, pool: str) -> "subprocess.Popen[bytes]":
        """A worker of the pool, which whoever starts it must end."""
        return self._start(self.worker_log, "worker", "start", "--pool", pool, "--install-policy", "never")

    @contextlib.contextmanager
    def worker(self, pool: str) -> Iterator[None]:
        """A worker of the pool, until the block ends."""
        process = self.start_worker(pool)
        try:
            yield
            assert process.poll() is None, f"expected a worker, got one that ended:\n{self.worker_log.text()[-3000:]}"
        finally:
            _stop(process)

    def post(self, path: str, body: Any) -> Any:
        return self._ask(lambda: requests.post(f"{self.api}/{path}", json=body, timeout=30, auth=self.auth))

    def get(self, path: str) -> Any:
        return self._ask(lambda: requests.get(f"{self.api}/{path}", timeout=30, auth=self.auth))

    @staticmethod
    def _ask(ask: Callable[[], requests.Response]) -> Any:
        """Ask again while the server's database is locked by another request, as Prefect's own client does."""

        def answered() -> list[requests.Response]:
            response = ask()
            return [] if response.status_code == requests.codes.unavailable else [response]

        (response,) = poll(answered, "an answer of the server", timeout_s=30)
        assert response.ok, response.text
        return response.json()

    def check_logs(self) -> None:
        """Fail if the server or the worker has written a traceback since the last check."""
        self.log.check()
        self.worker_log.check()

    def stop(self) -> None:
        _stop(self.process)

    def signal(self, number: int) -> None:
        """Send a signal to the server and all that it has started."""
        os.killpg(self.process.pid, number)
        if number == signal.SIGKILL:
            self.process.wait()


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """End a process as Ctrl-C does, and all that it has started; a worker waits for the run that it has begun."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(timeout=180)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def temporary_servers(home: Path) -> set[int]:
    """The process ids of all servers that commands or workers with this PREFECT_HOME have started, and that still
    live.
    """
    found = set()
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes() if folder.name.isdigit() else b""
            if b"prefect.server.api" in words or b"/temporary_server.py" in words:
                environment = (folder / "environ").read_bytes().split(b"\0")
                if f"PREFECT_HOME={home}".encode() in environment:
                    found.add(int(folder.name))
    return found
