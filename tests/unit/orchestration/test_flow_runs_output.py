"""A run whose worker was killed goes on, though nobody reads what it prints."""

import subprocess
import sys

import pytest

from tasks.orchestration.prefect_innards import RUN_ID

PROGRAM = """
import sys, time
from rich.console import Console
from tasks.orchestration import flow_runs
console = Console(stderr=True)
print("begun", flush=True)
sys.stdin.readline()
for line in range(5):
    time.sleep(0.05)
    print(line, flush=True)
    console.print(line)
open(sys.argv[1], "w").close()
"""


@pytest.mark.server
@pytest.mark.parametrize(("environment", "goes_on"), [({}, False), ({RUN_ID: "0"}, True)])
def test_a_run_of_a_worker_goes_on_without_a_reader_and_no_other_process_does(
    environment, goes_on, monkeypatch, tmp_path
):
    monkeypatch.delenv(RUN_ID, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    pipe, end = subprocess.PIPE, tmp_path / "end"
    with subprocess.Popen([sys.executable, "-c", PROGRAM, end], stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == b"begun\n"
        process.stdout.close()
        process.stderr.close()
        process.stdin.write(b"\n")
        process.stdin.close()
        assert (process.wait(60) == 0) == goes_on
    assert end.exists() == goes_on
