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
    live. What a server starts looks like the server until it has become another program; it is none.
    """
    words = (b"prefect.server.api", b"/temporary_server.py")
    living = processes_with("PREFECT_HOME", str(home))
    servers = {process for process, command in living.items() if any(word in command for word in words)}
    return {process for process in servers if _parent(process) not in servers}


def _parent(process: int) -> int | None:
    """The process that has started another one; None if that has ended."""
    try:
        return int(Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return None


def free_port() -> int:
    """A port at which nobody listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
