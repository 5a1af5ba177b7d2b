"""Pairs of pictures with places in common, by lists: all of them among few, whatever their numbers, and both ways."""

import itertools
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.core.dedup import local, local_lists
from tasks.core.dedup.local import Keypoints, KeypointTable
from tasks.core.dedup.local_kernels import matches_on_one_place
from tasks.core.dedup.local_lists import SECTORS, codes_of_sector, matches_within, near_in_list, pairs_in_lists
from tasks.core.dedup.sizes import MOST_TURN

RNG = np.random.default_rng(20)
CODES = RNG.integers(0, 2**64, 40, dtype=np.uint64)
PLACES = np.stack([*RNG.integers(20, 170, (2, 40)), RNG.integers(0, 4, 40), RNG.integers(0, 180, 40)], axis=1).astype(
    np.uint8
)
NOTHING = Keypoints(CODES[:0], PLACES[:0])
Pairs = list[tuple[int, int, int]]


def gallery_of(pictures: list[Keypoints]) -> KeypointTable:
    """One gallery of the keypoints of some pictures, in their order."""
    starts = np.cumsum([0, *(len(picture.codes) for picture in pictures)])
    codes = np.concatenate([np.empty(0, np.uint64), *(picture.codes for picture in pictures)])
    places = np.concatenate([np.empty((0, 4), np.uint8), *(picture.places for picture in pictures)])
    return KeypointTable(Keypoints(codes, places), starts)


def seen(chosen: slice | list[int], right: int = 0, down: int = 0) -> Keypoints:
    """Some of the keypoints, moved."""
    return Keypoints(CODES[chosen], PLACES[chosen] + np.array([right, down, 0, 0], np.uint8))


def rows(found: local.LocalPairs) -> Pairs:
    return list(zip(*(column.tolist() for column in found), strict=True))


def by_hand(pictures: list[Keypoints]) -> Pairs:
    """Every pair of keypoints of every pair of pictures, one after the other."""
    found = []
    for (a, one), (b, other) in itertools.combinations(enumerate(pictures), 2):
        near = sorted(
            ((int(x) ^ int(y)).bit_count(), i, j)
            for (i, x), (j, y) in itertools.product(enumerate(one.codes), enumerate(other.codes))
            if (int(x) ^ int(y)).bit_count() <= 6
        )
        mine = np.array([one.places[i] for _, i, _ in near], np.uint8).reshape(-1, 4)
        others = np.array([other.places[j] for _, _, j in near], np.uint8).reshape(-1, 4)
        if (count := int(matches_on_one_place(mine, others).sum())) >= 3:
            found.append((a, b, count))
    return found


@pytest.mark.parametrize(
    ("pictures", "expected"),
    [
        pytest.param([], [], id="no pictures"),
        pytest.param([NOTHING, NOTHING], [], id="pictures without corners"),
        pytest.param([seen(slice(0, 3))], [], id="one picture"),
        pytest.param([seen(slice(0, 2)), seen(slice(0, 2))], [], id="two places are too few"),
        pytest.param([seen([0, 0, 0]), seen([0, 0, 0])], [], id="one place three times"),
        pytest.param([seen(slice(0, 9)), NOTHING, seen(slice(0, 9), 30, 8)], [(0, 2)], id="moved"),
        pytest.param([seen(slice(0, 9)), seen(slice(9, 18)), seen(slice(4, 14))], [(0, 2), (1, 2)], id="a collage"),
    ],
)
def test_pictures_with_three_places_in_common_are_found(pictures: list[Keypoints], expected: list[tuple[int, int]]):
    found = rows(matches_within(gallery_of(pictures)))
    assert [pair[:2] for pair in found] == expected
    assert found == by_hand(pictures)


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 63), st.integers(0, 20)), max_size=8), max_size=9),
    st.randoms(use_true_random=False),
    st.integers(1, 40),
)
@settings(max_examples=60, deadline=None)
def test_among_few_all_are_found_and_storage_changes_nothing(
    chosen: list[list[tuple[int, int, int]]], random: Random, reach: int
):
    pictures = [
        Keypoints(
            np.array([CODES[i] ^ np.uint64(1 << bit) for i, bit, _ in of], np.uint64),
            np.array([(*PLACES[i, :3], (PLACES[i, 3] + turn) % 180) for i, _, turn in of], np.uint8).reshape(-1, 4),
        )
        for of in chosen
    ]
    assert rows(matches_within(gallery_of(pictures))) == by_hand(pictures)
    order = random.sample(range(len(pictures)), len(pictures))
    cut = random.randint(0, len(pictures))
    stored = [
        (np.array(part, np.int64), gallery_of([pictures[i] for i in part])) for part in (order[:cut], order[cut:])
    ]
    at_once = [(np.arange(len(pictures)), gallery_of(pictures))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_lists, "REACH", reach)
        patch.setattr(local_lists, "_FEW_LOOKED_AT", 0)
        for sector in SECTORS:
            codes = [codes_of_sector(sector, galleries) for galleries in (stored, at_once)]
            for number in local_lists.lists_of(sector):
                near = [near_in_list(number, of).tolist() for of in codes]
                assert near[0] == near[1] == sorted(set(near[0]))


