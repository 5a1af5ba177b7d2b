"""`bilderatlas diff`: what changed between two releases, and why."""

import argparse
from typing import TYPE_CHECKING

from flows.cli.arguments import add_command

if TYPE_CHECKING:
    from flows.cli.arguments import Commands

_RELEASE = "folder or URL of the {} release, or of the file `latest` beside the versions"


def add(commands: "Commands") -> None:
    """Add the command."""
    parser = add_command(commands, "diff", diff, "show what changed between two releases, and why")
    parser.add_argument("before", metavar="OLDER", help=_RELEASE.format("older"))
    parser.add_argument("after", metavar="NEWER", help=_RELEASE.format("newer"))
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        help="also write changes.parquet, diff.html, summary.json, and the list of what others should remove from "
        "their copies (opt-outs.parquet, opt-outs.txt) into this folder",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument(
        "--exit-code",
        action="store_true",
        help="end with status 1 if a record, or what a COCO file says of all, has changed",
    )


def diff(arguments: argparse.Namespace) -> int:
    """Print the summary, and write what was asked for."""
    from tasks.diff import diff, write

    found = diff(arguments.before, arguments.after)
    if arguments.out is not None:
        write(found, arguments.out)
    print(found.json if arguments.json else found.text)
    return int(arguments.exit_code and not found.facts["is_equal"])
