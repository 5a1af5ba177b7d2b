"""Keypoints: the same corners with the same codes, wherever and however often a picture is looked at."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tasks.io.images.keypoints import find_keypoints
from tests.support.dedup import painted

CodesAndPlaces = tuple[NDArray[np.uint64], NDArray[np.uint8]]


def found(picture: NDArray[np.uint8], most: int = 200) -> CodesAndPlaces:
    return find_keypoints(picture, most=most, side_px=256, level_scale=1.2)


def grey(seed: int) -> NDArray[np.uint8]:
    return np.ascontiguousarray(painted(seed)[:, :, 0])


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(np.full((1, 1), 7, np.uint8), id="one pixel"),
        pytest.param(np.full((1, 256), 7, np.uint8), id="a line"),
        pytest.param(np.zeros((90, 120), np.uint8), id="black"),
        pytest.param(np.arange(128, dtype=np.uint8)[None].repeat(96, axis=0), id="a ramp"),
    ],
)
def test_what_has_no_corners_has_no_keypoints(picture: NDArray[np.uint8]):
    codes, places = found(picture)
    assert (codes.shape, places.shape) == ((0,), (0, 4))
    assert (codes.dtype, places.dtype) == (np.uint64, np.uint8)


def test_codes_and_places_are_sorted_and_within_their_ranges():
    codes, places = found(grey(1))
    assert 20 < len(codes) <= 200
    assert codes.tolist() == sorted(codes.tolist())
    assert places[:, 0].max() > 200  # as long as the longest side
    assert places[:, 1].max() < 192
    assert places[:, 2].max() <= 7
    assert places[:, 3].max() < 180


def test_at_most_so_many_are_found():
    many, few = found(grey(1)), found(grey(1), 30)
    assert len(few[0]) == 30
    assert len(many[0]) > 30


def test_pixels_count_and_not_how_they_lie_in_memory():
    picture = grey(2)
    strided = np.repeat(picture, 2, axis=1)[:, ::2]
    for one, other in zip(found(picture), found(strided), strict=True):
        assert one.tolist() == other.tolist()


def test_a_larger_copy_has_the_same_corners_in_the_same_places():
    codes, places = found(grey(3))
    of_larger, larger = found(np.kron(grey(3), np.ones((2, 2), np.uint8)))
    apart = np.bitwise_count(codes[:, None] ^ of_larger)
    nearest = apart.argmin(axis=1)
    is_found = (apart.min(axis=1) <= 6) & (np.abs(places[:, :2].astype(int) - larger[nearest, :2]).max(axis=1) <= 4)
    assert is_found.mean() > 0.5
