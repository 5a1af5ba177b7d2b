"""A run while another one of its deployment is at work waits, or by a schedule is cancelled, as runs would pile up."""

from collections.abc import Iterable

from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import DeploymentScheduleCreate, DeploymentUpdate
from prefect.client.schemas.objects import ConcurrencyLimitStrategy, ConcurrencyOptions, DeploymentSchedule
from prefect.context import FlowRunContext

from tasks.orchestration import reports

_WORDS = {
    ConcurrencyLimitStrategy.ENQUEUE: " While a run is at work, a later one waits.",
    ConcurrencyLimitStrategy.CANCEL_NEW: (
        " While a run is at work, a later one is cancelled: it has a schedule, whose runs would pile up."
    ),
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
    context = FlowRunContext.get()
    if context is None or context.flow_run is None or (deployment_id := context.flow_run.deployment_id) is None:
        return

    def tell() -> None:
        with get_client(sync_client=True) as client:
            deployment = client.read_deployment(deployment_id)
            before, strategy = deployment.concurrency_options, strategy_for(deployment.schedules)
            if before is not None and before.collision_strategy != strategy:
                description = describe(deployment.description or deployment.name, strategy)
                options = ConcurrencyOptions(collision_strategy=strategy)
                update = DeploymentUpdate(description=description, concurrency_options=options)
                client.update_deployment(deployment_id, update)

    reports.report("what becomes of a later run", tell)
