"""Whole numbers that come as floats, as pandas writes a column in which one is missing: one rule for ids and keys."""

import math
import re
from collections.abc import Iterable
from decimal import Decimal

LARGEST_EXACT = 2**53
"""Up to here each whole number has a float of its own; beyond, one float stands for several of them."""
_MOST_DIGITS = 100
"""Of a decimal: Parquet's have 76 at most."""
_WHOLE_FLOAT = re.compile(r"(0|-?[1-9][0-9]*)\.0+")


def whole_number(value: object) -> int | None:
    """The whole number that a value is: an int, or a float or decimal without a fraction; None for all else.

    >>> whole_number(7), whole_number(7.0), whole_number(1e5), whole_number(Decimal("7.00"))
    (7, 7, 100000, 7)
    >>> whole_number(2.5), whole_number(math.inf), whole_number(True), whole_number("7.0")
    (None, None, None, None)
    """
    if isinstance(value, int):
        return None if isinstance(value, bool) else value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if not isinstance(value, Decimal) or not value.is_finite() or value.adjusted() >= _MOST_DIGITS:
        return None
    return int(value) if value == value.to_integral_value() else None


def is_inexact(value: object) -> bool:
    """Whether a value is a float so large that it may stand for several whole numbers, so that it names none of them.

    >>> is_inexact(436501.0), is_inexact(1e17), is_inexact(10**17), is_inexact("1e17")
    (False, True, False, False)
    """
    return isinstance(value, float) and math.isfinite(value) and abs(value) > LARGEST_EXACT


def text_of_number(value: object) -> str:
    """A value as text, a whole float as the whole number: so `436501.0` is the name that `436501` is.

    >>> text_of_number(436501.0), text_of_number(12.5), text_of_number(1e17), text_of_number("2.0")
    ('436501', '12.5', '1e+17', '2.0')
    """
    number = None if isinstance(value, int) or is_inexact(value) else whole_number(value)
    return str(value) if number is None else str(number)


def text_of_whole_float(text: str) -> str | None:
    """The whole number of a text such as "436501.0"; None for any other text.

    >>> text_of_whole_float("436501.0"), text_of_whole_float("-3.00"), text_of_whole_float("0.0")
    ('436501', '-3', '0')
    >>> [text_of_whole_float(text) for text in ("436501", "12.5", "007.0", "1.10", ".0", "a.0", "1e5")]
    [None, None, None, None, None, None, None]
    """
    match = _WHOLE_FLOAT.fullmatch(text.strip())
    return match[1] if match else None


def are_whole_floats(texts: Iterable[str]) -> bool:
    """Whether the texts of a whole column are all whole floats, empty ones apart: "2.0" beside "2.1" is a version.

    >>> are_whole_floats(["1.0", "", "2.0"]), are_whole_floats(["2.0", "2.1"]), are_whole_floats(["", ""])
    (True, False, False)
    """
    some = False
    for text in texts:
        if text.strip():
            if text_of_whole_float(text) is None:
                return False
            some = True
    return some
