"""What is read of a release's recipe: as it ran, and of recipes that say less."""

import pytest

from schemas.release import ReleaseRecipe


@pytest.mark.parametrize(
    ("stages", "labels", "has_export"),
    [
        pytest.param([], set(), False, id="no stage"),
        pytest.param([{"fetch": {"label": "fetch", "timeout_s": 30}}], {"fetch"}, False, id="another stage"),
        pytest.param([{"hash": {"label": "h"}}, {"export": {"label": "e"}}], {"h", "e"}, True, id="a bare export"),
    ],
)
def test_stages_by_word_and_by_label(stages: list[object], labels: set[str], has_export: bool):
    recipe = ReleaseRecipe.model_validate({"categories": ["person"], "stages": stages})
    assert recipe.labels == labels
    assert (recipe.stage("export") is not None) == has_export


def test_the_settings_of_split_and_export_are_read():
    stages = [
        {"split": {"label": "split", "ratios": {"train": 3, "val": 0}}},
        {"export": {"label": "e", "parquet": {"images": "none"}, "coco": {"score": 0.3}, "media": True}},
    ]
    recipe = ReleaseRecipe.model_validate({"name": "art", "categories": [], "stages": stages})
    split, export = recipe.stage("split"), recipe.stage("export")
    assert split is not None
    assert split.ratios == {"train": 3.0, "val": 0.0}
    assert export is not None
    assert export.parquet is not None
    assert export.coco is not None
    assert (export.parquet.images, export.coco.score, export.media) == ("none", 0.3, True)
