"""Which pictures of two datasets may be one, and how many would seem so by chance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from schemas.relations import ViewName
from tasks.core import overlap
from tasks.core.dedup import candidates, views
from tasks.core.dedup.candidates import RadiiBits
from tasks.core.overlap import Fingerprints, expected_by_chance, names_of_recipe, pairs_between, recipe_of

HALF = 0x00FF00FF00FF00FF
"""32 of 64 bits, as hashes of pictures have."""


def hashes(*values: int) -> NDArray[np.uint64]:
    return np.array(values, np.uint64)


def of(*values: int, **of_views: NDArray[np.uint64]) -> Fingerprints:
    named: dict[ViewName, NDArray[np.uint64]] = {name: of_views[name] for name in views.VIEWS if name in of_views}
    return Fingerprints(hashes(*values), named)


def found(one: Fingerprints, other: Fingerprints, radius_bits: int = 8) -> list[tuple[int, ...]]:
    pairs = pairs_between(one, other, RadiiBits(radius_bits, radius_bits))
    return [tuple(map(int, row)) for row in zip(*pairs, strict=True)]


TURNED = np.arange(views.view_numbers("turned").start, views.view_numbers("turned").stop)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param(of(), of(), [], id="nothing in, nothing out"),
        pytest.param(of(HALF), of(), [], id="nothing there"),
        pytest.param(of(HALF), of(HALF), [(0, 0, 0, 0, 0)], id="equal hashes"),
        pytest.param(of(HALF, HALF ^ 0b111), of(HALF ^ 1), [(0, 0, 0, 0, 1), (1, 0, 0, 0, 2)], id="two near one"),
        pytest.param(of(HALF), of(HALF ^ 0x1FF), [], id="nine bits are too many"),
        pytest.param(of(HALF, HALF), of(~HALF & 2**64 - 1), [], id="not within one side"),
        pytest.param(of(0, 2**64 - 1), of(0, 2**64 - 1), [], id="flat pictures are near nothing"),
    ],
)
def test_wholes(one: Fingerprints, other: Fingerprints, expected: list[tuple[int, ...]]):
    assert found(one, other) == expected


def test_a_view_of_either_side_finds_the_whole_of_the_other():
    seen = hashes(*[0] * 2, HALF, *[0] * 3)[None]
    mine, its = of(HALF << 4, turned=seen), of(HALF ^ 1)
    assert found(mine, its) == [(0, 0, TURNED[2], 0, 1)]
    assert found(its, mine) == [(0, 0, TURNED[2], 1, 1)]


def test_of_many_equal_hashes_not_all_pairs_come():
    many = of(*[HALF] * 200)
    pairs = found(many, many)
    assert {row for row, *_ in pairs} == {row for _, row, *_ in pairs} == set(range(200))
    assert len(pairs) <= candidates.LEADERS * 400


@given(st.lists(st.integers(0, 2**64 - 1), max_size=30), st.lists(st.integers(0, 2**64 - 1), max_size=30))
def test_all_near_pairs_of_few_pictures_are_found(one: list[int], other: list[int]):
    one, other = sorted({*one}), sorted({*other, *(value ^ 5 for value in one[:9])})
    clear = [[value for value in side if 8 < value.bit_count() < 56] for side in (one, other)]
    expected = [(a, b) for a, x in enumerate(clear[0]) for b, y in enumerate(clear[1]) if (x ^ y).bit_count() <= 8]
    assert [(a, b) for a, b, *_ in found(of(*clear[0]), of(*clear[1]))] == expected


def test_recipes_of_views():
    assert names_of_recipe(recipe_of(["inner", "crops"])) == ("crops", "inner")
    for stranger in ("", "waves64/v1", "waves64/v1: crops, inner (000000000000)", recipe_of([])):
        assert names_of_recipe(stranger) == ()


def test_hashes_of_views_by_name():
    row = np.arange(9, dtype=np.uint64)[None]
    got = overlap.views_of(("turned", "inner"), row)
    assert {name: values.tolist() for name, values in got.items()} == {"turned": [[*range(6)]], "inner": [[6, 7, 8]]}
    with pytest.raises(ValueError, match="expected 6 hashes of views, got 9"):
        overlap.views_of(("turned",), row)


def independent(count: int, seed: int) -> NDArray[np.uint64]:
    return np.random.default_rng(seed).integers(0, 2**64, count, np.uint64)


@pytest.mark.parametrize("radius_bits", [14, 16])
def test_chance_among_independent_bits_is_that_of_coins(radius_bits: int):
    """Of 64 fair coins at most r heads: the sum of binomials, over 2^64; and as many pairs are counted."""
    one, other = independent(20_000, 1), independent(20_000, 2)
    expected = expected_by_chance(one, other, radius_bits)
    pairs = len(pairs_between(Fingerprints(one, {}), Fingerprints(other, {}), RadiiBits(radius_bits, 0)).one)
    assert expected == pytest.approx(pairs, rel=0.2)


def test_chance_where_bits_hang_together_is_more():
    """32 coins, each shown twice: as if there were half as many."""
    coins = np.random.default_rng(3).integers(0, 2**32, (2, 4000), np.uint64)
    one, other = coins | coins << np.uint64(32)
    assert expected_by_chance(one, other, 16) > 20 * expected_by_chance(independent(4000, 4), independent(4000, 5), 16)
    pairs = int((np.bitwise_count(one[:, None] ^ other[None]) <= 16).sum())
    assert expected_by_chance(one, other, 16) == pytest.approx(pairs, rel=0.6)


@pytest.mark.parametrize("side", [hashes(), hashes(0), hashes(2**64 - 1)])
def test_no_chance_without_pictures(side: NDArray[np.uint64]):
    assert expected_by_chance(side, independent(9, 1), 8) == 0.0
    assert expected_by_chance(independent(9, 1), side, 8) == 0.0


def test_copies_are_no_chance():
    one = independent(500, 6)
    assert expected_by_chance(one, one, 8) == pytest.approx(expected_by_chance(one, independent(500, 7), 8), rel=2)
