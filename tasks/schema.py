"""schema: what recipes and the tables of a release may hold, for people, editors and other programs."""

import json
from typing import Literal

from schemas.contract import TABLES, contract_path
from schemas.errors import BadInput
from schemas.json_schemas import recipe_schema, row_schema, table_lines
from schemas.phrases import quoted
from tasks.io.files import contracts

RECIPE = "recipe"
Form = Literal["text", "json", "odcs"]


def schema(word: str | None, form: Form | None = None) -> str:
    """The schema of recipes (json) or a table (by default text); without a word, what there is. Raises BadInput."""
    if word is None:
        summaries = {table: contracts.contracts()[table].table.description for table in TABLES}
        lines = {RECIPE: "The YAML that people write, as a JSON Schema.", **summaries}
        return "\n".join(f"{name:<13} {text}" for name, text in lines.items())
    if word == RECIPE:
        if form not in {None, "json"}:
            raise BadInput(f"schema recipe: expected the form json, got {form} (`bilderatlas settings` is for people)")
        return json.dumps(recipe_schema(), indent=1, ensure_ascii=False)
    if word not in TABLES:
        raise BadInput(f"schema: expected one of {', '.join((RECIPE, *TABLES))}, got {quoted(word)}")
    if form == "odcs":
        return contracts.texts()[contract_path(word)].rstrip("\n")
    contract = contracts.contracts()[word]
    if form == "json":
        return json.dumps(row_schema(contract), indent=1, ensure_ascii=False)
    return "\n".join(table_lines(contract))
