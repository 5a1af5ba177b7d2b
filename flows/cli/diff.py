"""`bilderatlas diff`: what changed between two releases, and why."""

from typing import TYPE_CHECKING, Annotated

from flows.cli.arguments import add_command
from flows.parameters import Argument, Folder

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command."""
    add_command(commands, "diff", diff)


def diff(
    before: Annotated[str, Argument("OLDER")],
    after: Annotated[str, Argument("NEWER")],
    out: Folder | None = None,
    json: bool = False,
    exit_code: bool = False,
) -> int:
    """Show what changed between two releases, and why.

    Args:
        before: Folder or URL of the older release, or of the file `latest` beside the versions.
        after: Folder or URL of the newer release, or of the file `latest` beside the versions.
        out: Also write changes.parquet, diff.html, summary.json, and the list of what others should remove from their
            copies (opt-outs.parquet, opt-outs.txt) into this folder.
        json: Print the summary as JSON.
        exit_code: End with status 1 if a record, or what a COCO file says of all, has changed.

    """
    from tasks.diff import diff, write

    found = diff(before, after)
    if out is not None:
        write(found, out)
    print(found.json if json else found.text)
    return int(exit_code and not found.facts["is_equal"])
