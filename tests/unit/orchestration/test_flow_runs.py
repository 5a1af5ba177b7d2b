"""Names of runs, and which lines of Prefect's are left out of a run's log."""

import logging

import pytest

from schemas.errors import Refusal
from schemas.manifests import Context, Step, TableRef
from tasks.orchestration import flow_runs

CONTEXT = Context(store="store", dataset="museum")


def test_a_task_run_is_called_by_dataset_stage_and_part():
    assert flow_runs.task_run_name(CONTEXT, "fetch", "part 3 of 16") == "museum · fetch · part 3 of 16"
    assert flow_runs.task_run_name(Context(store="store"), "nano") == "nano"
    assert flow_runs.task_run_name(CONTEXT, "{odd}").format() == "museum · {odd}"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO)
    return caplog


def test_what_a_state_says_already_is_not_logged_again(lines, monkeypatch):
    for name in ("prefect.flow_runs", "prefect.task_runs"):
        logger = logging.getLogger(name)
        monkeypatch.setattr(logger, "propagate", True)
        monkeypatch.setattr(logger, "handlers", [])
        logger.info("Finished in state Completed()")
        logger.error("Task run failed with state: Failed('x')")
        logger.info("Task run failed with exception: OSError() - Retry 1/2 will start 1 second(s) from now")
    assert [record.message.partition(" -")[0] for record in lines.records] == [
        "Task run failed with exception: OSError()"
    ] * 2


def test_a_bug_keeps_its_traceback_and_a_failure_is_its_sentence_once(lines, monkeypatch):
    logger = logging.getLogger("prefect.flow_runs")
    monkeypatch.setattr(logger, "propagate", True)
    monkeypatch.setattr(logger, "handlers", [])

    def run_context(problem: Exception) -> None:  # as it is called in Prefect's engine
        try:
            raise problem
        except Exception as caught:
            logger.exception("Encountered exception during execution: %r", caught)

    run_context(ValueError("a bug"))
    run_context(Refusal("nothing is published"))
    try:
        raise Refusal("nothing is published")
    except Refusal:
        logger.error("Engine execution exited with unexpected exception", exc_info=True)
    assert [(record.message, bool(record.exc_info)) for record in lines.records] == [
        ("Encountered exception during execution: ValueError('a bug')", True),
        ("nothing is published", False),
    ]


def test_without_a_flow_a_stage_is_a_plain_call():
    step = Step(label="fetch", stage="fetch", kind="retrieve", outcome=TableRef(path="x", rows=1), kept=1, dropped={})
    assert flow_runs.run_stage("fetch", CONTEXT, lambda: step, lambda done: done) is step
    flow_runs.log_line("nobody hears it")
    flow_runs.rename_run("nobody sees it")
    with pytest.raises(Refusal):
        flow_runs.end_in_a_sentence(_refuse)


def _refuse() -> str:
    raise Refusal("nothing is published")
