"""`bilderatlas prune` and `purge`: what leaves a store."""

from typing import Annotated

from flows.parameters import Argument, Count, Day, Option, Store, Whole


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