@pytest.mark.parametrize("turn", [0, 1, MOST_TURN - 1, MOST_TURN])
def test_upright_keypoints_share_a_sector(turn: int):
    """Whatever the angle of the one, up to 30 degrees apart."""
    angles = np.arange(180)
    one = np.array([local_lists._is_in_sector(angles, sector) for sector in SECTORS])
    other = np.array([local_lists._is_in_sector((angles + turn) % 180, sector) for sector in SECTORS])
    assert (one & other).any(axis=0).all()
    assert (one.sum(axis=0) == 2).all()


def test_near_keypoints_of_a_range_and_what_pairs_they_make():
    found = [(0, 2, 5, 6), (0, 2, 5, 7), (1, 2, 0, 0), (1, 3, 0, 0), (1, 3, 1, 1)]
    packed = [one << 40 | other << 16 | place << 8 | other_place for one, other, place, other_place in found]
    near = np.array(packed, np.uint64)
    assert local_lists.starts_in(near, np.array([0, 1, 2, 4])).tolist() == [0, 2, 5, 5]
    with pytest.MonkeyPatch.context() as patch:
        for at_once in (1, 2, 1024):
            patch.setattr(local_lists, "_PICTURES_AT_ONCE", at_once)
            assert pairs_in_lists([near[1:], near[:0], near[:3]]).tolist() == [[0, 2], [1, 3]]  # (1, 2) has one, twice
    last = local_lists.MOST_PICTURES - 1
    near = np.array([(last - 1) << 40 | last << 16 | place << 8 | place for place in (1, 2)], np.uint64)
    assert pairs_in_lists([near]).tolist() == [[last - 1, last]]
    assert local_lists.starts_in(near, np.array([0, last, last + 1])).tolist() == [0, 2, 2]
    assert pairs_in_lists([]).shape == pairs_in_lists([near[:0]]).shape == (0, 2)


def test_codes_that_all_pictures_have_hide_no_copy():
    """A thousand pictures share ten corners, each with forty of its own: the copy is found, and no crowd."""
    rng = np.random.default_rng(7)
    pictures = []
    for _ in range(1000):
        own = rng.integers(0, 2**64, 40, dtype=np.uint64)
        places = np.stack([*rng.integers(0, 256, (2, 50)), np.zeros(50), rng.integers(0, 180, 50)], axis=1)
        pictures.append(Keypoints(np.append(CODES[:10], own), places.astype(np.uint8)))
    pictures.append(Keypoints(pictures[500].codes[10:], pictures[500].places[10:]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_lists, "_FEW_LOOKED_AT", 0)
        found = rows(matches_within(gallery_of(pictures)))
    assert [pair for pair in found if pair[2] >= 30] == [(500, 1000, 40)]
    assert len(found) < 8 * len(pictures)


def test_a_picture_on_the_left_or_on_the_right_is_the_same():
    """Sizes that differ, and more matches at one place than fit: what is allowed is told in px of either side."""
    rng = np.random.default_rng(3)
    pictures = []
    for _ in range(30):
        chosen = rng.integers(0, 12, 60)
        places = np.stack([*rng.integers(0, 256, (2, 60)), rng.integers(0, 8, 60), rng.integers(0, 30, 60)], axis=1)
        pictures.append(Keypoints(CODES[chosen], places.astype(np.uint8)))
    one, other = gallery_of(pictures[:15]), gallery_of(pictures[15:])
    pairs = np.array([*itertools.product(range(15), range(15))])
    there, back = local_lists.count_shared(one, other, pairs), local_lists.count_shared(other, one, pairs[:, ::-1])
    assert (there >= 3).sum() > 50
    assert there.tolist() == back.tolist()
    assert local_lists.count_shared(one, other, pairs[:0]).tolist() == []
