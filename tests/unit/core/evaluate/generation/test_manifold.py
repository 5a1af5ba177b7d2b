"""Precision, recall, density and coverage: by hand, by plain loops, and what follows from what they mean."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.core.evaluate.generation import features
from tasks.core.evaluate.generation.manifold import ManifoldScores, manifold_scores, manifold_units, squared_radii


def column(*values: float) -> np.ndarray:
    return np.array(values, float)[:, None]


def squares(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.array([[sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) for y in other] for x in one])


def plain(samples: np.ndarray, reference: np.ndarray, k: int, dense: int) -> ManifoldScores:
    def radii(table: np.ndarray, place: int) -> np.ndarray:
        apart = squares(table, table)
        np.fill_diagonal(apart, np.inf)
        return np.sort(apart, axis=1)[:, place - 1]

    across = squares(samples, reference)
    in_dense = across <= radii(reference, dense)
    return ManifoldScores(
        (across <= radii(reference, k)).any(axis=1).mean(),
        (across <= radii(samples, k)[:, None]).any(axis=0).mean(),
        in_dense.sum(axis=1).mean() / dense,
        in_dense.any(axis=0).mean(),
    )


@pytest.mark.parametrize(
    ("real", "fake", "k", "expected"),
    [
        # balls of reach 1 round each; 0.5 lies in those of 0 and 1; the fakes' balls reach 9.5
        pytest.param((0, 1, 2, 3), (0.5, 10), 1, (0.5, 1, 1, 0.5), id="one near, one far"),
        pytest.param((0, 1), (0, 1), 1, (1, 1, 2, 1), id="the same: each lies on the other's border, too"),
        pytest.param((0, 0, 0), (0, 0), 1, (1, 1, 3, 1), id="all equal: balls of no size"),
        pytest.param((0, 0, 0), (1, 1), 1, (0, 0, 0, 0), id="two points"),
        pytest.param((0, 1, 5), (2, 9), 1, (1, 1, 1.5, 2 / 3), id="on two borders"),
        pytest.param((0, 4), (-4, -5), 1, (0.5, 0, 0.5, 0.5), id="on the border of one"),
    ],
)
def test_in_one_dimension_by_hand(real, fake, k, expected):
    got = manifold_scores(column(*fake), column(*real), k, k)
    assert got == plain(column(*fake), column(*real), k, k)
    assert got == pytest.approx(expected)


small = st.integers(1, 3).flatmap(
    lambda columns: st.tuples(
        *[
            st.lists(
                st.lists(st.integers(-3, 3), min_size=columns, max_size=columns), min_size=5, max_size=14
            )
        ]
        * 2
    )
)  # fmt: skip


@given(small, st.integers(1, 4), st.integers(1, 4), st.sampled_from([3, 4, 100]), st.sampled_from([1.0, 0.1, 1e19]))
def test_equal_to_plain_loops_with_many_ties_in_any_tiles(sets, k, dense, block, scale):
    samples, reference = (np.array(table, float) * scale for table in sets)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(features, "BLOCK", block)
        got = manifold_scores(samples, reference, k, dense)
    assert got == pytest.approx(plain(samples, reference, k, dense), abs=1e-12)


@given(small, st.integers(1, 4))
def test_precision_of_one_set_is_recall_of_the_other(sets, k):
    one, other = (np.array(table, float) for table in sets)
    there, back = manifold_scores(one, other, k, k), manifold_scores(other, one, k, k)
    assert (there.precision, there.recall) == (back.recall, back.precision)


def test_a_set_against_itself_is_all_there():
    table = np.random.default_rng(0).normal(size=(60, 8)).astype(np.float32)
    got = manifold_scores(table, table[::-1])
    assert (got.precision, got.recall, got.coverage) == (1, 1, 1)
    assert got.density >= 1


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e8])
def test_far_from_zero_where_the_matrix_product_has_no_digit_left(shift):
    """|x|^2 is 1e16 here, and distances are of the order of 1."""
    chance = np.random.default_rng(1)
    samples, reference = chance.normal(size=(20, 3)) + shift, chance.normal(size=(25, 3)) + shift
    assert manifold_scores(samples, reference) == pytest.approx(plain(samples, reference, 3, 5))


def test_radii_are_those_of_a_plain_loop():
    table = np.random.default_rng(2).normal(size=(30, 4))
    apart = squares(table, table)
    np.fill_diagonal(apart, np.inf)
    got = squared_radii(table, [1, 6])
    for radii, k in zip(got, (1, 6), strict=True):
        assert radii == pytest.approx(np.sort(apart, axis=1)[:, k - 1], rel=1e-14)


def test_what_each_image_contributes():
    units = manifold_units(column(0.5, 10), column(0, 1, 2, 3), 1, 2)
    assert units.is_precise.tolist() == [True, False]
    # two neighbours are within 2, 1, 1 and 2: 0.5 lies in the balls of 0 and of 1
    assert units.density.tolist() == [1.0, 0.0]
    assert units.is_recalled.tolist() == [True] * 4
    assert units.is_covered.tolist() == [True, True, False, False]


@pytest.mark.parametrize(
    ("samples", "reference", "said"),
    [
        pytest.param(3, 9, "samples: expected more than 3 images, so that each has 3 neighbours, got 3", id="samples"),
        pytest.param(9, 5, "reference: expected more than 5 images, so that each has 5 neighbours, got 5", id="others"),
    ],
)
def test_sets_without_a_kth_neighbour_are_refused(samples, reference, said):
    with pytest.raises(BadInput) as problem:
        manifold_scores(np.ones((samples, 2)), np.ones((reference, 2)))
    assert str(problem.value) == said


@pytest.mark.parametrize("exponent", [-1000, -565, -40, 0, 60])
def test_the_scale_changes_nothing_where_squares_would_vanish(exponent):
    """2^-565 is 1e-170, whose square is 0."""
    chance = np.random.default_rng(4)
    samples, reference = chance.normal(size=(20, 3)), chance.normal(0.5, 1, size=(25, 3))
    expected = manifold_scores(samples, reference)
    assert manifold_scores(np.ldexp(samples, exponent), np.ldexp(reference, exponent)) == expected


def test_both_sets_have_one_scale():
    """Very small beside ordinary ones: two sets of their own, none in a ball of the other."""
    chance = np.random.default_rng(5)
    got = manifold_scores(chance.normal(size=(9, 3)) * 1e-170, chance.normal(5, 1, size=(9, 3)))
    assert (got.precision, got.recall) == (0, 0)
