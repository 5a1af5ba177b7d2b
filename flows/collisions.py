"""A run while another one of its deployment is at work waits, or by a schedule is cancelled, as runs would pile up."""

from collections.abc import Iterable

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.actions import DeploymentScheduleCreate, DeploymentUpdate
from prefect.client.schemas.objects import ConcurrencyLimitStrategy, ConcurrencyOptions, DeploymentSchedule, FlowRun

from tasks.orchestration import reports

_START = " While a run is at work, a later one"
_WORDS = {
    ConcurrencyLimitStrategy.ENQUEUE: f"{_START} waits.",
    ConcurrencyLimitStrategy.CANCEL_NEW: f"{_START} is cancelled: it has a schedule, whose runs would pile up.",
}


def strategy_for(schedules: Iterable[DeploymentSchedule | DeploymentScheduleCreate]) -> ConcurrencyLimitStrategy:
    """What Prefect does with a run that comes too early; a schedule that is switched off does not count."""
    is_scheduled = any(schedule.active for schedule in schedules)
    return ConcurrencyLimitStrategy.CANCEL_NEW if is_scheduled else ConcurrencyLimitStrategy.ENQUEUE


def describe(description: str, strategy: ConcurrencyLimitStrategy) -> str:
    """A deployment's description that ends by saying so, in place of what it has said before.

    >>> describe("The museum", ConcurrencyLimitStrategy.ENQUEUE)
    'The museum. While a run is at work, a later one waits.'
    """
    for words in _WORDS.values():
        description = description.removesuffix(words)
    return f"{description.rstrip('.')}.{_WORDS[strategy]}"


def update_strategy() -> None:
    """Bring the strategy of this run's deployment up to date: somebody may have made a schedule on Prefect's page."""
    run = reports.current_run()
    if run is not None and run.deployment_id is not None:
        reports.report_by_client("what becomes of a later run", _update)


def _update(client: SyncPrefectClient, run: FlowRun) -> None:
    deployment = client.read_deployment(str(run.deployment_id))
    before, strategy = deployment.concurrency_options, strategy_for(deployment.schedules)
    if before is not None and before.collision_strategy != strategy:
        description = describe(deployment.description or deployment.name, strategy)
        options = ConcurrencyOptions(collision_strategy=strategy)
        client.update_deployment(deployment.id, DeploymentUpdate(description=description, concurrency_options=options))
