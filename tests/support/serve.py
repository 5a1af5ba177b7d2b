"""`bilderatlas serve` as a person runs it, with a home, stores and logs of its own that a test can read."""

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from tests.support.desk import ROOT
from tests.support.prefect_api import Log, PrefectApi, poll
from tests.support.prefect_server import BIN, QUIET
from tests.support.processes import processes_with


class Serve(PrefectApi):
    """The command, from its start until it says where the web page is; requests go to its server."""

    def __init__(self, home: Path, *options: str, folder: Path = ROOT, **settings: str) -> None:
        home.mkdir(exist_ok=True)
        self.home, self.folder = home, folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_LOGGING")}
        self.environment = {**kept, "PREFECT_HOME": str(home), **QUIET, **settings}
        self.environment.pop("PREFECT_API_URL", None)
        self.log, self.worker_log, self.terminal = (
            Log(home / name) for name in ("server.log", "worker.log", "terminal.txt")
        )
        with self.terminal.path.open("wb") as file:
            self.process = subprocess.Popen(
                [BIN / "bilderatlas", "serve", "--port", "0", *options],
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

    @contextlib.contextmanager
    def until_end(self) -> Iterator[Self]:
        """Ready for the block, and ended after it; then its log is looked through."""
        try:
            self.until_ready()
            yield self
        finally:
            self.stop()
        self.log.check()

    def processes(self) -> set[int]:
        """The ids of all living processes that have this home."""
        return {*processes_with("PREFECT_HOME", str(self.home))}

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
