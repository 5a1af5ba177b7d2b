"""Settings that people give: one reader of `--set` and of YAML; what is wrong, in a sentence "expected ... got ..."."""

import difflib
import functools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, LONGEST_QUOTE, listed, quoted, quoted_name
from schemas.yaml_text import NotYaml, parse_yaml

Settings = TypeVar("Settings", bound=BaseModel)


def yaml_value(text: str, option: str) -> Any:
    """The value of a short YAML text that was given to an option. Raises BadInput."""
    try:
        return parse_yaml(text)
    except NotYaml as problem:
        raise BadInput(f"{option}: expected a YAML value, got {quoted(text)}: {problem}") from problem


def yaml_mapping(text: str, path: str, contents: str) -> dict[str, Any]:
    """The mapping in a YAML file. `contents` says what it should hold. Raises BadInput."""
    try:
        value = parse_yaml(text)
    except NotYaml as problem:
        raise BadInput(f"{path[:LONGEST_PLACE]}: {problem}") from problem
    if not isinstance(value, dict):
        raise BadInput(f"{path[:LONGEST_PLACE]}: expected a mapping with {contents}, got {type(value).__name__}")
    return value


def changes_of(changes: Mapping[str, Any] | Sequence[str]) -> list[str]:
    """Changes as `--set` takes them, NAME=VALUE, where the value is YAML, of which JSON is a part."""
    if not isinstance(changes, Mapping):
        return [*changes]
    return [f"{name}={json.dumps(value)}" for name, value in changes.items()]


def parse_change(change: str, form: str = "field=VALUE") -> tuple[list[str], Any]:
    """The names and the value, which is YAML, of one `--set`: "a.b=1" is (["a", "b"], 1). Raises BadInput."""
    target, separator, text = change.partition("=")
    if not separator or not target:
        raise BadInput(f"--set: expected {form}, got {quoted(change)}")
    return target.split("."), yaml_value(text, f"--set {target}")


def set_field(fields: dict[str, Any], names: Sequence[str], value: Any) -> None:
    """Write a value into nested mappings; mappings on the way that are missing are made. Raises BadInput."""
    *groups, last = names
    for name in groups:
        if not isinstance(fields.setdefault(name, {}), dict):
            whole = quoted(".".join(names))
            raise BadInput(f"--set: expected {quoted(name)} in {whole} to hold fields, got {quoted(fields[name])}")
        fields = fields[name]
    fields[last] = value


def settings_from_fields(model: type[Settings], fields: Mapping[str, Any], where: str = "") -> Settings:
    """The model of these fields. Raises BadInput with one sentence, after `where` if that is not empty."""
    try:
        return model.model_validate(fields)
    except ValidationError as problem:
        sentence = sentence_from_error(problem, model, fields)
        raise BadInput(f"{where}: {sentence}" if where else sentence) from problem


_EXPECTED = {
    "missing": "a value",
    "union_tag_invalid": "one of {expected_tags}",
    **dict.fromkeys(("union_tag_not_found", "model_attributes_type"), "one word with its settings"),
    **dict.fromkeys(("model_type", "dict_type"), "a mapping"),
    "tuple_type": "a list",
    "invalid_key": "text as the name of a field",
    "extra_forbidden": "a known field",
    "literal_error": "{expected}",
    "string_type": "text",
    "string_too_short": "text of {min_length} or more characters",
    "string_too_long": "text of {max_length} or fewer characters",
    "string_pattern_mismatch": "text that matches {pattern}",
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    "int_parsing_size": "a whole number of fewer digits",
    "string_unicode": "text without halves of characters",
    "finite_number": "a finite number",
    "greater_than": "more than {gt}",
    "greater_than_equal": "{ge} or more",
    "less_than": "less than {lt}",
    "less_than_equal": "{le} or less",
    "too_short": "{min_length} or more entries",
    "too_long": "{max_length} or fewer entries",
    **dict.fromkeys(("date_type", "date_from_datetime_parsing"), "a date such as 2026-01-31"),
}
"""What was expected, for each kind of error that pydantic reports: its own words speak of Python, not of YAML."""

PATTERNS = {
    "^[a-z0-9][a-z0-9_-]{0,62}$": "lower-case letters, digits, - and _ (at most 63, the first a letter or a digit)",
    "^[a-z][a-z0-9_]{0,62}$": "lower-case letters, digits and _ (at most 63, the first a letter)",
    "^[0-9a-f]{64}$": "64 hexadecimal digits",
    "^[^/]+(/[^/]+)*$": "folders with single slashes between",
    "^(auto|cpu|cuda(:[0-9]+)?)$": "auto, cpu, cuda or cuda:N",
}
"""What the patterns of schemas/ and of parameters mean, in words; details are in brackets."""

_MOST_KNOWN = 12  # fields, in a message
_MOST_UNKNOWN = 20  # fields whose right spelling is looked for
_TYPE_MARK = re.compile(r"(literal|tuple|list|dict|str|int|float|bool|constrained-\w+|function-\w+)(\[.*\])?")
"""How pydantic marks the alternatives of a union in an error's place, such as literal['all']."""


