"""Prefect's services of a worker that has served several servers: each sends to its own server, and ends with it.

Prefect keeps one service for events in a process, which belongs to the server that was there first. On a worker of a
cluster, which outlives the builds that it serves, events of the second build would go to the first one's server, which
is gone: none arrives, and each is an error in the worker's log. This is the one file that touches Prefect's services.
"""

import concurrent.futures
import threading
from collections import Counter
from typing import Any

from prefect.events.clients import PrefectEventsClient
from prefect.events.worker import EventsWorker, emit_events_to_cloud
from prefect.logging.handlers import APILogWorker
from prefect.settings import PREFECT_API_URL

_USERS: Counter[str] = Counter()
"""By server: how many builds that report to it use this worker now."""

_LOCK = threading.Lock()
_any_servers_service = EventsWorker.instance


def begin(api_url: str) -> None:
    """A build that reports to this server uses the worker from now on."""
    with _LOCK:
        _USERS[api_url] += 1
        EventsWorker.instance = classmethod(_service_of_server)  # type: ignore[method-assign, assignment]


def end(api_url: str, longest_s: float) -> bool:
    """The build has ended: if it was the last one of its server, send what is left, for so long at most, and stop.

    Whether all was sent.
    """
    with _LOCK:
        _USERS[api_url] -= 1
        if _USERS[api_url] > 0:
            return True
        del _USERS[api_url]
        services = list(EventsWorker._instances.values())  # type: ignore[misc]
        ended = [service._drain() for service in services if _server_of(service) == api_url]
    return not concurrent.futures.wait(ended, timeout=longest_s).not_done


def _service_of_server(cls: type[EventsWorker], client_type: Any = None) -> EventsWorker:
    """In place of `EventsWorker.instance`: the service of the present server, which is that of the task that runs."""
    url = PREFECT_API_URL.value()
    if client_type is not None or cls._client_override is not None or not url or emit_events_to_cloud():
        return _any_servers_service(client_type)
    return super(EventsWorker, cls).instance(PrefectEventsClient, (("api_url", url),))


def _server_of(service: Any) -> str | None:
    """The address of the server's API that a service sends to; None if it is not known."""
    if isinstance(service, EventsWorker):
        return str(dict(service.client_options).get("api_url"))
    client = getattr(service, "_client", None) if isinstance(service, APILogWorker) else None
    return None if client is None else str(client.api_url).rstrip("/")
