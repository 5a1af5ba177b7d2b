"""`bilderatlas serve` as a person runs it, with a home, stores and logs of its own that a test can read."""

import contextlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.support.desk import ROOT
from tests.support.prefect_server import BIN, QUIET, Log, PrefectServer, poll

ENDED = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}


class Serve(PrefectServer):
    """The command, from its start until it says where the web page is; requests go to its server."""

    def __init__(self, home: Path, *options: str, folder: Path = ROOT, **settings: str) -> None:
        home.mkdir(exist_ok=True)
        self.home, self.folder, self.auth = home, folder, None
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_LOGGING")}
        self.environment = {**kept, "PREFECT_HOME": str(home), **QUIET, **settings}
        self.environment.pop("PREFECT_API_URL", None)
        self.log, self.worker_log, self.terminal = (
            Log(home / name) for name in ("server.log", "worker.log", "terminal.txt")
        )
        with self.terminal.path.open("wb") as file:
            self.process = subprocess.Popen(
                [BIN / "bilderatlas", "serve", "--port", "0", *options],
                # ignored in what a shell has started with &
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
                env=self.environment,
                cwd=folder,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def until_ready(self) -> None:
        self.page = poll(self._page, "the address of the web page", timeout_s=180)
        self.api = f"{self.page}/api"
        self.environment["PREFECT_API_URL"] = self.api

    def _page(self) -> str | None:
        assert self.process.poll() is None, f"expected serve to run, got\n{self.terminal.text()}"
        found = re.search(r"^web page: (\S+) ", self.terminal.text(), re.MULTILINE)
        return found[1] if found else None

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

    def processes(self) -> set[int]:
        """The ids of all living processes that have this home."""
        found = set()
        for folder in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if folder.name.isdigit() and f"PREFECT_HOME={self.home}".encode() in (
                    (folder / "environ").read_bytes().split(b"\0")
                ):
                    found.add(int(folder.name))
        return found

    def interrupt(self) -> tuple[int, float]:
        """Press Ctrl-C: the exit status, and the seconds until then."""
        began_s = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(60)
        return status, time.monotonic() - began_s

    def stop(self) -> None:
        """End all of it, however the test has gone."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(30)
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
