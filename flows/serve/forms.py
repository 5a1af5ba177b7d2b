"""A deployment's parameter schema, by which Prefect asks and refuses; a build's is narrowed to a recipe's bindings."""

from collections.abc import Sequence
from typing import Any

from prefect import Flow
from prefect.utilities.callables import parameter_schema

from schemas.recipe import Recipe

_FIXED = "The recipe of this deployment; to choose another one, choose its deployment"
_CONTACT = "An address of yours, by which those who run the asked hosts can reach you: e-mail or a web page"
_ORIGINS = "Other origins to ask in place of the hosts, such as those of the pretend museum"
_SECRET = "; give the place where the secret is kept, never the secret: env:NAME, file:PATH or prefect:BLOCK"
_DEVICES = ["auto", "cpu", "cuda", *(f"cuda:{number}" for number in range(16))]
_PLACE_OF_SECRET = "^(env|file|prefect):.+$"


def flow_form(flow: Flow[Any, Any], stores: Sequence[str]) -> dict[str, Any]:
    """The schema of a flow's parameters; `store`, where it has one, is one of these."""
    schema = dict(parameter_schema(flow.fn).model_dump(exclude_none=True))
    for name, field in schema["properties"].items():
        # a field that may be left out, in place of one that may be null: for null, the form asks which type is meant
        kinds = [kind for kind in field.get("anyOf", []) if kind.get("type") != "null"]
        if len(kinds) == 1:
            plain = {key: value for key, value in field.items() if key != "anyOf" and (key, value) != ("default", None)}
            schema["properties"][name] = {**plain, **kinds[0]}
    schema["additionalProperties"] = False
    if "store" in schema["properties"]:
        schema["properties"]["store"] |= {"enum": list(stores), "default": stores[0]}
    if "device" in schema["properties"]:
        schema["properties"]["device"] |= {"enum": _DEVICES}
        del schema["properties"]["device"]["pattern"]  # for the same, but the page would quote it to people
    return schema


def recipe_form(flow: Flow[Any, Any], recipe: Recipe, path: str, stores: Sequence[str]) -> dict[str, Any]:
    """The schema of a build of one recipe, which the parameter `recipe` names by `path`: its bindings are fields."""
    schema = flow_form(flow, stores)
    fields = schema["properties"]
    fields["recipe"] |= {"enum": [path], "description": _FIXED}
    fields["bind"] = {**_bindings(recipe), **{name: fields["bind"][name] for name in ("description", "position")}}
    schema["required"] = ["recipe", "store", *(["bind"] if fields["bind"]["required"] else [])]
    return schema


def _bindings(recipe: Recipe) -> dict[str, Any]:
    secrets = {source.secret for source in recipe.web_sources}
    fields = {name: _binding(name, meaning) for name, meaning in recipe.bindings.items() if name not in secrets}
    for name in (name for name in recipe.bindings if name in secrets):
        fields[name] = _binding(name, recipe.bindings[name] + _SECRET) | {"pattern": _PLACE_OF_SECRET}
    if recipe.web_sources:
        fields["contact"] = _binding("contact", _CONTACT)
    required = [*fields]
    if recipe.web_sources:
        fields["origins"] = _binding("origins", _ORIGINS)
    return {
        "type": "object",
        "title": "bind",
        "properties": {name: {**field, "position": place} for place, (name, field) in enumerate(fields.items())},
        "required": required,
        "additionalProperties": False,
    }


def _binding(name: str, meaning: str) -> dict[str, Any]:
    return {"type": "string", "title": name, "description": " ".join(meaning.split()), "minLength": 1}
