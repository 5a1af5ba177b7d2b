"""Which failed tasks are tried again, how often and when: options of Prefect's `@task`."""

from typing import Any

from prefect.client.schemas.objects import State as PrefectState

from schemas.errors import is_service_error


def _is_passing_failure(_task: Any, _run: Any, state: PrefectState[Any]) -> bool:
    """Whether a failure may pass: faults of disk, network and storage services, not errors of programs or people."""
    errors = (state.data, getattr(state.data, "result", None))
    return any(isinstance(error, OSError) or is_service_error(error) for error in errors)


RETRY_IO: dict[str, Any] = {
    "retries": 2,
    "retry_delay_seconds": [1, 10],
    "retry_condition_fn": _is_passing_failure,
    "persist_result": False,
}
"""Parts that touch disk or network: a passing fault of either should not end a night's run."""
NO_RETRY: dict[str, Any] = {"persist_result": False}
"""Decisions: pure, so that a second try would only fail again."""
