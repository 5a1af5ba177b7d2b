"""The lists of words about makers: each language's file is sound, and a recipe's own go with them."""

import pytest
from pydantic import ValidationError

from schemas.maker_words import MakerWords
from schemas.words import word_lists


@pytest.mark.parametrize("language", sorted(word_lists("makers")))
def test_each_file_has_known_lists_of_text(language: str):
    assert MakerWords.model_validate(word_lists("makers")[language]) != MakerWords()


def test_own_words_are_added_behind_the_others():
    both = MakerWords(unknown=("unknown",)).with_more(MakerWords(unknown=("nemo",), in_front={"after": ("copy of",)}))
    assert (both.unknown, both.in_front) == (("unknown", "nemo"), {"after": ("copy of",)})


@pytest.mark.parametrize(
    "lists",
    [{"unknown": [1]}, {"unknown": [""]}, {"unknwon": []}, {"in_front": {"after": "x"}}, {"behind": {"kopi": ["x"]}}],
)
def test_odd_lists_are_refused(lists: dict[str, object]):
    with pytest.raises(ValidationError):
        MakerWords.model_validate(lists)
