"""Words of dates: lists by language, and what a word means where languages disagree."""

import pytest

from schemas.word_lists import DateWords
from tasks.core.scrape.date_reader import Reader
from tasks.core.scrape.date_statements import UnreadError
from tasks.core.scrape.date_words import lexicon_of, lexicon_with, number_of_roman, plain_text, tokens
from tasks.core.scrape.dates import read_date


def means(text: str) -> list[dict[str, object]]:
    return [token.means for token in tokens(plain_text(text), lexicon_with(None))]


def test_a_word_that_no_list_has_means_nothing() -> None:
    assert means("zorblax") == [{}]


def test_accents_and_case_do_not_matter() -> None:
    assert means("DÉBUT") == means("debut") == means("début")


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("do 1850", (None, 1850)),  # Polish and Czech: until
        ("início do século XIX", (1801, 1833)),  # Portuguese: of the
        ("1350 e.Kr.", (1350, 1350)),  # Swedish
        ("na 1650", (1650, None)),  # Dutch: after
        ("na początku XX w.", (1901, 2000)),
    ],
)
def test_a_word_of_several_languages_is_read_in_that_of_the_others(
    text: str, years: tuple[int | None, int | None]
) -> None:
    got = read_date(text).years
    assert got[0] == years[0]
    assert (got[1] is None) == (years[1] is None)


def test_lists_of_a_museum_are_read() -> None:
    own = lexicon_of({"en": DateWords(century=("cy",), ordinal_suffixes=("th",), early=("dawn",))})
    assert Reader("dawn 19th cy", own).years() == (1801, 1833)
    with pytest.raises(UnreadError, match="century"):
        Reader("19th century", own).years()


def test_a_museums_own_words_come_before_the_shipped_ones() -> None:
    own = DateWords(calendars=("zorblax era",), century=("saeclum",), early=("late",)).model_dump_json()
    assert read_date("Zorblax era 1850", own) == read_date("", own)
    assert read_date("Zorblax era 1850").unread == "Zorblax"
    assert read_date("19th saeclum", own).years == (1801, 1900)
    assert read_date("late 19th saeclum", own).years == (1801, 1833)
    assert read_date("1850 B.C.", own).years == read_date("1850 B.C.").years == (-1850, -1850)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("164[2]", "1642]"),
        ("1893[-95]", "1893-95]"),
        ("１８９０", "1890"),
        ("一九五〇年", "1950年"),
        ("1871–73", "1871-73"),
        ("?/1807", " until 1807"),
        ("1850 (?)", "1850  "),
    ],
)
def test_one_form_of_signs(text: str, plain: str) -> None:
    assert plain_text(text) == plain


@pytest.mark.parametrize(("text", "number"), [("mcmxc", 1990), ("mdliiii", 1554), ("xxi", 21), ("", 0)])
def test_roman_numbers(text: str, number: int) -> None:
    assert number_of_roman(text) == number


def test_suffixes_count_in_any_case() -> None:
    assert {"-eg", "-fed"} <= lexicon_of({"cy": DateWords(ordinal_suffixes=("EG", "Fed"))}).meanings.keys()
