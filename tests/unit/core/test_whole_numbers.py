"""Whole numbers that come as floats: read as the numbers that they are, and no further than floats can say."""

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.whole_numbers import (
    LARGEST_EXACT,
    are_whole_floats,
    is_inexact,
    text_of_number,
    text_of_whole_float,
    whole_number,
)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        pytest.param(math.nan, None, id="no number"),
        pytest.param(Decimal("NaN"), None, id="no decimal"),
        pytest.param(Decimal("sNaN"), None, id="a decimal that can't be compared"),
        pytest.param(-math.inf, None, id="infinity"),
        pytest.param(True, None, id="a truth value"),
        pytest.param("7", None, id="a text"),
        pytest.param(None, None, id="nothing"),
        pytest.param(-0.0, 0, id="zero below zero"),
        pytest.param(10**400, 10**400, id="a number that no float holds"),
        pytest.param(1e22, 10**22, id="a large float"),
        pytest.param(Decimal("436501.00"), 436501, id="a decimal"),
        pytest.param(Decimal("0.1"), None, id="a fraction"),
    ],
)
def test_whole_number(value: Any, number: int | None):
    assert whole_number(value) == number


def test_a_float_beyond_2_53_names_no_number():
    assert not is_inexact(float(LARGEST_EXACT))
    assert is_inexact(float(LARGEST_EXACT + 2))
    assert is_inexact(-1e300)
    assert not is_inexact(math.inf)
    assert text_of_number(1e22) == "1e+22"
    assert text_of_number(10**22) == str(10**22)


@given(st.integers(-LARGEST_EXACT, LARGEST_EXACT))
def test_a_number_has_one_text_in_every_spelling(number: int):
    spellings: list[Any] = [number, float(number), Decimal(number), Decimal(f"{number}.00")]
    assert {text_of_number(value) for value in spellings} == {str(number)}
    assert text_of_whole_float(f"{number}.0") == str(number)


@given(st.floats(allow_nan=False).filter(lambda value: value != math.floor(value) if math.isfinite(value) else True))
def test_other_floats_are_written_as_they_are(value: float):
    assert text_of_number(value) == str(value)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param([], False, id="no text"),
        pytest.param(["", " "], False, id="empty ones"),
        pytest.param(["1.0", "", " 2.0 "], True, id="pandas' doing"),
        pytest.param(["2.0", "2.1"], False, id="versions"),
        pytest.param(["1.0", "2"], False, id="no program writes these side by side"),
        pytest.param(["1.0", "007.0"], False, id="a number with zeros before it is a text"),
        pytest.param(["1.0", "1.10"], False, id="1.10 is not 1.1"),
        pytest.param(["12.0", "a.0"], False, id="a text"),
        pytest.param(["1.0", "1e5"], False, id="an exponent"),
    ],
)
def test_are_whole_floats(texts: list[str], expected: bool):
    assert are_whole_floats(texts) is expected
