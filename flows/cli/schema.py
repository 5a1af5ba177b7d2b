"""`bilderatlas schema`: what a recipe and a release's tables may hold, for people, editors and other programs."""

import argparse
from typing import TYPE_CHECKING

from flows.cli.arguments import add_command

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command."""
    parser = add_command(
        commands, "schema", schema, "print what a recipe, or a table of a release, may hold: for people and for editors"
    )
    parser.add_argument(
        "word", nargs="?", metavar="recipe|TABLE", help="recipe, images, annotations, ledger ... (default: list these)"
    )
    parser.add_argument(
        "--form",
        choices=["text", "json", "odcs"],
        help="text for people, a JSON Schema, or the table's data contract (default: json for recipe, else text)",
    )


def schema(arguments: argparse.Namespace) -> int:
    """Print the schema."""
    from tasks.schema import schema

    print(schema(arguments.word, arguments.form))
    return 0
