"""What differs between two releases as a whole."""

import pytest

from schemas.reasons import Reason
from tasks.core.diff.sides import RecipeDiff, SettingChange
from tests.support.sides import RECIPE, pair, recipe, side


def test_programs_that_differ_are_named():
    before = side(environment={"pillow": "12.0", "numpy": "2"}, contract_version="1.4.1")
    assert pair(before, side(environment={"pillow": "12.1", "onnx": "1"})).programs == (
        "contract 1.4.1 -> 2.0.0",
        "pillow 12.0 -> 12.1",
        "numpy 2 -> none",
        "onnx none -> 1",
    )
    assert pair(before, before).programs == ()


@pytest.mark.parametrize(("more", "is_afresh"), [({}, False), ({"lineage": 2}, True), ({"split_sha256": "x"}, True)])
def test_splits_are_drawn_afresh_by_another_lineage_or_other_settings(more, is_afresh):
    assert pair(side(), side(**more)).is_drawn_afresh is is_afresh


@pytest.mark.parametrize(
    ("more", "has_other_lists"),
    [
        ({"recipe_sha256": "x"}, True),
        ({"recipe_sha256": "x", "recipe": recipe(shape={"least_side_px": 9})}, False),
        ({"recipe_sha256": "x", "recipe": {**RECIPE, "title": "Other"}}, True),
        ({}, False),
    ],
)
def test_lists_beside_the_recipe_are_known_by_its_digest(more, has_other_lists):
    assert pair(side(), side(**more)).has_other_lists is has_other_lists


def test_one_goes_on_from_the_other_or_not():
    both = pair(side(), side(version="1" * 12))
    assert both.is_direct
    assert not type(both)(side(), side(version="1" * 12)).is_direct


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
    assert RecipeDiff(RECIPE, {**RECIPE, "sources": []}).of_source("other") == ""
    assert RecipeDiff(RECIPE, {**RECIPE, "sources": []}).of_source("m") == "sources.m: only in the older"
