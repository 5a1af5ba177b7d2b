"""One rate limiter for a whole Dask cluster: it runs on the scheduler, and every worker asks it for permits.

It is a scheduler plugin, as Dask's own semaphores are, so it needs no server, port or lifetime of its own. The first
worker that needs it registers it; its state ends with the scheduler. With other builds of the same user on the
scheduler's machine it shares each host's budget, as they do among themselves.
"""

from collections import Counter
from typing import Any, Literal

from distributed import Scheduler, SchedulerPlugin, Worker, get_client, get_worker
from distributed.utils import sync

from schemas.manners import Manners
from schemas.reasons import Reason
from tasks.io.web.addresses import origins_from_text
from tasks.io.web.rate_limits import PermitDecision, RateLimiter, RequestOutcome
from tasks.io.web.shared_hosts import hosts_of_user

_NAME = "bilderatlas-rate-limiter"
_CALL = "bilderatlas_rate_limiter"
_RUNS_KEPT = 8
Call = Literal["try_acquire", "release", "cancel", "set_crawl_delay"]


class RateLimiterPlugin(SchedulerPlugin):
    """The rate limiters of the last few runs, on the scheduler."""

    name = _NAME
    idempotent = True

    def __init__(self) -> None:
        self._rate_limiters: dict[str, RateLimiter] = {}
        self._open_permits: Counter[tuple[str, str, str]] = Counter()  # by worker, run and host

    async def start(self, scheduler: Scheduler) -> None:
        """Accept calls of workers."""
        scheduler.handlers[_CALL] = self.handle_call

    def handle_call(self, worker: str, run: str, origins: str, manners: str, call: Call, arguments: list[Any]) -> Any:
        """The answer to one call of a worker, as plain values."""
        rate_limiter = self._rate_limiter(run, origins, manners)
        if call == "set_crawl_delay":
            return rate_limiter.set_crawl_delay(*arguments)
        holder = (worker, run, str(arguments[0]))
        if call == "try_acquire":
            decision = rate_limiter.try_acquire(*arguments)
            self._open_permits[holder] += decision.is_granted
            return [decision.wait_s, decision.refusal and str(decision.refusal), decision.detail]
        # a worker that seemed dead may still call, though remove_worker has released its permits
        if self._open_permits[holder] > 0:
            self._open_permits[holder] -= 1
            (rate_limiter.release if call == "release" else rate_limiter.cancel)(*arguments)
        return None

    def remove_worker(self, scheduler: Scheduler, worker: str, **more: Any) -> None:
        """Release the permits of a worker that is gone."""
        for holder in [holder for holder in self._open_permits if holder[0] == worker]:
            run, host = holder[1:]
            for _permit in range(self._open_permits.pop(holder)):
                if run in self._rate_limiters:
                    self._rate_limiters[run].release(host, "failed")

    def _rate_limiter(self, run: str, origins: str, manners: str) -> RateLimiter:
        if run not in self._rate_limiters:
            shared = hosts_of_user(origins_from_text(origins))
            self._rate_limiters[run] = RateLimiter(Manners.model_validate_json(manners), shared=shared)
            while len(self._rate_limiters) > _RUNS_KEPT:
                del self._rate_limiters[next(iter(self._rate_limiters))]
        return self._rate_limiters[run]


class SharedRateLimiter(RateLimiter):
    """A RateLimiter whose calls the one on the scheduler answers."""

    def __init__(self, worker: Worker, run: str, origins: str, manners: str) -> None:
        self._worker, self._of = worker, {"run": run, "origins": origins, "manners": manners}

    def try_acquire(self, host: str) -> PermitDecision:
        """See RateLimiter."""
        wait_s, refusal, detail = self._call("try_acquire", host)
        return PermitDecision(wait_s, Reason(refusal) if refusal else None, detail)

    def release(
        self, host: str, outcome: RequestOutcome, retry_after_s: float | None = None, received_bytes: int = 0
    ) -> None:
        """See RateLimiter."""
        self._call("release", host, outcome, retry_after_s, received_bytes)

    def cancel(self, host: str) -> None:
        """See RateLimiter."""
        self._call("cancel", host)

    def set_crawl_delay(self, host: str, delay_s: float) -> None:
        """See RateLimiter."""
        self._call("set_crawl_delay", host, delay_s)

    def _call(self, call: Call, *arguments: Any) -> Any:
        handler, worker = getattr(self._worker.scheduler, _CALL), self._worker.address
        return sync(self._worker.loop, handler, worker=worker, call=call, arguments=list(arguments), **self._of)


def shared_rate_limiter(run: str, origins: str, manners: str) -> RateLimiter | None:
    """The cluster's rate limiter, if this is a task on a Dask worker; None anywhere else."""
    try:
        worker = get_worker()
    except ValueError:
        return None
    get_client().register_plugin(RateLimiterPlugin(), name=_NAME)
    return SharedRateLimiter(worker, run, origins, manners)
