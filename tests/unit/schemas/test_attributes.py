"""Attributes of a recipe: their names, where they come from, and that a recipe without any is as it was."""

from typing import Any, get_args

import pyarrow as pa
import pytest
from pydantic import ValidationError

from schemas import attributes, stage
from schemas import split as splits
from schemas.attributes import ARROW_TYPES, MOST_ATTRIBUTES, Attribute, AttributeType, with_attribute_columns
from schemas.recipe import Recipe
from schemas.tables import BY_CONTRACT, IMAGES, RECORDS

FOLDER = {"folder": {"name": "walls", "pattern": "{style}/{room}_{title}.jpg"}}
TABLE = {"table": {"name": "works", "table": "works.csv", "columns": {"key": "id", "image": "file"}}}


def recipe(declared: Any, *sources: Any) -> Recipe:
    return Recipe.model_validate(
        {
            "name": "small",
            "bindings": {"images": "a folder"},
            "sources": list(sources or (TABLE,)),
            "stages": ["fetch", "hash", "split", "export"],
            "attributes": declared,
        }
    )


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        pytest.param({"record_id": {"type": "string"}}, "'record_id', which is a column of releases", id="a column"),
        pytest.param({"kept": {"type": "boolean"}}, "'kept', which is a column of releases", id="one of the ledger"),
        pytest.param({"file_name": {"type": "string"}}, "'file_name', which is a field of COCO", id="COCO's"),
        pytest.param(
            {"century": {"type": "integer"}},
            "'century', which is a word of recipes: choose another, with `from: century`",
            id="a word of `by`",
        ),
        pytest.param({"Room": {"type": "string"}}, "string_pattern_mismatch", id="a capital"),
        pytest.param({"_room": {"type": "string"}}, "string_pattern_mismatch", id="a leading underscore"),
        pytest.param({"a" * 64: {"type": "string"}}, "string_pattern_mismatch", id="64 letters"),
        pytest.param({"zimmergröße": {"type": "string"}}, "string_pattern_mismatch", id="a letter beyond ASCII"),
        pytest.param({"room": {"type": "text"}}, "literal_error", id="a type that there is not"),
        pytest.param({"room": {}}, "missing", id="no type"),
        pytest.param({"room": "string"}, "model_type", id="a type alone"),
        pytest.param({"room": {"type": "string", "from": ""}}, "string_too_short", id="from nowhere"),
        pytest.param(
            {"room": {"type": "string", "from": {}}},
            r"attributes\.room\.from: expected a source and its field, got none",
            id="from no source",
        ),
        pytest.param({"room": {"type": "string", "unit": "m"}}, "extra_forbidden", id="a field that there is not"),
        pytest.param(
            {f"a{number}": {"type": "string"} for number in range(MOST_ATTRIBUTES + 1)}, "too_long", id="101 of them"
        ),
        pytest.param(
            {"room": {"type": "string", "from": {"elsewhere": "room"}}},
            r"attributes\.room\.from: expected some of the sources \['works'\], got \['elsewhere'\]",
            id="from a source that there is not",
        ),
    ],
)
def test_what_is_no_attribute_is_refused(declared: Any, message: str):
    with pytest.raises(ValidationError, match=message):
        recipe(declared)


def test_a_folder_must_have_the_field_in_its_pattern():
    assert recipe({"room": {"type": "string"}}, FOLDER).attributes["room"].field_in("room", "walls") == "room"
    with pytest.raises(ValidationError, match=r"expected a field of the pattern of source 'walls', one of "):
        recipe({"hall": {"type": "string"}}, FOLDER)
    with pytest.raises(ValidationError, match="got 'number'; where only some sources have it, or by another name"):
        recipe({"room": {"type": "string", "from": "number"}}, TABLE, FOLDER)
    only_works = recipe({"room": {"type": "string", "from": {"works": "number"}}}, TABLE, FOLDER).attributes["room"]
    assert [only_works.field_in("room", source) for source in ("works", "walls")] == ["number", None]


def test_a_recipe_without_attributes_is_dumped_as_before_there_were_any():
    assert "attributes" not in recipe({}).model_dump(mode="json")


def test_attributes_come_back_from_a_dump_as_they_went_in():
    declared = {"room": {"type": "strings", "from": {"works": "rooms[].name"}}, "hall": {"type": "number"}}
    first = recipe(declared)
    dumped = first.model_dump(mode="json")
    assert dumped["attributes"]["room"] == {"type": "strings", "from": {"works": "rooms[].name"}, "description": ""}
    assert Recipe.model_validate(dumped) == first


def test_each_type_has_one_type_of_column():
    assert set(ARROW_TYPES) == set(get_args(AttributeType))
    assert with_attribute_columns(RECORDS, {}) == RECORDS
    wide = with_attribute_columns(IMAGES, {"zoo": Attribute(type="strings"), "area": Attribute(type="number")})
    assert wide.names[len(IMAGES) :] == ["zoo", "area"]  # as the recipe has them, not sorted
    assert wide.types[len(IMAGES) :] == [pa.list_(pa.string()), pa.float64()]


def test_no_word_that_stages_go_by_and_no_column_of_a_release_is_free():
    words = {
        word for union in (stage.StratumField, splits.BalancedField, splits.BoundField) for word in words_of(union)
    }
    columns = {name for table in ("images", "records", "ledger", "annotations") for name in BY_CONTRACT[table].names}
    assert [name for name in sorted(words | columns) if not attributes._taken(name)] == []


def words_of(union: Any) -> list[str]:
    """The words of a Literal, or of a union of some."""
    return [word for part in get_args(union) for word in ([part] if isinstance(part, str) else words_of(part))]
