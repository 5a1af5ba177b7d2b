"""How deep a value is nested: at the limit, one beyond it, and of lists and objects alike."""

from typing import Any

import pytest

from tasks.core.nesting import is_nested_deeper


def nested(levels: int, *, by_objects: bool) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value, "b": 2} if by_objects else [3, value]
    return value


@pytest.mark.parametrize("by_objects", [False, True])
@pytest.mark.parametrize(("levels", "is_deeper"), [(0, False), (1, False), (64, False), (65, True), (100_000, True)])
def test_one_level_more_than_the_limit_is_deeper(levels: int, is_deeper: bool, by_objects: bool):
    assert is_nested_deeper(nested(levels, by_objects=by_objects), 64) is is_deeper


def test_many_values_of_one_level_are_one_level():
    assert not is_nested_deeper([[] for _ in range(1000)], 2)
    assert is_nested_deeper([*([] for _ in range(1000)), [[]]], 2)
