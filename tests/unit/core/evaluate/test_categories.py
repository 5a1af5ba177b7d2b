"""The mean over categories: those without a figure don't count."""

import numpy as np
import pytest

from tasks.core.evaluate.categories import category_notes, mean_over_categories, score_categories
from tasks.core.evaluate.systems import Ranking, score_systems
from tasks.core.evaluate.voc import voc_scorer, voc_verdicts
from tests.support.evaluate import LARGE, SMALL, detections, figures

NAN = float("nan")
AP = Ranking("AP_2010")
PERSON = voc_scorer(voc_verdicts(figures((0, SMALL), (1, SMALL), images=2), detections((0, SMALL, 0.9))))
DOG = voc_scorer(voc_verdicts(figures((1, LARGE), images=2), detections((1, LARGE, 0.9))))
EEL = voc_scorer(voc_verdicts(figures(images=2), detections()))


@pytest.mark.parametrize(
    ("aps", "mean"),
    [
        pytest.param([NAN], NAN, id="none with a figure"),
        pytest.param([0.5], 0.5, id="one"),
        pytest.param([0.5, NAN, 0.0], 0.25, id="one without a figure, one without a right box"),
    ],
)
def test_the_mean_of_what_is_defined(aps: list[float], mean: float):
    scorers = [lambda times, ap=ap: {"AP": ap, "F": 1.0} for ap in aps]
    assert mean_over_categories(scorers, ["AP"])(np.ones(1)) == pytest.approx({"AP": mean, "F": NAN}, nan_ok=True)


@pytest.mark.parametrize(("times", "mean"), [([1, 1], 0.75), ([1, 0], 1), ([0, 1], 0.5), ([0, 0], NAN)])
def test_a_category_counts_where_the_images_that_count_have_it(times: list[int], mean: float):
    got = mean_over_categories([PERSON, DOG, EEL], ["AP_2010"])(np.array(times))
    assert got["AP_2010"] == pytest.approx(mean, nan_ok=True)
    assert np.isnan(got["F"])


def test_each_category_has_rows_of_its_own_as_if_it_were_alone():
    groups = {"style": ["Rococo", None]}
    got = score_categories({"a": {"person": PERSON, "dog": DOG}}, ["AP_2010"], 2, groups, AP, 100, 1).to_pylist()
    alone = score_systems({"a": DOG}, 2, {}, AP, 100, 1).to_pylist()
    assert [row for row in got if row["group"] == "dog"] == [
        {**row, "attribute": "category", "group": "dog"} for row in alone
    ]
    aps = {row["group"]: row["value"] for row in got if row["metric"] == "AP_2010"}
    assert aps == {None: 0.75, "Rococo": 1, "unknown": 0.5, "person": 0.5, "dog": 1}
    assert {row["group"] for row in got if row["metric"] == "F" and row["value"] is not None} == {"person", "dog"}


def test_one_category_is_scored_as_before():
    got = score_categories({"a": {"dog": DOG}, "b": {"dog": PERSON}}, ["AP_2010"], 2, {}, AP, 0, 1)
    assert got.equals(score_systems({"a": DOG, "b": PERSON}, 2, {}, AP, 0, 1))


def test_what_the_mean_is_of_is_said():
    assert category_notes({"cat": 3}, "AP") == []
    assert category_notes({"cat": 1_000, "eel": 0}, "AP") == [
        "AP over all images is the mean over 1 category: cat (1,000 figures)",
        "no figures of eel",
    ]
