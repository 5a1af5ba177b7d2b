"""Patch by patch: straight edges say nothing, drawing does, and what clashes in one place is found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import ndimage

from tasks.core.dedup.relate import (
    LEAST_AGREEMENT,
    LEAST_MIDDLE,
    LEAST_PATCHES,
    MOST_BROAD_CLASH,
    MOST_CLASH,
    NO_PATCHES,
    Patches,
    compare_patches,
)

Picture = NDArray[np.float32]


def drawing(seed: int, height: int = 96, width: int = 128, contrast: float = 20) -> Picture:
    rng = np.random.default_rng(seed)
    field = ndimage.gaussian_filter(rng.normal(size=(height, width)), 1.2)
    return np.asarray(128 + contrast * field / (field.std() or 1), np.float32)


FLAT = Patches(81, 0, 0, 0.0, 0.0, 0.0)
ALIKE = Patches(2, 2, 0, 0.0, 0.0, 1.0)


def compared(one: Picture, other: Picture) -> Patches:
    return compare_patches(one, other, np.ones(one.shape, np.bool_))


def in_a_mount(inside: Picture, height: int = 96, width: int = 128) -> Picture:
    """A sheet with two rules around the picture, and the picture in its middle."""
    sheet = np.full((height, width), 220, np.float32)
    top, left = (height - inside.shape[0]) // 2, (width - inside.shape[1]) // 2
    bottom, right = top + inside.shape[0], left + inside.shape[1]
    for rim, tone in ((9, 90), (4, 140)):
        sheet[top - rim : bottom + rim, left - rim : right + rim] = tone
        sheet[top - rim + 1 : bottom + rim - 1, left - rim + 1 : right + rim - 1] = 220
    sheet[top:bottom, left:right] = inside
    return sheet


def page(seed: int) -> Picture:
    """Lines of words of one layout: dark lines of 3 px, with gaps between words."""
    rng = np.random.default_rng(seed)
    sheet = np.full((96, 128), 230, np.float32)
    for top in range(8, 88, 6):
        column = 8
        while column < 118:
            word = int(rng.integers(3, 14))
            sheet[top : top + 3, column : min(118, column + word)] = 60 + 40 * rng.random()
            column += word + 2
    return sheet


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param(np.zeros((4, 4), np.float32), np.zeros((4, 4), np.float32), NO_PATCHES, id="less than a patch"),
        pytest.param(np.zeros((0, 9), np.float32), np.zeros((0, 9), np.float32), NO_PATCHES, id="no pixels at all"),
        pytest.param(
            np.full((40, 40), 9, np.float32),
            np.full((40, 40), 9, np.float32),
            FLAT,
            id="flat",
        ),
        pytest.param(
            np.tile(np.float32([0, 255]), (40, 20)),
            np.tile(np.float32([255, 0]), (40, 20)),
            FLAT,
            id="stripes",
        ),
        pytest.param(drawing(1, 8, 8), drawing(1, 8, 8), Patches(1, 1, 0, 0.0, 0.0, 1.0), id="one patch, the same"),
        pytest.param(drawing(1, 8, 8), 255 - drawing(1, 8, 8), Patches(1, 0, 1, 0.0, 0.0, 0.0), id="its negative"),
        pytest.param(drawing(1, 12, 8), drawing(1, 12, 8), ALIKE, id="patches overlap by half"),
    ],
)
def test_odd_pictures(one: Picture, other: Picture, expected: Patches):
    assert compared(one, other) == expected


def test_only_patches_that_are_covered_whole_take_part():
    one, is_covered = drawing(1, 8, 16), np.ones((8, 16), np.bool_)
    is_covered[7, 0] = False
    assert compare_patches(one, one, is_covered) == ALIKE
    assert compare_patches(one, one, ~is_covered) == NO_PATCHES


@pytest.mark.parametrize("seed", range(4))
def test_copies_agree(seed: int):
    one = drawing(seed)
    rng = np.random.default_rng(seed)
    for copy in (0.7 * one + 30, one + rng.normal(0, 4, one.shape), ndimage.shift(one, (0.6, -0.6), mode="nearest")):
        found = compared(one, copy.astype(np.float32))
        assert found.agreement >= 0.95
        assert found.clash <= 0.2


@pytest.mark.parametrize("contrast", [40, 12, 6])
@pytest.mark.parametrize("seed", range(4))
def test_two_works_in_one_mount_do_not(seed: int, contrast: float):
    """The picture takes up 16 % of the sheet; all around it both are the same."""
    one, other = (in_a_mount(drawing(number, 38, 51, contrast)) for number in (2 * seed, 2 * seed + 1))
    found = compared(one, other)
    assert found.agreement < LEAST_AGREEMENT or found.clash > MOST_CLASH
    assert compared(one, one)[1:5] == (found_all(one), 0, 0.0, 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_two_faint_works_in_one_mount_of_grainy_paper_do_not(seed: int):
    """Broad faint forms, 3 grey levels: in small patches there is nothing to see but the paper's grain around them."""
    rng = np.random.default_rng((7, seed))
    paper = np.asarray(225 + ndimage.gaussian_filter(rng.normal(0, 12, (96, 128)), 0.8), np.float32)
    sheets = []
    for _ in range(2):
        forms = ndimage.gaussian_filter(rng.normal(size=(60, 80)), 4)
        sheet = paper.copy()
        sheet[18:78, 24:104] = 215 + 3 * forms / forms.std()
        sheets.append(sheet)
    found = compared(*sheets)
    assert (found.agreement >= LEAST_AGREEMENT, found.clash <= MOST_CLASH) == (True, True)
    assert found.broad_clash > MOST_BROAD_CLASH
    assert compared(sheets[0], np.asarray(0.9 * sheets[0] + 10, np.float32)).broad_clash == 0


