"""`bilderatlas contract`: what a release promises, from version to version."""

import argparse
from typing import TYPE_CHECKING

from flows.cli.arguments import add_command, add_group

if TYPE_CHECKING:
    from flows.cli.arguments import Commands

_PLACE = "a contract, a folder of contracts, or a release"


def add(commands: "Commands") -> None:
    """Add the command and what it can do."""
    parts = add_group(commands, "contract", "compare two versions of a contract")
    parser = add_command(parts, "diff", diff, "say whether readers of the old contract could read by the new one")
    parser.add_argument("old", metavar="OLD", help=_PLACE)
    parser.add_argument("new", metavar="NEW", help=_PLACE)


def diff(arguments: argparse.Namespace) -> int:
    """Print each change; the status is 1 where one breaks readers without a new major version."""
    from tasks.contract import compare

    found = compare(arguments.old, arguments.new)
    print(found.text)
    return 0 if found.is_allowed else 1
