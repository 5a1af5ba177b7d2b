"""`bilderatlas schema`: what a recipe and a release's tables may hold, for people, editors and other programs."""

from typing import TYPE_CHECKING, Annotated, Literal

from flows.cli.arguments import add_command
from flows.parameters import Argument

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command."""
    add_command(commands, "schema", schema)


def schema(
    word: Annotated[str, Argument("recipe|TABLE")] | None = None, form: Literal["text", "json", "odcs"] | None = None
) -> int:
    """Print what a recipe, or a table of a release, may hold: for people and for editors.

    Args:
        word: Recipe, images, annotations, ledger ...; by default, list these.
        form: Text for people, a JSON Schema, or the table's data contract; by default json for recipe, else text.

    """
    from tasks.schema import schema

    print(schema(word, form))
    return 0
