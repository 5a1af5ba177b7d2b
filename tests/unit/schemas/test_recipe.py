"""The recipe: what every field says of itself, what is filled in, what can't be changed, and the way to YAML and
back.
"""

import importlib
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from schemas import base
from schemas.dedup import Dedup
from schemas.recipe import Recipe

MODULES = (
    *(
        "about",
        "attributes",
        "dedup",
        "detect",
        "export",
        "fetch",
        "hash",
        "keypoints",
        "manners",
        "names",
        "preferences",
    ),
    *("quality", "sample", "screen", "sources", "sources.common", "split", "where"),
)
MODELS = sorted(
    {
        model
        for module in MODULES
        for model in vars(importlib.import_module(f"schemas.{module}")).values()
        if isinstance(model, type) and issubclass(model, base.Frozen)
    }
    | {Recipe},
    key=lambda model: model.__name__,
)
TAGS = {"stage", "source"}  # the word that stands in front of the settings; its class says what it means


def plain(**changes: Any) -> dict[str, Any]:
    return {
        "name": "small",
        "seed": 9,
        "bindings": {"images": "a folder"},
        "sources": [{"folder": {"name": "s", "pattern": "{title}.jpg"}}],
        "stages": ["fetch", "hash", "sample", "split", "export"],
        **changes,
    }


def recipe(**changes: Any) -> Recipe:
    return Recipe.model_validate(plain(**changes))


@pytest.mark.parametrize(
    ("model", "field"),
    [
        pytest.param(model, name, id=f"{model.__name__}.{name}")
        for model in MODELS
        for name in model.model_fields
        if name not in TAGS
    ],
)
def test_every_field_says_what_it_is(model: type[BaseModel], field: str):
    said = model.model_fields[field].description or ""
    assert len(said) > 10
    assert said != "Lower-case letters, digits, - and _"  # what any Name says, not what this one is


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_part_of_a_recipe_says_what_it_is_for(model: type[BaseModel]):
    assert (model.__doc__ or "").strip().endswith(".")
    assert model.__doc__ != base.Frozen.__doc__ or model is base.Frozen


def test_the_models_under_test_are_those_that_the_recipe_is_made_of():
    made_of = set(Recipe.model_json_schema()["$defs"])
    assert made_of <= {model.__name__ for model in MODELS}
    assert {"Fetch", "Hash", "Detect", "Screen", "Dedup", "Sample", "Split", "Export", "FolderSource"} <= made_of


@pytest.mark.parametrize(
    "stage",
    [
        pytest.param("dedup", id="just its word"),
        pytest.param({"dedup": None}, id="its word with nothing behind the colon"),
        pytest.param({"dedup": {}}, id="its word with empty settings"),
        pytest.param({"dedup": {"radius_bits": 12}}, id="its word with the default written out"),
        pytest.param({"dedup": {"label": ""}}, id="its word with an empty label"),
        pytest.param({"stage": "dedup"}, id="the mapping that the models read"),
        pytest.param({"stage": "dedup", "label": "dedup"}, id="that mapping with its label"),
    ],
)
def test_all_ways_to_write_a_stage_mean_the_same(stage: Any):
    assert recipe(stages=["fetch", "hash", stage, "split", "export"]).stages[2] == Dedup(label="dedup")


@pytest.mark.parametrize(
    ("settings", "of_recipe", "expected"),
    [
        pytest.param({}, 9, 9, id="a stage without a seed has the recipe's"),
        pytest.param({"seed": None}, 9, 9, id="null is no seed"),
        pytest.param({"seed": 0}, 9, 0, id="0 is a seed"),
        pytest.param({"seed": 4}, 9, 4, id="its own seed stays"),
        pytest.param({}, 0, 0, id="a recipe's 0 is filled in too"),
    ],
)
@pytest.mark.parametrize("word", ["sample", "split"])
def test_stages_that_draw_get_a_seed(word: str, settings: dict[str, Any], of_recipe: int, expected: int):
    listed = [{entry: settings} if entry == word else entry for entry in plain()["stages"]]
    built = recipe(seed=of_recipe, stages=listed)
    assert built.stage(word).seed == expected  # type: ignore[union-attr]
    assert (
        next(iter(built.model_dump(mode="json")["stages"][2 if word == "sample" else 3].values()))["seed"] == expected
    )


