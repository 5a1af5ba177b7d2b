"""What Prefect's server is told of a run beside the run's states, such as artifacts: best effort. A thread of its own
tells it, of each key only the newest, until a server that is away is back; a run waits for it at its end alone.
"""

import contextlib
import contextvars
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import UUID, uuid4

import httpx
from prefect import get_run_logger
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.objects import FlowRun
from prefect.context import FlowRunContext
from prefect.events import Event, RelatedResource
from prefect.exceptions import Pause
from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, temporary_settings

_LONGEST_WAIT_S, _LONGEST_WAIT_OF_A_COMMAND_S = 86_400.0, 20.0
"""For its server, of a run that has ended: a worker's would be shown as running for ever; a command's is waited for."""
_WITHIN_S, _REST_S = 15.0, 60.0
"""Longer than a server takes that is only busy; for all the rest, some of which it may never take, once it is back."""
_WRITTEN_S = 12.0
"""Longer than a server takes to write an event that it has taken."""
_END, _LOST = "end of the run", "events that were lost"
_SOON_S, _DOUBLINGS = 0.05, 10

PAUSED = "bilderatlas.flow-run.paused"
Report = Callable[[], object]


class _NotThere(Exception):
    """What the server has taken is not in its database."""


class _SentEvent:
    """An event of a run, as it was sent last. ids: under which it was sent."""

    def __init__(self, run_id: UUID, event: Event) -> None:
        self.run_id, self.event, self.ids, self.sent_s = run_id, event, [event.id], time.monotonic()

    def send_again(self, client: SyncPrefectClient) -> None:
        """With another id: a server passes over one that it has taken within five minutes."""
        self.event = self.event.model_copy(update={"id": uuid4()})
        _post(client, self.event)
        self.ids.append(self.event.id)
        self.sent_s = time.monotonic()


class Reporter:
    """The thread that tells the server, and what it still has to tell."""

    def __init__(self, again_after_s: float = 2.0) -> None:
        self._again_after_s = again_after_s
        self._pending: dict[str, tuple[contextvars.Context, Report]] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._telling: str | None = None
        self._forgotten = 0  # so often: what was begun before is not tried again
        self.had_trouble = False
        """Whether anything had to be told again."""

    def report(self, key: str, tell: Report) -> None:
        """Tell the server, soon and from the other thread; in place of what this key still has to tell."""
        with self._changed:
            self._pending.pop(key, None)  # its turn is after what others had to tell before
            self._pending[key] = (contextvars.copy_context(), tell)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="reports", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def wait(self, longest_s: float, key: str = "") -> bool:
        """Wait until all is told, or what belongs to the key; whether it is."""

        def is_told() -> bool:
            untold = {*self._pending, self._telling} - {None}
            return key not in untold if key else not untold

        with self._changed:
            return self._changed.wait_for(is_told, longest_s)

    def forget(self) -> None:
        """Tell no more of what is still untold, also of what is being tried just now."""
        with self._changed:
            self._forgotten += 1
            self._pending.clear()

    def _work(self) -> None:
        failures = 0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._pending))
                key, (context, tell) = next(iter(self._pending.items()))
                del self._pending[key]
                self._telling, forgotten = key, self._forgotten
            is_done = _tell(context, tell)
            self.had_trouble |= not is_done
            with self._changed:
                if not is_done and forgotten == self._forgotten:
                    # behind the others: the server may never take it; a newer one of its key wins
                    self._pending.setdefault(key, (context, tell))
                self._telling = None
                self._changed.notify_all()
            failures = 0 if is_done else failures + 1
            if failures:
                time.sleep(wait_s(failures, self._again_after_s))


def wait_s(failures: int, longest_s: float) -> float:
    """How long to wait after so many failures: at first not long, since a database may only be busy.

    >>> wait_s(1, 2.0), wait_s(300_000, 2.0)
    (0.1, 2.0)
    """
    return min(longest_s, _SOON_S * float(2 ** min(failures, _DOUBLINGS)))


def _tell(context: contextvars.Context, tell: Report) -> bool:
    """Whether there is no more to do: the server knows, or it will never take this."""

    def once() -> None:
        # without the tries of Prefect's client, the second of which comes after two seconds
        with temporary_settings({PREFECT_CLIENT_MAX_RETRIES: 0}):
            tell()

    try:
        context.run(once)
    except (httpx.TransportError, _NotThere):
        return False
    except httpx.HTTPStatusError as problem:
        status = problem.response.status_code
        if status >= httpx.codes.INTERNAL_SERVER_ERROR or status == httpx.codes.TOO_MANY_REQUESTS:
            return False  # its database is away, locked or full
        context.run(_warn, f"Prefect's server refused what it was told of this run: {problem}")
    except Exception:
        context.run(_warn, "Prefect's server could not be told of this run", exc_info=True)
    return True


def _warn(sentence: str, *, exc_info: bool = False) -> None:
    flow_run = FlowRunContext.get()
    log = logging.getLogger("bilderatlas") if flow_run is None else get_run_logger(flow_run)
    log.warning(sentence, exc_info=exc_info)


