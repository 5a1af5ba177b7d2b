"""How a protocol that reads tables runs, as a flow or without one."""

import sys
from collections.abc import Callable

from tasks.evaluate.evaluation import Evaluation, make_folder
from tasks.orchestration import flow_runs


def run(protocol: str, out: str | None, evaluate: Callable[[], Evaluation]) -> Evaluation:
    """Evaluate, show it on Prefect's page, write it if asked, and print its notes."""

    def work() -> Evaluation:
        flow_runs.rename_run(f"evaluate · {protocol}")
        if out is not None:
            make_folder(out)
        result = evaluate()
        result.show()
        if out is not None:
            result.write(out)
        for note in result.notes:
            print(note, file=sys.stderr)  # noqa: T201
        return flow_runs.completed_run(result, f"{protocol} evaluated")

    return flow_runs.end_in_a_sentence(work)
