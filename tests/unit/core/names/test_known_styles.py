"""The shipped table of styles: each name once, however it is spelled, and aliases that lead to names."""

from collections import Counter

import pytest

from tasks.core.names.known_styles import _ALONE, ALIASES, NAMES
from tasks.core.names.matching import normalize_name


def folded(name: str) -> str:
    """As styles are normalize_name: blanks count for nothing."""
    return normalize_name(name).replace(" ", "")


def test_each_style_has_one_name():
    assert [name for name, count in Counter(map(folded, NAMES)).items() if count > 1] == []
    assert list(NAMES) == sorted(NAMES)


def test_an_alias_is_no_name_and_leads_to_one():
    assert {*map(folded, ALIASES)} & {*map(folded, NAMES)} == set()
    assert {*ALIASES.values()} <= {*NAMES}


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("Jugendstil", "Art Nouveau"),
        ("Mannerism (Late Renaissance)", "Mannerism"),
        ("Naïve Art (Primitivism)", "Naive Art"),
        ("浮世絵", "Ukiyo-e"),
    ],
)
def test_what_the_papers_call_otherwise(alias: str, name: str):
    assert ALIASES[alias] == name


def test_names_that_break_over_lines_are_whole():
    assert "Action painting" in NAMES
    assert "Latin Empire of Constantinople (1204-1261)" in NAMES
    assert not any("\n" in name or "|" in name or name != name.strip() for name in NAMES)
    assert len(NAMES) == _ALONE.count("|") + 1 + len({*ALIASES.values()})
