"""`bilderatlas prune`: old releases leave a store, and what none of the others needs."""

import argparse
from typing import TYPE_CHECKING

from flows.cli.arguments import add_command, add_store, positive, whole

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command."""
    parser = add_command(
        commands, "prune", prune, "remove old releases from a store, and images and tables that nobody needs any more"
    )
    parser.add_argument("name", metavar="NAME|all", help="the dataset's name, or all datasets of the store")
    add_store(parser)
    parser.add_argument(
        "--keep",
        type=positive,
        default=2,
        metavar="N",
        help="keep the newest N releases of each dataset (default: %(default)s)",
    )
    parser.add_argument("--keep-since", metavar="YYYY-MM-DD", help="also keep releases written on that day or later")
    parser.add_argument(
        "--grace-days",
        type=whole,
        default=14,
        metavar="N",
        help="keep whatever is younger than so many days (default: %(default)s)",
    )
    parser.add_argument("--do", action="store_true", help="remove it (default: only show what would be removed)")


def prune(arguments: argparse.Namespace) -> int:
    """Prune, and print what goes and what stays."""
    from tasks.prune import prune

    print(
        prune(
            arguments.name,
            arguments.store,
            arguments.keep,
            arguments.keep_since,
            arguments.grace_days,
            is_dry=not arguments.do,
        )
    )
    return 0
