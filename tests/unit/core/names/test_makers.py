"""Who made a work, where a text names several: only where it is certain. And names that are left as they came."""

import pytest

from schemas.names import Artists
from tasks.core.names.artists import parse_attribution
from tasks.core.names.maker_words import Words
from tasks.core.names.makers import is_group, is_person, is_uncertain, maker_of, without_others
from tasks.core.names.matching import Aliases, merge_aliases

WORDS = Words.shipped()


@pytest.mark.parametrize(
    ("text", "maker"),
    [
        ("", None),
        ("Claude Monet", None),
        ("Parmigianino after Raphael", "Parmigianino"),
        ("Goltzius after Spranger", None),  # nobody knows that Goltzius is no place
        ("Room after a design by Robert Adam", None),
        ("Marquetry panel after a design by Januarius Zick", None),
        ("Rembrandt, after", None),
        ("Alexander Nach Meier", None),
        ("after a design by Raphael", None),
        ("Rembrandt and Jan Lievens", "Rembrandt"),
        ("Rembrandt or Jan Lievens", None),
        ("Rembrandt and Sons", None),
        ("Peter Paul Rubens with Jan Brueghel the Elder", "Peter Paul Rubens"),
        ("Bernd and Hilla Becher", None),
        ("Victoria and Albert Museum", None),
        ("William Morris and Company", None),
        ("The painter called Apelles", None),
        ("Hans Baldung gen. Grien", "Hans Baldung"),
    ],
)
def test_the_maker_stands_before_the_others(text: str, maker: str | None):
    assert maker_of(text, WORDS) == maker


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Wang Hui and other artists", "Wang Hui"),
        ("Wang Hui u. a.", "Wang Hui"),
        ("Rubens, Peter Paul and others", "Rubens, Peter Paul"),
        ("Smith, Jones and others", "Smith, Jones and others"),
        ("and others", "and others"),
        ("Anders Andersson", "Anders Andersson"),
    ],
)
def test_others_without_a_name_are_left_out(text: str, first: str):
    assert without_others(text, WORDS) == first


@pytest.mark.parametrize(
    ("text", "shorter"),
    [
        ("Currier (1813-1888) & Ives (1824-1895)", "Currier & Ives (1824-1895)"),
        ("Rembrandt (Dutch, 1606–1669) and Jan Lievens", "Rembrandt and Jan Lievens"),
        ("Giocondo (Giuseppe) Albertolli", "Giocondo (Giuseppe) Albertolli"),
        ("Room (12345) by Adam", "Room (12345) by Adam"),
        ("Hill (1802-1870) and Adamson", "Hill and Adamson"),
        ("Hill (1802-1870)", "Hill (1802-1870)"),
        ("", ""),
    ],
)
def test_dates_amid_a_text_are_left_out(text: str, shorter: str):
    assert WORDS.pattern("dates_amid").sub("", text) == shorter


@pytest.mark.parametrize(
    "text", ["Rembrandt", "il Pontormo", "Workshop of Raphael (1483-1520)", "Bartolomeo di Giovanni", "Amasis Painter"]
)
def test_a_person_is_certain(text: str):
    assert is_person(text, WORDS)


@pytest.mark.parametrize("text", ["", "()", "1606", "Zug", "Northern Italy", "Rembrandt and Rubens", "John Smith Ltd"])
def test_a_person_is_not_certain(text: str):
    assert not is_person(text, WORDS)


@pytest.mark.parametrize(
    ("name", "qualifier", "is_it"),
    [
        ("Fontainebleau", "school of", True),
        ("Zug", "school of", True),
        ("Rembrandt", "school of", False),
        ("Delft", "workshop of", True),
        ("Zug", "workshop of", False),
        ("Delft", "attributed to", False),
        ("Delft", None, False),
    ],
)
def test_a_school_is_of_a_person_only_where_that_is_certain(name: str, qualifier: str | None, is_it: bool):
    assert is_group(name, qualifier, WORDS) == is_it


SHIPPED = merge_aliases(Artists())


@pytest.mark.parametrize(
    "text",
    [
        "Southworth and Hawes",
        "Jean or Pasquier Grenier",
        "Rembrandt or Jan Lievens",
        "Goltzius after Spranger",
        "Room after a design by Robert Adam",
        "Tapestry designed by Louis Tessier",
        "formerly in the collection of the artist's family",
        "School of Zug",
        "School of Northern Italy",
        "Zug (school of)",
        "The painter called Apelles",
        "Smith, Jones and others",
        "Zug (Schule)",
        "Rembrandt (later copy)",
        "Dürer, Albrecht (spätere Kopie)",
        "Rembrandt (studio replica), Dutch",
        "Formerly attributed to Titian, now Zug",
        "Dürer (after) by Zug",
    ],
)
def test_what_is_not_certain_stays_as_it_came_and_is_counted(text: str):
    assert parse_attribution(text, SHIPPED) == parse_attribution(text, Aliases({}))
    assert (parse_attribution(text, SHIPPED).name, parse_attribution(text, SHIPPED).qualifier) == (text, None)
    assert is_uncertain(text)


@pytest.mark.parametrize(
    "text",
    [
        "Claude Monet",
        "School of Fontainebleau",
        "Kano School",
        "Josiah Wedgwood and Sons",
        "Master of 1499",
        "Boehm & Mendler",
        "José Ortega y Gasset",
        "Alexander Nach Meier",
        "Master of the Riccardiana Lactantius",
        "",
    ],
)
def test_what_is_certain_is_not_counted(text: str):
    assert not is_uncertain(text)


@pytest.mark.parametrize(
    ("text", "is_unclear"),
    [
        ("Rembrandt (much later studio copy)", True),
        ("Rembrandt [copies later]", True),
        ("Rembrandt (one very much later copy)", False),  # five words are no note of a cataloguer
        ("Rembrandt (copyist)", False),
        ("Rembrandt (workshop)", False),
    ],
)
def test_a_bracket_that_nobody_can_read(text: str, is_unclear: bool):
    assert is_uncertain(text) == is_unclear
    assert parse_attribution(text, SHIPPED).name == (text if is_unclear else "Rembrandt")


@pytest.mark.parametrize(
    ("text", "name", "qualifier"),
    [
        ("Rubens and his workshop", "Peter Paul Rubens", "workshop of"),
        ("Rubens or workshop", "Peter Paul Rubens", "workshop of"),
        ("Rubens, circle of 1640", "Peter Paul Rubens", "circle of"),
        ("Rubens, Circle-of 1640", "Peter Paul Rubens", "circle of"),
        ("workshop of The Amasis Painter", "Amasis Painter", "workshop of"),
        ("workshop of A. Cano", "A. Cano", "workshop of"),
        ("(전)김홍도", "김홍도", "attributed to"),
        ("전 김홍도", "김홍도", "attributed to"),
        ("전김홍도", "전김홍도", None),  # that may be his name
    ],
)
def test_words_beside_a_name_say_how_certain_it_is(text: str, name: str, qualifier: str | None):
    assert parse_attribution(text, SHIPPED) == (name, qualifier)
