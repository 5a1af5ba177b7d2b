"""The role of a record is that of its source, which its record_id names."""

import pyarrow as pa

from schemas.recipe import Recipe
from tasks.engine.roles import roles_by_id

SOURCES = [{"folder": {"name": name, "at": "images", "pattern": "{key}.jpg"}} for name in ("met", "visitors")]


def recipe(roles: dict[str, str]) -> Recipe:
    stages = ["fetch", "hash", {"split": {"roles": roles} if roles else {}}, "export"]
    return Recipe.model_validate(
        {"name": "m", "bindings": {"images": "a folder"}, "sources": SOURCES, "stages": stages}
    )


def test_a_record_has_the_role_of_its_source():
    by_id = roles_by_id(recipe({"met": "gallery", "visitors": "query"}))
    assert by_id is not None
    names = pa.chunked_array([["met:1", "visitors:met:1"], ["met:a\nb"]])
    assert by_id(names).to_pylist() == ["gallery", "query", "gallery"]
    assert by_id(pa.chunked_array([pa.array([], pa.string())])).to_pylist() == []


def test_without_roles_nobody_has_one():
    assert roles_by_id(recipe({})) is None
