"""`bilderatlas schema`: what a recipe may hold, for editors and other programs."""

import argparse
import json
from typing import TYPE_CHECKING

from flows.cli.arguments import add_command

if TYPE_CHECKING:
    from flows.cli.arguments import Commands


def add(commands: "Commands") -> None:
    """Add the command."""
    parser = add_command(
        commands, "schema", schema, "print the JSON Schema of recipes, by which editors complete and check them"
    )
    parser.add_argument("what", choices=["recipe"], help="recipe: the YAML that people write")


def schema(_: argparse.Namespace) -> int:
    """Print the schema."""
    from schemas.recipe_schema import recipe_schema

    print(json.dumps(recipe_schema(), indent=1, ensure_ascii=False))
    return 0
