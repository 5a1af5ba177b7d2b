"""What is wrong with a setting, as one sentence: "expected ... got ..." for whatever pydantic finds."""

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from schemas.phrases import LONGEST_QUOTE, quoted, quoted_name

_EXPECTED = {
    "missing": "a value",
    "union_tag_invalid": "one of {expected_tags}",
    "union_tag_not_found": "one word with its settings",
    "model_attributes_type": "one word with its settings",
    "model_type": "a mapping",
    "dict_type": "a mapping",
    "tuple_type": "a list",
    "invalid_key": "text as the name of a field",
    "extra_forbidden": "a known field",
    "literal_error": "{expected}",
    "string_type": "text",
    "string_too_short": "text of {min_length} or more characters",
    "string_too_long": "text of {max_length} or fewer characters",
    "string_pattern_mismatch": "text that matches {pattern}",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "int_parsing_size": "a whole number of fewer digits",
    "string_unicode": "text without halves of characters",
    "finite_number": "a finite number",
    "greater_than": "more than {gt}",
    "greater_than_equal": "{ge} or more",
    "less_than": "less than {lt}",
    "less_than_equal": "{le} or less",
    "too_short": "{min_length} or more entries",
    "too_long": "{max_length} or fewer entries",
    "date_type": "a date such as 2026-01-31",
    "date_from_datetime_parsing": "a date such as 2026-01-31",
}
"""What was expected, for each kind of error that pydantic reports: its own words speak of Python, not of YAML."""

PATTERNS = {
    "^[a-z0-9][a-z0-9_-]{0,62}$": "lower-case letters, digits, - and _ (at most 63, the first a letter or a digit)",
    "^[a-z][a-z0-9_]{0,62}$": "lower-case letters, digits and _ (at most 63, the first a letter)",
    "^[0-9a-f]{64}$": "64 hexadecimal digits",
}
"""What the patterns of schemas/ mean, in words; details are in brackets."""

_TYPE_MARK = re.compile(r"(literal|tuple|list|dict|str|int|float|bool|constrained-\w+|function-\w+)(\[.*\])?")
"""How pydantic marks the alternatives of a union in an error's place, such as literal['all']."""


def sentence_from_error(problem: ValidationError, model: type[BaseModel], fields: Mapping[str, Any]) -> str:
    """The first thing that is wrong: the field, what was expected, what was given; and how many more errors there are.

    `fields` is what the model was to be made of: labels of stages and names of sources are taken from it.
    """
    # where an entry of a list is wrong, pydantic adds that the list is too short without it
    errors = [error for error in problem.errors() if error["type"] != "too_short" or not error["input"]]
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
        name = str(error["loc"][-1])
        known = [field for field in _known_fields(model) if field != name]
        near = difflib.get_close_matches(name[:LONGEST_QUOTE], known, n=1)
        return quoted(name) + (f"; did you mean '{near[0]}'?" if near else "")
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
    """What the recipe calls the stage or source at a position: its label, its name, or else its word."""
    entry = fields[field][position]
    settings = entry.get(tag) if isinstance(entry, dict) else None
    return quoted_name(settings.get("label") or settings.get("name") or tag) if isinstance(settings, dict) else tag


def _known_fields(model: type[BaseModel]) -> list[str]:
    """All field names that may have been meant: those of the model and of every model in it."""
    names: set[str] = set()
    nodes: list[Any] = [model.model_json_schema()]
    while nodes:
        node = nodes.pop()
        if isinstance(node, dict):
            names |= set(node.get("properties", {}))
            nodes += list(node.values())
        elif isinstance(node, list):
            nodes += node
    return sorted(names)
