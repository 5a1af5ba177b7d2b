"""What a recipe says of imagehash's hashes."""

from typing import Any

import pytest

from schemas.hash_kinds import HASH_KINDS, HASH_WORDS, hash_attributes
from schemas.recipe import Recipe


def recipe(also: Any, *stages: Any, **changes: Any) -> Recipe:
    return Recipe.model_validate(
        {
            "name": "hashes",
            "bindings": {"images": "a folder"},
            "sources": [{"folder": {"name": "s", "at": "images", "pattern": "{title}.png"}}],
            "stages": ["fetch", {"hash": {"also": also}}, *stages, "split", "export"],
            **changes,
        }
    )


def screen(column: str) -> dict[str, Any]:
    return {"screen": {"where": {column: {"not": "0000000000000000"}}}}


def test_what_is_asked_for_becomes_an_attribute():
    asked = recipe(["colorhash", "dhash64"], screen("dhash64"))
    assert asked.attributes == hash_attributes(["colorhash", "dhash64"])
    assert asked.attributes["dhash64"].field_in("dhash64", "s") is None
    assert Recipe.model_validate(asked.model_dump()) == asked


def test_nothing_is_asked_for():
    asked = recipe([])
    assert not asked.attributes
    assert "also" not in asked.model_dump()["stages"][1]["hash"]


@pytest.mark.parametrize(
    ("also", "stages", "changes", "said"),
    [
        (["dhash"], [], {}, "dhash64"),
        ("dhash64", [], {}, "also"),
        ([["dhash64"]], [], {}, "also"),
        (["ahash64"], [screen("dhash64")], {}, "expected an attribute or a column of records"),
        (
            ["dhash64"],
            [],
            {"attributes": {"dhash64": {"type": "string", "from": "title"}}},
            "attributes: expected no 'dhash64' beside that of stages[1] (hash).also, got one: choose another name",
        ),
        ([], [{"dedup": {"by": ["phash", "colorhash"]}}], {}, "whash256"),
    ],
)
def test_what_does_not_fit_is_told(also: Any, stages: list[Any], changes: dict[str, Any], said: str):
    with pytest.raises(ValueError, match="1 validation error") as raised:
        recipe(also, *stages, **changes)
    assert said in str(raised.value)


def test_words_of_64_bits():
    assert [kind for kind, words in HASH_WORDS.items() if words == 4] == ["ahash256", "dhash256", "whash256"]
    assert [*HASH_WORDS] == [*HASH_KINDS]