_REPORTER = Reporter()
_SENT: list[_SentEvent] = []
_AFTER_GIVING_UP = contextlib.ExitStack()


def report(key: str, tell: Report) -> None:
    """Tell the server of the flow's run something, without waiting for it; nothing outside a flow."""
    if FlowRunContext.get() is not None:
        _REPORTER.report(key, tell)


def current_run() -> FlowRun | None:
    """The run of the flow that runs here, if any."""
    return None if (context := FlowRunContext.get()) is None else context.flow_run


def report_by_client(key: str, tell: Callable[[SyncPrefectClient, FlowRun], object]) -> None:
    """`report` by a client of the server, of the flow's run; nothing without one."""
    if (run := current_run()) is None:
        return

    def tell_of_run() -> None:
        with get_client(sync_client=True) as client:
            tell(client, run)

    report(key, tell_of_run)


def send_event(
    event: str, resource: dict[str, str], related: Sequence[dict[str, str]] = (), payload: dict[str, Any] | None = None
) -> None:
    """Send an event of the flow's run as `report` does: Prefect's own way loses it where the server is away."""
    body = Event(event=event, resource=resource, payload=payload or {})

    def tell(client: SyncPrefectClient, run: FlowRun) -> None:
        _label(client, run, "event_s")  # a server that can write nothing takes an event, and loses it
        now = client.read_flow_run(run.id)
        linked = [("flow-run", now.id, now.name), ("flow", now.flow_id, client.read_flow(now.flow_id).name)]
        if now.deployment_id is not None:
            linked.append(("deployment", now.deployment_id, client.read_deployment(now.deployment_id).name))
        of_run = []
        for kind, id_, name in linked:
            place = f"prefect.{kind}.{id_}"
            of_run.append({"prefect.resource.id": place, "prefect.resource.role": kind, "prefect.resource.name": name})
        whole = body.model_copy(update={"related": [RelatedResource(entry) for entry in (*related, *of_run)]})
        _post(client, whole)
        _SENT.append(_SentEvent(run.id, whole))

    report_by_client(f"event {body.id}", tell)


def _post(client: SyncPrefectClient, event: Event) -> None:
    client.request("POST", "/events", json=[event.model_dump(mode="json")])


def _send_lost(client: SyncPrefectClient, run: FlowRun) -> None:
    """Send again what the server has taken and lost, as where its disk is full. Raises _NotThere until all is there."""
    sent = [event for event in _SENT if event.run_id == run.id]
    if not sent:
        return
    asked = {"filter": {"id": {"id": [str(one) for event in sent for one in event.ids]}}, "limit": 50}
    there = {event["id"] for event in client.request("POST", "/events/filter", json=asked).json()["events"]}
    lost = [event for event in sent if there.isdisjoint(map(str, event.ids))]
    for event in lost:
        if time.monotonic() - event.sent_s > _WRITTEN_S:
            event.send_again(client)
    if lost:
        raise _NotThere


@contextlib.contextmanager
def wait_for_reports() -> Iterator[None]:
    """Around a flow's work: at its end or error, wait until the server takes all; at a pause a moment, else not."""
    try:
        yield
    except Exception:
        _wait_for_server()
        raise
    except Pause:
        # it has sent heartbeats until now, after Prefect's own event too: without this one it would be taken for lost
        if (run := current_run()) is not None:
            send_event(PAUSED, {"prefect.resource.id": f"prefect.flow-run.{run.id}"})
        _REPORTER.wait(_WITHIN_S)
        raise
    _wait_for_server()


def _wait_for_server() -> None:
    if (run := current_run()) is None:
        return
    # a server may answer and yet write nothing, where its database is gone or its disk is full: only a write shows it
    report_by_client(_END, lambda client, run: _label(client, run, "ended_s"))
    is_told = _REPORTER.wait(_WITHIN_S)
    if not is_told:
        sentence = f"the run has ended; Prefect's server has not answered for {_WITHIN_S:.0f} s: it is waited for"
        _warn(f"{sentence}, to be told")
        if not _REPORTER.wait(_LONGEST_WAIT_S if run.deployment_id else _LONGEST_WAIT_OF_A_COMMAND_S, _END):
            _REPORTER.forget()
            # the state that comes next is tried once, in place of six times within a minute
            _AFTER_GIVING_UP.enter_context(temporary_settings({PREFECT_CLIENT_MAX_RETRIES: 0}))
            return
        is_told = _REPORTER.wait(_REST_S)
    if is_told and _REPORTER.had_trouble:
        report_by_client(_LOST, _send_lost)
        is_told = _REPORTER.wait(_REST_S)
    if not is_told:
        _REPORTER.forget()
        _warn("Prefect's server did not take all that it was told of this run")


def _label(client: SyncPrefectClient, run: FlowRun, name: str) -> None:
    """Write the time into the run's labels: it raises where the server cannot write."""
    client.update_flow_run_labels(run.id, {f"bilderatlas.{name}": round(time.time(), 1)})
