"""Every setting with its type, unit, range, default and reason, as the models in schemas/ declare them."""

import textwrap
import types
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from flows.settings import PATTERNS
from schemas.errors import BadInput
from schemas.evaluate_figures import DetectorSettings, KeypointSettings, RaterSettings, VocSettings
from schemas.evaluate_images import ClassificationSettings, GenerationSettings, RecognitionSettings, SketchSettings
from schemas.phrases import quoted
from schemas.recipe import Recipe
from schemas.sources import AnySource
from schemas.sources.common import MuseumWords
from schemas.stages import AnyStage
from schemas.train import TrainDetector


class Setting(NamedTuple):
    """One setting as people read it; what does not apply is empty. `name` has dots where settings are in groups."""

    name: str
    kind: str
    unit: str
    allowed: str
    default: str
    description: str


class Section(NamedTuple):
    """The settings of one stage, one source or one command, in their group."""

    word: str
    group: str
    description: str
    settings: tuple[Setting, ...]


_GROUPS = {
    "recipe": "The recipe itself: fields at its top level.",
    "stage": "Stages of a recipe: `- word: {setting: value}`, or `--set stages.<label>.<setting>=VALUE` for one build.",
    "source": "Sources of a recipe: `- word: {setting: value}`.",
    "words": "Words of a museum: `words: {dates: {setting: [word, word]}, makers: ...}` in a source of a recipe.",
    "command": "Commands: `--set <setting>=VALUE` of `bilderatlas train detector`, `bilderatlas evaluate keypoints`, "
    "and the protocols below it; evaluate and voc are options of `bilderatlas evaluate detector`.",
}
_UNITS = {
    "rate_per_s": "requests per second",
    "px": "px",
    "pixels": "px",
    "bits": "bits",
    "bytes": "bytes",
    "s": "seconds",
    "fraction": "fraction",
    "epochs": "epochs",
    "steps": "steps",
    "iou": "fraction",
}
"""The unit that the end of a setting's name stands for."""

_ESCAPED = str.maketrans({"|": "\\|", "*": "\\*", "<": "&lt;"})
"""What Markdown would read as a new cell, emphasis or HTML."""
_REQUIRED = "required"
_UNIONS = (Union, types.UnionType)
_PLAIN = {type(None): "null", bool: "true or false", int: "whole number", float: "number", str: "text", date: "date"}


def sections() -> tuple[Section, ...]:
    """All there is: the recipe, the stages and sources in the order of their unions, training and evaluation."""
    models = [
        ("recipe", "recipe", Recipe),
        *((str(model.model_fields["stage"].default), "stage", model) for model in _members(AnyStage)),
        *((str(model.model_fields["source"].default), "source", model) for model in _members(AnySource)),
        ("words", "words", MuseumWords),
        ("train", "command", TrainDetector),
        ("evaluate", "command", DetectorSettings),
        ("voc", "command", VocSettings),
        ("keypoints", "command", KeypointSettings),
        ("raters", "command", RaterSettings),
        ("recognition", "command", RecognitionSettings),
        ("sketches", "command", SketchSettings),
        ("generation", "command", GenerationSettings),
        ("classification", "command", ClassificationSettings),
    ]
    return tuple(
        Section(word, group, " ".join((model.__doc__ or "").split()), tuple(_settings(model)))
        for word, group, model in models
    )


def sections_of(word: str) -> tuple[Section, ...]:
    """The section of that word, or for `all` every section. Raises BadInput, which lists the words."""
    known = sections()
    chosen = known if word == "all" else tuple(section for section in known if section.word == word)
    if not chosen:
        words = ", ".join(section.word for section in known)
        raise BadInput(f"settings: expected all or one of {words}, got {quoted(word)}")
    return chosen


def overview() -> str:
    """The words that have settings, one a line, with what each is."""
    lines = []
    for group, text in _GROUPS.items():
        of_group = [section for section in sections() if section.group == group]
        lines += [text, *(f"  {section.word:<11} {section.description}" for section in of_group), ""]
    lines.append("`bilderatlas settings WORD` lists the settings of one, `bilderatlas settings all` of all.")
    return "\n".join(lines)


def text_of(chosen: Sequence[Section]) -> str:
    """Sections for a terminal."""
    lines = []
    for section in chosen:
        lines += [f"{section.word}: {section.description}", ""]
        for setting in section.settings:
            default = setting.default if setting.default in {"", _REQUIRED} else f"default {setting.default}"
            facts = [fact for fact in (setting.kind, setting.unit, setting.allowed, default) if fact]
            lines.append(f"  {setting.name}: {'; '.join(facts)}")
            lines += textwrap.wrap(setting.description, 112, initial_indent=" " * 6, subsequent_indent=" " * 6)
        lines.append("")
    return "\n".join(lines).rstrip()


