"""Lists of words as rules look them up, and patterns over kinds of words: each says what its comment in
schemas/words/patterns says.
"""

import pytest

from schemas.word_lists import QUALIFIERS, MakerWords, word_lists
from tasks.core.names.maker_words import Phrases, Words, is_initial, tokens
from tasks.core.names.matching import Aliases

WORDS = Words.shipped()


def test_the_longest_phrase_counts():
    phrases = Phrases({"copy": "a", "copy after": "b"})
    texts = ("copy after titian", "copy of titian", "titian", "")
    assert [phrases.longest(text.split()) for text in texts] == [(2, "copy after"), (1, "copy"), (0, ""), (0, "")]
    texts = ("titian copy after", "titian copy", "titian")
    assert [phrases.longest(text.split(), -1) for text in texts] == [(2, "copy after"), (1, "copy"), (0, "")]


def test_own_words_are_added_behind_the_others():
    own = MakerWords(unknown=("nemo",), in_front={"after": ("copy of",)})
    both = Words([MakerWords(unknown=("unknown",))], Aliases({}), own)
    assert both["unknown"] == {"unknown", "nemo"}
    assert both.in_front.table == {"copy of": "after"}


def test_words_have_kinds():
    words = (("north", "=sides"), ("italian", "=cultures"), ("16th", "=number"), ("century", "=centuries"))
    assert [kind for word, kind in words if not WORDS.is_of(kind, word)] == []
    assert WORDS.is_of("=name", "monet")


def test_of_a_phrase_its_words_are_one():
    said = ["Hans", "the", "Elder", "Sons"]
    assert Phrases({"the elder": "", "sons": ""}).split(said) == [
        "Hans",
        "the Elder",
        "Sons",
    ]


def test_words_know_where_they_stand():
    assert [(token.folded, token.start, token.end) for token in tokens("D'après Dürer")] == [
        ("dapres", 0, 7),
        ("durer", 8, 13),
    ]


def test_every_qualifier_of_the_lists_is_one():
    assert {qualifier for table in WORDS.tables.values() for qualifier in table.values()} == {*QUALIFIERS, ""}


@pytest.mark.parametrize("name", ["particles", "generations", "firm_words", "crafts", "groups", "schools", "centuries"])
def test_given_names_are_no_other_words(name: str):
    assert WORDS["given_names"] & WORDS[name] <= {"les", "thor", "ville"}


def test_without_lists_nothing_is_known():
    nothing = Words([MakerWords()], Aliases({}))
    assert nothing.is_of("=name", "unknown")
    assert not nothing.pattern("companions").search("Rembrandt and Rubens")


@pytest.mark.parametrize(
    ("word", "is_it"), [("H.", True), ("J.-B.", True), ("Ph.", True), ("H", True), ("h.", False), ("Hans", False)]
)
def test_initials(word: str, is_it: bool):
    assert is_initial(word) == is_it


TABLES = {name: rows for name, rows in word_lists("patterns")["makers"].items() if name not in {"names", "no_names"}}


@pytest.mark.parametrize("name", [*TABLES, *word_lists("patterns")["makers"]["names"]])
def test_each_pattern_may_be_read(name: str):
    assert (fit := WORDS.names.fit(name, "\n")) is None or fit.value in {"", "unknown", "names"}


@pytest.mark.parametrize("name", word_lists("patterns")["texts"])
def test_each_pattern_over_texts_may_be_read(name: str):
    assert not WORDS.pattern(name).fullmatch("")


def test_texts_are_as_if_commas_were_between():
    assert WORDS.names.fit("order", "Gogh", "Vincent van").value == "last, first"
    assert WORDS.names.fit("after_head", "Wright", "of Derby").value == "generations"
    assert WORDS.names.fit("several", "Peter Smith", "Paul Brown")
    assert not WORDS.names.fit("several", "Peter Smith")


def test_groups_are_the_words_that_they_are_of():
    assert WORDS.names.fit("generation", "Hans Holbein the Elder").groups == {
        "name": "Hans Holbein",
        "generation": "the Elder",
    }
    assert WORDS.names.fit("generation", "Hans Holbein") is None
