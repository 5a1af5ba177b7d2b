"""Paths into nested fields: how a recipe names a value within a list or an object. Lists count from 0.

`images[0].image_url` is a field of the first image, `creator[].full_name` that of every creator,
`metadata[label="Artist"].value` that of the first element which says so; `a["odd.name"].b` has a name with a dot.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from schemas.phrases import quoted
from tasks.core.whole_numbers import text_of_number

MAX_PATH_CHARACTERS = 300
MAX_PATH_STEPS = 16


class _Twice:
    def __repr__(self) -> str:  # stands in details, which are the same each time
        return "two values under one name"


TWICE = _Twice()
"""What stands where a table names a column twice, or an object a field: no rule says which of them counts."""


class ElementCondition(NamedTuple):
    """The first element of a list that has this text at these steps; a number is its digits."""

    steps: tuple[str | int, ...]
    text: str


PathStep = str | int | ElementCondition | None
"""A field's name, a place in a list, the element of a list that says something, or every element of it (None)."""
Path = tuple[PathStep, ...]

_NAME, _ODD = r'(?P<name>[^.\[\]"]+)', r'\[(?P<odd>"(?:[^"\\]|\\.)*")\]'
_PLAIN_NAME = re.compile(r'[^.\[\]"]+')
_FIRST = re.compile(rf"{_NAME}|{_ODD}")
_CONDITION = r'\[(?P<where>[^\[\]"=]+(?:\[\d{1,9}\][^\[\]"=]*)*)=(?P<says>"(?:[^"\\]|\\.)*")\]'
_FURTHER = re.compile(rf"\.{_NAME}|{_ODD}|{_CONDITION}|\[(?P<place>\d{{0,9}})\]")


def parse_path(text: str) -> Path:
    """The steps of a path. Raises ValueError for what is none, or has over MAX_PATH_CHARACTERS or MAX_PATH_STEPS.

    >>> parse_path("creator[].full_name"), parse_path('a["odd.name"][2].b')
    (('creator', None, 'full_name'), ('a', 'odd.name', 2, 'b'))
    >>> parse_path('metadata[label.en[0]="Artist"].value')
    ('metadata', ElementCondition(steps=('label', 'en', 0), text='Artist'), 'value')
    """
    if len(text) > MAX_PATH_CHARACTERS:
        raise ValueError(f"expected a path of at most {MAX_PATH_CHARACTERS} characters, got {len(text)}")
    steps: list[PathStep] = []
    at = 0
    while at < len(text) or not steps:
        match = (_FURTHER if steps else _FIRST).match(text, at)
        step = _step(match.groupdict()) if match else ""
        if match is None or step == "":
            raise ValueError(
                f"expected a path such as images[0].image_url or creator[].full_name, got {quoted(text)}, which is "
                f"none from its character {at + 1} on"
            )
        steps.append(step)
        at = match.end()
    if len(steps) > MAX_PATH_STEPS:
        raise ValueError(f"expected a path of at most {MAX_PATH_STEPS} steps, got {len(steps)} in {quoted(text)}")
    return tuple(steps)


def values_at(row: Mapping[str, Any], path: str) -> Any:
    """What a row has at a path; TWICE where it is named twice, None where it leads nowhere or is none.

    A field of the row whose whole name is the path wins, so that a CSV's heading may have dots and brackets. Where the
    path has `[]`, a flat list with one value for each element, None for those without one, so that the lists of
    `creator[].full_name` and `creator[].role` go together; None if there is no list.

    >>> row = {"creator": [{"full_name": "Gris", "role": "artist"}, {"full_name": "Kahnweiler"}]}
    >>> row |= {"a.b": 1, "c": {"d": 2}}
    >>> values_at(row, "creator[].role"), values_at(row, "creator[1].full_name"), values_at(row, "creator.role")
    (['artist', None], 'Kahnweiler', None)
    >>> values_at(row, "a.b"), values_at(row, "c.d"), values_at(row, "c[].d"), values_at(row, "c[")
    (1, 2, None, None)
    """
    if path in row:
        return row[path]
    steps = _cached_path(path)
    return None if steps is None else value_at_steps(row, steps)


