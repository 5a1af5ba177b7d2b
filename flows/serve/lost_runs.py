"""Runs that Prefect shows as running though nothing runs: their worker or their machine was stopped.

Where one machine has the pool's only worker, they are found when it starts, and are started again: a scrape of a week
outlives a reboot. `serve` does so, and `python -m flows.serve.lost_runs POOL` before a worker that is a service.
Else only the server can notice: an automation ends a run as crashed that has not been heard of for a while. It starts
none again, since the run may still be at work out of the server's reach.
"""

import sys
from datetime import timedelta
from pathlib import Path

import httpx
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import FlowRunFilter, WorkPoolFilter
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.events.actions import ChangeFlowRunState
from prefect.events.schemas.automations import AutomationCore, EventTrigger, Posture
from prefect.events.schemas.events import ResourceSpecification
from prefect.states import Crashed, Scheduled

MOST_STARTS = 5
"""So often a run is started at most: one that takes its machine down each time would do so for ever."""

LOST_AFTER = timedelta(minutes=10)
"""Longer than three of the heartbeats that a run sends by default, each three minutes."""

LOST = "Runs that are not heard of any more"

_ENDS = ("Completed", "Failed", "Crashed", "Cancelled", "Paused", "Suspended")

_GOES_ON = "what was done is in the store, and a run started again goes on from there"

_STOPPED = f"its worker or its machine was stopped while it ran: {_GOES_ON}"

_UNHEARD = (
    f"not heard of for {LOST_AFTER.seconds // 60} minutes: its worker or its machine was stopped, or cannot reach the "
    f"server; {_GOES_ON}"
)


def restart_lost_runs(client: SyncPrefectClient, pool: str) -> list[FlowRun]:
    """Start again what ran when the worker or the machine was stopped; those runs. Only where the pool's one worker is
    on this machine, and before it is started.
    """
    running = {"any_": [StateType.RUNNING, StateType.PENDING, StateType.CANCELLING]}
    found = client.read_flow_runs(
        flow_run_filter=FlowRunFilter.model_validate({"state": {"type": running}}),
        work_pool_filter=WorkPoolFilter.model_validate({"name": {"any_": [pool]}}),
    )
    restarted = []
    for run in found:
        if _is_at_work(run):
            continue
        client.set_flow_run_state(run.id, Crashed(message=_STOPPED))
        is_wanted = run.state is not None and run.state.type != StateType.CANCELLING
        if is_wanted and run.run_count < MOST_STARTS:
            client.set_flow_run_state(run.id, Scheduled(name="StartedAgain", message=_STOPPED))
            restarted.append(run)
    return restarted


def _is_at_work(run: FlowRun) -> bool:
    """Whether the run's process lives, though its worker was killed."""
    try:
        environment = Path(f"/proc/{run.infrastructure_pid}/environ").read_bytes()
    except OSError:
        return False
    return f"PREFECT__FLOW_RUN_ID={run.id}".encode() in environment.split(b"\0")


def create_automation(client: SyncPrefectClient) -> None:
    """The automation for lost runs, on the server: made, or brought up to date."""
    ends = {f"prefect.flow-run.{state}" for state in _ENDS}
    automation = AutomationCore(
        name=LOST,
        description="A run that sends no heartbeat any more has lost its worker or its machine: it is shown as crashed",
        trigger=EventTrigger(
            after={"prefect.flow-run.heartbeat"},
            expect={"prefect.flow-run.heartbeat", *ends},
            match=ResourceSpecification.model_validate({"prefect.resource.id": ["prefect.flow-run.*"]}),
            for_each={"prefect.resource.id"},
            posture=Posture.Proactive,
            threshold=1,
            within=LOST_AFTER,
        ),
        actions=[
            ChangeFlowRunState(
                state=StateType.CRASHED,
                message=_UNHEARD,
            )
        ],
    )
    before = client.read_automations_by_name(LOST)
    if before:
        # one that was switched off on the page stays so
        client.update_automation(before[0].id, automation.model_copy(update={"enabled": before[0].enabled}))
    else:
        client.create_automation(automation)


def main(pool: str) -> int:
    """What a service does before its worker starts; its exit status."""
    try:
        with get_client(sync_client=True) as client:
            create_automation(client)
            for run in restart_lost_runs(client, pool):
                print(f"started again: {run.name}")  # noqa: T201 - for the log of the service
    except httpx.HTTPError as problem:
        print(f"expected a Prefect server that answers, got '{problem}'", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
