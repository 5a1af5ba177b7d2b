"""One governor for a whole Dask cluster: it lives beside the scheduler, and every worker asks it for turns.

It is a scheduler plugin, as Dask's own semaphores are, so that it needs no server, port or lifetime of its own. The
first worker that needs it puts it there; its state goes with the scheduler.
"""

from collections import Counter
from typing import Any, Literal

from distributed import Scheduler, SchedulerPlugin, Worker, get_client, get_worker
from distributed.utils import sync

from schemas.manners import Manners
from schemas.reasons import Reason
from tasks.io.web.rate_limits import Ending, Governor, Turn

_NAME = "bilderatlas-governor"
_CALL = "bilderatlas_governor"
_RUNS_KEPT = 8
Call = Literal["may", "done", "give_back", "slow_to"]


class GovernorPlugin(SchedulerPlugin):
    """The governors of the last few runs, on the scheduler."""

    name = _NAME
    idempotent = True

    def __init__(self) -> None:
        """None yet."""
        self._governors: dict[str, Governor] = {}
        self._held: Counter[tuple[str, str, str]] = Counter()  # turns by worker, run and host

    async def start(self, scheduler: Scheduler) -> None:
        """Begin to answer."""
        scheduler.handlers[_CALL] = self.answer

    def answer(self, worker: str, run: str, manners: str, call: Call, arguments: list[Any]) -> Any:
        """The answer to one call of a worker, as plain values."""
        governor = self._governor(run, manners)
        if call == "slow_to":
            return governor.slow_to(*arguments)
        holder = (worker, run, str(arguments[0]))
        if call == "may":
            turn = governor.may(*arguments)
            self._held[holder] += not turn.wait_s and turn.refusal is None
            return [turn.wait_s, turn.refusal and str(turn.refusal), turn.detail]
        if self._held[holder] > 0:  # not what was given back for a worker already that had seemed dead
            self._held[holder] -= 1
            (governor.done if call == "done" else governor.give_back)(*arguments)
        return None

    def remove_worker(self, scheduler: Scheduler, worker: str, **more: Any) -> None:
        """Give back the turns of a worker that is gone: nobody else will."""
        for holder in [holder for holder in self._held if holder[0] == worker]:
            run, host = holder[1:]
            for _turn in range(self._held.pop(holder)):
                if run in self._governors:
                    self._governors[run].done(host, "failed")

    def _governor(self, run: str, manners: str) -> Governor:
        if run not in self._governors:
            self._governors[run] = Governor(Manners.model_validate_json(manners))
            while len(self._governors) > _RUNS_KEPT:
                del self._governors[next(iter(self._governors))]
        return self._governors[run]


class SharedGovernor(Governor):
    """The same calls as a Governor's, answered by the one beside the scheduler."""

    def __init__(self, worker: Worker, run: str, manners: str) -> None:
        """For the tasks of one worker."""
        self._worker, self._run, self._plain = worker, run, manners

    def may(self, host: str) -> Turn:
        """See Governor."""
        wait_s, refusal, detail = self._call("may", host)
        return Turn(wait_s, Reason(refusal) if refusal else None, detail)

    def done(self, host: str, ending: Ending, retry_after_s: float | None = None, received_bytes: int = 0) -> None:
        """See Governor."""
        self._call("done", host, ending, retry_after_s, received_bytes)

    def give_back(self, host: str) -> None:
        """See Governor."""
        self._call("give_back", host)

    def slow_to(self, host: str, delay_s: float) -> None:
        """See Governor."""
        self._call("slow_to", host, delay_s)

    def _call(self, call: Call, *arguments: Any) -> Any:
        ask = getattr(self._worker.scheduler, _CALL)
        return sync(
            self._worker.loop,
            ask,
            worker=self._worker.address,
            run=self._run,
            manners=self._plain,
            call=call,
            arguments=list(arguments),
        )


def shared_governor(run: str, manners: str) -> Governor | None:
    """The cluster's governor, if this is a task on a Dask worker; None anywhere else."""
    try:
        worker = get_worker()
    except ValueError:
        return None
    get_client().register_plugin(GovernorPlugin(), name=_NAME)
    return SharedGovernor(worker, run, manners)
