"""Pairs of pictures with places in common: all of them, in whatever parts they are compared, and where they lie."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.core.dedup import local
from tasks.core.dedup.local import Keypoints, KeypointTable, match_galleries, view_of
from tasks.core.dedup.local_kernels import matches_on_one_place

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
    found = rows(match_galleries(gallery_of(pictures)))
    assert [pair[:2] for pair in found] == expected
    assert found == by_hand(pictures)


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 63)), max_size=8), max_size=9),
    st.integers(0, 9),
    st.integers(1, 40),
)
@settings(max_examples=60, deadline=None)
def test_parts_change_nothing(chosen: list[list[tuple[int, int]]], cut: int, most_pairs: int):
    pictures = [
        Keypoints(
            np.array([CODES[i] ^ np.uint64(1 << bit) for i, bit in of], np.uint64),
            PLACES[[i for i, _ in of]].reshape(-1, 4),
        )
        for of in chosen
    ]
    cut = min(cut, len(pictures))
    whole = gallery_of(pictures)
    one, other = whole.part(0, cut), whole.part(cut, len(pictures))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "_MOST_PAIRS", most_pairs)
        patch.setattr(local, "_SAMPLE", 1)
        parts = [
            *rows(match_galleries(one)),
            *((a + cut, b + cut, *more) for a, b, *more in rows(match_galleries(other))),
            *((a, b + cut, *more) for a, b, *more in rows(match_galleries(one, other))),
        ]
    turned = sorted((a, b, count) for b, a, count in rows(match_galleries(other, one)))
    assert turned == rows(match_galleries(one, other))
    at_once = rows(match_galleries(whole))
    assert sorted(parts) == at_once
    assert at_once == by_hand(pictures)


WHOLE = np.array([[0, 0, 0, 0], [120, 0, 0, 0], [0, 90, 0, 0], [120, 90, 0, 0]], np.uint8) + 30
SHAPE = (192, 256)


@pytest.mark.parametrize(
    ("mine", "others", "shapes", "box"),
    [
        pytest.param(WHOLE, WHOLE, (SHAPE, SHAPE), (0, 0, 40, 40), id="the same"),
        pytest.param(WHOLE, WHOLE, ((96, 128), (768, 1024)), (0, 0, 40, 40), id="the same in other sizes"),
        # a place at 30 is at 126 of 256 px of the other, whose left edge so lies at -96: 15 fortieths
        pytest.param(
            WHOLE, np.add(WHOLE, [96, 0, 0, 0]), (SHAPE, SHAPE), (-15, 0, 25, 40), id="a part, and something beside it"
        ),
        pytest.param(
            WHOLE // [2, 2, 1, 1], np.add(WHOLE, [0, 0, 4, 0]), (SHAPE, SHAPE), (0, 0, 20, 20), id="a quarter, enlarged"
        ),
        pytest.param(
            np.add(WHOLE, [0, 0, 4, 0]), WHOLE // [2, 2, 1, 1], (SHAPE, SHAPE), (0, 0, 80, 80), id="within a larger one"
        ),
        pytest.param(WHOLE, WHOLE, (SHAPE, (256, 128)), (0, 0, 20, 53), id="of another shape"),
        pytest.param(WHOLE[:2], WHOLE[:2], (SHAPE, SHAPE), None, id="two places"),
        pytest.param(WHOLE[:0], WHOLE, (SHAPE, SHAPE), None, id="no places"),
    ],
)
def test_the_box_is_what_the_other_shows(mine, others, shapes, box):
    codes = CODES[: len(others)]
    found = view_of(
        Keypoints(codes[: len(mine)], mine.astype(np.uint8)), Keypoints(codes, others.astype(np.uint8)), shapes
    )
    assert (found and found.box) == box


def test_codes_that_stand_everywhere_say_nothing():
    chosen = [0] * (local.MOST_ALIKE + 1) + [1] * local.MOST_ALIKE + [2]
    found = local.distinctive_keypoints(Keypoints(CODES[chosen], PLACES[: len(chosen)]))
    assert found.codes.tolist() == CODES[chosen[local.MOST_ALIKE + 1 :]].tolist()
    assert found.places.tolist() == PLACES[local.MOST_ALIKE + 1 : len(chosen)].tolist()
    assert local.distinctive_keypoints(NOTHING).codes.tolist() == []


def test_a_picture_on_the_left_or_on_the_right_is_the_same():
    """Sizes that differ, and more matches at one place than fit: what is allowed is told in px of either side."""
    rng = np.random.default_rng(3)
    pictures = []
    for _ in range(30):
        chosen = rng.integers(0, 12, 60)
        places = np.stack([*rng.integers(0, 256, (2, 60)), rng.integers(0, 8, 60), rng.integers(0, 30, 60)], axis=1)
        pictures.append(Keypoints(CODES[chosen], places.astype(np.uint8)))
    one, other = gallery_of(pictures[:15]), gallery_of(pictures[15:])
    there, back = rows(match_galleries(one, other)), rows(match_galleries(other, one))
    assert len(there) > 50
    assert sorted((a, b, count) for b, a, count in back) == there
