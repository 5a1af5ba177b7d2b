"""`bilderatlas evaluate ...`: the papers' measures."""

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flows.cli.arguments import add_command, add_group, summary_of
from flows.evaluate import PROTOCOLS, evaluate_by, function_of

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command and its protocols."""
    protocols = add_group(commands, "evaluate", "measure detectors, sketches ... as the papers do", "PROTOCOL")
    for protocol in PROTOCOLS:
        function = function_of(protocol)
        page = "evaluating" if protocol == "detector" else f"evaluating/{protocol}"
        summary = f"{summary_of(function).removesuffix('.')} (docs/{page}.md)."
        add_command(protocols, protocol, function, functools.partial(evaluate, protocol), summary=summary)


def evaluate(protocol: str, given: dict[str, Any], _: Sequence[str]) -> int:
    """Print the tables as Markdown."""
    print(evaluate_by(protocol, given))
    return 0
