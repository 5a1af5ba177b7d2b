"""What lies beside a picture: another one, or more of itself, a mount, a frame, a caption."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from scipy import ndimage

from tasks.core.dedup.beside import WHOLE, Box, shows_another_picture

Picture = NDArray[np.uint8]
CREAM = (240, 235, 220)


def painted(seed: int, height: int = 160, width: int = 120) -> Picture:
    """Broad forms, and brushwork on them, in colour."""
    rng = np.random.default_rng(seed)
    forms, strokes = (ndimage.gaussian_filter(rng.normal(size=(height, width, 3)), (s, s, 0)) for s in (14, 1.5))
    field = 60 * forms / forms.std() + 18 * strokes / strokes.std()
    return np.clip(np.rint(128 + field), 0, 255).astype(np.uint8)


def plain(height: int, width: int, colour: tuple[int, int, int] = CREAM) -> Picture:
    return np.full((height, width, 3), colour, np.uint8)


def beside(*parts: Picture) -> Picture:
    return np.concatenate(parts, axis=1)


def around(picture: Picture, ground: Picture) -> Picture:
    """The picture in the middle of a ground."""
    sheet = ground.copy()
    top, left = ((sheet.shape[axis] - picture.shape[axis]) // 2 for axis in (0, 1))
    sheet[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
    return sheet


def box(picture: Picture, left: int, top: int, right: int, bottom: int) -> Box:
    height, width = picture.shape[:2]
    return left / width, top / height, right / width, bottom / height


ONE, OTHER = painted(1), painted(2)
SHORT = painted(3, 90, 70)
LETTERS = np.where(np.random.default_rng(0).random((12, 120, 1)) < 0.3, 40, 245).astype(np.uint8).repeat(3, axis=2)
SHEETS = {
    "side by side": beside(ONE, OTHER),
    "with a gutter": beside(ONE, plain(160, 6), OTHER),
    "with a black gutter": beside(ONE, plain(160, 6, (0, 0, 0)), OTHER),
    "a smaller one": beside(ONE, plain(160, 8), around(SHORT, plain(160, 80))),
    "a small one": beside(ONE, plain(160, 8), around(painted(6, 42, 38), plain(160, 60))),
    "a panorama": beside(ONE, plain(160, 4), painted(7, 160, 26), plain(160, 26)),
}


@pytest.mark.parametrize("flip", [slice(None), slice(None, None, -1)], ids=["right", "left"])
@pytest.mark.parametrize("is_turned", [False, True], ids=["beside", "below"])
@pytest.mark.parametrize("kind", SHEETS)
def test_another_picture_is_seen_on_each_side(kind: str, is_turned: bool, flip: slice):
    sheet = SHEETS[kind]
    left, top, right, bottom = box(sheet, 0, 0, 120, 160)
    if flip.step:
        sheet, left, right = sheet[:, flip], 1 - right, 1 - left
    if is_turned:
        sheet, (left, top, right, bottom) = sheet.transpose(1, 0, 2), (top, left, bottom, right)
    assert shows_another_picture(np.ascontiguousarray(sheet), (left, top, right, bottom))


def test_two_neighbours_of_three_are_seen():
    sheet = beside(SHORT, ONE[:90], SHORT[:, ::-1])
    assert shows_another_picture(sheet, box(sheet, 70, 0, 190, 90))


WHOLE_ONE = painted(4, 200, 240)
FRAME = around(ONE, painted(5, 230, 190))
PAGE = np.concatenate([ONE, plain(8, 120), LETTERS, plain(5, 120), LETTERS, plain(5, 120)])


@pytest.mark.parametrize(
    ("picture", "part"),
    [
        pytest.param(WHOLE_ONE, box(WHOLE_ONE, 0, 0, 160, 200), id="a crop at one side"),
        pytest.param(WHOLE_ONE, box(WHOLE_ONE, 60, 0, 240, 150), id="a crop at a corner"),
        pytest.param(WHOLE_ONE, box(WHOLE_ONE, 40, 35, 200, 165), id="a crop at all sides"),
        pytest.param(ONE, WHOLE, id="the whole"),
        pytest.param(around(ONE, plain(200, 240)), box(around(ONE, plain(200, 240)), 60, 20, 180, 180), id="a mount"),
        pytest.param(FRAME, box(FRAME, 35, 35, 155, 195), id="a carved frame"),
        pytest.param(PAGE, box(PAGE, 0, 0, 120, 160), id="a caption of two lines"),
        pytest.param(beside(ONE, OTHER[:, :12]), box(beside(ONE, OTHER[:, :12]), 0, 0, 120, 160), id="a strip"),
        pytest.param(beside(ONE, OTHER)[::16, ::16], (0.0, 0.0, 0.5, 1.0), id="too small to tell"),
    ],
)
def test_what_is_no_other_picture(picture: Picture, part: Box):
    assert not shows_another_picture(np.ascontiguousarray(picture), part)


sides = st.integers(1, 40)
parts = st.floats(0, 1)


@given(arrays.arrays(np.uint8, st.tuples(sides, sides, st.just(3))), parts, parts, parts, parts)
def test_any_picture_and_any_box_has_an_answer(picture: Picture, x0: float, x1: float, y0: float, y1: float):
    part = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    assert shows_another_picture(picture, part) in (True, False)