def sentence_from_error(problem: ValidationError, model: type[BaseModel], fields: Mapping[str, Any]) -> str:
    """The first thing that is wrong, and how many more errors there are. Unknown fields come first: where one is a slip
    of the pen (`patern`), that the right one is missing is no error. fields: for labels of stages and names of sources.
    """
    # where an entry of a list is wrong, pydantic adds that the list is too short without it
    errors: list[Mapping[str, Any]] = [
        error for error in problem.errors() if error["type"] != "too_short" or not error["input"]
    ]
    unknown = [error for error in errors if error["type"] == "extra_forbidden"]
    meant = {(*error["loc"][:-1], _nearest_field(error["loc"], model)) for error in unknown[:_MOST_UNKNOWN]}
    known = [error for error in errors if error["type"] != "extra_forbidden"]
    errors = [*unknown, *(error for error in known if error["type"] != "missing" or error["loc"] not in meant)]
    places = [_place(error["loc"], fields) for error in errors]
    alternatives = [error for error, place in zip(errors, places, strict=True) if place == places[0]]
    more = f" (and {len(errors) - len(alternatives)} more)" if len(errors) > len(alternatives) else ""
    sentence = f"{_sentence(alternatives, model)}{more}"
    return f"{places[0]}: {sentence}" if places[0] else sentence


def _sentence(errors: Sequence[Mapping[str, Any]], model: type[BaseModel]) -> str:
    """Errors at one place, each for one of the types that would do there."""
    first = errors[0]
    if first["type"] == "value_error":
        message = str(first["msg"]).removeprefix("Value error, ")
        return message if "expected" in message else f"{message}, got {_given(first, model)}"
    expected = " or ".join(dict.fromkeys(_expected(error) for error in errors))
    return f"expected {expected}, got {_given(first, model)}"


def _expected(error: Mapping[str, Any]) -> str:
    context = error.get("ctx", {})
    if context.get("pattern") in PATTERNS:
        return PATTERNS[context["pattern"]]
    if error["type"] in _EXPECTED:
        limits = {name: f"{value:g}" if isinstance(value, float) else value for name, value in context.items()}
        return _EXPECTED[error["type"]].format(**limits)
    return re.sub("^(input|string) should (be )?", "", str(error["msg"]), flags=re.IGNORECASE)


def _given(error: Mapping[str, Any], model: type[BaseModel]) -> str:
    kind = error["type"]
    if kind == "missing" or (kind == "too_short" and not error["input"]):
        return "none"
    if kind == "union_tag_invalid":
        return quoted(error["ctx"]["tag"])
    if kind == "extra_forbidden":
        name = quoted(str(error["loc"][-1]))
        if near := _nearest_field(error["loc"], model):
            return f"{name}; did you mean '{near}'?"
        known = _known_fields(error["loc"][:-1], model)
        return f"{name}; known here: {listed(known, _MOST_KNOWN)}" if known else name
    return quoted(error.get("input"))


def _place(loc: tuple[int | str, ...], fields: Mapping[str, Any]) -> str:
    """`stages[3] (has-a-figure).figures.score`: without the marks that pydantic adds for types, tags and keys."""
    parts: list[str] = []
    has_tag = False
    for position, part in enumerate(loc):
        if has_tag:
            has_tag = False
        elif isinstance(part, int) and parts and parts[-1] in {"stages", "sources"}:
            tag = loc[position + 1] if position + 1 < len(loc) and isinstance(loc[position + 1], str) else None
            parts[-1] += f"[{part}]" + (f" ({_label(fields, parts[-1], part, str(tag))})" if tag else "")
            has_tag = tag is not None
        elif part != "[key]" and not (parts and _TYPE_MARK.fullmatch(str(part))):
            parts.append(quoted_name(part))
    return ".".join(parts)


def _label(fields: Mapping[str, Any], field: str, position: int, tag: str) -> str:
    entry = fields[field][position]
    settings = entry.get(tag) if isinstance(entry, dict) else None
    return quoted_name(settings.get("label") or settings.get("name") or tag) if isinstance(settings, dict) else tag


def _nearest_field(loc: Sequence[int | str], model: type[BaseModel]) -> str | None:
    """The field that was meant by an unknown one: the nearest of those at its place; None where none is near."""
    name = str(loc[-1])[:LONGEST_QUOTE]
    return next(iter(difflib.get_close_matches(name, _known_fields(loc[:-1], model), n=1)), None)


def _known_fields(loc: Sequence[int | str], model: type[BaseModel]) -> list[str]:
    """The fields at a place of the model, in its order. loc: pydantic's, with tags of unions and marks of types."""
    schema = _schema(model)
    nodes = _alternatives(schema, schema)
    for part in loc:
        below = [node for node in nodes for node in _below(node, part)]
        # a mark of a type stays where it is
        nodes = [one for node in below for one in _alternatives(node, schema)] if below else nodes
    fields = [item for node in nodes for item in node.get("properties", {}).items()]
    return list(dict.fromkeys(name for name, field in fields if "const" not in field))  # a constant is the place's tag


@functools.cache
def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()


def _alternatives(node: Any, schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if "$ref" in node:
        return _alternatives(schema["$defs"][node["$ref"].rsplit("/", 1)[-1]], schema)
    branches = [*node.get("anyOf", ()), *(() if "discriminator" in node else node.get("oneOf", ()))]
    return [one for branch in branches for one in _alternatives(branch, schema)] or [node]


def _below(node: Mapping[str, Any], part: int | str) -> list[Any]:
    """What stands in a node at a key, at a place of a list, or under a union's tag."""
    if isinstance(part, int):
        return [*node.get("prefixItems", ())[part : part + 1], *([node["items"]] if "items" in node else [])][:1]
    tags = node.get("discriminator", {}).get("mapping", {})
    fields = node.get("properties", {})
    if part in tags or part in fields:
        return [{"$ref": tags[part]} if part in tags else fields[part]]
    others = [*node.get("patternProperties", {}).values(), node.get("additionalProperties")]
    return [other for other in others if isinstance(other, dict)][:1]
