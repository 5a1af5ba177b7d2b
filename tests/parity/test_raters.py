"""Agreement of raters against the package krippendorff, and joints against pycocotools."""

import importlib
import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools.cocoeval import COCOeval

from tasks.core.evaluate.oks import oks
from tasks.core.evaluate.raters.agreement import METRICS, krippendorff_alpha

oracle = importlib.import_module("krippendorff")
CLOSE = 1e-12


def theirs(values: np.ndarray, metric: str) -> float:
    """NaN also where they raise: a single value, no pair."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return float(oracle.alpha(values, level_of_measurement=metric))
    except ValueError:
        return math.nan


@pytest.mark.parametrize("metric", METRICS)
@settings(max_examples=300)
@given(
    values=st.integers(1, 8).flatmap(
        lambda units: st.lists(
            st.lists(st.sampled_from([math.nan, 0.0, 1.0, 2.0, 3.0, 4.5]), min_size=units, max_size=units),
            min_size=1,
            max_size=6,
        )
    )
)
def test_alpha_is_the_packages(metric: Any, values: list[list[float]]):
    ours, other = krippendorff_alpha(np.array(values), metric), theirs(np.array(values), metric)
    assert ours == pytest.approx(other, abs=CLOSE, rel=0, nan_ok=True)


@pytest.mark.parametrize("metric", METRICS)
def test_alpha_of_a_study_is_the_packages(metric: Any):
    chance = np.random.default_rng(5)
    values = np.clip(np.round(chance.uniform(1, 5, 218) + chance.normal(0, 0.8, (18, 218))), 1, 5)
    values[chance.random(values.shape) < 1 / 3] = np.nan
    assert krippendorff_alpha(values, metric) == pytest.approx(theirs(values, metric), abs=CLOSE, rel=0)


def test_oks_is_pycocotools():
    """Of figures with at least one labelled joint; of others pycocotools compares the box."""
    chance = np.random.default_rng(3)
    truth = np.concatenate([chance.uniform(0, 200, (5, 17, 2)), chance.integers(0, 3, (5, 17, 1))], axis=2)
    truth[:, 0, 2] = 2
    predicted = np.concatenate([truth[:, :, :2] + chance.normal(0, 8, (5, 17, 2)), np.ones((5, 17, 1))], axis=2)
    area = chance.uniform(500, 9000, 5)
    area[4] = 0
    evaluation = COCOeval(iouType="keypoints")
    evaluation._gts[1, 1] = [
        {"keypoints": one.ravel().tolist(), "area": float(size), "bbox": [0, 0, 10, 10], "ignore": 0}
        for one, size in zip(truth, area, strict=True)
    ]
    evaluation._dts[1, 1] = [
        {"keypoints": one.ravel().tolist(), "score": 1 - at / 9} for at, one in enumerate(predicted)
    ]
    expected = evaluation.computeOks(1, 1)
    got = oks(truth[:, None], predicted, area[:, None], evaluation.params.kpt_oks_sigmas)
    assert np.abs(got.T - expected).max() <= CLOSE
