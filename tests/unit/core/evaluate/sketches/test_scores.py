"""mRS and mRC in both readings, by hand and by photos that count several times."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.evaluate.sketches.scores import alpha_text, method_scorer, sketch_scores
from tasks.core.evaluate.sketches.table import Sketches, check_sketches
from tests.support.sketches import measured, table

ALPHAS = (0.75, 1.75, 3.0)
HAND = check_sketches("t", measured((0.2, 0.25, 2.0), (0.6, 0.30, 1.0), (1.0, 0.20, 0.5)))


def scores(sketches: Sketches, method: str = "anime", times: list[int] | None = None) -> dict[str, float]:
    counts = np.ones(len(sketches.photos), np.int64) if times is None else np.array(times, np.int64)
    return method_scorer(sketches, method, ALPHAS, 2.5)(counts)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mRS_0.75", 0.4),
        ("mRS_0.75_of_all", 0.2667),
        ("mRS_1.75", 0.2),
        ("mRS_1.75_of_all", 0.0667),
        ("mRS_3", math.nan),
        ("mRS_3_of_all", 0.0),
        ("mRC_0.75", 2.5 * 0.275),
        ("mRC_1.75_of_all", 2.5 * 0.25 / 3),
        ("mRC_3", math.nan),
        ("mOKS", 0.6),
        ("S_CLIP", 0.625),
        ("SR", 3.5 / 3),
        ("passing_0.75", 2 / 3),
        ("passing_3", 0.0),
        ("sketches", 3),
    ],
)
def test_three_sketches_by_hand(name: str, expected: float):
    assert scores(HAND)[name] == pytest.approx(expected, abs=5e-5, nan_ok=True)


def test_a_ratio_must_be_above_alpha_not_at_it():
    sketches = check_sketches("t", measured((0.5, None, 0.75), (0.7, None, np.nextafter(0.75, 1))))
    assert scores(sketches)["mRS_0.75"] == pytest.approx(0.7)


def test_names_of_alphas():
    assert [alpha_text(alpha) for alpha in (0.75, 1.0, 0.1, 1e-7, 1e6)] == ["0.75", "1", "0.1", "0.0000001", "1000000"]


def test_a_sketch_without_a_value_counts_in_no_mean_of_it():
    sketches = check_sketches("t", measured((None, 0.2, 2.0), (0.6, None, 2.0), (0.4, None, 0.5)))
    got = scores(sketches)
    assert (got["mRS_0.75"], got["mRS_0.75_of_all"], got["mRC_0.75_of_all"]) == pytest.approx((0.6, 0.3, 0.5))


def test_without_complexities_nothing_is_known_to_pass():
    got = scores(check_sketches("t", table({"mean_oks": 0.5})))
    assert got["mOKS"] == 0.5
    assert all(math.isnan(got[name]) for name in ("SR", "mRS_0.75", "mRS_0.75_of_all", "passing_0.75"))


def test_a_negative_cosine_stays_negative():
    got = scores(check_sketches("t", measured((None, -0.1, 2.0), (None, -0.3, 0.5))))
    assert (got["mRC_0.75"], got["mRC_0.75_of_all"], got["S_CLIP"]) == pytest.approx((-0.25, -0.125, -0.5))


def test_no_photo_at_all_has_the_same_names():
    got = scores(HAND, times=[0, 0, 0])
    assert list(got) == list(scores(HAND))
    assert got.pop("sketches") == 0
    assert all(math.isnan(value) for value in got.values())


def test_a_method_counts_its_own_sketches_on_the_photos_of_all():
    both = check_sketches(
        "t", table({"mean_oks": 0.2}, {"mean_oks": 0.4, "method": "contour"}, {"mean_oks": 0.9, "photo": "p2"})
    )
    assert [scores(both, method)["mOKS"] for method in both.methods] == pytest.approx([0.55, 0.4])
    assert scores(both, "contour", [0, 5])["sketches"] == 0


def by_loops(rows: list[tuple[float, float]], alpha: float) -> tuple[float, float]:
    """Eq. 4 in both readings, of (mOKS, ratio)."""
    passing = [mean_oks for mean_oks, ratio in rows if ratio > alpha]
    mean = sum(passing) / len(passing) if passing else math.nan
    return mean, sum(passing) / len(rows) if rows else math.nan


ratios = st.sampled_from([0.5, 0.75, 1.0, 1.75, 2.0, 3.0])
drawn = st.lists(st.tuples(st.floats(0, 1), ratios, st.integers(0, 3)), min_size=1, max_size=12)


@given(drawn)
def test_a_photo_that_counts_twice_is_a_photo_that_is_there_twice(rows: list[tuple[float, float, int]]):
    sketches = check_sketches("t", measured(*((mean_oks, mean_oks / 4, ratio) for mean_oks, ratio, _ in rows)))
    # photos are in the order of their names: p1, p10, p2 ...
    places = [int(photo[1:]) - 1 for photo in sketches.photos]
    got = scores(sketches, times=[rows[place][2] for place in places])
    repeated = [(mean_oks, mean_oks / 4, ratio) for mean_oks, ratio, times in rows for _ in range(times)]
    if repeated:
        plain = scores(check_sketches("t", measured(*repeated)))
        assert got == pytest.approx(plain, abs=1e-12, nan_ok=True)
    for alpha in ALPHAS:
        expected = by_loops([(mean_oks, ratio) for mean_oks, _, ratio in repeated], alpha)
        names = (f"mRS_{alpha_text(alpha)}", f"mRS_{alpha_text(alpha)}_of_all")
        assert tuple(got[name] for name in names) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(drawn)
def test_divided_by_all_the_score_never_rises_with_alpha(rows: list[tuple[float, float, int]]):
    """Which is why the paper's tables, of which some cells rise, are means over those that pass."""
    columns = np.array(rows)
    got = sketch_scores(columns[:, 0], columns[:, 0], columns[:, 1], [0.75, 1.75], columns[:, 2])
    assert not got["mRS_1.75_of_all"] > got["mRS_0.75_of_all"]


@given(st.permutations(range(5)))
def test_the_order_of_sketches_never_matters(order: list[int]):
    rows = measured((0.1, 0.2, 2.0), (0.3, 0.1, 1.0), (0.7, None, 0.5), (None, 0.3, 4.0), (0.9, 0.25, 1.76))
    first = scores(check_sketches("t", rows))
    assert scores(check_sketches("t", rows.take(pa.array(order)))) == pytest.approx(first, abs=0, rel=0, nan_ok=True)
