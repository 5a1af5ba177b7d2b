"""What all protocols have in common: what a person types, and how one runs, as a flow or without one."""

import sys
from collections.abc import Callable, Sequence
from typing import TypeVar, get_origin

from pydantic import BaseModel

from flows.detector_options import split_name
from flows.settings import parse_change, set_field, settings_from_fields
from schemas.errors import BadInput
from schemas.phrases import quoted
from tasks.evaluate.evaluation import Evaluation, Resampling, make_folder
from tasks.orchestration import flow_runs
from tasks.subjects.truth import Chosen

__all__ = ["Chosen", "Resampling", "files_by_name", "run", "settings_of"]

Settings = TypeVar("Settings", bound=BaseModel)


def run(protocol: str, out: str | None, evaluate: Callable[[], Evaluation]) -> Evaluation:
    """Evaluate, show it on Prefect's page, write it if asked, and print its notes."""

    def work() -> Evaluation:
        flow_runs.rename_run(f"evaluate · {protocol}")
        if out is not None:
            make_folder(out)
        result = evaluate()
        result.show()
        if out is not None:
            result.write(out)
        for note in result.notes:
            print(note, file=sys.stderr)  # noqa: T201
        return flow_runs.completed_run(result, f"{protocol} evaluated")

    return flow_runs.end_in_a_sentence(work)


def settings_of(model: type[Settings], changes: Sequence[str] | None) -> Settings:
    """A protocol's settings with changes, each field=VALUE (VALUE is YAML); a number alone where a list of numbers is
    expected is a list of it. Raises BadInput.
    """
    fields: dict[str, object] = {}
    for change in changes or ():
        names, value = parse_change(change)
        set_field(fields, names, value)
    for name, field in model.model_fields.items():
        alone = fields.get(name)
        is_number = isinstance(alone, int | float) and not isinstance(alone, bool)
        if is_number and get_origin(field.annotation) is tuple:
            fields[name] = [alone]
    return settings_from_fields(model, fields)


def files_by_name(option: str, texts: Sequence[str] | None) -> dict[str, str]:
    """The files of NAME=FILE, in their order. Raises BadInput for what is no such pair, and for a name twice."""
    files: dict[str, str] = {}
    for text in texts or ():
        name, url = split_name(option, text)
        if name in files:
            raise BadInput(f"{option}: expected each name once, got {quoted(name)} twice")
        files[name] = url
    return files
