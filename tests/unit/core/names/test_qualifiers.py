"""Words in front of a name that qualify it."""

import pytest

from tasks.core.names.maker_words import shipped_words
from tasks.core.names.qualifiers import stronger_qualifier, without_phrase_in_front


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        ("", None),
        ("Rembrandt", None),
        ("after", None),
        ("Afterman", None),
        ("formerly known as Prince", None),
        ("formerly in the Louvre", None),
        ("Formerly workshop of Rubens", ("workshop of Rubens", "formerly attributed to")),
        ("Artist: Rembrandt", ("Rembrandt", None)),
        ("in the manner of the Amasis Painter", ("Amasis Painter", "manner of")),
        ("designs by Raphael", ("Raphael", None)),
    ],
)
def test_what_stands_in_front(text: str, stripped: tuple[str, str | None] | None):
    assert without_phrase_in_front(text, shipped_words()) == stripped


def test_the_first_counts_but_possibly_is_the_weakest():
    assert stronger_qualifier("after", "copy after") == "after"
    assert stronger_qualifier("possibly", "after") == "after"
    assert stronger_qualifier(None, "possibly") == "possibly"