def value_at_steps(value: Any, steps: Path) -> Any:
    """What a value has at the steps of a parsed path, as `values_at` gives it; without steps the value itself."""
    if None not in steps:
        return _at(value, steps)
    place = steps.index(None)
    elements = _at(value, steps[:place])
    if not isinstance(elements, list | tuple):
        return TWICE if elements is TWICE else None
    rest = steps[place + 1 :]
    found = [value_at_steps(element, rest) for element in elements]
    if None not in rest:
        return found
    return [inner for part in found if part is not None for inner in (part if isinstance(part, list) else [part])]


def path_through_lists(row: Mapping[str, Any], path: str, place: int | None) -> str | None:
    """The path with `place` (None: every element) where a list of the row stands in the way of a name.

    None if no list does, or an empty one, of which nobody knows what would be in it.

    >>> row = {"people": [{"name": "Gris"}], "title": "A"}
    >>> path_through_lists(row, "people.name", None), path_through_lists(row, "people.name", 0)
    ('people[].name', 'people[0].name')
    >>> path_through_lists(row, "title.name", 0) is path_through_lists({"people": []}, "people.name", 0) is None
    True
    """
    value: Any = row
    steps: list[PathStep] = []
    for step in () if path in row else _cached_path(path) or ():
        if isinstance(step, str) and isinstance(value, list | tuple) and value:
            steps.append(place)
            value = value[0]
        steps.append(step)
        value = _at(value, (0 if step is None else step,))
    return path_of_steps(tuple(steps)) if len(steps) > len(_cached_path(path) or ()) > 0 else None


def path_of_steps(steps: Path) -> str:
    """The steps as a path, which `parse_path` reads again.

    >>> path_of_steps(("creator", None, "full.name", 0)), path_of_steps(("a", ElementCondition(("b", 0), "c"), "d"))
    ('creator[]["full.name"][0]', 'a[b[0]="c"].d')
    """
    text = ""
    for step in steps:
        if isinstance(step, str) and step.isprintable() and _PLAIN_NAME.fullmatch(step):
            text += f".{step}" if text else step
        elif isinstance(step, ElementCondition):
            text += f"[{path_of_steps(step.steps)}={json.dumps(step.text)}]"
        else:
            text += "[]" if step is None else f"[{json.dumps(step)}]"
    return text


def first_name(path: str) -> str:
    """The field of the row with which a path begins: the path itself, if it is none.

    >>> first_name("creator[].role"), first_name("Title (en)"), first_name("c[")
    ('creator', 'Title (en)', 'c[')
    """
    steps = _cached_path(path)
    return path if steps is None else str(steps[0])


@lru_cache(maxsize=1024)
def _cached_path(text: str) -> Path | None:
    try:
        return parse_path(text)
    except ValueError:
        return None


def _step(groups: Mapping[str, str | None]) -> PathStep:
    if groups["name"] is not None:
        return groups["name"]
    quotation = groups["odd"] or groups.get("says")
    if quotation is None:
        place = groups["place"]
        return int(place) if place else None
    try:
        text = str(json.loads(quotation))
        return text if groups["odd"] else ElementCondition(parse_path(groups["where"] or ""), text)  # type: ignore[arg-type]
    except ValueError:  # a \x that JSON does not have, a line's end, a condition on no path
        return ""


def _at(value: Any, steps: Path) -> Any:
    for step in steps:
        if isinstance(step, str) and isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(step, ElementCondition) and isinstance(value, list | tuple):
            value = _first_that_says(value, step)
        elif isinstance(step, int) and isinstance(value, list | tuple) and step < len(value):
            value = value[step]
        else:
            return TWICE if value is TWICE else None
    return value


def _first_that_says(elements: Sequence[Any], condition: ElementCondition) -> Any:
    for element in elements:
        said = _at(element, condition.steps)
        if said is TWICE or (type(said) in {str, int, float} and condition.text in {str(said), text_of_number(said)}):
            return TWICE if said is TWICE else element
    return None
