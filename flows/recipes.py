"""Recipes from YAML files, with one clear sentence for everything that can be wrong with them."""

import difflib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from schemas.errors import BadInput
from schemas.recipe import ALWAYS_BINDABLE, Recipe

_WORDS = {
    "missing": "expected a value, got none",
    "union_tag_invalid": "expected one of {expected_tags}, got '{tag}'",
    "union_tag_not_found": "expected one word with its settings, got {got}",
    "model_attributes_type": "expected one word with its settings, got {got}",
    "tuple_type": "expected a list, got {got}",
    "dict_type": "expected a mapping, got {got}",
    "model_type": "expected a mapping, got {got}",
    "too_short": "expected at least {min_length}, got {got}",
    "invalid_key": "expected text as the name of a field, got {got}",
}
"""What pydantic says of these kinds of error knows nothing of YAML."""


def recipe_from_file(
    path: str, changes: Sequence[str] = (), limit: int | None = None, seed: int | None = None
) -> Recipe:
    """The recipe of a file, or of that name among those that ship, with `--set` changes applied. Raises BadInput."""
    plain = _mapping(path)
    for change in changes:
        _apply(plain, change)
    if limit is not None:
        plain["limit"] = limit
    if seed is not None:
        plain["seed"] = seed
    try:
        return Recipe.model_validate(plain)
    except ValidationError as problem:
        raise BadInput(f"{path}: {_sentence(problem, plain)}") from problem


