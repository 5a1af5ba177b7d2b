"""The template of the work pool: what whoever starts a run may choose, and what stays of what people have set."""

import shlex
import sys
from typing import Any

import pytest
from prefect.workers.process import ProcessWorker

from flows.serve.pool import job_template, keep_what_people_set


def prefects(**defaults: Any) -> dict[str, Any]:
    """Prefect's own template, with defaults of its variables that a person has set on the page."""
    template = ProcessWorker.get_default_base_job_template()
    for name, value in defaults.items():
        template["variables"]["properties"][name]["default"] = value
    return template


def test_nothing_but_the_folder_and_the_lines_in_the_log_can_be_chosen():
    variables = job_template(["/b", "/a", "/b"])["variables"]
    assert variables["properties"].keys() == {"stream_output", "working_dir"}
    assert variables["properties"]["working_dir"]["enum"] == ["/a", "/b"]
    assert variables["additionalProperties"] is False


@pytest.mark.parametrize("before", [{}, {"job_configuration": None}, prefects(), job_template(["/old"])])
def test_a_pool_that_nobody_has_changed_gets_ours(before):
    assert keep_what_people_set(job_template(["/a"]), before) == job_template(["/a"])


def test_the_command_is_prefects_own_whatever_python_a_pool_had_before():
    before = prefects(command="/old/.venv/bin/python -m prefect.engine")
    command = keep_what_people_set(job_template(["/a"]), before)["job_configuration"]["command"]
    assert shlex.split(command) == [sys.executable, "-P", "-m", "prefect.engine"]


def test_what_a_person_has_set_for_all_runs_stays_and_again():
    before = prefects(env={"OMP_NUM_THREADS": "2"}, command="nice my-engine", stream_output=False)
    once = keep_what_people_set(job_template(["/a"]), before)
    assert once["job_configuration"]["env"] == {"OMP_NUM_THREADS": "2"}
    assert once["job_configuration"]["command"] == "nice my-engine"
    assert once["variables"]["properties"]["stream_output"]["default"] is False
    assert once["variables"]["properties"].keys() == {"stream_output", "working_dir"}
    assert keep_what_people_set(job_template(["/a"]), once) == once
