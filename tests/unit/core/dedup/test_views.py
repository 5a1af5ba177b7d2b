"""Hashes of how a picture would look as another's copy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import ndimage

from schemas.relations import VIEW_NAMES
from tasks.core.dedup import views
from tasks.core.dedup.views import ALL_VIEWS, VIEWS, View, view_hashes

RNG = np.random.default_rng(8)
PICTURE = np.clip(RNG.normal(128, 50, (12, 16)).repeat(8, axis=0).repeat(8, axis=1), 0, 255).astype(np.uint8)


def apart(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> list[int]:
    return np.bitwise_count(one ^ other).tolist()


def test_the_numbers_of_views_are_those_in_stored_tables():
    assert {name: (views.view_numbers(name).start, views.view_numbers(name).stop) for name in VIEW_NAMES} == {
        "phash": (0, 1),
        "mirrored": (1, 18),
        "turned": (18, 24),
        "crops": (24, 81),
        "tilted": (81, 83),
        "inner": (83, 86),
    }
    assert len(ALL_VIEWS) == len(set(ALL_VIEWS)) == 87
    assert ALL_VIEWS[86] == views.LOCAL
    assert (ALL_VIEWS[0], ALL_VIEWS[1], ALL_VIEWS[18], ALL_VIEWS[21], ALL_VIEWS[24]) == (
        View(),
        View(is_mirrored=True),
        View(1),
        View(1, is_mirrored=True),
        View(box=(2, 2, 38, 37)),
    )


def test_all_boxes_lie_in_the_picture_and_keep_seven_tenths_of_each_side():
    for view in VIEWS["crops"]:
        left, top, right, bottom = view.box
        assert 0 <= left < right <= 40
        assert 0 <= top < bottom <= 40
        assert min(right - left, bottom - top) >= 28
        assert (right - left, bottom - top) != (40, 40)


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(lambda picture: picture, id="as it is"),
        pytest.param(lambda picture: picture[:, ::-1], id="mirrored"),
        pytest.param(np.rot90, id="turned left"),
        pytest.param(lambda picture: np.rot90(picture, 2), id="upside down"),
        pytest.param(lambda picture: picture[::-1], id="mirrored downwards"),
        pytest.param(lambda picture: picture.T, id="turned and mirrored"),
    ],
)
def test_some_view_hashes_like_the_whole_of_what_it_shows(seen):
    poses = [*VIEWS["phash"], *VIEWS["mirrored"][:1], *VIEWS["turned"]]
    whole = view_hashes(np.ascontiguousarray(seen(PICTURE)), VIEWS["phash"])
    assert sorted(apart(view_hashes(PICTURE, poses), whole))[0] == 0


def test_a_box_hashes_like_the_picture_that_is_cut_so():
    view = View(box=(5, 10, 35, 40))  # of 128 x 96: px 16..112, 24..96
    assert apart(view_hashes(PICTURE, [view]), view_hashes(PICTURE[24:96, 16:112], [View()])) == [0]


def test_what_lies_inside_margins_hashes_like_the_picture_alone():
    mounted = np.pad(np.pad(PICTURE, 20, constant_values=230), 3, constant_values=40)
    first, second, third = view_hashes(mounted, VIEWS["inner"])
    assert apart(np.array([second]), view_hashes(PICTURE, [View()])) == [0]
    assert (int(first) != int(second), int(third)) == (True, 0)
    assert view_hashes(PICTURE, VIEWS["inner"]).tolist() == [0, 0, 0]


@pytest.mark.parametrize("degrees", [4, -4])
def test_a_tilted_view_hashes_like_a_picture_that_was_tilted_so(degrees: int):
    smooth = ndimage.gaussian_filter(PICTURE.astype(float), 3)
    tilted = ndimage.rotate(smooth, degrees, reshape=False, order=1, mode="nearest")
    view = View(tilt_degrees=degrees)
    assert np.abs(view.pose(np.rint(smooth).astype(np.uint8)) - tilted).max() <= 2
    assert (
        apart(
            view_hashes(np.rint(smooth).astype(np.uint8), [view]),
            view_hashes(np.rint(tilted).astype(np.uint8), [View()]),
        )[0]
        <= 2
    )
    assert view.pose(PICTURE[:1, :1]).tolist() == PICTURE[:1, :1].tolist()


def test_the_size_of_a_picture_hardly_matters():
    big = PICTURE.repeat(2, axis=0).repeat(2, axis=1)
    views_ = [view for view in ALL_VIEWS if not view.tilt_degrees]  # a tilted one is drawn anew, px by px
    assert apart(view_hashes(big, views_), view_hashes(PICTURE, views_)) == [0] * len(views_)


def test_a_flat_picture_has_hardly_a_bit():
    assert view_hashes(np.zeros((9, 9), np.uint8), ALL_VIEWS).tolist() == [0] * len(ALL_VIEWS)
    assert set(view_hashes(np.full((90, 60), 255, np.uint8), VIEWS["phash"]).tolist()) <= {0, 2**63}


def test_no_views_no_hashes():
    assert view_hashes(PICTURE, []).tolist() == []


@given(st.integers(1, 150), st.integers(1, 150), st.integers(0, 2**32 - 1))
def test_each_view_hashes_alike_alone_and_among_others(height: int, width: int, seed: int):
    picture = np.random.default_rng(seed).integers(0, 256, (height, width)).astype(np.uint8)
    together = view_hashes(picture, ALL_VIEWS)
    assert [int(view_hashes(picture, [ALL_VIEWS[place]])[0]) for place in (0, 1, 4, 9, 48)] == [
        int(together[place]) for place in (0, 1, 4, 9, 48)
    ]
