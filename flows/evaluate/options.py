"""What the protocols that read tables have in common, as a person types it."""

from collections.abc import Sequence
from typing import TypeVar, get_origin

from pydantic import BaseModel

from flows.detector_options import split_name
from flows.settings import parse_change, set_field, settings_from_fields
from schemas.errors import BadInput
from schemas.phrases import quoted

Settings = TypeVar("Settings", bound=BaseModel)


def settings_of(model: type[Settings], changes: Sequence[str]) -> Settings:
    """A protocol's settings with changes, each field=VALUE (VALUE is YAML); a number alone where a list of numbers is
    expected is a list of it. Raises BadInput.
    """
    fields: dict[str, object] = {}
    for change in changes:
        names, value = parse_change(change)
        set_field(fields, names, value)
    return settings_from_fields(model, {name: _as_list(model, name, value) for name, value in fields.items()})


def _as_list(model: type[BaseModel], name: str, value: object) -> object:
    field = model.model_fields.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return [value] if is_number and field is not None and get_origin(field.annotation) is tuple else value


def files_by_name(option: str, texts: Sequence[str]) -> dict[str, str]:
    """The files of NAME=FILE, in their order. Raises BadInput for what is no such pair, and for a name twice."""
    files: dict[str, str] = {}
    for text in texts:
        name, url = split_name(option, text)
        if name in files:
            raise BadInput(f"{option}: expected each name once, got {quoted(name)} twice")
        files[name] = url
    return files
