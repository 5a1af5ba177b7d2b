"""A worker of a Dask cluster: the digest of its code, since another one would store other results, and its builds."""

import asyncio
import concurrent.futures
import hashlib
import threading
from collections import Counter
from pathlib import Path

from distributed import Worker, WorkerPlugin

from tasks.orchestration import prefect_innards


def _digest(root: Path) -> str:
    """SHA-256 of the names and bytes of all Python files that parts can run."""
    digest = hashlib.sha256()
    for file in sorted(file for package in ("schemas", "tasks") for file in (root / package).rglob("*.py")):
        digest.update(f"{file.relative_to(root).as_posix()}\n".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


# taken at import, so that a worker is told from one that was started after the program was brought up to date
_CODE = _digest(Path(__file__).resolve().parents[2])


def code_of_process() -> str:
    """The digest, as hex: equal where the code is."""
    return _CODE


_LONGEST_S = 5.0
"""For the last events of a build's parts: its temporary server ends with it."""
_USERS: Counter[str] = Counter()
"""By server: how many builds that report to it use this worker now."""
_LOCK = threading.Lock()


class BuildPlugin(WorkerPlugin):
    """One build, of a name that no other has, on all workers, also later ones. api_url: of its Prefect server."""

    def __init__(self, api_url: str, build: str) -> None:
        self.name = f"bilderatlas-build-{build}"
        self._api_url = api_url

    def setup(self, worker: Worker) -> None:
        """Events of the build's parts go to the build's server."""
        with _LOCK:
            _USERS[self._api_url] += 1
            prefect_innards.send_events_by_server()

    async def teardown(self, worker: Worker) -> None:
        """Send what is left, and leave that server alone from then on, unless another build reports to it."""

        def leave() -> None:
            with _LOCK:
                _USERS[self._api_url] -= 1
                if _USERS[self._api_url] > 0:
                    return
                del _USERS[self._api_url]
                ended = prefect_innards.stop_services(self._api_url)
            concurrent.futures.wait(ended, timeout=_LONGEST_S)

        await asyncio.to_thread(leave)
