"""The mean over categories: those without a figure don't count."""

import numpy as np
import pytest

from tasks.core.evaluate.voc.categories import categories_scorer, mean_over_categories
from tasks.core.evaluate.voc.scorer import voc_scorer
from tasks.core.evaluate.voc.verdicts import voc_verdicts
from tests.support.evaluate import LARGE, SMALL, detections, figures

NAN = float("nan")


@pytest.mark.parametrize(
    ("aps", "mean", "count"),
    [
        pytest.param([], NAN, 0, id="no category"),
        pytest.param([NAN], NAN, 0, id="none with a figure"),
        pytest.param([0.5], 0.5, 1, id="one"),
        pytest.param([0.5, NAN, 0.0], 0.25, 2, id="one without a figure, one without a right box"),
    ],
)
def test_the_mean_of_what_is_defined(aps: list[float], mean: float, count: int):
    scores = {str(place): {"AP_2010": ap, "AP_2007": ap / 2} for place, ap in enumerate(aps)}
    assert mean_over_categories(scores) == pytest.approx(
        {"mAP_2010": mean, "mAP_2007": mean / 2, "categories": count}, nan_ok=True
    )


def test_a_category_counts_where_the_images_that_count_have_it():
    person = voc_verdicts(figures((0, SMALL), (1, SMALL), images=2), detections((0, SMALL, 0.9)))
    dog = voc_verdicts(figures((1, LARGE), images=2), detections((1, LARGE, 0.9)))
    scorer = categories_scorer({"person": voc_scorer(person), "dog": voc_scorer(dog)}, ["AP_2010"])
    assert scorer(np.array([1, 1])) == {"mAP_2010": 0.75, "categories": 2}
    assert scorer(np.array([1, 0])) == {"mAP_2010": 1, "categories": 1}
    assert scorer(np.array([0, 1])) == {"mAP_2010": 0.5, "categories": 2}
    assert scorer(np.array([0, 0])) == pytest.approx({"mAP_2010": NAN, "categories": 0}, nan_ok=True)
