"""The raters' benchmark: mean IoU by hand, and shares of raters."""

import numpy as np
import pytest

from benchmarks.raters import consensus_mean_ious, measure, ratios, true_boxes, without_mean_ious
from examples.museum.figures import Figure
from examples.museum.raters import RatedWork
from schemas.evaluate_figures import RaterSettings
from tasks.core.evaluate.raters.leave_one_out import NAMES, compare_raters, score_raters
from tests.support.raters import ratings

TRUE = (0, 0, 10, 10)
HALF, FAR = (0, 0, 10, 5), (50, 50, 60, 60)
FIGURE = Figure((0.0, 0.0, 10.0, 10.0), (), False)
WORKS = [RatedWork(name, 100, 100, (FIGURE,), 1.0, ()) for name in ("1", "unseen")]
DRAWN = ratings({"a": {"1": [HALF]}, "b": {"1": [TRUE, FAR]}, "c": {"1": [TRUE]}, "d": {"1": []}})


def test_a_missed_figure_and_a_box_too_many_count_0():
    image, truth = true_boxes(WORKS, DRAWN)
    assert (image.tolist(), truth.tolist()) == ([0], [[*map(float, TRUE)]])
    single = score_raters(compare_raters(DRAWN, image, truth, 0.5))[:, NAMES.index("mean_iou")]
    assert single.tolist() == [0.5, 0.5, 1.0, 0.0]
    assert consensus_mean_ious(DRAWN, RaterSettings(consensus="overlap"), image, truth).tolist() == [1.0] * 4
    without = without_mean_ious(DRAWN, RaterSettings(consensus="overlap"), image, truth)
    assert without.tolist() == [1.0, 0.75, 0.75, 1.0]


def test_a_row_counts_who_is_below():
    row = measure(WORKS, DRAWN, RaterSettings(consensus="overlap"))
    assert (row["raters_below"], row["raters_below_without_them"], row["figures"]) == (3, 3, 1)


def test_shares_are_over_all_raters():
    row = {"raters": 18, "raters_below_without_them": 9, "leave_one_out_s": 1.0}
    rows = [
        {**row, "consensus": method, "errors": errors, "raters_below": below}
        for method in ("kmeans", "overlap")
        for errors, below in ((1.0, 18), (1.0, 9), (0.5, 0))
    ]
    got = ratios(rows)
    assert got["consensus_better_than"] == got["overlap_better_than"] == 0.75
    assert got["consensus_better_than_of_careful"] == 0
    assert got["overlap_better_than_without_them"] == 0.5
    assert np.isfinite([*got.values()]).all()
    assert got["leave_one_out_s"] == pytest.approx(1)
