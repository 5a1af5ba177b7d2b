"""Processes and ports of this machine."""

import contextlib
import socket
from pathlib import Path


def processes_with(variable: str, value: str) -> dict[int, bytes]:
    """The ids of all living processes in whose environment a variable has this value, with their command lines."""
    found, words = {}, f"{variable}={value}".encode()
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and words in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = (folder / "cmdline").read_bytes()
    return found


def temporary_servers(home: Path) -> set[int]:
    """The process ids of all servers that commands or workers with this PREFECT_HOME have started, and that still
    live.
    """
    words = (b"prefect.server.api", b"/temporary_server.py")
    living = processes_with("PREFECT_HOME", str(home))
    return {process for process, command in living.items() if any(word in command for word in words)}


def free_port() -> int:
    """A port at which nobody listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
