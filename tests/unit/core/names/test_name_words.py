"""The lists of words by which names are read: folded as names are, and without contradictions."""

import pytest

from tasks.core.names import name_words
from tasks.core.names.matching import normalize_name

FOLDED = ["GENERATIONS", "TITLES", "RANKS", "PARTICLES", "FIRM_ENDS", "FIRM_WORDS", "PLACES", "GIVEN_NAMES"]


@pytest.mark.parametrize("name", FOLDED)
def test_words_are_folded_as_names_are(name: str):
    words = getattr(name_words, name)
    assert len(words) > 15
    assert [word for word in sorted(words) if normalize_name(word) != word] == []


def test_honours_are_as_they_are_written():
    assert {"OM", "CH", "RA", "Bt", "CBE"} <= name_words.POST_NOMINALS
    assert not {word for word in name_words.POST_NOMINALS if word.islower()}


def test_no_word_is_of_two_kinds_that_contradict_each_other():
    assert not name_words.GIVEN_NAMES & (name_words.PARTICLES | name_words.GENERATIONS | name_words.FIRM_WORDS)
    assert not name_words.GENERATIONS & (name_words.TITLES | name_words.PLACES | name_words.FIRM_ENDS)
    assert name_words.RANKS - {"emperor", "empress"} <= name_words.TITLES
