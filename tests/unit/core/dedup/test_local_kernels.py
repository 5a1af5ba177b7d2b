"""Matches that lie to each other in one picture as in the other, by hand."""

import numpy as np
import pytest

from tasks.core.dedup.local_kernels import matches_on_one_place

Place = tuple[int, int, int, int]
THREE: list[Place] = [(40, 40, 0, 10), (100, 40, 0, 90), (40, 100, 1, 170)]


def moved(places: list[Place], right: int = 0, down: int = 0, levels: int = 0, turn: int = 0) -> list[Place]:
    """The places in a picture that is 1.2^levels times as large, moved and turned, each keypoint by itself."""
    scale = 1.2**levels
    return [
        (round(scale * x) + right, round(scale * y) + down, level + levels, (angle + turn) % 180)
        for x, y, level, angle in places
    ]


def matched(mine: list[Place], others: list[Place]) -> list[bool]:
    return matches_on_one_place(*(np.array(side, np.uint8).reshape(-1, 4) for side in (mine, others))).tolist()


@pytest.mark.parametrize(
    ("mine", "others", "expected"),
    [
        pytest.param([], [], [], id="nothing"),
        pytest.param(THREE[:1], THREE[:1], [True], id="one"),
        pytest.param(THREE, THREE, [True] * 3, id="the same picture"),
        pytest.param(THREE, moved(THREE, 30, -20), [True] * 3, id="moved"),
        pytest.param(THREE, moved(THREE, levels=3), [True] * 3, id="1.73 times as large"),
        pytest.param(moved(THREE, levels=3), THREE, [True] * 3, id="and back"),
        pytest.param(THREE, moved(THREE, turn=15), [True] * 3, id="turned by 30 degrees, over 360"),
        pytest.param(THREE, moved(THREE, turn=16), [False] * 3, id="turned by 32"),
        pytest.param(THREE, moved(THREE, turn=90), [False] * 3, id="upside down"),
        # 60 px away, 0.2 of the way and 16 px are allowed: 28
        pytest.param(THREE, [*THREE[:2], (40, 128, 1, 170)], [True] * 3, id="28 px off"),
        pytest.param(THREE, [*THREE[:2], (40, 129, 1, 170)], [True, True, False], id="29 px off"),
        pytest.param(THREE, [*THREE[:2], (40, 100, 4, 170)], [True] * 3, id="three sizes off"),
        pytest.param(THREE, [*THREE[:2], (40, 100, 5, 170)], [True, True, False], id="four sizes off"),
        pytest.param([*THREE, (45, 45, 2, 10)], [*THREE, (45, 45, 2, 10)], [True] * 3 + [False], id="one corner twice"),
        pytest.param([*THREE, (46, 40, 2, 10)], [*THREE, (46, 40, 2, 10)], [True] * 4, id="6 px apart are two"),
        pytest.param([*THREE, (80, 80, 0, 0)], [*THREE, (41, 41, 0, 0)], [True] * 3 + [False], id="two on one"),
    ],
)
def test_matches_that_lie_alike(mine: list[Place], others: list[Place], expected: list[bool]):
    assert matched(mine, others) == expected


def test_of_two_places_the_one_with_more_matches():
    elsewhere = [(10, 10, 0, 0), (200, 30, 0, 0)]
    assert matched(elsewhere + THREE, moved(elsewhere, 0, 150) + THREE) == [False, False, True, True, True]
