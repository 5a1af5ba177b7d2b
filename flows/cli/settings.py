"""`bilderatlas settings`: every setting with its type, unit, range, default and reason."""

import argparse
from typing import TYPE_CHECKING

from flows.cli.arguments import add_command

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command."""
    parser = add_command(
        commands, "settings", settings, "list every setting with its type, unit, range, default and reason"
    )
    parser.add_argument(
        "word",
        nargs="?",
        metavar="STAGE|SOURCE|all",
        help="a stage, a source, recipe, train, evaluate, or all (default: list these words)",
    )
    parser.add_argument("--markdown", action="store_true", help="print a Markdown page, as in docs/settings.md")


def settings(arguments: argparse.Namespace) -> int:
    """Print the settings of one word or of all, or which words there are."""
    from flows import settings_reference as reference

    if arguments.markdown:
        print(reference.markdown_of(reference.sections_of(arguments.word or "all")))
    elif arguments.word:
        print(reference.text_of(reference.sections_of(arguments.word)))
    else:
        print(reference.overview())
    return 0
