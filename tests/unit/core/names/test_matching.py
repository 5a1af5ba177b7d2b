"""Which names are one: how they are normalize_name, where chains of aliases end, and that a recipe's own come first."""

import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.names import Artists
from schemas.word_lists import word_lists
from tasks.core.names.matching import ALIASES, Aliases, merge_aliases, normalize_name, resolve_alias


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param(" \t?!_-", "", id="no letters"),
        pytest.param("Dürer", "durer", id="an accent"),
        pytest.param("Du\u0308rer", "durer", id="an accent of its own"),
        pytest.param("Ø. Łuk Æsop Œuvre ı", "o luk aesop oeuvre i", id="letters that do not come apart"),
        pytest.param("O'Keeffe O’Keeffe O`Keeffe", "okeeffe okeeffe okeeffe", id="apostrophes part no words"),
        pytest.param("van_Gogh--Vincent", "van gogh vincent", id="signs between words"),
        pytest.param("STRASSE Straße", "strasse strasse", id="case, folded"),
        pytest.param("Ⅱ ２", "ii 2", id="compatible forms"),
        pytest.param("葛飾北斎", "葛飾北斎", id="no alphabet"),
        pytest.param("J. M. W. Turner", "j m w turner", id="initials"),
    ],
)
def test_a_name_as_it_is_compared(text: str, expected: str):
    assert normalize_name(text) == expected
    assert normalize_name(f"  {text} ") == expected


@given(st.text(max_size=40))
def test_what_is_compared_once_stays(text: str):
    assert normalize_name(normalize_name(text)) == normalize_name(text)


@pytest.mark.parametrize(
    ("aliases", "text", "name"),
    [
        pytest.param({}, "Hokusai", None, id="no aliases"),
        pytest.param({"Hokusai": "Katsushika Hokusai"}, "HOKUSAI.", "Katsushika Hokusai", id="another spelling"),
        pytest.param({"a": "B"}, "b", "B", id="the name itself has its spelling"),
        pytest.param({"a": "b", "b": "C"}, "a", "C", id="a chain"),
        pytest.param({"a": "b", "b": "a"}, "a", "a", id="a circle: the first of its names"),
        pytest.param({"c": "b", "b": "a", "a": "b"}, "c", "a", id="a way into a circle"),
        pytest.param({"a": "A"}, "a", "A", id="another spelling of itself"),
        pytest.param({"Nobody": ""}, "nobody", "", id="a name that stands for nobody"),
        pytest.param({"?": "X"}, "?", None, id="an alias without letters is none"),
        pytest.param({"b": "X", "B.": "Y"}, "b", "Y", id="of two of one alias the first in order"),
    ],
)
def test_what_a_text_stands_for(aliases: dict[str, str], text: str, name: str | None):
    assert Aliases(aliases).name(text) == name


def test_it_is_the_mapping_that_it_was_made_of_and_one_only_with_itself():
    given_ = {"a": "b"}
    one, other = Aliases(given_), Aliases(given_)
    assert dict(one) == given_
    assert len(one) == 1
    assert one["a"] == "b"
    assert one == one
    assert one != other
    assert len({one, other}) == 2
    given_["c"] = "d"
    assert "c" not in one


def test_what_a_recipe_says_of_a_name_comes_before_what_is_shipped():
    own = merge_aliases(Artists(aliases={"Rembrandt van Rijn": "Rembrandt Harmenszoon"}))
    assert own.name("rembrandt van rijn") == "Rembrandt Harmenszoon"
    assert own.name("Hokusai") == "Katsushika Hokusai"
    assert merge_aliases(Artists()).name("Rembrandt van Rijn") == "Rembrandt"


def test_a_recipe_spells_a_shipped_name_in_its_own_way():
    own = merge_aliases(Artists(aliases={"Der Meister": "KATSUSHIKA HOKUSAI"}))
    assert own.name("Hokusai") == "KATSUSHIKA HOKUSAI"


def test_a_shipped_alias_may_be_a_name_of_its_own():
    own = merge_aliases(Artists(aliases={"Kats": "Hokusai"}))
    assert own.name("Hokusai") == "Hokusai"
    assert own.name("葛飾北斎") == "Katsushika Hokusai"


def test_without_aliases_of_its_own_a_recipe_has_the_shipped_ones():
    assert dict(merge_aliases(Artists())) == ALIASES


@pytest.mark.parametrize(
    ("start", "steps", "end"),
    [
        ("x", {}, "x"),
        ("x", {"x": "Y"}, "y"),
        ("x", {"x": "X"}, "x"),
        ("x", {"x": "y", "y": "z", "z": "y"}, "y"),
        ("x", {"x": "z", "z": "y", "y": "x"}, "x"),
    ],
)
def test_where_steps_end(start: str, steps: dict[str, str], end: str):
    assert resolve_alias(start, steps, str.lower) == end


_NAMES = word_lists("names")["artists"]


def test_no_alias_stands_for_two_people():
    """By the name as it is normalize_name; twice in one row would be needless."""
    listed = [
        normalize_name(alias) for aliases in _NAMES.values() for alias in {normalize_name(alias) for alias in aliases}
    ]
    assert [alias for alias, count in Counter(listed).items() if count > 1] == []


def test_no_alias_is_the_name_of_somebody():
    assert {normalize_name(alias) for alias in ALIASES} & {normalize_name(name) for name in _NAMES} == set()


def test_every_alias_leads_to_its_name_as_it_is_spelled():
    shipped = merge_aliases(Artists())
    assert [alias for alias, name in ALIASES.items() if shipped.name(alias) != name] == []
    assert [name for name in _NAMES if shipped.name(name) != name] == []


def test_names_and_aliases_are_plain_text():
    for text in (*_NAMES, *ALIASES):
        assert text == unicodedata.normalize("NFC", " ".join(text.split()))
        assert normalize_name(text)
