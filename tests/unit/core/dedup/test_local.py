"""Places that pictures have in common: which of them say anything, and where one picture lies in another."""

import numpy as np
import pytest

from tasks.core.dedup import local
from tasks.core.dedup.local import Keypoints, view_of

RNG = np.random.default_rng(20)
CODES = RNG.integers(0, 2**64, 40, dtype=np.uint64)
PLACES = np.stack([*RNG.integers(20, 170, (2, 40)), RNG.integers(0, 4, 40), RNG.integers(0, 180, 40)], axis=1).astype(
    np.uint8
)
NOTHING = Keypoints(CODES[:0], PLACES[:0])
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
