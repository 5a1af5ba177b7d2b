"""A Prefect server and its worker as a person runs them, with a home and logs of their own that a test can read."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import requests

from tests.support.desk import ROOT
from tests.support.prefect_api import Log, PrefectApi, poll
from tests.support.processes import free_port

BIN = Path(sys.executable).parent
QUIET = {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1"}
"""No telemetry: where there is no network, its errors would be in the logs."""


class PrefectServer(PrefectApi):
    """A Prefect server as a person would run it, with a home of its own.

    command: what starts it, in place of the command that `serve` runs.
    """

    def __init__(self, home: Path, command: Sequence[str | Path] = (), **settings: str) -> None:
        self.port = free_port()
        self.api = f"http://127.0.0.1:{self.port}/api"
        loud = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_LOGGING")}
        self.environment = {**loud, "PREFECT_HOME": str(home), "PREFECT_API_URL": self.api, **QUIET, **settings}
        name, _, password = settings.get("PREFECT_API_AUTH_STRING", "").partition(":")
        self.auth = (name, password) if name else None
        place = ("--host", "127.0.0.1", "--port", str(self.port))
        self._command = command or (BIN / "python", "-m", "flows.serve.server", *place)
        if command:  # which says by its settings where it listens
            self.environment["PREFECT_SERVER_API_PORT"] = str(self.port)
        self.log, self.worker_log = Log(home / "server.log"), Log(home / "worker.log")
        self.start()

    def start(self) -> None:
        """Start the server; also again, after it was stopped."""
        self.process = self._start(self.log, *self._command)

    def _start(self, log: Log, *words: str | Path) -> "subprocess.Popen[bytes]":
        with log.path.open("ab") as file:
            return subprocess.Popen(
                words,
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
        return self._start(
            self.worker_log, BIN / "prefect", "worker", "start", "--pool", pool, "--install-policy", "never"
        )

    @contextlib.contextmanager
    def worker(self, pool: str) -> Iterator[None]:
        """A worker of the pool, until the block ends."""
        process = self.start_worker(pool)
        try:
            yield
            assert process.poll() is None, f"expected a worker, got one that ended:\n{self.worker_log.text()[-3000:]}"
        finally:
            _stop(process)

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
