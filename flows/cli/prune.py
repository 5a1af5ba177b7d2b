"""`bilderatlas prune`: old releases leave a store, and what none of the others needs."""

from typing import TYPE_CHECKING, Annotated

from flows.cli.arguments import add_command
from flows.parameters import Argument, Count, Day, Store, Whole

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command."""
    add_command(commands, "prune", prune)


def prune(
    name: Annotated[str, Argument("NAME|all")],
    store: Store = "./store",
    keep: Count = 2,
    keep_since: Day | None = None,
    grace_days: Whole = 14,
    do: bool = False,
) -> int:
    """Remove old releases from a store, and images and tables that nobody needs any more.

    Args:
        name: The dataset's name, or all datasets of the store.
        store: Folder or fsspec URL of the store.
        keep: Keep the newest N releases of each dataset.
        keep_since: Also keep releases written on that day or later.
        grace_days: Keep whatever is younger than so many days.
        do: Remove it; without it, only show what would be removed.

    """
    from tasks.prune import prune

    print(prune(name, store, keep, keep_since, grace_days, is_dry=not do))
    return 0
