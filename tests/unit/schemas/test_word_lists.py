"""Lists of words, by language: each file is sound, and what a recipe may add."""

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.word_lists import DateWords, MakerWords, word_lists


@pytest.mark.parametrize("language", sorted(word_lists("makers")))
def test_each_file_has_known_lists_of_text(language: str):
    assert MakerWords.model_validate(word_lists("makers")[language]) != MakerWords()


@pytest.mark.parametrize(
    "lists",
    [{"unknown": [1]}, {"unknown": [""]}, {"unknwon": []}, {"in_front": {"after": "x"}}, {"behind": {"kopi": ["x"]}}],
)
def test_odd_lists_are_refused(lists: dict[str, object]):
    with pytest.raises(ValidationError):
        MakerWords.model_validate(lists)


@pytest.mark.parametrize("language", sorted(word_lists("dates")))
def test_each_language_has_lists_that_are_read(language: str) -> None:
    lists = DateWords.model_validate(word_lists("dates")[language])
    assert lists.before_christ or lists.century


def test_another_list_is_none() -> None:
    with pytest.raises(ValidationError):
        DateWords.model_validate({"epochs": ["BC"]})


@pytest.mark.parametrize(
    "lists",
    [
        {"little": ["1850"]},
        {"notes": ["-", "[?]"]},
        {"ordinals": {1: ["1"]}},
        {"ordinals": {0: ["null"]}},
        {"named_centuries": {-1: ["Goldzeit"]}},
    ],
)
def test_words_without_letters_and_numbers_that_no_ordinal_has_are_refused(lists: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        DateWords.model_validate(lists)
