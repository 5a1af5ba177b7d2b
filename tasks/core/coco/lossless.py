"""What a COCO file says that no column of a table gives back: kept as JSON text, so that the file can be given back.

An entry of the file is compared with what the columns give back of it: its *difference* is `{"fields": {...}, "absent":
[...]}`, the fields whose values the columns do not give back, and the names of those that they give and the entry does
not have. So `restored(given, difference(entry, given)) == entry`.

Numbers that JSON does not have (NaN and the infinities, which Python's writers put into files, and 1e400, which its
readers take for infinity) stand in `numbers`, by their JSON pointers (RFC 6901), and null in their place.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

from schemas.phrases import quoted
from tasks.core.nesting import is_nested_deeper

Fields = dict[str, Any]
MAX_DEPTH = 64
"""How deep lists and objects of an entry may stand in each other: readers of JSON have limits of a few hundred."""
_NUMBERS = "numbers"


class TooDeep(ValueError):
    """A value nested deeper than MAX_DEPTH."""


def difference(entry: Mapping[str, Any], given: Mapping[str, Any]) -> Fields:
    """What the given fields do not say of an entry, or say and the entry does not; empty where they are the entry.

    >>> difference({"id": 7, "area": 6}, {"area": 6.0, "iscrowd": 0})
    {'fields': {'id': 7}, 'absent': ['iscrowd']}
    """
    fields = {name: value for name, value in entry.items() if name not in given or not is_same(value, given[name])}
    absent = sorted(given.keys() - entry.keys())
    return {**({"fields": fields} if fields else {}), **({"absent": absent} if absent else {})}


def restored(given: Mapping[str, Any], kept: Mapping[str, Any]) -> Fields:
    """The entry of which these are the fields that columns give back, and the difference.

    >>> restored({"area": 6.0, "iscrowd": 0}, {"fields": {"id": 7}, "absent": ["iscrowd"]})
    {'area': 6.0, 'id': 7}
    """
    absent = kept.get("absent", ())
    return {**{name: value for name, value in given.items() if name not in absent}, **kept.get("fields", {})}


def is_same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same: 1 and 1.0 are one number; true is no 1, and nothing is NaN.

    >>> is_same([1, 2.5], [1.0, 2.5]), is_same(1, True), is_same({"a": 1}, {"a": True})
    (True, False, False)
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        if one != other:
            return False
        kinds = {*map(type, one), *map(type, other)}
        return kinds <= {int, float} or all(map(is_same, one, other))
    return bool(isinstance(one, bool) == isinstance(other, bool) and one == other)


def to_text(value: Fields) -> str | None:
    """JSON of an object, its keys sorted, in one spelling; None for an empty one. Raises TooDeep beyond MAX_DEPTH.

    >>> to_text({"fields": {"id": 7, "area": float("nan")}})
    '{"fields":{"area":null,"id":7},"numbers":{"/fields/area":"NaN"}}'
    """
    if not value:
        return None
    if is_nested_deeper(value, MAX_DEPTH):
        raise TooDeep(f"expected lists and objects nested at most {MAX_DEPTH} deep, got deeper ones")
    try:
        return plain_text(value)
    except ValueError:
        numbers: dict[str, str] = {}
        return plain_text({**_without_odd_numbers(value, "", numbers), _NUMBERS: numbers})


def plain_text(value: Any, *, is_strict: bool = True) -> str:
    """JSON of any value, its keys sorted. Raises ValueError for NaN and infinities, if `is_strict`, or writes them."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=not is_strict)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=not is_strict)
    return text


def from_text(text: str | None) -> Fields:
    """The object that `to_text` has written; empty for None. Raises ValueError for what it has never written."""
    try:
        value = {} if text is None else json.loads(text)
    except RecursionError:
        value = None
    if not isinstance(value, dict):
        raise ValueError(f"expected a JSON object, got {quoted(text)}")
    try:
        for pointer, number in value.pop(_NUMBERS, {}).items():
            *way, last = (_unescaped(part) for part in pointer.split("/")[1:])
            place: Any = value
            for part in way:
                place = place[int(part) if isinstance(place, list) else part]
            place[int(last) if isinstance(place, list) else last] = float(number)
    except (AttributeError, LookupError, TypeError, ValueError) as problem:
        raise ValueError(f"expected numbers by their places, got {quoted(text)}") from problem
    return value


def _without_odd_numbers(value: Any, place: str, numbers: dict[str, str]) -> Any:
    """The value with null for each number that JSON does not have, which is noted under its pointer."""
    if isinstance(value, dict):
        return {name: _without_odd_numbers(one, f"{place}/{_escaped(name)}", numbers) for name, one in value.items()}
    if isinstance(value, list):
        return [_without_odd_numbers(one, f"{place}/{number}", numbers) for number, one in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        numbers[place] = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return None
    return value


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _unescaped(name: str) -> str:
    return name.replace("~1", "/").replace("~0", "~")
