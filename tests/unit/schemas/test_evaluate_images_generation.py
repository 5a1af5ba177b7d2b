"""The settings of a comparison of generators: the papers' defaults, and what can't be computed."""

import numpy as np
import pytest
from pydantic import ValidationError

from schemas.evaluate_images import LARGEST_SEED, GenerationSettings


def test_the_defaults_are_those_of_the_papers():
    settings = GenerationSettings()
    assert (settings.kid_subsets, settings.kid_subset_size, settings.parts) == (100, 1000, 10)
    assert (settings.neighbours, settings.density_neighbours, settings.training_neighbours) == (3, 5, 7)


def test_every_setting_says_what_it_is():
    assert all(field.description for field in GenerationSettings.model_fields.values())


@pytest.mark.parametrize(
    "wrong",
    [
        {"kid_subset_size": 1},  # no pair
        {"kid_subsets": 0},
        {"parts": 0},
        {"neighbours": 0},
        {"seed": LARGEST_SEED + 1},
        {"seed": -1},
        {"copy_similarity": 1.5},
        {"unheard_of": 1},
    ],
)
def test_what_cannot_be_computed_is_refused(wrong):
    with pytest.raises(ValidationError):
        GenerationSettings(**wrong)


def test_the_largest_seed_is_one_for_numpy():
    np.random.RandomState(LARGEST_SEED)
