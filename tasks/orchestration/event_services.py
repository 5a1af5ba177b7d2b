"""Which builds use a worker of a cluster now, by the servers that they report to: Prefect's services end with them."""

import concurrent.futures
import threading
from collections import Counter

from tasks.orchestration import prefect_innards

_USERS: Counter[str] = Counter()
"""By server: how many builds that report to it use this worker now."""

_LOCK = threading.Lock()


def begin(api_url: str) -> None:
    """A build that reports to this server uses the worker from now on."""
    with _LOCK:
        _USERS[api_url] += 1
        prefect_innards.send_events_by_server()


def end(api_url: str, longest_s: float) -> bool:
    """The build has ended: if it was the last one of its server, send what is left, for so long at most, and stop.

    Whether all was sent.
    """
    with _LOCK:
        _USERS[api_url] -= 1
        if _USERS[api_url] > 0:
            return True
        del _USERS[api_url]
        ended = prefect_innards.stop_services(api_url)
    return not concurrent.futures.wait(ended, timeout=longest_s).not_done