def markdown_of(chosen: Sequence[Section]) -> str:
    """Sections as tables of a Markdown page."""
    lines = [
        "# Settings",
        "",
        "Every setting, as the program knows it. This page is generated: `make docs-settings` writes it anew.",
        "`bilderatlas settings WORD` prints one of these tables in the terminal.",
    ]
    group = ""
    for section in chosen:
        if section.group != group:
            group = section.group
            lines += ["", f"**{_GROUPS[group]}**"]
        lines += ["", f"## {section.word}", section.description, ""]
        lines += ["| setting | type | unit | range | default | meaning and reason |", "|---|---|---|---|---|---|"]
        for name, *cells in section.settings:
            lines.append(f"| `{name}` | {' | '.join(cell.translate(_ESCAPED) for cell in cells)} |")
    return "\n".join(lines)


def _settings(model: type[BaseModel], prefix: str = "", unit: str = "") -> Iterator[Setting]:
    """The fields of a model, in order; groups are followed by what is in them, which has the group's unit."""
    for name, field in model.model_fields.items():
        if name in {"stage", "source"} and get_origin(field.annotation) is Literal:
            continue  # the word itself, not a setting
        inner, suffix = _group_in(field.annotation)
        yield Setting(
            prefix + (field.alias or name),
            _kind(field.annotation),
            _unit(name) or unit,
            _allowed([*field.metadata, *_metadata_in(field.annotation)]),
            _default(field, is_group=inner is not None),
            " ".join((field.description or "").split()),
        )
        if inner not in {None, MuseumWords}:  # which every source has: a section of its own
            yield from _settings(inner, f"{prefix}{name}.{suffix}", _unit(name))


def _kind(annotation: Any) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(arguments[0])
    if origin is Literal:
        return _listed([str(value) for value in arguments])
    if origin in _UNIONS:
        members = _members(annotation)
        choices = [str(value) for member in members if get_origin(member) is Literal for value in get_args(member)]
        others = [_kind(member) for member in members if get_origin(member) is not Literal]
        return _listed(list(dict.fromkeys([*choices, *others])))
    if origin is tuple:
        members = _members(arguments[0])
        return "list" if len(members) > 1 and isinstance(members[0], type) else f"list of {_kind(arguments[0])}"
    if origin is dict:
        return f"mapping of {_kind(arguments[0])} to {_kind(arguments[1])}"
    return "group" if _is_model(annotation) else _PLAIN[annotation]


def _listed(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def _unit(name: str) -> str:
    return _UNITS.get(name) or _UNITS.get(name.rsplit("_", 1)[-1], "")


def _allowed(metadata: Sequence[Any]) -> str:
    words = {"ge": "{} or more", "gt": "more than {}", "le": "at most {}", "lt": "less than {}"}
    words |= {"min_length": "length {} or more", "max_length": "length at most {}"}
    pairs = ((name, getattr(item, name, None)) for item in metadata for name in words)
    limits = {name: value for name, value in pairs if value is not None}
    if "ge" in limits and "le" in limits:
        return f"{_number(limits['ge'])} to {_number(limits['le'])}"
    patterns = (PATTERNS.get(str(getattr(item, "pattern", "")), "").partition(" (")[0] for item in metadata)
    texts = [text.format(_number(limits[name])) for name, text in words.items() if name in limits]
    return ", ".join([*texts, *filter(None, patterns)])


def _metadata_in(annotation: Any) -> list[Any]:
    """Limits that stand inside an optional type, such as those of `Score | None`."""
    if get_origin(annotation) in _UNIONS:
        return [item for argument in get_args(annotation) for item in _metadata_in(argument)]
    notes = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    return [part for item in notes for part in getattr(item, "metadata", [item])]


def _default(field: FieldInfo, *, is_group: bool) -> str:
    if field.is_required():
        return _REQUIRED
    if field.default is PydanticUndefined:
        return "" if is_group and field.default_factory is not dict else "{}"
    return _value(field.default)


def _value(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {_value(entry)}' for name, entry in value.items())}}}"
    return _number(value) if isinstance(value, int | float) else f"{value}" or "''"


def _number(value: float) -> str:
    """Digits in groups of three for whole numbers from 10,000 on; the shortest form of others."""
    return f"{value:_}" if isinstance(value, int) and value >= 10_000 else f"{value:g}"


def _group_in(annotation: Any) -> tuple[type[BaseModel] | None, str]:
    """The model of a group of settings, and what stands before the names of its fields: "<name>." in a mapping."""
    if _is_model(annotation):
        return annotation, ""
    if get_origin(annotation) is dict:
        return _group_in(get_args(annotation)[1])[0], "<name>."
    if get_origin(annotation) in {Annotated, *_UNIONS}:
        return next((found for found in map(_group_in, get_args(annotation)) if found[0] is not None), (None, ""))
    return None, ""


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _members(union: Any) -> list[Any]:
    """The types of an annotated union, in order; of anything else itself."""
    if get_origin(union) is Annotated:
        return _members(get_args(union)[0])
    is_union = get_origin(union) in _UNIONS
    return [one for argument in get_args(union) for one in _members(argument)] if is_union else [union]
