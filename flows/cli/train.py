"""`bilderatlas train ...`: a detector trained on what people drew."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flows.cli.arguments import add_command, add_group
from flows.train import check_libraries, train_detector

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command and what it can train."""
    kinds = add_group(commands, "train", "train a detector on what people drew", "WHAT")
    add_command(kinds, "detector", train_detector, train)


def train(given: dict[str, Any], _: Sequence[str]) -> int:
    """Train; the flow prints the scores and where the weights are."""
    check_libraries()
    from flows import prefect_flows
    from flows.runner import shared_server

    with shared_server(None):
        prefect_flows.train_detector(**given)
    return 0
