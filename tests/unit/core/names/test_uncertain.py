"""Names that are left as they came: which, and how they are counted."""

import pytest

from schemas.artists import Artists
from tasks.core.names.artists import parse_attribution
from tasks.core.names.matching import merge_aliases
from tasks.core.names.uncertain import is_uncertain

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
    assert parse_attribution(text, SHIPPED) == (parse_attribution(text, {}))
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
