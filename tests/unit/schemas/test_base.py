"""Numbers in recipes, at any depth: true is none, and whole ones are those that tables hold."""

from typing import Any

import pytest
from pydantic import Field, ValidationError

from schemas.base import LARGEST_WHOLE, Frozen


class Part(Frozen):
    whole: int = 0
    number: float = 0
    either: int | None = None
    many: dict[str, int] = Field({})


class Whole(Frozen):
    part: Part = Part()


@pytest.mark.parametrize("field", ["whole", "either"])
@pytest.mark.parametrize("value", [0, LARGEST_WHOLE, -LARGEST_WHOLE, str(LARGEST_WHOLE), 3.0])
def test_whole_numbers_are_taken_up_to_the_largest(field: str, value: Any):
    assert getattr(Whole.model_validate({"part": {field: value}}).part, field) == int(value)


@pytest.mark.parametrize("value", [LARGEST_WHOLE + 1, -LARGEST_WHOLE - 1, str(2**64), 1e30, 10**300, True, False])
@pytest.mark.parametrize("field", ["whole", "either", "many"])
def test_true_and_larger_ones_are_refused(field: str, value: Any):
    with pytest.raises(ValidationError):
        Whole.model_validate({"part": {field: {"person": value} if field == "many" else value}})


def test_other_numbers_may_be_as_large_as_they_like():
    assert Whole.model_validate({"part": {"number": 1e300}}).part.number == 1e300
    assert Whole.model_validate({"part": {"number": "1e-3"}}).part.number == 0.001
