"""`bilderatlas museum ...`: the pretend museum, whose commands stand with it in `examples/museum/cli.py`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command and what it can do."""
    from examples.museum import cli

    cli.add(commands)
