"""The one rule for ids: whole numbers or text, each once."""

import math
from typing import Any

import pytest

from schemas.errors import BadInput
from tasks.core.coco.ids import check_unique, count_with_examples, id_order, read_id, read_number_id


@pytest.mark.parametrize("value", [0, 7, -7, 2**53 + 1, 2**63 - 1, -(2**63) + 1])
def test_whole_numbers_are_ids(value: int):
    assert read_id(value) == read_number_id(value) == value


def test_a_whole_number_may_be_written_as_a_fraction():
    assert (read_id(7.0), type(read_id(7.0))) == (7, int)


def test_text_is_an_id_that_is_no_number():
    assert read_id("000007") == "000007"
    with pytest.raises(ValueError, match="expected a whole number, got '000007'"):
        read_number_id("000007")


@pytest.mark.parametrize("value", [2**63, -(2**63), 10**400, 1e300], ids=["2^63", "-2^63", "10^400", "1e300"])
def test_a_whole_number_that_no_column_holds_is_said_to_be_one(value: Any):
    held = r"a whole number that 64 bits hold \(at most 9223372036854775807\)"
    with pytest.raises(ValueError, match=f"expected {held} or text, got "):
        read_id(value)
    with pytest.raises(ValueError, match=f"expected {held}, got "):
        read_number_id(value)


@pytest.mark.parametrize("value", [None, True, False, 1.5, math.nan, math.inf, "", [7], {}], ids=repr)
def test_what_is_no_id(value: Any):
    with pytest.raises(ValueError, match="expected a whole number or text, got "):
        read_id(value)
    with pytest.raises(ValueError, match="expected a whole number, got "):
        read_number_id(value)


def test_each_id_stands_once():
    check_unique("file", "image", [1, "1", 2, "a"])
    told = (
        r"^file: expected each image id once, got 3 ids \(2, 7, a\) more than once, 2 at the places 1, 5 of their list$"
    )
    with pytest.raises(BadInput, match=told):
        check_unique("file", "image", [7, 2, "a", 7, "a", 2, 1])


def test_numbers_come_before_text():
    assert sorted(["a", 10, "10", 9], key=id_order) == [9, 10, "10", "a"]


@pytest.mark.parametrize(
    ("count", "text"), [(1, "1 id (0)"), (3, "3 ids (0, 1, 2)"), (4, "4 ids (0, 1, 2, ...)"), (0, "0 ids ()")]
)
def test_counting_names_the_first_three(count: int, text: str):
    assert count_with_examples(list(range(count)), "id") == text


def test_examples_stand_in_one_line_that_can_be_written():
    assert count_with_examples(["a\nb", "\ud800", "ä"], "image") == "3 images (a?b, ?, ä)"
