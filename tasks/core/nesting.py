"""How deep the lists and objects of a JSON value stand in each other."""

from typing import Any


def is_nested_deeper(value: Any, levels: int) -> bool:
    """Whether more than so many lists and objects stand in each other; the value itself is the first.

    >>> is_nested_deeper([{"a": 1}], 2), is_nested_deeper([{"a": []}], 2), is_nested_deeper(1, 0)
    (False, True, False)
    """
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        if not level:
            return False
        inner = [part for each in level for part in (each.values() if isinstance(each, dict) else each)]
        level = [part for part in inner if isinstance(part, dict | list)]
    return bool(level)