def bindings_from_pairs(pairs: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` texts as a mapping. Raises BadInput."""
    bound = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    for pair in pairs:
        if "=" not in pair:
            raise BadInput(f"--bind: expected NAME=VALUE, got '{pair}'")
    return bound


def check_bindings(recipe: Recipe, bound: Mapping[str, str]) -> None:
    """Raise BadInput unless exactly what the recipe names is bound."""
    for name, meaning in recipe.bindings.items():
        if not bound.get(name):
            raise BadInput(f"binding '{name}': expected --bind {name}=..., {meaning}; got none")
    for name in bound:
        if name not in recipe.bindings and name not in ALWAYS_BINDABLE:
            raise BadInput(
                f"binding '{name}': expected one of {sorted(recipe.bindings)}, which the recipe names, got '{name}'"
            )


def _mapping(path: str) -> dict[str, Any]:
    shipped = Path(str(resources.files("deployments") / "recipes" / f"{path}.yaml"))
    try:
        file = Path(path) if Path(path).is_file() or not shipped.exists() else shipped
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as problem:  # ValueError: not UTF-8, or a path that no file can have
        raise BadInput(
            f"recipe: expected a YAML file, got '{path}' ({getattr(problem, 'strerror', None) or problem})"
        ) from problem
    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as problem:  # ValueError: a date that is none, such as 2020-13-45
        raise BadInput(f"{path}: expected YAML, got {' '.join(str(problem).split())}") from problem
    if not isinstance(value, dict):
        raise BadInput(f"{path}: expected a mapping with name, sources and stages, got {type(value).__name__}")
    return value


def _apply(plain: dict[str, Any], change: str) -> None:
    """Change one setting: `stages.<label>.<field>[.<field>]=VALUE`, or a field of the recipe itself."""
    target, separator, text = change.partition("=")
    if not separator:
        raise BadInput(f"--set: expected stages.<label>.<field>=VALUE, got '{change}'")
    *way, last = target.split(".")
    if way == ["stages"]:
        raise BadInput(f"--set: expected stages.<label>.<field>=VALUE, got '{change}'")
    node = _stage_settings(plain, way[1], change) if way[:1] == ["stages"] and len(way) > 1 else plain
    for name in way[2:] if way[:1] == ["stages"] else way:
        if not isinstance(node.setdefault(name, {}), dict):
            raise BadInput(f"--set: expected '{name}' in '{target}' to hold fields, got {node[name]!r}")
        node = node[name]
    try:
        node[last] = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as problem:
        raise BadInput(f"--set: expected a YAML value, got '{text}'") from problem


def _stage_settings(plain: dict[str, Any], label: str, change: str) -> dict[str, Any]:
    """The settings of the stage of that label, to be written into."""
    stages = plain.get("stages")
    listed: list[Any] = stages if isinstance(stages, list) else []
    labels = []
    for place, stage in enumerate(listed):
        word, settings = _word_and_settings(stage)
        labels.append(settings.get("label") or word)
        if labels[-1] == label:
            if settings is not stage:  # the short forms have no mapping to write into
                listed[place] = {word: settings}
            return settings
    raise BadInput(f"--set: expected the label of a stage, one of {labels}, got '{label}' in '{change}'")


def _word_and_settings(stage: Any) -> tuple[str, dict[str, Any]]:
    """Of `dedup`, `{dedup: {...}}` or `{stage: dedup, ...}`: the word, and the mapping that holds its settings."""
    if isinstance(stage, dict) and "stage" in stage:
        return str(stage["stage"]), stage
    if isinstance(stage, dict) and len(stage) == 1:
        word, settings = next(iter(stage.items()))
        if isinstance(settings, dict | None):
            return str(word), settings or {}
    return str(stage), {}  # what is no stage at all gets a label that nobody asks for


def _sentence(problem: ValidationError, plain: dict[str, Any]) -> str:
    """The first thing that is wrong: field, what was expected, what was got; and how many more there are."""
    # where an entry of a list is wrong, pydantic adds that the list is too short without it
    errors = [error for error in problem.errors() if error["type"] != "too_short" or not error["input"]]
    where, said = _place(errors[0]["loc"], plain), _said(errors[0])
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{where}: {said}{more}" if where else f"{said}{more}"


def _said(error: Mapping[str, Any]) -> str:
    """One error in this project's words: what was expected, what was got."""
    kind, name, got = error["type"], str(error["loc"][-1]) if error["loc"] else "", f"{error.get('input')!r:.120}"
    if kind == "extra_forbidden":
        near = difflib.get_close_matches(name, _known_fields(), n=1)
        return f"expected a known field, got '{name}'" + (f"; did you mean '{near[0]}'?" if near else "")
    if kind in _WORDS:
        return _WORDS[kind].format(got=got, **error.get("ctx", {}))
    message = str(error["msg"]).removeprefix("Value error, ")
    return message if kind == "value_error" and "expected" in message else f"{_lower(message)}, got {got}"


def _place(loc: tuple[int | str, ...], plain: dict[str, Any]) -> str:
    """`stages[3] (has-a-figure).figures.score`: the tag that pydantic puts behind an index is left out."""
    parts: list[str] = []
    skip = False
    for place, part in enumerate(loc):
        if skip:
            skip = False
        elif isinstance(part, int) and parts and parts[-1] in {"stages", "sources"}:
            tag = loc[place + 1] if place + 1 < len(loc) and isinstance(loc[place + 1], str) else None
            parts[-1] += f"[{part}]" + (f" ({_label(plain, parts[-1], part, str(tag))})" if tag else "")
            skip = tag is not None
        elif part != "[key]":  # pydantic's mark for the name itself; the words say that it is meant
            parts.append(str(part))
    return ".".join(parts)


def _label(plain: dict[str, Any], field: str, place: int, tag: str) -> str:
    entry = plain[field][place]
    settings = entry.get(tag) if isinstance(entry, dict) else None
    return (
        str((settings or {}).get("label") or (settings or {}).get("name") or tag)
        if isinstance(settings, dict | None)
        else tag
    )


def _known_fields() -> list[str]:
    """Field names that might have been meant: all of the recipe's models, which is few enough to compare with."""
    names: set[str] = set()
    stack: list[Any] = [Recipe.model_json_schema()]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            names |= set(node.get("properties", {}))
            stack += list(node.values())
        elif isinstance(node, list):
            stack += node
    return sorted(names)


def _lower(message: str) -> str:
    text = message[:1].lower() + message[1:]
    return text.replace("input should be", "expected").replace("string should", "expected text that should")
