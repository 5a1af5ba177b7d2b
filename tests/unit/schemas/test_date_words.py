"""Lists of the words of dates, by language."""

import pytest
from pydantic import ValidationError

from schemas.date_words import DateWords
from schemas.words import word_lists


@pytest.mark.parametrize("language", sorted(word_lists("dates")))
def test_each_language_has_lists_that_are_read(language: str) -> None:
    lists = DateWords.model_validate(word_lists("dates")[language])
    assert lists.before_christ or lists.century


def test_another_list_is_none() -> None:
    with pytest.raises(ValidationError):
        DateWords.model_validate({"epochs": ["BC"]})