def test_a_recipe_without_a_seed_has_seed_0_everywhere():
    short = plain()
    del short["seed"]
    built = Recipe.model_validate(short)
    assert (built.seed, built.stages[2].seed, built.stages[3].seed) == (0, 0, 0)  # type: ignore[union-attr]


def test_another_seed_of_the_recipe_is_another_seed_of_its_draws():
    assert recipe(seed=10).stages[2:4] != recipe(seed=11).stages[2:4]


def test_a_stage_is_found_by_its_label_and_not_by_its_word():
    labelled = recipe(stages=["fetch", {"hash": {"label": "measure"}}, "split", "export"])
    assert labelled.stage("measure") is labelled.stages[1]
    assert labelled.stage("hash") is None


@pytest.mark.parametrize("name", ["web-images", "a-web", "a-answers", "a-web-web"])
def test_a_source_name_that_the_store_uses_for_something_else_is_refused(name: str):
    sources_ = [{"folder": {"name": each, "pattern": "{title}.jpg"}} for each in ("a", name)]
    with pytest.raises(ValidationError, match=r"sources\[\]\.name: expected a name that does not end in"):
        recipe(sources=sources_)


@pytest.mark.parametrize("name", ["web", "answers", "images", "my-web-museum", "webs", "a-web2"])
def test_a_source_name_that_only_looks_like_such_a_name_is_none(name: str):
    assert recipe(sources=[{"folder": {"name": name, "pattern": "{title}.jpg"}}]).sources[0].name == name


@pytest.mark.parametrize("name", ["..", "a/b", "", "A", ".hidden", "a b", "-a"])
def test_a_source_name_that_can_be_no_folder_is_refused(name: str):
    with pytest.raises(ValidationError, match="string_pattern_mismatch"):
        recipe(sources=[{"folder": {"name": name, "pattern": "{title}.jpg"}}])


def test_reading_a_recipe_leaves_what_was_given_as_it_was():
    given_, kept = plain(), plain()
    Recipe.model_validate(given_)
    assert given_ == kept


@pytest.mark.parametrize(
    ("part", "field", "value"),
    [
        pytest.param(lambda r: r, "seed", 1, id="the recipe"),
        pytest.param(lambda r: r.stages[0], "max_bytes", 1, id="a stage"),
        pytest.param(lambda r: r.stages[-1].parquet, "images", "none", id="settings inside a stage"),
        pytest.param(lambda r: r.sources[0], "name", "t", id="a source"),
    ],
)
def test_nothing_of_a_recipe_can_be_set_later(part: Any, field: str, value: Any):
    with pytest.raises(ValidationError, match="frozen"):
        setattr(part(recipe()), field, value)


names = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,20}", fullmatch=True)
texts = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
scores = st.floats(0, 1)


