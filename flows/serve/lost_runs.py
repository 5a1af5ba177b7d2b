"""Runs that Prefect shows as running though nothing runs: their worker or their machine was stopped.

Where one machine has the pool's only worker, `serve` starts them again, and before a worker that is a service does so
`python -m flows.serve.lost_runs POOL`. Else an automation ends a run that is not heard of for a while, and starts none
again: it may be at work out of the server's reach.
"""

import argparse
import functools
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import httpx
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import DeploymentFilter, FlowRunFilter, WorkPoolFilter
from prefect.client.schemas.objects import FlowRun, State, StateType
from prefect.client.schemas.responses import OrchestrationResult, SetStateStatus
from prefect.events.actions import ChangeFlowRunState
from prefect.events.schemas.automations import AutomationCore, EventTrigger, Posture
from prefect.events.schemas.events import ResourceSpecification
from prefect.states import Cancelled, Crashed, Scheduled

from flows.runner import is_server_named
from flows.serve.automations import write_automation
from flows.serve.pool import all_pages
from tasks.orchestration.prefect_innards import RUN_ID
from tasks.orchestration.reports import PAUSED

MOST_RESTARTS, WITHIN = 5, timedelta(hours=6)
"""So often in such a time a run is started again at most: one may take its machine down each time, for ever."""
LOST_AFTER = timedelta(minutes=10)
"""Longer than three of the heartbeats that a run sends by default, each three minutes."""
LOST = "bilderatlas: end runs that are not heard of any more"
_ENDS = ("Completed", "Failed", "Crashed", "Cancelled", "Paused", "Suspended")
_STARTED_AGAIN, _UNHEARD_OF = "StartedAgain", "UnheardOf"
_SOON = timedelta(minutes=1)
_GOES_ON = "what was done is in the store, and a run started again goes on from there"
_STOPPED = f"its worker or its machine was stopped while it ran: {_GOES_ON}"
_STOPPED_TOO_OFTEN = (
    f"its worker or its machine was stopped while it ran, and it was started again {MOST_RESTARTS} times within "
    f"{WITHIN.seconds // 3600} hours; start another run once that is mended: {_GOES_ON}"
)
_MISSED = "its time came while the worker or the machine was stopped: a run that was interrupted goes on in its place"
_CANCELLED = f"it was to be cancelled when its worker or its machine was stopped; {_GOES_ON}"
_UNHEARD = (
    f"not heard of for {LOST_AFTER.seconds // 60} minutes: its worker or its machine was stopped, or cannot reach the "
    f"server; {_GOES_ON}"
)


def restart_lost_runs(client: SyncPrefectClient, pool: str) -> list[FlowRun]:
    """Start again what a stop interrupted; those runs. Only before the pool's one worker, on this machine, starts."""
    types = {"any_": [StateType.RUNNING, StateType.PENDING, StateType.CANCELLING, StateType.CRASHED]}
    chosen = FlowRunFilter.model_validate({"state": {"type": types}})
    of_pool = WorkPoolFilter.model_validate({"name": {"any_": [pool]}})
    runs = all_pages(functools.partial(client.read_flow_runs, flow_run_filter=chosen, work_pool_filter=of_pool))
    lost = [run for run in runs if _was_at_work(run) and not _is_at_work(run)]
    return [run for run in lost if _restart(client, run)]


def _was_at_work(run: FlowRun) -> bool:
    """Whether it is shown so, or was given up as unheard of."""
    return run.state is not None and (run.state.type != StateType.CRASHED or run.state.name == _UNHEARD_OF)


