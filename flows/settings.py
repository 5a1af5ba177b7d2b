"""Settings that people give: one reader of `--set` and of YAML."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from flows.setting_errors import sentence_from_error
from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, quoted
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
    """The names and the value of one `--set`: "a.b=1" is (["a", "b"], 1). The value is YAML.

    Raises BadInput, which names the form that was expected.
    """
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
