"""Settings of sketches: the paper's by default, and what is refused."""

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.evaluate_images import SketchSettings


def test_the_papers_values():
    settings = SketchSettings()
    assert (settings.alphas, settings.clip_scale, settings.highest_rating, settings.places) == ((0.75, 1.75), 2.5, 5, 5)


@pytest.mark.parametrize("value", ["coco-17", 0.05, [0.1, 0.2]])
def test_three_ways_to_give_sigmas(value: Any):
    settings = SketchSettings.model_validate({"sigmas": {"body": value}})
    assert settings.model_dump(mode="json")["sigmas"] == {"body": value}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("alphas", [0.75, 0.75]),
        ("alphas", [-0.1]),
        ("clip_scale", 0),
        ("clip_scale", float("nan")),
        ("sigmas", {"body": 0}),
        ("sigmas", {"body": 1e-200}),
        ("sigmas", {"body": [0.1, 1e-7]}),
        ("sigmas", {"body": [0.1, 2]}),
        ("sigmas", {"body": ""}),
        ("sigmas", {"body": True}),
        ("places", 1),
        ("highest_rating", 2.5),
        ("alpha", 1),
    ],
)
def test_what_is_refused(field: str, value: Any):
    with pytest.raises(ValidationError):
        SketchSettings.model_validate({field: value})
