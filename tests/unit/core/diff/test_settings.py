"""Recipes side by side."""

import pytest

from schemas.reasons import Reason
from tasks.core.diff.settings import RecipeDiff, SettingChange, source_names
from tests.support.sides import RECIPE, recipe


def test_a_change_says_its_place_and_both_values():
    found = RecipeDiff(RECIPE, recipe(shape={"figures": {"least": 2}}))
    assert [str(change) for change in found.changes] == ["stages.shape.figures.least: 1 -> 2"]
    assert RecipeDiff(RECIPE, RECIPE).changes == ()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (SettingChange("a.b", "1", "2"), "a.b: 1 -> 2"),
        (SettingChange("a.b", "", "2"), "a.b: only in the newer"),
        (SettingChange("a.b", "1", ""), "a.b: only in the older"),
    ],
)
def test_what_one_recipe_lacks_is_said(change, text):
    assert str(change) == text


def test_true_is_not_one():
    assert len(RecipeDiff({**RECIPE, "seed": 1}, {**RECIPE, "seed": True}).changes) == 1


@pytest.mark.parametrize(
    ("label", "reason", "changed", "is_found"),
    [
        ("shape", Reason.TOO_SMALL, {"shape": {"least_side_px": 9}}, True),
        ("shape", Reason.TOO_SMALL, {"shape": {"figures": None}}, False),  # another limit of the same screen
        ("shape", Reason.TOO_FEW_FIGURES, {"shape": {"figures": None}}, True),
        ("shape", Reason.TOO_FEW_FIGURES, {"detect": {"model": "nanodet"}}, True),
        ("shape", Reason.WHERE_NOT_MET, {"shape": {"where": {"department": {"is": ["Prints"]}}}}, True),
        ("shape", Reason.WHERE_NOT_MET, {"shape": {"least_side_px": 9}}, False),
        ("shape", None, {"shape": {"least_side_px": 9}}, True),  # a reason that this version does not know
        ("dedup", Reason.NEAR_DUPLICATE, {"dedup": {"radius_bits": 1}}, True),
        ("sample", Reason.NOT_DRAWN, {"dedup": {"radius_bits": 1}}, False),
    ],
)
def test_the_settings_that_decide_on_a_drop(label, reason, changed, is_found):
    assert bool(RecipeDiff(RECIPE, recipe(**changed)).deciding_on(label, reason)) is is_found


def test_titles_and_manners_decide_nothing():
    found = RecipeDiff(RECIPE, {**RECIPE, "title": "Other", "manners": {"rate_per_s": 1}})
    assert len(found.changes) == 2
    assert found.deciding() == []


@pytest.mark.parametrize(
    "odd",
    [{"sources": 3}, {"stages": ["fetch"]}, {"stages": [{"fetch": {"label": 3}}]}, {"sources": [{"a": 1, "b": 2}]}],
)
def test_what_is_no_recipe_is_said_in_one_line(odd):
    with pytest.raises(ValueError, match=r"^.+(for|among its) (sources|stages)$"):
        RecipeDiff(RECIPE, {**RECIPE, **odd})


def test_sources_by_name():
    assert source_names(RECIPE) == {"m"}
    assert RecipeDiff(RECIPE, {**RECIPE, "sources": []}).of_source("m") == "sources.m: only in the older"
