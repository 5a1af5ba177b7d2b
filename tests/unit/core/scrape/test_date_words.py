"""The tables of words that dates are read by."""

import re

import pytest

from tasks.core.scrape import date_words as words


@pytest.mark.parametrize(
    ("text", "number"), [("i", 1), ("iv", 4), ("ix", 9), ("x", 10), ("xix", 19), ("xxi", 21), ("", 0), ("xxii", 0)]
)
def test_romans_go_up_to_the_century_that_we_live_in(text: str, number: int) -> None:
    assert words.number_of_roman(text) == number


def test_every_word_is_written_as_texts_are_when_they_are_read() -> None:
    tables = (words.PART_OF_WORD, words.NUMBER_OF_WORD, words.SIZE_OF_WORD, words.BOUND_OF_WORD, words.ORDINALS)
    for table in tables:
        assert [word for word in table if word != word.lower()] == []


@pytest.mark.parametrize("word", [*words.PART_OF_WORD, *words.BOUND_OF_WORD])
def test_every_word_is_read(word: str) -> None:
    match = words.TOKEN.fullmatch(word)
    assert match is not None
    assert re.fullmatch("part|bound", str(match.lastgroup))
