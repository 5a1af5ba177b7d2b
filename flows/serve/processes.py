"""Prefect's server and a worker as processes of this one: they begin with it, and end with it."""

import contextlib
import ipaddress
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from schemas.errors import BadInput, BrokenPromise
from schemas.phrases import quoted

POOL = "bilderatlas"
"""The work pool of all deployments."""

_CHILD = Path(__file__).with_name("child.py")
_START_S = 180.0
_LAST_PORT = 65_535
_WORKER_GRACE_S, _SERVER_GRACE_S = 0.0, 4.0
_SERVER_END_S = 1.0
"""So long the end of `serve` waits for the server to end by itself: a signal leaves a command little time."""

_SETTINGS = {
    "PREFECT_WORKER_QUERY_SECONDS": "1",  # Prefect's 10 s are most of what a run waits before it starts
    "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": "60",  # so often a run says that it is alive
    # what a server answers whose database cannot be written: else the worker gives it up after 45 s, and ends its runs
    "PREFECT_CLIENT_RETRY_EXTRA_CODES": "500",
    # runs with their logs and artifacts are kept for a year, events for a month, heartbeats for a day
    "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED": "events,flow_runs",
    "PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD": "31536000",
    "PREFECT_SERVER_EVENTS_RETENTION_PERIOD": "P30D",
    "PREFECT_SERVER_SERVICES_DB_VACUUM_EVENT_RETENTION_OVERRIDES": '{"prefect.flow-run.heartbeat": 86400}',
    # the page asks the server that it comes from, by whatever name a browser reaches that
    "PREFECT_SERVER_UI_API_URL": "/api",
    # a second look, behind the wall: who changes something brings a token, which no other page can read
    "PREFECT_SERVER_CSRF_PROTECTION_ENABLED": "true",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
    "PREFECT_LOGGING_LEVEL": "INFO",
    "PREFECT_LOGGING_COLORS": "false",
    "PREFECT_CLI_COLORS": "false",
}
"""What a server and a worker on one machine need; the environment may say otherwise."""

_OF_THIS_PROCESS = {
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL",  # keeps its terminal free of tracebacks; they have log files
    "PREFECT_SERVER_API_BASE_PATH",  # another path than the one at which all of it is looked for
}


class Child:
    """A module's command, with a log (the one before: `<log>.1`). lock: it keeps this open, also if we are killed."""

    def __init__(
        self, words: list[str], log: Path, environment: Mapping[str, str], lock: BinaryIO, grace_s: float
    ) -> None:
        self.log = log
        with contextlib.suppress(FileNotFoundError):
            log.replace(f"{log}.1")
        with log.open("wb") as file:
            self.process = subprocess.Popen(
                # -P: neither the current folder nor that of this file may hide a module of Prefect's
                [sys.executable, "-P", str(_CHILD), str(grace_s), *words],
                stdin=subprocess.PIPE,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=environment,
                pass_fds=[lock.fileno()],
                # a terminal sends Ctrl-C to all processes of a session, but the worker ends before the server
                start_new_session=True,
            )

    def check(self) -> None:
        """Raise BrokenPromise if the process has ended."""
        if (status := self.process.poll()) is not None:
            name, log = self.log.stem, self.log
            raise BrokenPromise(f"expected Prefect's {name} to run, got one that ended ({status}): see {log}")

    def stop(self) -> None:
        """End the process and all that it has started."""
        if self.process.stdin is not None:
            self.process.stdin.close()  # which it sees, and ends
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_SERVER_END_S)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def free_port(host: str, port: int) -> int:
    """The port, if nobody listens there; 0 is one that the system chooses. Raises BadInput."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host or "?", None, family=family)
    except (OSError, UnicodeError) as problem:
        expected = "a name or an address of this machine, such as 127.0.0.1"
        raise BadInput(f"--host: expected {expected}, got {quoted(host)}") from problem
    try:
        if port > _LAST_PORT:
            raise OSError(f"the last is {_LAST_PORT}")
        with socket.create_server((host, port), family=family) as probe:
            return int(probe.getsockname()[1])
    except OSError as problem:  # its own text has the address once more
        detail = os.strerror(problem.errno) if problem.errno and problem.errno > 0 else problem
        raise BadInput(f"--port: expected a port that is free on {quoted(host)}, got {port} ({detail})") from problem


def is_open_to_others(host: str) -> bool:
    """Whether other machines reach what listens at the host.

    >>> is_open_to_others("127.0.0.1"), is_open_to_others("0.0.0.0")
    (False, True)
    """
    found = {entry[4][0] for entry in socket.getaddrinfo(host, None)}
    return not all(ipaddress.ip_address(str(place).partition("%")[0]).is_loopback for place in found)


def address(host: str, port: int) -> str:
    """Where this machine reaches what listens at the host.

    >>> address("0.0.0.0", 4200)
    'http://127.0.0.1:4200'
    """
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"


def start_server(
    host: str, port: int, allowed_hosts: Sequence[str], home: Path, environment: Mapping[str, str], lock: BinaryIO
) -> Child:
    """Prefect's server with its web page. `wait_for` says when it answers."""
    allowed = [word for name in allowed_hosts for word in ("--allowed-host", name)]
    words = ["flows.serve.server", "--host", host, "--port", str(port), *allowed]
    return Child(words, home / "server.log", environment, lock, _SERVER_GRACE_S)


def start_worker(home: Path, environment: Mapping[str, str], lock: BinaryIO) -> Child:
    """A worker of the pool, which must be there."""
    words = ["worker", "start", "--pool", POOL, "--type", "process", "--install-policy", "never"]
    return Child(["prefect", "--no-prompt", *words], home / "worker.log", environment, lock, _WORKER_GRACE_S)


def child_environment(api: str, home: Path) -> dict[str, str]:
    """The environment of a server and of a worker."""
    given = {name: value for name, value in os.environ.items() if name not in _OF_THIS_PROCESS}
    # by default, any page that the browser shows may ask the server to run what it likes
    origins = {"PREFECT_SERVER_CORS_ALLOWED_ORIGINS": api.removesuffix("/api")}
    return {**_SETTINGS, **origins, **given, "PREFECT_API_URL": api, "PREFECT_HOME": str(home)}


def wait_for(server: Child, api: str) -> None:
    """Return when the server answers. Raises BrokenPromise where it ends, or does not answer in time."""
    until_s = time.monotonic() + _START_S
    while not _is_ready(api):
        server.check()
        if time.monotonic() > until_s:
            raise BrokenPromise(f"expected Prefect's server to answer within {_START_S:.0f} s: see {server.log}")
        time.sleep(0.1)


def _is_ready(api: str) -> bool:
    try:
        with urllib.request.urlopen(f"{api}/health", timeout=10) as answer:
            return bool(answer.status == 200)
    except urllib.error.HTTPError as problem:  # it asks for a password: it answers
        return problem.code == 401
    except (OSError, ValueError):
        return False
