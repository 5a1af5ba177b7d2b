"""`bilderatlas evaluate ...` and `train ...`: the papers' measures, and a detector trained on what people drew."""

from collections.abc import Sequence
from typing import Any

from flows.evaluate import evaluate_by
from flows.train import check_libraries


def evaluate(protocol: str, given: dict[str, Any], _: Sequence[str]) -> int:
    """Print the tables as Markdown."""
    print(evaluate_by(protocol, given))
    return 0


def train(given: dict[str, Any], _: Sequence[str]) -> int:
    """Train; the flow prints the scores and where the weights are."""
    check_libraries()
    from flows import prefect_flows
    from flows.runner import shared_server

    with shared_server(None):
        prefect_flows.train_detector(**given)
    return 0
