"""The settings of instance recognition: the paper's grid, and what is refused."""

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.evaluate_images import MET_K, MET_TEMPERATURES, QUERY_TYPES, RecognitionSettings


def test_the_papers_grid_is_the_default():
    settings = RecognitionSettings()
    assert (len(settings.k), len(settings.tau)) == (9, 12)
    assert (settings.k, settings.tau) == (MET_K, MET_TEMPERATURES)
    assert QUERY_TYPES == ("met", "other_art", "non_art")
    assert all(field.description for field in RecognitionSettings.model_fields.values())


@pytest.mark.parametrize(
    "odd",
    [
        {"k": []},
        {"k": [0]},
        {"tau": [0]},
        {"tau": []},
        {"tune_distractors": 1.5},
        {"distractors": [-0.1]},
        {"dimensions": 0},
    ],
)
def test_odd_settings_are_refused(odd: dict[str, Any]):
    with pytest.raises(ValidationError):
        RecognitionSettings.model_validate(odd)