@st.composite
def recipes(draw: st.DrawFn) -> dict[str, Any]:
    """Any recipe that is right: one or more sources, the stages that must be there, and some of the others."""
    kinds = draw(st.lists(st.sampled_from(["folder", "table"]), min_size=1, max_size=3))
    own = draw(st.lists(names, min_size=len(kinds), max_size=len(kinds), unique=True))
    extra = {
        "folder": {"pattern": "{style}/{title}.jpg"},
        "table": {"table": "works.csv", "columns": {"key": "id", "image": "file"}},
    }
    screens = [
        {
            "screen": {
                "label": f"screen-{number}",
                "least_side_px": draw(st.none() | st.integers(1, 900)),
                "figures": draw(st.none() | st.fixed_dictionaries({"score": scores, "least": st.integers(0, 3)})),
            }
        }
        for number in range(draw(st.integers(0, 2)))
    ]
    ratios = draw(st.dictionaries(st.sampled_from(["train", "val", "test"]), st.integers(1, 9), min_size=1))
    return {
        "name": draw(names),
        "title": draw(texts),
        "description": draw(texts),
        "seed": draw(st.integers(0, 2**63 - 1)),
        "limit": draw(st.none() | st.integers(1, 10**9)),
        "max_loss_fraction": draw(scores),
        "bindings": {"images": draw(texts) or ""},
        "sources": [
            {kind: {"name": name, "source_url": draw(texts), **extra[kind]}}
            for kind, name in zip(kinds, own, strict=True)
        ],
        "stages": [
            {"fetch": {"timeout_s": draw(st.floats(1e-6, 3600))}},
            "hash",
            *screens,
            {"dedup": {"radius_bits": draw(st.integers(0, 16))}},
            *draw(st.sampled_from([[], ["sample"], [{"sample": {"seed": 3, "top": 22, "at_most": 125}}]])),
            {"split": {"ratios": ratios, "by": draw(st.sampled_from(["style", None]))}},
            "export",
        ],
    }


@given(recipes())
def test_a_recipe_written_out_and_read_again_is_the_same(written: dict[str, Any]):
    first = Recipe.model_validate(written)
    text = yaml.safe_dump(first.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    assert Recipe.model_validate(yaml.safe_load(text)) == first


@given(recipes())
def test_a_recipe_written_out_shows_every_default(written: dict[str, Any]):
    dumped = Recipe.model_validate(written).model_dump(mode="json")
    for entry, stage in zip(dumped["stages"], Recipe.model_validate(written).stages, strict=True):
        ((word, settings),) = entry.items()
        assert word == stage.stage
        later = {
            name for name, field in type(stage).model_fields.items() if field.exclude_if and not getattr(stage, name)
        }
        assert settings.keys() == set(type(stage).model_fields) - {"stage"} - later


@pytest.mark.parametrize("value", [None, [], "small", 7])
def test_what_is_no_mapping_is_no_recipe(value: Any):
    with pytest.raises(ValidationError, match=r"expected a mapping with name, sources and stages, got \w+"):
        Recipe.model_validate(value)


def test_a_recipe_without_schemes_is_dumped_as_before_there_were_any():
    dumped = recipe(categories=["dog", {"name": "person"}, {"name": "cat", "keypoints": "coco-17"}]).model_dump(
        mode="json"
    )
    assert dumped["categories"] == ["dog", "person", "cat"]
    assert "keypoint_schemes" not in dumped
    assert recipe().model_dump(mode="json")["categories"] == ["person"]


def test_a_recipe_with_schemes_comes_back_from_its_dump():
    hand = {"joints": ["wrist", "thumb"], "skeleton": [["wrist", "thumb"]], "sigmas": [0.1, 0.2]}
    categories = [
        "person",
        {"name": "hand", "supercategory": "limb", "keypoints": "hand-2"},
        {"name": "x", "keypoints": None},
    ]
    written = recipe(categories=categories, keypoint_schemes={"hand-2": hand})
    dumped = written.model_dump(mode="json")
    assert dumped["categories"][1] == categories[1]
    assert dumped["categories"][2] == {"name": "x", "supercategory": None, "keypoints": None}
    assert Recipe.model_validate(dumped) == written
    assert written.schemes_by_category["x"] is None
    assert [category.supercategory for category in written.coco_categories] == ["person", "limb", "x"]


@pytest.mark.parametrize("keypoints", ["animal-20", None])
def test_a_detector_of_cocos_keypoints_is_refused_for_a_category_of_others(keypoints: str | None):
    detect = {"detect": {"model": "keypointrcnn_resnet50_fpn", "classes": {"dog": 1}}}
    changes = {"stages": ["fetch", "hash", detect, "split", "export"], "bindings": {"images": "i", "weights": "w"}}
    assert recipe(categories=["person", "dog"], **changes)
    with pytest.raises(ValidationError, match="expected categories with the keypoints coco-17, which keypointrcnn"):
        recipe(categories=["person", {"name": "dog", "keypoints": keypoints}], **changes)
