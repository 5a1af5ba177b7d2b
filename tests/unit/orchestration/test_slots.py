"""Prefect's way to end a run that cannot renew its lease is replaced, in the process of a run alone."""

import inspect
import subprocess
import sys

import pytest
from prefect import flow_engine
from prefect.concurrency._leases import maintain_concurrency_lease

from tasks.orchestration.slots import keep_lease

PROGRAM = """
import flows.build_dataset, flows.evaluate.detector, flows.train
from prefect import flow_engine
print(flow_engine.maintain_concurrency_lease.__module__)
"""


@pytest.mark.parametrize(
    ("environment", "module"),
    [({}, "prefect.concurrency._leases"), ({"PREFECT__FLOW_RUN_ID": "0"}, "tasks.orchestration.slots")],
)
def test_a_process_that_prefect_starts_for_a_run_keeps_the_slot(environment, module, monkeypatch):
    monkeypatch.delenv("PREFECT__FLOW_RUN_ID", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == module


def test_prefects_engine_calls_the_function_that_is_replaced():
    calls = inspect.getsource(flow_engine.FlowRunEngine)
    assert (
        "maintain_concurrency_lease(\n                        lease_id, 300, raise_on_lease_renewal_failure=True"
        in calls
    )
    given = inspect.signature(maintain_concurrency_lease)
    inspect.signature(keep_lease).bind(*given.parameters)
