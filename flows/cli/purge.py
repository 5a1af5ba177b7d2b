"""`bilderatlas purge`: remove what was taken down from the store and from all releases."""

import argparse
from typing import TYPE_CHECKING

from flows.cli.arguments import add_command, add_store

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command."""
    parser = add_command(
        commands, "purge", purge, "remove the bytes and fields of taken-down records from a store and its releases"
    )
    parser.add_argument("name", metavar="NAME", help="the dataset's name")
    add_store(parser)
    parser.add_argument(
        "--record",
        action="append",
        default=[],
        metavar="ID",
        help="purge this record; may be repeated (default: all records that the newest release lists as taken down)",
    )
    parser.add_argument(
        "--alone",
        action="store_true",
        help="purge only the records given by --record and keep copies of the same work, one of which may replace them",
    )
    parser.add_argument(
        "--reason", default="", metavar="TEXT", help="reason to write into the tombstones of --record, which need one"
    )
    parser.add_argument(
        "--date", metavar="YYYY-MM-DD", help="date to write into the tombstones of --record (default: today)"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be removed, and remove nothing")


def purge(arguments: argparse.Namespace) -> int:
    """Purge, and print what was removed."""
    from tasks.purge import purge

    text = purge(
        arguments.name,
        arguments.store,
        arguments.record,
        arguments.reason,
        arguments.date,
        is_dry=arguments.dry_run,
        is_alone=arguments.alone,
    )
    print(text)
    return 0
