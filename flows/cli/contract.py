"""`bilderatlas contract`: what a release promises, from version to version."""

from typing import TYPE_CHECKING, Annotated

from flows.cli.arguments import add_command, add_group
from flows.parameters import Argument

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command and what it can do."""
    add_command(add_group(commands, "contract", "compare two versions of a contract"), "diff", diff)


def diff(old: Annotated[str, Argument("OLD")], new: Annotated[str, Argument("NEW")]) -> int:
    """Say whether readers of the old contract could read by the new one. The status is 1 where a change breaks them
    without a new major version.

    Args:
        old: A contract, a folder of contracts, or a release.
        new: A contract, a folder of contracts, or a release.

    """
    from tasks.contract import compare

    found = compare(old, new)
    print(found.text)
    return 0 if found.is_allowed else 1
