"""Patterns over kinds of words: each says what its comment in schemas/words/patterns says."""

import pytest

from schemas.words import word_lists
from tasks.core.names.maker_words import shipped_words

WORDS = shipped_words()
TABLES = {name: rows for name, rows in word_lists("patterns")["makers"].items() if name != "names"}


@pytest.mark.parametrize("name", [*TABLES, *word_lists("patterns")["makers"]["names"]])
def test_each_pattern_may_be_read(name: str):
    assert WORDS.names.value(name, "\n") in {"", "unknown", "names"}


@pytest.mark.parametrize("name", word_lists("patterns")["texts"])
def test_each_pattern_over_texts_may_be_read(name: str):
    assert not WORDS.text_pattern(name).fullmatch("")


def test_texts_are_as_if_commas_were_between():
    assert WORDS.names.value("order", "Gogh", "Vincent van") == "last, first"
    assert WORDS.names.value("after_head", "Wright", "of Derby") == "generations"
    assert WORDS.names.fits("several", "Peter Smith", "Paul Brown")
    assert not WORDS.names.fits("several", "Peter Smith")


def test_groups_are_the_words_that_they_are_of():
    assert WORDS.names.groups("generation", "Hans Holbein the Elder") == {
        "name": "Hans Holbein",
        "generation": "the Elder",
    }
    assert WORDS.names.groups("generation", "Hans Holbein") == {}
