"""The shipped table of artists: no alias says two things, none is needless, and none is another one's name."""

import unicodedata
from collections import Counter

from schemas.artists import Artists
from tasks.core.names.known_artists import _NAMES, ALIASES
from tasks.core.names.matching import merge_aliases, normalize_name


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
