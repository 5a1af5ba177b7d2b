"""Names without a comma whose family name stands first, and those that only look so."""

import pytest

from tasks.core.names.maker_words import shipped_words
from tasks.core.names.spoken_order import first_in_capitals, spoken

WORDS = shipped_words()


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
    ],
)
def test_what_is_not_certain_stays(text: str):
    assert spoken(text, WORDS) == text


def test_of_several_in_capitals_the_first_is_taken():
    assert first_in_capitals("AUDRAN Benoît I, LE BRUN Charles", WORDS) == "AUDRAN Benoît I"
    assert first_in_capitals("Turner, Girtin", WORDS) == "Turner, Girtin"