def _restart(client: SyncPrefectClient, run: FlowRun) -> bool:
    """Show how the run has ended, and start it again where it may be; whether the server has taken that."""
    if run.state is not None and run.state.type == StateType.CANCELLING:
        client.set_flow_run_state(run.id, Cancelled(message=_CANCELLED))
        return False
    since = datetime.now(UTC) - WITHIN
    states = client.read_flow_run_states(run.id)
    restarts = sum(state.name == _STARTED_AGAIN and state.timestamp > since for state in states)
    may_restart = restarts < MOST_RESTARTS
    client.set_flow_run_state(run.id, Crashed(message=_STOPPED if may_restart else _STOPPED_TOO_OFTEN))
    if not may_restart:
        return False
    if run.deployment_id is not None:
        _skip_missed_runs(client, run.deployment_id)
    again: State[None] = Scheduled(name=_STARTED_AGAIN, message=_STOPPED)
    answer: OrchestrationResult[None] = client.set_flow_run_state(run.id, again)
    is_again = answer.status == SetStateStatus.ACCEPT
    if is_again and run.deployment_id is not None:
        # the run sees its paths from the same folder again, wherever `serve` or `deploy` is called next
        folder = client.read_deployment(run.deployment_id).job_variables.get("working_dir")
        variables = run.job_variables or {}
        if folder and "working_dir" not in variables:
            # only now: it can be written for a run that is to begin
            client.update_flow_run(run.id, job_variables={**variables, "working_dir": folder})
    return is_again


def _is_at_work(run: FlowRun) -> bool:
    """Whether the run's process lives, though its worker was killed."""
    try:
        environment = Path(f"/proc/{run.infrastructure_pid}/environ").read_bytes()
    except OSError:
        return False
    return f"{RUN_ID}={run.id}".encode() in environment.split(b"\0")


def _skip_missed_runs(client: SyncPrefectClient, deployment_id: UUID) -> None:
    """Cancel what the deployment's schedule has missed: else that might come first, and cancel the run that goes on."""
    due = {"before_": (datetime.now(UTC) + _SOON).isoformat()}
    filters = {"state": {"type": {"any_": [StateType.SCHEDULED]}}, "expected_start_time": due}
    chosen = FlowRunFilter.model_validate(filters)
    of_deployment = DeploymentFilter.model_validate({"id": {"any_": [deployment_id]}})
    for run in client.read_flow_runs(flow_run_filter=chosen, deployment_filter=of_deployment):
        # by name: others that wait were started again or resumed, and go on
        if run.auto_scheduled and run.state is not None and run.state.name in {"Scheduled", "Late"}:
            client.set_flow_run_state(run.id, Cancelled(message=_MISSED))


def watch_for_lost_runs(client: SyncPrefectClient) -> None:
    """The automation for lost runs, on the server: made, or brought up to date."""
    beat, ends = "prefect.flow-run.heartbeat", {f"prefect.flow-run.{state}" for state in _ENDS} | {PAUSED}
    trigger = EventTrigger(
        after={beat},
        expect={beat, *ends},
        match=ResourceSpecification.model_validate({"prefect.resource.id": ["prefect.flow-run.*"]}),
        for_each={"prefect.resource.id"},
        posture=Posture.Proactive,
        threshold=1,
        within=LOST_AFTER,
    )
    action = ChangeFlowRunState(name=_UNHEARD_OF, state=StateType.CRASHED, message=_UNHEARD)
    about = "A run that sends no heartbeat any more has lost its worker or its machine: it is shown as crashed"
    write_automation(client, AutomationCore(name=LOST, description=about, trigger=trigger, actions=[action]))


def main() -> int:
    """What a service does before its worker starts; its exit status."""
    about = "Start again the runs of a work pool that a stop of its worker or of this machine has interrupted."
    parser = argparse.ArgumentParser(prog="python -m flows.serve.lost_runs", description=about)
    parser.add_argument("pool", metavar="POOL", help="the work pool, whose only worker is on this machine and stopped")
    pool = parser.parse_args().pool
    if not is_server_named():
        print("PREFECT_API_URL: expected the address of a Prefect server, got none", file=sys.stderr)  # noqa: T201
        return 2
    try:
        with get_client(sync_client=True) as client:
            watch_for_lost_runs(client)
            if pool not in {found.name for found in client.read_work_pools()}:
                print(f"no work pool is called '{pool}' yet: none of its runs were lost")  # noqa: T201
            for run in restart_lost_runs(client, pool):
                print(f"started again: {run.name}")  # noqa: T201 - for the log of the service
    except httpx.HTTPError as problem:
        print(f"expected a Prefect server that answers, got '{problem}'", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
