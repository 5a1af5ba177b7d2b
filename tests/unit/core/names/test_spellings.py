"""What counts as one name, and what doesn't."""

import unicodedata

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.names.spellings import (
    SpelledName,
    joined_names,
    joined_note,
    key_of_column,
    keys,
    label_key,
    name_key,
    names_of,
    series_key,
)
from tests.support.spellings import LOOK_ALIKES, NAMES, WAYS


@pytest.mark.parametrize("way", WAYS, ids=list(WAYS))
def test_two_hundred_names_are_one_however_they_are_written(way: str):
    assert len(NAMES) == 200
    assert len({name_key(name) for name in NAMES}) == 200
    assert [name for name in NAMES if name_key(WAYS[way](name)) != name_key(name)] == []


def test_there_are_twelve_ways_and_sixty_pairs():
    assert (len(WAYS), len(LOOK_ALIKES) >= 60) == (12, True)


@pytest.mark.parametrize(("one", "other"), LOOK_ALIKES)
def test_who_looks_alike_is_not_one(one: str, other: str):
    assert name_key(one) != name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("J.M.W. Turner", "J M W Turner", id="initials without dots"),
        pytest.param("Müller", "Muller", id="an accent"),
        pytest.param("Toulouse-Lautrec", "Toulouse Lautrec", id="a hyphen and a blank"),
        pytest.param("Toulouse-Lautrec", "Toulouse \u2212 Lautrec", id="a sign of minus"),
        pytest.param("O'Keeffe", "OKeeffe", id="no apostrophe"),
        pytest.param("O´Keeffe", "O`Keeffe", id="accents in place of one"),
        pytest.param("ʿAbd al-Ṣamad", "Abd al-Samad", id="transliterated"),
        pytest.param("Hans Süß", "HANS SÜSS", id="capitals of sharp s"),
        pytest.param("Sabri Ayılı", "SABRI AYILI", id="capitals of dotless i"),
        pytest.param("ﾋﾟｶｿ", "ピカソ", id="half width"),
        pytest.param("Θεόφιλος", "ΘΕΟΦΙΛΟΣ", id="a final sigma"),
        pytest.param("Jan Brueghel Ⅱ", "Jan Brueghel II", id="a sign of its own for a number"),
        pytest.param("葛\U000e0100飾", "葛飾", id="a variant of a sign"),
        pytest.param("henri_martin", "Henri Martin", id="as files are called"),
        pytest.param('Jean "Hans" Arp', "Jean «Hans» Arp", id="quotes"),
        pytest.param("パブロ・ピカソ", "パブロ ピカソ", id="a dot between words"),
        pytest.param("\u1ffd", "\u00b4", id="nothing but a sign, in two forms"),
    ],
)
def test_what_is_one(one: str, other: str):
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize("text", ["", "-", "—", "'", "\u200b", "..."])
def test_where_nothing_would_be_left_the_text_counts(text: str):
    assert name_key(text) == text


@given(st.text(max_size=30))
def test_a_key_is_its_own_key_and_no_form_or_case_is_another(text: str):
    key = name_key(text)
    assert name_key(key) == key
    assert name_key(unicodedata.normalize("NFD", text)) == key
    assert name_key(f"a{text.upper()}") == name_key(f"a{text.lower()}") or "ꞌ" in text.lower()


@pytest.mark.parametrize("first", range(0, 0x12000, 0x3000))
def test_every_sign_by_itself(first: int):
    """Case and canonical form of each, between two letters."""
    for code in range(first, first + 0x3000):
        if 0xD800 <= code < 0xE000:
            continue
        text = f"a{chr(code)}b"
        key = name_key(text)
        assert name_key(key) == key
        for other in (text.upper(), text.lower(), *(unicodedata.normalize(form, text) for form in ("NFC", "NFD"))):
            assert name_key(other) == key, hex(code)


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        pytest.param("12-3a", "12-3A", False, id="an identifier"),
        pytest.param("User123", "user123", False, id="so it may be here"),
        pytest.param("Oil on Canvas", "oil on canvas.", True, id="a category"),
        pytest.param("Sharon Mollerus", "SHARON MOLLERUS", True, id="a photographer"),
    ],
)
def test_texts_of_attributes_are_names_unless_they_have_a_digit(one: str, other: str, is_one: bool):
    assert (label_key(one) == label_key(other)) is is_one


