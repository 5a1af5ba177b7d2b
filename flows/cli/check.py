"""`bilderatlas verify` and `why`: questions to a release that is already published."""

import argparse
from typing import TYPE_CHECKING

from flows.cli.arguments import add_command, add_store
from schemas.errors import BadInput

if TYPE_CHECKING:
    from flows.cli.arguments import Commands

_RELEASE = "folder or URL of a release, or of the file `latest` beside the versions"


def add(commands: "Commands") -> None:
    """Add the two commands."""
    parser = add_command(commands, "verify", verify, "check a release: digests, contract, counts, copies across splits")
    parser.add_argument("release", metavar="RELEASE", help=_RELEASE)
    parser.add_argument("--deep", action="store_true", help="also decode every image and measure it again")
    parser = add_command(commands, "why", why, "show what each stage decided about one record")
    parser.add_argument("release", metavar="RELEASE", nargs="?", help=f"{_RELEASE}; not with --last")
    parser.add_argument("record_id", metavar="RECORD_ID", nargs="?", help="<source>:<key>, such as museum:1876.46.28")
    parser.add_argument(
        "--last",
        action="store_true",
        help="ask the last build, also if it was refused, instead of a release; without RECORD_ID: all reasons, with "
        "examples",
    )
    add_store(parser)
    parser.add_argument("--dataset", metavar="NAME", help="with --last: which dataset, if the store has several")


def verify(arguments: argparse.Namespace) -> int:
    """Print the result of each check; the status is 1 where one failed."""
    from tasks.verify import verify

    found = verify(arguments.release, is_deep=arguments.deep)
    print(found.text)
    return 0 if found.is_good else 1


def why(arguments: argparse.Namespace) -> int:
    """Print a record's way through the stages."""
    from tasks.why import why, why_last

    given = [text for text in (arguments.release, arguments.record_id) if text is not None]
    if arguments.last:
        if len(given) > 1:
            raise BadInput(f"why --last: expected at most a RECORD_ID, got {' '.join(given)}")
        print(why_last(arguments.store, arguments.dataset, *(given or [None])))
        return 0
    if len(given) < 2:
        raise BadInput(f"why: expected RELEASE RECORD_ID, or --last, got {' '.join(given) or 'nothing'}")
    if arguments.dataset is not None:
        raise BadInput("--dataset: expected --last with it, got a release")
    print(why(*given))
    return 0
