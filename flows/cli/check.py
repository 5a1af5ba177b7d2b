"""`bilderatlas verify` and `why`: questions to a release that is already published."""

import argparse
from typing import TYPE_CHECKING

from flows.cli.arguments import add_command

if TYPE_CHECKING:
    from flows.cli.arguments import Commands

_RELEASE = "folder or URL of a release, or of the file `latest` beside the versions"


def add(commands: "Commands") -> None:
    """Add the two commands."""
    parser = add_command(commands, "verify", verify, "check a release: digests, contract, counts, copies across splits")
    parser.add_argument("release", metavar="RELEASE", help=_RELEASE)
    parser.add_argument("--deep", action="store_true", help="also decode every image and measure it again")
    parser = add_command(commands, "why", why, "show what each stage decided about one record")
    parser.add_argument("release", metavar="RELEASE", help=_RELEASE)
    parser.add_argument("record_id", metavar="RECORD_ID", help="<source>:<key>, such as museum:1876.46.28")


def verify(arguments: argparse.Namespace) -> int:
    """Print the result of each check; the status is 1 where one failed."""
    from tasks.verify import verify

    found = verify(arguments.release, is_deep=arguments.deep)
    print(found.text)
    return 0 if found.is_good else 1


def why(arguments: argparse.Namespace) -> int:
    """Print a record's way through the stages."""
    from tasks.why import why

    print(why(arguments.release, arguments.record_id))
    return 0
