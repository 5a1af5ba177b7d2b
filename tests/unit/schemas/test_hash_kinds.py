"""What a recipe says of imagehash's hashes."""

from typing import Any, get_args

import pytest

from schemas.hash_kinds import HASHES, HashKind, WorkHash, hash_attributes
from schemas.recipe import Recipe
from tasks.core.dedup.search import MAX_RADIUS_BITS


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
            "attributes: expected no 'dhash64' beside that of the stage hash, got one: choose another name",
        ),
        ([], [{"dedup": {"by": ["phash", "colorhash"]}}], {}, "whash256"),
    ],
)
def test_what_does_not_fit_is_told(also: Any, stages: list[Any], changes: dict[str, Any], said: str):
    with pytest.raises(ValueError, match="1 validation error") as raised:
        recipe(also, *stages, **changes)
    assert said in str(raised.value)


def test_a_recipe_that_was_written_out_can_be_changed():
    """A release's recipe.yaml has the attributes; they follow what is asked for."""
    written = recipe(["dhash64"]).model_dump()
    (stage,) = (entry["hash"] for entry in written["stages"] if "hash" in entry)
    stage["also"] = ["whash64"]
    assert [*Recipe.model_validate(written).attributes] == ["whash64"]
    stage.pop("also")
    assert not Recipe.model_validate(written).attributes


def test_an_older_description_of_a_hash_gives_way():
    attributes = {"dhash64": {"type": "string", "from": {}, "description": "in other words"}}
    assert recipe(["dhash64"], attributes=attributes).attributes == hash_attributes(["dhash64"])


def test_a_stage_before_hash_can_not_go_by_what_hash_fills():
    before = ["fetch", screen("dhash64"), {"hash": {"also": ["dhash64"]}}, "split", "export"]
    with pytest.raises(ValueError, match="expected an attribute or a column of records"):
        recipe(None, stages=before)


def test_each_hash_is_declared_once():
    assert get_args(HashKind)[:6] == get_args(WorkHash)
    assert {kind for kind, spec in HASHES.items() if spec.radius_bits is not None} == {*get_args(WorkHash)}
    assert {kind: spec.words for kind, spec in HASHES.items() if spec.words > 1} == dict.fromkeys(
        ["ahash256", "dhash256", "whash256"], 4
    )


def test_no_radius_is_larger_than_the_search_goes():
    """Each word of a hash is searched alone, within its share of the radius."""
    assert all((spec.radius_bits or 0) // spec.words <= MAX_RADIUS_BITS for spec in HASHES.values())