@pytest.mark.parametrize("seed", range(4))
def test_two_works_too_dark_to_see_in_one_carved_frame_do_not(seed: int):
    """The frame fills half of the sheet, and agrees; in the middle there is next to nothing to see."""
    frame = drawing(seed, contrast=25)
    sheets = []
    for number in (10 + seed, 20 + seed):
        sheet = frame.copy()
        sheet[14:82, 19:109] = 12 + (drawing(number, 68, 90) - 128) / 40
        sheets.append(sheet)
    found = compared(*sheets)
    assert (found.agreement >= LEAST_AGREEMENT, found.clash <= MOST_CLASH, found.broad_clash) == (True, True, 0)
    assert found.middle < LEAST_MIDDLE
    assert compared(frame, np.asarray(0.9 * frame + 10, np.float32)).middle == pytest.approx(1, abs=0.1)


def found_all(one: Picture) -> int:
    agreeing = compared(one, one).agreeing
    assert agreeing >= LEAST_PATCHES
    return agreeing


@pytest.mark.parametrize("seed", range(4))
def test_two_pages_of_one_layout_do_not(seed: int):
    found = compared(page(2 * seed), page(2 * seed + 1))
    assert found.agreement < LEAST_AGREEMENT
    assert compared(page(seed), page(seed)).agreement == 1


def test_a_banner_at_the_edge_is_no_clash_and_a_picture_in_the_middle_is():
    one, other = drawing(1), drawing(2)
    with_banner, with_middle = one.copy(), one.copy()
    with_banner[-13:] = 20
    with_middle[30:66, 46:82] = other[30:66, 46:82]
    assert compared(one, with_banner).clash <= MOST_CLASH
    assert compared(one, with_banner).agreement >= LEAST_AGREEMENT
    assert compared(one, with_middle).clash > MOST_CLASH
    assert compared(one, with_middle).agreement >= LEAST_AGREEMENT  # all around it nothing is wrong


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 9), st.booleans())
@settings(max_examples=40, deadline=None)
def test_any_size_is_in_its_ranges_and_a_picture_does_not_clash_with_itself(
    height: int, width: int, seed: int, is_other: bool
):
    one, other = drawing(seed, height, width), drawing(seed + is_other, height, width)
    found = compared(one, other)
    assert 0 <= found.clash <= 1
    assert 0 <= found.broad_clash <= 1
    assert 0 <= found.agreement <= 1
    if not is_other:
        assert found.clashing == 0
