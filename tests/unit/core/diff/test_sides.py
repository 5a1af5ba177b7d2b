"""What differs between two releases as a whole."""

import pytest

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
