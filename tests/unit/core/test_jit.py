"""Compiled functions: the same values as the plain function, and a place for machine code only where there is one."""

import numba
import numpy as np
import pytest

from tasks.core.jit import compiled


def times(values: np.ndarray, factor: float) -> float:
    total = 0.0
    for value in values:
        total += value * factor
    return total


def test_a_compiled_function_gives_what_the_plain_one_gives():
    values = np.array([0.5, -2.0, 4.0])
    assert compiled(times)(values, 3.0) == times(values, 3.0) == 7.5
    assert compiled(times)(values[:0], 3.0) == 0.0


def test_what_it_is_called_and_says_of_itself_stays():
    assert compiled(times).__name__ == "times"
    assert compiled(times).py_func is times


def test_without_a_place_for_machine_code_it_is_made_in_each_process(monkeypatch: pytest.MonkeyPatch):
    """Where neither the package's folder nor the user's can be written, numba refuses a cache with a RuntimeError."""
    asked, real = [], numba.njit

    def njit(**options):
        asked.append(options)
        if options.get("cache"):
            return refused
        return real(**options)

    def refused(function):
        raise RuntimeError(f"cannot cache function '{function.__name__}': no locator available for file 'x.py'")

    monkeypatch.setattr(numba, "njit", njit)
    assert compiled(times)(np.array([1.0, 2.0]), 2.0) == 6.0
    assert asked == [{"cache": True, "nogil": True}, {"nogil": True}]


def test_an_error_of_the_function_itself_is_not_hidden():
    def wrong(values: np.ndarray) -> float:
        return values.nothing_like_it

    with pytest.raises(numba.TypingError):
        compiled(wrong)(np.zeros(2))
