"""JSON Schemas of recipes as people write them, and of rows of a release's tables; and these tables for people."""

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from schemas.contract import ContractProperty, DataContract
from schemas.recipe import Recipe

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_LISTS = {"sources": "source", "stages": "stage"}
"""Fields whose entries are written short, as `{dedup: {radius_bits: 8}}` or `dedup`, and the word's own field."""

Node = dict[str, Any]


def recipe_schema() -> Node:
    """JSON Schema 2020-12 of a recipe's YAML. Rules over several settings are not in it: a build says these."""
    schema = Recipe.model_json_schema()
    definitions = schema["$defs"]
    for field, word_field in _LISTS.items():
        place = schema["properties"][field]
        names = {word: ref.rsplit("/", 1)[-1] for word, ref in place["items"]["discriminator"]["mapping"].items()}
        place["items"] = _short_forms({word: definitions[name] for word, name in names.items()}, names, word_field)
    return {"$schema": _DIALECT, **_without_titles(schema)}


def _short_forms(models: dict[str, Node], names: dict[str, str], word_field: str) -> Node:
    """The schema of one entry: a word alone, where that needs no settings, or the word with its settings."""
    for model in models.values():
        del model["properties"][word_field]
        model["properties"].get("label", {}).pop("default", None)  # it is the stage's word
    alone = [word for word, model in models.items() if not model.get("required")]
    entries = {
        word: {
            "anyOf": [{"$ref": f"#/$defs/{names[word]}"}, *([{"type": "null"}] if word in alone else [])],
            "description": model["description"],
        }
        for word, model in models.items()
    }
    with_settings = {"type": "object", "properties": entries, "additionalProperties": False}
    forms: list[Node] = [{**with_settings, "minProperties": 1, "maxProperties": 1}]
    return {"anyOf": [*forms, {"enum": alone}]} if alone else forms[0]


def _without_titles(node: Any) -> Any:
    """The schema without pydantic's titles, which only repeat the names of fields."""
    if isinstance(node, list):
        return [_without_titles(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    return {
        name: _without_titles(entry) for name, entry in node.items() if name != "title" or not isinstance(entry, str)
    }


_WRAP: dict[str, Any] = {"width": 100, "initial_indent": " " * 4, "subsequent_indent": " " * 4}
_PLAIN: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "binary": {"type": "string", "contentEncoding": "base64"},
    "bool": {"type": "boolean"},
    "double": {"type": "number"},
    "uint64": {"type": "integer", "minimum": 0},
}


def table_lines(contract: DataContract) -> Iterator[str]:
    """What a table holds, column by column, for a terminal."""
    table = contract.table
    yield f"{table.name}: {table.description}"
    yield f"contract {contract.version}; a row's key is {', '.join(table.primary_key)}"
    for column in table.properties:
        yield ""
        yield f"{column.name}  {column.arrow_type}{'' if column.required else ', may be null'}"
        for text in (_described(column), *(f"- {value.value}: {value.description}" for value in column.enum)):
            yield from textwrap.wrap(text, **_WRAP)


def _described(column: ContractProperty) -> str:
    unit = column.custom_value("unit")
    if not unit or column.description.endswith(f", {unit}"):
        return column.description
    return f"{column.description} [{unit}]"


def row_schema(contract: DataContract) -> Node:
    """JSON Schema 2020-12 of one row as JSON: times as ISO 8601, bytes in base 64. Further columns may follow."""
    table = contract.table
    return {
        "$schema": _DIALECT,
        "title": table.name,
        "description": table.description,
        "type": "object",
        "properties": {column.name: _column(column) for column in table.properties},
        "required": [column.name for column in table.properties],
    }


def _column(column: ContractProperty) -> Node:
    node = json_type(column.arrow_type)
    if column.words:
        node["enum"] = column.words
    node = node if column.required else {"anyOf": [node, {"type": "null"}]}
    return {**node, "description": _described(column), "examples": column.examples}


def json_type(arrow: str) -> Node:
    """The JSON Schema of values of an Arrow type, by its name in a contract. Raises ValueError for an unknown one.

    >>> json_type("list<int32>")
    {'type': 'array', 'items': {'type': 'integer'}}
    """
    if arrow in _PLAIN:
        return dict(_PLAIN[arrow])
    if re.fullmatch(r"int\d+", arrow):
        return {"type": "integer"}
    if arrow.startswith("timestamp["):
        return {"type": "string", "format": "date-time"}
    if found := re.fullmatch(r"list<(.+)>", arrow):
        return {"type": "array", "items": json_type(found[1])}
    if found := re.fullmatch(r"fixed_size_list<(.+)>\[(\d+)\]", arrow):
        return {"type": "array", "items": json_type(found[1]), "minItems": int(found[2]), "maxItems": int(found[2])}
    if found := re.fullmatch(r"struct<(.+)>", arrow):
        fields = [part.partition(": ") for part in found[1].split(", ")]
        either = {name: {"anyOf": [json_type(kind), {"type": "null"}]} for name, _, kind in fields}
        return {"type": "object", "properties": either}
    raise ValueError(f"expected an Arrow type that contracts have, got '{arrow}'")
