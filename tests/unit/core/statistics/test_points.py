"""Histograms as points: what is drawn is what the bins say."""

from tasks.core.statistics.choice import ASPECT_EDGES
from tasks.core.statistics.points import by_rank, first_decade, shares_by_edge, steps_since


def bins(*rows: tuple[float, float, float]) -> list[dict[str, float]]:
    return [dict(zip(("least", "below", "count"), row, strict=True)) for row in rows]


def test_steps_fall_to_0_where_no_bin_follows():
    rows = bins((1, 2, 5), (2, 3, 4), (7, 8, 1))
    assert steps_since(rows, 2) == [(2, 4), (3, 0), (7, 1), (8, 0)]
    assert steps_since([], 0) == []


def test_works_by_rank_begin_with_the_most():
    assert by_rank(bins((1, 2, 3), (9, 10, 2))) == [(1, 9), (2, 9), (3, 1), (5, 1)]


def test_a_hundredth_of_the_works_may_be_older_than_what_is_shown():
    assert first_decade(bins((1900, 1910, 99), (-3000, -2990, 1))) == 1900
    assert first_decade(bins((1900, 1910, 98), (-3000, -2990, 2))) == -3000


def test_aspects_have_a_share_at_each_edge():
    points = shares_by_edge(bins((0.5, 0.5453, 1), (0, 0.125, 3)))
    assert [edge for edge, _ in points] == ASPECT_EDGES.tolist()
    assert {edge: share for edge, share in points if share} == {0.5: 0.25}
