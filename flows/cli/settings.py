"""`bilderatlas settings`: every setting with its type, unit, range, default and reason."""

from typing import TYPE_CHECKING, Annotated

from flows.cli.arguments import add_command
from flows.parameters import Argument

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command."""
    add_command(commands, "settings", settings)


def settings(word: Annotated[str, Argument("STAGE|SOURCE|all")] | None = None, markdown: bool = False) -> int:
    """List every setting with its type, unit, range, default and reason.

    Args:
        word: A stage, a source, recipe, train, evaluate, or all; by default, list these words.
        markdown: Print a Markdown page, as in docs/settings.md.

    """
    from flows import settings_reference as reference

    if markdown:
        print(reference.markdown_of(reference.sections_of(word or "all")))
    elif word:
        print(reference.text_of(reference.sections_of(word)))
    else:
        print(reference.overview())
    return 0
