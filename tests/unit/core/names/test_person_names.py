"""Whether words are a person's name, a part of one, or a firm's."""

import pytest

from tasks.core.names.maker_words import shipped_words
from tasks.core.names.person_names import first_in_capitals, is_full_name, is_given, spoken, without_honours

WORDS = shipped_words()


@pytest.mark.parametrize(
    ("text", "shorter"),
    [
        ("Henry Moore OM CH", "Henry Moore"),
        ("Le RA", "Le RA"),
        ("HENRY MOORE OM", "HENRY MOORE OM"),
        ("Henry Moore", "Henry Moore"),
        ("", ""),
        ("OM CH RA", "OM CH RA"),
    ],
)
def test_honours_are_stripped_where_a_name_is_left(text: str, shorter: str):
    assert without_honours(text, WORDS) == shorter


@pytest.mark.parametrize(
    "text", ["J. M. W. Turner", "Sir Peter Paul Rubens", "Jan Brueghel the Elder", "Fra Filippo Lippi"]
)
def test_a_given_name_and_a_surname_are_a_full_name(text: str):
    assert is_full_name(text, WORDS)


@pytest.mark.parametrize(
    "text", ["", " ", "Sir", "Rubens", "Peter Paul", "Peter de", "Peter P.", "Wang Hui", "Fontainebleau"]
)
def test_what_may_be_another_thing_is_no_full_name(text: str):
    assert not is_full_name(text, WORDS)


@pytest.mark.parametrize(
    ("text", "is_it", "is_it_without_particles"),
    [
        ("", False, False),
        ("Vincent van", True, False),
        ("J.-B.", True, True),
        ("Sir", True, False),
        ("Paris", False, False),
    ],
)
def test_given_names(text: str, is_it: bool, is_it_without_particles: bool):
    assert (is_given(text, WORDS), is_given(text, WORDS, is_whole=True)) == (is_it, is_it_without_particles)


@pytest.mark.parametrize(
    ("part", "is_behind_full_name", "is_it"),
    [("OM CH", True, True), ("RA", True, True), ("RA", False, False), ("R.A.", False, False), ("PRA", False, True)],
)
def test_two_capitals_behind_one_word_may_be_initials(part: str, is_behind_full_name: bool, is_it: bool):
    assert WORDS.names.fits("left_out", "Henry Smith" if is_behind_full_name else "Smith", part) == is_it


@pytest.mark.parametrize(
    ("text", "is_it"), [("O'Keeffe", True), ("de la Sota", True), ("", True), ("Henry Moore", False)]
)
def test_one_surname_may_have_particles(text: str, is_it: bool):
    assert WORDS.names.fits("surname", text) == is_it


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("POUSSIN Nicolas", "Nicolas Poussin"),
        ("LA TOUR Georges de", "Georges de La Tour"),
        ("VAN LOO Carle", "Carle van Loo"),
        ("TENIERS David II", "David Teniers II"),
        ("HUET J. B.", "J. B. Huet"),
        ("LA TOUR MAURICE QUENTIN DE", "Maurice Quentin de La Tour"),
        ("UTAGAWA Kuniyoshi", "Utagawa Kuniyoshi"),
        ("KIM Whanki", "Kim Whanki"),
        ("O'KEEFFE Georgia", "Georgia O'Keeffe"),
        ("Massarenti Leonardo", "Leonardo Massarenti"),
        ("Holbein the Younger Hans", "Hans Holbein the Younger"),
        ("van der Weyden Rogier", "Rogier van der Weyden"),
        ("Seydel Johann Jacob", "Johann Jacob Seydel"),
        ("Benlliure y Gil José", "José Benlliure y Gil"),
        ("SEEFELDT W. I.", "W. I. Seefeldt"),
    ],
)
def test_the_family_name_goes_behind(text: str, name: str):
    assert spoken(text, WORDS) == name
    assert spoken(name, WORDS) == name


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "Monet",
            "Claude Monet",
            "IBM Corporation",
            "NASA Jet Propulsion Laboratory",
            "MASTER E. S.",
            "Sadegh Ali",
        ),
        *("San Francisco", "Sultan Muhammad", "Smith & John", "Kano Einō", "A, B", "UNESCO", "REMBRANDT", "Kiki Smith"),
        *("Abidin Dino", "Forrest Bess", "Horia Damian"),
        # what would be turned again and again
        *("1508 Jacopo", "[Fish] Janet", "Lucas Cranach d"),
        *("Dyck van Anthonis", "Pieter Hooch de", "Sorolla y Joaquín", "Pieter Bruegel the"),
    ],
)
def test_an_order_that_is_not_certain_stays(text: str):
    assert spoken(text, WORDS) == text


def test_of_several_in_capitals_the_first_is_taken():
    assert first_in_capitals("AUDRAN Benoît I, LE BRUN Charles", WORDS) == "AUDRAN Benoît I"
    assert first_in_capitals("Turner, Girtin", WORDS) == "Turner, Girtin"
