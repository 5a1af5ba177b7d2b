"""Cells of a table that hold more than one value: lists, objects, bytes, and texts that are a list or an object."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, quoted
from schemas.sources.table import TableSource
from tasks.core.scrape.json_works import UNREADABLE
from tasks.core.scrape.paths import TWICE, Path, PathStep, parse_path, path_of_steps, values_at

LISTS = {"styles", "artists", "artist_roles"}  # fields that are lists of texts
_FREE_TEXT = {"title", "date_text", "rights_text"}
"""Fields whose text may well begin with a bracket: '["Untitled"]' is what a museum calls a work without a title."""
_AS_PYTHON_WRITES_IT = re.compile(r"\[\s*\{\s*['\"].*\}\s*\]|\{\s*['\"][^'\"]*['\"]\s*:.*\}", re.DOTALL)
_LIST_OF_TEXTS = re.compile(r"\[\s*(?:['\"].*['\"]\s*)?\]", re.DOTALL)
_LIKELY_NAMES = ("image_url", "url", "src", "path", "full_name", "name", "title", "label", "value", "id")
_LONGEST_NAME = 60


def nesting_of(field: str, value: Any) -> str | None:
    """What a cell holds in place of one value: "a list", "an object", "bytes"; None if it is one value, or nothing.

    A list of texts is what the fields LISTS ask for. A text counts as what it spells, in JSON or in Python.

    >>> nesting_of("artist", {"name": "Gris"}), nesting_of("image", "[{'url': 'a.jpg'}]")
    ('an object', 'a list')
    >>> nesting_of("title", "[Untitled]") is None
    True
    >>> nesting_of("styles", ["Cubism"]), nesting_of("artist", ["Gris"]), nesting_of("image", b"x")
    (None, 'a list', 'bytes')
    """
    if isinstance(value, str):
        return _spelled(field, value.strip())
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        is_texts = field in LISTS and not any(nesting_of("style", part) for part in value)
        return None if is_texts else "a list"
    return "bytes" if isinstance(value, bytes | bytearray | memoryview) else None


def remedy(field: str, column: Path, value: Any) -> str:
    """What to do about it, as the end of a sentence. column: the steps of the column's path.

    >>> remedy("image", ("images",), [{"id": 7, "image_url": "http://a.example/1.jpg"}])
    'take one value by a path, such as images[0].image_url, or make a record of each with each: images'
    """
    if isinstance(value, bytes | bytearray | memoryview):
        is_image = field == "image"
        return f"write {'the pictures as files and their paths into the column' if is_image else 'it as text first'}"
    if isinstance(value, str):
        several = ", several styles with | between them" if field == "styles" else ""
        return f"write the value itself into the column, without brackets{several}"
    if None in column:  # a list with one value for each element: the first of them that is nested
        steps = next((_steps(part) for part in value if isinstance(part, list | tuple | dict) and part), [])
    else:
        steps = _steps(value)
    if field in LISTS:
        every = steps if None in column else [None if step == 0 else step for step in steps]
        return f"take texts by a path, such as {path_of_steps((*column, *every))}"
    single = (0 if step is None else step for step in column)
    advice = f"take one value by a path, such as {path_of_steps((*single, *steps))}"
    is_plain_list = isinstance(value, list | tuple) and None not in column
    if is_plain_list and field == "image" and column[0] != "each":
        return f"{advice}, or make a record of each with each: {path_of_steps(column)}"
    if is_plain_list and field == "artist":
        return f"{advice}, or name all as artists: {path_of_steps((*column, None, *steps[1:]))}"
    return advice


def _spelled(field: str, text: str) -> str | None:
    if text[:1] not in {"[", "{"} or text[-1:] not in {"]", "}"}:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    is_list = text.startswith("[")
    if isinstance(value, dict) or _AS_PYTHON_WRITES_IT.fullmatch(text):
        return "a list" if is_list else "an object"
    holds_objects = isinstance(value, list) and any(isinstance(part, dict | list) for part in value)
    is_texts = is_list and field not in _FREE_TEXT and _LIST_OF_TEXTS.fullmatch(text)
    return "a list" if holds_objects or is_texts else None


def _steps(value: Any) -> list[PathStep]:
    """The way to a first plain value in a list or an object."""
    steps: list[PathStep] = []
    while len(steps) < 4 and isinstance(value, list | tuple | dict) and value:
        step: PathStep = 0
        if isinstance(value, dict):
            step = next((name for name in _LIKELY_NAMES if name in value), str(next(iter(value)))[:_LONGEST_NAME])
        value = value.get(step) if isinstance(value, dict) else value[0]
        steps.append(step)
    return steps or [0]


ELEMENT, NUMBER, WITHOUT = "each", "\0number", "\0without elements"
"""Fields of an element's row beside those of its work: the element; its number, from 1; why a work has none."""
MAX_ELEMENTS = 10_000  # of one work


def rows_of_elements(source: TableSource, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """A row for each element, or one that says why a work has none. Raises BadInput for no path, or no list at all."""
    each = source.each or ""
    try:
        parse_path(each)
    except ValueError as problem:
        raise BadInput(f"source '{source.name}': each: {problem}") from problem
    works, lists, names = 0, 0, set[str]()
    for row in rows:
        works += 1
        names.update(row)
        at_each = values_at(row, f"{each}[]")
        elements = at_each if isinstance(at_each, list) else None
        lists += elements is not None
        if UNREADABLE in row:
            yield dict(row)
        elif elements and len(elements) <= MAX_ELEMENTS:
            yield from ({**row, ELEMENT: element, NUMBER: at} for at, element in enumerate(elements, 1))
        else:
            yield {**row, ELEMENT: None, WITHOUT: f"{each}: {_why_none(row, each, elements)}"}
    if works and not lists:
        fields = quoted(sorted(names - {UNREADABLE})[:20], LONGEST_PLACE)
        expected = f"a list at {quoted(each, LONGEST_PLACE)} (each) in the works of {source.table}"
        raise source.bad_input(expected, f"none in {works}, which have {fields}{works_hint(source, works)}")


def works_hint(source: TableSource, works: int) -> str:
    """What is likely meant where a file is one object; "" for any other."""
    is_one = works == 1 and source.works is None and source.ending == ".json" and not source.is_pattern_of_tables
    return ": if the list of works is within one of these, name it with `works`" if is_one else ""


def _why_none(row: Mapping[str, Any], each: str, elements: list[Any] | None) -> str:
    if elements is not None:
        return f"{len(elements)} elements, at most {MAX_ELEMENTS:,} are possible" if elements else "an empty list"
    value = values_at(row, each)
    if value is None or value is TWICE:
        return "nothing is there" if value is None else repr(TWICE)
    return "an object in place of a list" if isinstance(value, dict) else "no list"
