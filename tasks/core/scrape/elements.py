"""A work of several images as several rows: one for each element of a list that it has."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, quoted
from schemas.sources import TableSource
from tasks.core.scrape.json_works import UNREADABLE
from tasks.core.scrape.paths import TWICE, parse_path, values_at

ELEMENT, NUMBER, WITHOUT = "each", "\0number", "\0without elements"
"""Fields of an element's row beside those of its work: the element; its number, from 1; why a work has none."""
MAX_ELEMENTS = 10_000
"""Of one work."""


def rows_of_elements(source: TableSource, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """A row for each element, with all of its work; a row that says why for a work without elements.

    Raises BadInput for a path that is none, and at the end if no work has such a list.
    """
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
        raise BadInput(
            f"source '{source.name}': expected a list at {quoted(each, LONGEST_PLACE)} (each) in the works of "
            f"{source.table}, got none in {works}, which have {fields}{works_hint(source, works)}"
        )


def works_hint(source: TableSource, works: int) -> str:
    """What is likely meant where a file is one object; "" for any other."""
    is_one = works == 1 and source.works is None and source.ending == ".json" and not source.is_pattern_of_tables
    return ": if the list of works is within one of these, name it with `works`" if is_one else ""


def _why_none(row: Mapping[str, Any], each: str, elements: list[Any] | None) -> str:
    if elements is not None:
        return f"{len(elements)} elements, at most {MAX_ELEMENTS:,} are possible" if elements else "an empty list"
    value = values_at(row, each)
    if value is None:
        return "nothing is there"
    if value is TWICE:
        return f"{TWICE!r}"
    return "an object in place of a list" if isinstance(value, dict) else "no list"
