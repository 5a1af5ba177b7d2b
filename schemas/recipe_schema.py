"""The JSON Schema of recipes as people write them, by which editors complete and check them."""

from typing import Any

from schemas.recipe import Recipe

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_LISTS = {"sources": "source", "stages": "stage"}
"""Fields whose entries are written short, as `{dedup: {radius_bits: 8}}` or `dedup`, and the word's own field."""

Node = dict[str, Any]


def recipe_schema() -> Node:
    """JSON Schema 2020-12 of a recipe's YAML, with each setting's reason.

    Rules over several settings (a stage that needs another before it) are not in it: a build says these.
    """
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
