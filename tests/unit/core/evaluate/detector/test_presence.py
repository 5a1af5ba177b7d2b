"""Images with a figure, and images that a detector keeps: counted by hand."""

import numpy as np
import pytest

from tasks.core.evaluate.detector.presence import KeptImages, Presence, auc, compute_presence, count_kept, wilson
from tests.support.evaluate import LARGE, SMALL, detections, figures

SEEN = Presence(np.array([True, True, False, False]), np.array([0.9, 0.5, 0.5, -1.0]))


def test_the_best_box_of_an_image_speaks_for_it_and_a_crowd_is_somebody():
    got = compute_presence(
        figures((1, SMALL), images=3, crowd=(0,)), detections((0, SMALL, 0.2), (0, LARGE, 0.7), (1, SMALL, 0.0))
    )
    assert (got.has_figure.tolist(), got.score.tolist()) == ([False, True, False], [0.7, 0.0, -1.0])


@pytest.mark.parametrize(
    ("threshold", "kept", "rightly"), [(0.0, 3, 2), (0.5, 3, 2), (0.51, 1, 1), (0.9, 1, 1), (0.91, 0, 0)]
)
def test_a_threshold_keeps_images_with_a_box_of_at_least_that_score(threshold: float, kept: int, rightly: int):
    assert count_kept(threshold, SEEN, np.ones(4, np.int64)) == KeptImages(4, 2, kept, rightly)


def test_an_image_counts_as_often_as_it_is_told():
    assert count_kept(0.5, SEEN, np.array([3, 0, 2, 1])) == KeptImages(6, 3, 5, 3)
    assert count_kept(0.5, SEEN, np.zeros(4, np.int64)) == KeptImages(0, 0, 0, 0)


@pytest.mark.parametrize(
    ("counts", "shares"),
    [
        (KeptImages(4, 2, 3, 2), (0.75, 1.0, 2 / 3, 0.8)),
        (KeptImages(4, 2, 0, 0), (0.0, 0.0, None, 0.0)),
        (KeptImages(4, 0, 1, 0), (0.25, None, 0.0, 0.0)),
        (KeptImages(0, 0, 0, 0), (None, None, None, None)),
        (KeptImages(3, 0, 0, 0), (0.0, None, None, None)),
    ],
)
def test_shares_of_nothing_are_not_defined(counts: KeptImages, shares: tuple[float | None, ...]):
    assert tuple(counts.shares().values()) == shares
    assert [*counts.shares()] == ["kept_share", "recall", "precision", "f1"]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([1, 1, 1, 1], 3.5 / 4),
        ([1, 0, 1, 0], 1.0),
        ([0, 1, 1, 0], 0.5),
        ([1, 1, 0, 0], None),
        ([0, 0, 1, 1], None),
        ([0, 0, 0, 0], None),
        ([0, 5, 7, 0], 0.5),
        ([1, 3, 1, 1], (2 + 3 * 1.5) / 8),
    ],
)
def test_auc_counts_pairs_and_ties_half(times: list[int], expected: float | None):
    assert auc(SEEN, np.array(times)) == expected


@pytest.mark.parametrize(
    ("hits", "of", "expected"),
    [(0, 0, None), (0, 10, (0.0, 0.2775)), (10, 10, (0.7225, 1.0)), (5, 10, (0.2366, 0.7634)), (1, 1, (0.2065, 1.0))],
    # the figures of R's binom.confint(method = "wilson")
)
def test_wilsons_interval(hits: int, of: int, expected: tuple[float, float] | None):
    assert wilson(hits, of) == (None if expected is None else pytest.approx(expected, abs=5e-5))
