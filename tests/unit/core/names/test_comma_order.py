"""What two parts with a comma between them are; tests/unit/core/names/test_commas.py has whole names."""

import pytest

from tasks.core.names.comma_order import order_of, split_and
from tasks.core.names.maker_words import shipped_words


@pytest.mark.parametrize(
    ("head", "other", "order"),
    [
        ("Gogh", "Vincent van", "last, first"),
        ("Yuan", "Ma", "last, first"),
        ("Riccardiana Lactantius", "Master of the", "last, first"),
        ("Broadwood & Sons", "John", "last, first"),
        ("Brown", "Florence", "last, first"),
        ("Leonardo", "da Vinci", "first last"),
        ("Smith", "RA", "unknown"),
        ("Babcock", "Appleton and Babcock", "unknown"),
        ("Jan van der Velde", "Haarlem", "unknown"),
        ("Imperial Armory", "Tula", "unknown"),
        ("Jean Arp", "Max Ernst", "unknown"),
    ],
)
def test_each_rule_has_its_say(head: str, other: str, order: str):
    assert order_of(head, other, shipped_words()) == order


@pytest.mark.parametrize(("text", "is_it"), [("A & B", True), ("A and B", True), ("Andrew", False), ("", False)])
def test_two_are_joined_by_a_word_of_its_own(text: str, is_it: bool):
    assert (len(split_and(text, shipped_words())) > 1) == is_it
