"""`bilderatlas purge`: remove what was taken down from the store and from all releases."""

from typing import TYPE_CHECKING, Annotated

from flows.cli.arguments import add_command
from flows.parameters import Argument, Day, Option, Store

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command."""
    add_command(commands, "purge", purge)


def purge(
    name: Annotated[str, Argument("NAME")],
    store: Store = "./store",
    record: Annotated[list[str], Option("ID")] | None = None,
    alone: bool = False,
    reason: Annotated[str, Option("TEXT")] = "",
    date: Day | None = None,
    dry_run: bool = False,
) -> int:
    """Remove the bytes and fields of taken-down records from a store and its releases.

    Args:
        name: The dataset's name.
        store: Folder or fsspec URL of the store.
        record: Purge this record; by default all records that the newest release lists as taken down.
        alone: Purge only the records given by --record and keep copies of the same work, one of which may replace them.
        reason: Reason to write into the tombstones of --record, which need one.
        date: Date to write into the tombstones of --record; by default today.
        dry_run: Show what would be removed, and remove nothing.

    """
    from tasks.purge import purge

    print(purge(name, store, record or [], reason, date, is_dry=dry_run, is_alone=alone))
    return 0
