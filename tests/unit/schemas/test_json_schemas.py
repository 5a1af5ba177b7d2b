"""The schema of recipes: what the program takes passes, and what an editor should mark does not."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from flows.cli import main
from schemas.json_schemas import recipe_schema
from schemas.recipe import Recipe

ROOT = Path(__file__).resolve().parents[3]
RECIPES = sorted((ROOT / "deployments/recipes").glob("*.yaml"))
SCHEMA = recipe_schema()
CHECK = jsonschema.Draft202012Validator(SCHEMA)
MUSEUM = ROOT / "deployments/recipes/museum.yaml"


def test_it_is_a_schema():
    CHECK.check_schema(SCHEMA)


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipes_that_ship_pass_as_written_and_with_all_defaults(path: Path):
    fields = yaml.safe_load(path.read_text(encoding="utf-8"))
    CHECK.validate(fields)
    CHECK.validate(Recipe.model_validate(fields).model_dump(mode="json"))


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipes_that_ship_lead_editors_to_the_schema(path: Path):
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    assert first == "# yaml-language-server: $schema=recipe.schema.json"


def test_the_schema_that_ships_is_current(capsys: pytest.CaptureFixture[str]):
    assert main(["schema", "recipe"]) == 0
    shipped = (ROOT / "deployments/recipes/recipe.schema.json").read_text(encoding="utf-8")
    assert capsys.readouterr().out == shipped, "run `make docs-settings`"


@pytest.mark.parametrize(
    "stage",
    [
        "dedup",
        {"dedup": None},
        {"split": {"by": None}},
        {"split": {"by": "style", "together": "artist"}},
        {"sample": {"by": ["style", "century"], "top": 3}},
        {"screen": {"rights": "open"}},
        {"screen": {"rights": ["open", "NOASSERTION"]}},
        {"detect": {"model": "yolox", "classes": ["person", "dog"]}},
    ],
    ids=str,
)
def test_every_short_form_passes(stage: Any):
    fields = yaml.safe_load(MUSEUM.read_text(encoding="utf-8"))
    CHECK.validate({**fields, "stages": [*fields["stages"], stage]})


@pytest.mark.parametrize(
    "stage",
    [
        "dedupe",
        "detect",  # which model?
        {"detect": None},
        {"detect": {"model": "rcnn"}},
        {"dedup": {"radius": 8}},
        {"split": {"ratios": {"dev": 1}}},
        {"sample": {"by": "Colour!"}},
        {"screen": {"aspect": 3}},
        {"hash": {}, "dedup": {}},
        {},
    ],
    ids=str,
)
def test_what_a_build_would_refuse_is_marked(stage: Any):
    fields = yaml.safe_load(MUSEUM.read_text(encoding="utf-8"))
    assert not CHECK.is_valid({**fields, "stages": [*fields["stages"], stage]})


def test_every_setting_says_what_it_is():
    def properties(node: Any, place: str) -> Any:
        if isinstance(node, dict):
            for name, entry in node.get("properties", {}).items() if isinstance(node.get("properties"), dict) else ():
                yield f"{place}.{name}", entry
            for name, entry in node.items():
                yield from properties(entry, f"{place}.{name}")
        elif isinstance(node, list):
            for number, entry in enumerate(node):
                yield from properties(entry, f"{place}[{number}]")

    silent = {place for place, entry in properties(SCHEMA, "") if not entry.get("description")}
    assert silent <= {place for place in silent if re.search(r"\.(source|stage|label)$", place)}
    assert "title" in json.dumps(SCHEMA["properties"])  # the recipe's own field, not pydantic's titles
