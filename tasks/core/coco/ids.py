"""What an id is: the one rule for the ids of images and categories in COCO files.

An id is a whole number that 64 bits hold (2.0 is 2, true is none), or text. Tables hold whole numbers only.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from schemas.errors import BadInput
from schemas.phrases import quoted
from tasks.core.whole_numbers import whole_number

Id = int | str
_EXAMPLES = 3


def read_number_id(value: Any) -> int:
    """The whole number that an id is. Raises ValueError for anything else, and for one that 64 bits do not hold.

    >>> read_number_id(7), read_number_id(7.0)
    (7, 7)
    """
    if expected := _expected_number(value):
        raise ValueError(f"expected {expected}, got {quoted(value)}")
    return int(value)


def read_id(value: Any) -> Id:
    """The number or the text that an id is. Raises ValueError for all else, such as empty text, or above 64 bits.

    >>> read_id(7), read_id("000007")
    (7, '000007')
    """
    if isinstance(value, str) and value:
        return value
    if expected := _expected_number(value):
        raise ValueError(f"expected {expected} or text, got {quoted(value)}")
    return int(value)


def id_or_none(value: Any) -> Id | None:
    """The id; None for what is none."""
    try:
        return read_id(value)
    except ValueError:
        return None


def _expected_number(value: Any) -> str:
    """What was expected in place of a value that is no id; empty for one that is."""
    number = whole_number(value) if isinstance(value, int | float) else None
    if number is None:
        return "a whole number"
    return "" if -(2**63) < number < 2**63 else "a whole number that 64 bits hold (at most 9223372036854775807)"


def id_order(one: Any) -> tuple[bool, Any]:
    """What ids are sorted by: numbers first, then text."""
    return isinstance(one, str), one


def repeated_ids(ids: Iterable[Id]) -> list[Id]:
    """Those that stand there more than once, each once, in their order.

    >>> repeated_ids([3, "a", 2, 3, "a"])
    [3, 'a']
    """
    return sorted((one for one, times in Counter(ids).items() if times > 1), key=id_order)


def check_unique(name: str, what: str, ids: Sequence[Id], places: Sequence[int] | None = None) -> None:
    """Raise BadInput if an id stands twice, and say where first. places: of the ids in their list; None: 0, 1, 2 ..."""
    if repeated := repeated_ids(ids):
        where = [place for place, one in zip(places or range(len(ids)), ids, strict=True) if one == repeated[0]]
        raise BadInput(
            f"{name}: expected each {what} id once, got {count_with_examples(repeated, 'id')} more than once, "
            f"{quoted(repeated[0])} at the places {', '.join(map(str, where[:_EXAMPLES]))} of their list"
        )


def count_with_examples(names: Sequence[object], what: str) -> str:
    """How many there are, and the first few.

    >>> count_with_examples([7, 8, 9, 10], "image")
    '4 images (7, 8, 9, ...)'
    """
    # JSON's text can hold breaks of lines, and halves of characters
    examples = ["".join(one if one.isprintable() else "?" for one in str(name)[:80]) for name in names[:_EXAMPLES]]
    more = ", ..." if len(names) > _EXAMPLES else ""
    return f"{len(names)} {what}{'' if len(names) == 1 else 's'} ({', '.join(examples)}{more})"
