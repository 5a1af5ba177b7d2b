"""screen: what it refuses, and which stages must stand before it for what it asks for."""

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.recipe import Recipe
from schemas.screen import Screen


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pixels": {}}, "expected least, most or both, got neither"),
        ({"bytes": {"least": 3, "most": 2}}, "expected least <= most, got 3 > 2"),
        ({"pixels": {"least": -1}}, "greater than or equal to 0"),
        ({"colour": "sepia"}, "'colour' or 'grey'"),
        ({"scores": {"most_blur": 1.5}}, "less than or equal to 1"),
        ({"scores": {"blur": 0.5}}, "Extra inputs are not permitted"),
        (
            {"rights": "publc_domain"},
            "expected public_domain, open, all, NOASSERTION or a URI such as .*, got 'publc_domain'",
        ),
        ({"rights": ["open", "creativecommons.org"]}, "got 'creativecommons.org'"),
        ({"rights": []}, "at least 1 item"),
        ({"styles": []}, "at least 1 item"),
        ({"scores": {}}, "expected at least one limit, got none"),
        ({"scores": {"most_blur": None}}, "expected at least one limit, got none"),
        ({"least_chroma": 0.1}, "least_chroma: expected colour beside it, got none"),
        ({"least_chroma": 0.1, "scores": {"most_blur": 0.5}}, "expected colour beside it, got none"),
    ],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, Any], message: str):
    with pytest.raises(ValidationError, match=message):
        Screen.model_validate(settings)


def test_what_a_release_writes_out_is_read_again():
    """Every default stands in it, least_chroma too."""
    screen = Screen.model_validate({"label": "s", "rights": "open"})
    assert Screen.model_validate(screen.model_dump()) == screen


def test_one_word_for_rights_is_a_list_of_one():
    assert Screen(rights="open").rights == ("open",)  # type: ignore[arg-type]
    assert Screen(rights=("open", "NOASSERTION")).rights == ("open", "NOASSERTION")


@pytest.mark.parametrize(
    ("settings", "needs"),
    [
        ({}, ()),
        ({"rights": "open", "styles": ["Cubism"]}, ()),
        ({"bytes": {"most": 1}}, ("fetch",)),
        ({"pixels": {"most": 1}}, ("hash",)),
        ({"least_side_px": 1}, ("hash",)),
        ({"aspect": {}}, ("hash",)),
        ({"colour": "grey"}, ("quality",)),
        ({"scores": {"most_border": 0}}, ("quality",)),
        ({"figures": {}}, ()),
        ({"figures": {"counted_by": "detector"}}, ("detect",)),
        ({"bytes": {"most": 1}, "aspect": {}, "colour": "colour"}, ("fetch", "hash", "quality")),
    ],
)
def test_what_is_asked_for_needs_the_stage_that_knows(settings: dict[str, Any], needs: tuple[str, ...]):
    assert Screen.model_validate(settings).needs == needs


def recipe(*stages: Any) -> Recipe:
    plain = {
        "name": "r",
        "bindings": {"images": "a folder"},
        "sources": [{"folder": {"name": "s", "pattern": "{title}.jpg"}}],
    }
    return Recipe.model_validate(
        {**plain, "stages": ["fetch", "hash", *stages, {"split": {"by": None, "order": None}}, "export"]}
    )


def test_a_screen_by_scores_stands_after_quality():
    assert recipe("quality", {"screen": {"colour": "colour"}}).stage("quality") is not None
    with pytest.raises(ValidationError, match=r"stages\[2\] \(screen\): expected quality before it, got fetch > hash"):
        recipe({"screen": {"colour": "colour"}}, "quality")


def test_quality_stands_once():
    with pytest.raises(ValidationError, match="expected quality at most once, got it 2 times"):
        recipe("quality", {"quality": {"label": "again"}})
