"""Rules for which of several copies stays."""

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.dedup import Dedup
from schemas.preferences import Preference
from schemas.recipe import Recipe
from tasks.engine.cache_keys import cache_key


@pytest.mark.parametrize(
    ("given", "folder"),
    [
        ("Kopien", "Kopien"),
        ("Kopien/", "Kopien"),
        ("./scans/2024/", "scans/2024"),
        ("LEONARDO DA VINCI", "LEONARDO DA VINCI"),
        ("**/Kopien*", "**/Kopien*"),
    ],
)
def test_a_folder_is_written_with_or_without_slashes_at_its_ends(given: str, folder: str):
    assert Preference.model_validate({"folder": given}).folder == folder


@pytest.mark.parametrize(
    "rule",
    [
        {"source": "met"},
        {"folder": "a/b"},
        {"known": "artist"},
        {"not": {"folder": "Kopien"}},
        {"not": {"source": "x"}},
    ],
    ids=str,
)
def test_a_rule_is_written_out_as_it_was_given(rule: Any):
    assert Preference.model_validate(rule).model_dump(mode="json") == rule


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({}, "expected one of source, folder, known, not, got none"),
        ({"source": "a", "known": "artist"}, "expected one of source, folder, known, not, got source and known"),
        ({"not": {}}, "expected one of source, folder, known, got none"),
        ({"not": {"not": {"known": "artist"}}}, "not.not"),
        ({"folder": "/"}, "folder"),
        ({"folder": "a//b"}, "folder"),
        ({"folder": 3}, "folder"),
        ({"known": "Artist Name"}, "known"),
    ],
    ids=str,
)
def test_a_rule_asks_one_thing(rule: Any, said: str):
    with pytest.raises(ValidationError, match=said.replace(".", r"\.")):
        Preference.model_validate(rule)


def recipe(prefer: Any) -> Recipe:
    return Recipe.model_validate(
        {
            "name": "r",
            "bindings": {"images": "a folder"},
            "sources": [{"folder": {"name": "s", "at": "images", "pattern": "{shelf}/{title}.jpg"}}],
            "attributes": {"shelf": {"type": "string"}},
            "stages": ["fetch", "hash", {"dedup": {"prefer": prefer}}, "split", "export"],
        }
    )


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"source": "t"}, r"prefer: expected one of the sources \['s'\], got 't'"),
        ({"not": {"source": "t"}}, r"prefer: expected one of the sources \['s'\], got 't'"),
        ({"known": "titel"}, "prefer: expected an attribute or a column of records, .* did you mean 'title'"),
        ({"known": "locator"}, "prefer: expected an attribute or a column of records"),
    ],
    ids=str,
)
def test_sources_and_columns_are_those_of_the_recipe(rule: Any, said: str):
    with pytest.raises(ValidationError, match=said):
        recipe([rule])


def test_attributes_are_columns_too():
    assert recipe([{"known": "shelf"}, {"source": "s"}, {"known": "artist"}])


def test_a_recipe_that_prefers_nothing_is_what_it_was():
    assert "prefer" not in Dedup(label="dedup").model_dump(mode="json")
    assert cache_key(s=Dedup(label="d")) == cache_key(s=Dedup(label="d", prefer=()))
