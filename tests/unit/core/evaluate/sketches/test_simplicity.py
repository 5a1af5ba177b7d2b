"""The simplicity ratio: photo over sketch, of complexities that are numbers."""

import numpy as np
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.sketches.simplicity import simplicity_ratio


def test_above_1_is_simpler_than_the_photo():
    assert simplicity_ratio(np.array([3.0, 1.0, 1.0]), np.array([1.0, 1.0, 2.0])).tolist() == [3, 1, 0.5]


def test_empty_in_empty_out():
    assert simplicity_ratio(np.zeros(0), np.zeros(0)).tolist() == []


def test_the_largest_and_the_smallest_still_have_a_ratio():
    assert simplicity_ratio(np.array([1e15]), np.array([1e-15])).tolist() == pytest.approx([1e30])


@pytest.mark.parametrize("value", [0.0, -0.0, -1.0, np.nan, np.inf, 1e308])
@pytest.mark.parametrize("what", ["photo", "sketch"])
def test_a_complexity_that_is_none_is_refused(value: float, what: str):
    values = {"photo": np.array([1.0, 2.0]), "sketch": np.array([1.0, 2.0])}
    values[what][1] = value
    with pytest.raises(BadInput) as problem:
        simplicity_ratio(**values)
    assert str(problem.value) == f"expected complexities of each {what} from 1e-15 to 1e+15, got {value:g}"
