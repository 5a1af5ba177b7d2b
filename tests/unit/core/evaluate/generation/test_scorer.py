"""Means over samples that count so many times."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.evaluate.generation.manifold import manifold_scores, manifold_units
from tasks.core.evaluate.generation.memorisation import nearest_training_images
from tasks.core.evaluate.generation.scorer import mean_scorer, sample_values


@given(st.integers(0, 1000), st.lists(st.integers(0, 3), min_size=7, max_size=7).filter(lambda times: sum(times) > 3))
def test_a_score_with_times_is_that_of_samples_that_stand_so_many_times(seed, times):
    chance = np.random.default_rng(seed)
    samples, reference = chance.normal(size=(7, 2)), chance.normal(size=(9, 2))
    score = mean_scorer(
        sample_values(
            manifold_units(samples, reference, 2, 3), nearest_training_images(samples, reference, 1)[1], 0.99
        )
    )  # fmt: skip
    repeated = np.repeat(samples, times, axis=0)
    plain, near = manifold_scores(repeated, reference, 2, 3), nearest_training_images(repeated, reference, 1)[1]
    assert score(np.array(times)) == pytest.approx(
        {
            "precision": plain.precision,
            "density": plain.density,
            "copy_share": float((near[:, 0] >= np.float32(0.99)).mean()),
            "nearest_similarity": float(near.astype(float).mean()),
        }
    )


def test_no_sample_that_counts_has_no_mean():
    score = mean_scorer(sample_values(None, np.array([[0.5]], np.float32), 0.5))
    assert score(np.array([1])) == {"copy_share": 1.0, "nearest_similarity": 0.5}
    assert {name: np.isnan(value) for name, value in score(np.array([0])).items()} == {
        "copy_share": True,
        "nearest_similarity": True,
    }


def test_a_copy_is_at_the_threshold_itself():
    similarities = np.array([[0.95, 0.1], [0.9499, 0.9], [1.0, 1.0], [0.2, 0.1]], np.float32)
    assert sample_values(None, similarities, 0.95)["copy_share"].tolist() == [1, 0, 1, 0]
    assert sample_values(None, similarities, 0.0)["copy_share"].tolist() == [1, 1, 1, 1]


def test_nothing_has_no_scores():
    assert mean_scorer(sample_values(None, None, 0.5))(np.array([1, 2])) == {}


def test_values_of_other_samples_are_refused():
    with pytest.raises(BadInput, match="expected values of the same samples, got 1 and 2"):
        mean_scorer({"a": np.ones(1), "b": np.ones(2)})