@pytest.mark.parametrize(
    ("column", "is_name"),
    [
        ("style", True),
        ("styles", True),
        ("by.method", True),
        ("cap.artist", True),
        ("together.series", True),
        ("weighs_as", True),
        ("source", False),
        ("object", False),
        ("century", False),
        ("declared", False),
        ("copies_sha256", False),
        ("record_id", False),
    ],
)
def test_which_fields_are_names(column: str, is_name: bool):
    assert (key_of_column(column)("A") != "A") is is_name


def test_a_series_is_one_of_its_artist():
    assert series_key("Claude MONET\nHaystacks") == series_key("Claude Monet\nHAYSTACKS")
    assert series_key("A B\nC") != series_key("A\nB C")


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        pytest.param(pa.array([], pa.string()), [], id="nothing"),
        pytest.param(pa.array(["A", None, "a.", ""], pa.string()), ["a", None, "a", ""], id="texts"),
        pytest.param(pa.array([None], pa.string()), [None], id="null"),
        pytest.param(
            pa.array([["A", "b"], None, [], ["Á"]], pa.list_(pa.string())), [["a", "b"], None, [], ["a"]], id="lists"
        ),
        pytest.param(
            pa.array([["x"], ["A", "b"], None, ["Á"]], pa.list_(pa.string())).slice(1),
            [["a", "b"], None, ["a"]],
            id="a slice of lists",
        ),
        pytest.param(pa.chunked_array([["A"], [], ["B"]], pa.string()), ["a", "b"], id="in pieces"),
    ],
)
def test_keys_of_columns(column: pa.Array | pa.ChunkedArray, expected: list[object]):
    assert keys(column, name_key).to_pylist() == expected


@given(st.permutations(["Henri Martin", "HENRI MARTIN", "Henri Martin", "henri martin.", "Henri Matisse"]))
def test_a_name_is_shown_as_most_write_it_whatever_the_order_of_rows(texts: list[str]):
    assert list(names_of(pa.array(texts), "artist", name_key).values()) == [
        SpelledName("artist", [("Henri Martin", 2), ("HENRI MARTIN", 1), ("henri martin.", 1)]),
        SpelledName("artist", [("Henri Matisse", 1)]),
    ]


def test_of_equally_frequent_spellings_the_first_as_text_is_shown():
    assert names_of(pa.array(["b.", "B", "b"]), "style", name_key)["b"].text == "B"


def test_what_was_joined_is_told():
    view = pa.table(
        {"style": ["Cubism", "cubism", "Dada"], "weighs_as": ["A", "unknown\nMet", "A"], "object": ["x"] * 3}
    )
    names = joined_names(view, ["style", "weighs_as", "object"])
    assert names == [SpelledName("style", [("Cubism", 1), ("cubism", 1)])]
    assert list(joined_note("sample", names)) == [
        "sample: 1 name is spelled in several ways and counts as one: style 'Cubism' (1), 'cubism' (1)"
    ]
    assert list(joined_note("sample", [])) == []


def test_spellings_of_a_series_stand_behind_its_artist():
    name = SpelledName("series", [("Claude MONET\nHaystacks", 1200), ("Claude Monet\nhaystacks", 3)])
    assert name.counts == ["'Claude MONET: Haystacks' (1,200)", "'Claude Monet: haystacks' (3)"]


def test_a_field_of_two_columns_is_told_once():
    artists = ["A", "a", "B"]
    view = pa.table({"artist": artists, "cap.artist": artists, "weighs_as": artists})
    assert joined_names(view, view.column_names) == [SpelledName("artist", [("A", 1), ("a", 1)])]


def test_a_note_lists_three_spellings_of_a_name():
    name = SpelledName("artist", [(f"spelling {number}", 20 - number) for number in range(12)])
    assert list(joined_note("split", [name])) == [
        "split: 1 name is spelled in several ways and counts as one: artist 'spelling 0' (20), 'spelling 1' (19), "
        "'spelling 2' (18) and 9 more"
    ]
