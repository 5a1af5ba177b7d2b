"""The arithmetic of the second look, on pictures small enough to work out by hand."""

import numpy as np
import pytest

from tasks.core.dedup import registration

RIM_PX = 7
STILL = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def picture(*rows: list[float]) -> registration.Picture:
    return np.array(rows, np.float32)


def waves(height: int, width: int, x_px: float = 0.0, y_px: float = 0.0) -> registration.Picture:
    """A drawing without edges, moved by so many pixels: what one step of Gauss and Newton assumes."""
    y, x = np.mgrid[:height, :width].astype(float)
    x, y = x - x_px, y - y_px
    return (np.sin(x / 3) + np.cos(y / 4) + np.sin((x + y) / 5)).astype(np.float32)


# --- sizes


@pytest.mark.parametrize(
    ("before", "height", "width", "after"),
    [
        pytest.param([[7.0]], 1, 1, [[7.0]], id="one pixel"),
        pytest.param([[1.0, 2.0], [3.0, 6.0]], 1, 1, [[3.0]], id="the mean of all"),
        pytest.param([[1.0, 2.0], [3.0, 6.0]], 2, 2, [[1.0, 2.0], [3.0, 6.0]], id="the same size"),
        pytest.param([[1.0, 2.0], [3.0, 6.0]], 1, 2, [[2.0, 4.0]], id="columns alone"),
        # a pixel covers one and a half: 0, and half of 6, over 1.5; half of 6, and 3, over 1.5
        pytest.param([[0.0, 6.0, 3.0]], 1, 2, [[2.0, 4.0]], id="a pixel that two share"),
        pytest.param([[4.0]], 2, 2, [[4.0, 4.0], [4.0, 4.0]], id="larger: a plain area stays plain"),
    ],
)
def test_each_pixel_is_the_mean_of_its_area(before, height, width, after):
    found = registration.resample(picture(*before), height, width)
    np.testing.assert_allclose(found, after, rtol=1e-6)
    assert found.dtype == np.float32


# --- freeing of tones


def test_a_box_mean_is_of_what_is_there():
    # along a row of three, radius 1, twice: (0 + 3)/2, (0 + 3 + 6)/3, (3 + 6)/2 = 1.5, 3, 4.5; then 2.25, 3, 3.75
    np.testing.assert_allclose(registration.blur(picture([0.0, 3.0, 6.0]), 1), [[2.25, 3.0, 3.75]], rtol=1e-6)
    np.testing.assert_allclose(registration.blur(picture([0.0], [3.0], [6.0]), 1), [[2.25], [3.0], [3.75]])


def test_a_radius_beyond_the_picture_takes_all_of_it_and_0_leaves_it():
    np.testing.assert_allclose(registration.blur(picture([1.0, 5.0], [3.0, 7.0]), 9), [[4.0, 4.0], [4.0, 4.0]])
    np.testing.assert_allclose(registration.blur(picture([1.0, 5.0]), 0), [[1.0, 5.0]])


def test_what_stands_out_is_free_of_light_and_nearly_of_contrast():
    drawing = 60 * waves(40, 50)
    plain = registration.normalise(drawing, 3, 12.0)
    np.testing.assert_allclose(registration.normalise(drawing + 90, 3, 12.0), plain, atol=1e-3)
    stronger = registration.normalise(2 * drawing, 3, 12.0)
    assert np.corrcoef(plain.ravel(), stronger.ravel())[0, 1] > 0.99
    assert abs(float(plain.mean())) < 0.05
    assert float(np.abs(plain).max()) < 4


def test_a_plain_area_has_nothing_to_show_and_little_noise_vanishes():
    assert not registration.normalise(np.full((12, 12), 200, np.float32), 3, 12.0).any()
    noise = np.random.default_rng(3).normal(0, 0.5, (30, 30)).astype(np.float32)
    assert float(np.abs(registration.normalise(noise, 3, 12.0)).max()) < 0.2


# --- warps


def test_a_picture_that_stays_is_itself_everywhere():
    found, is_there = registration.apply_warp(picture([1.0, 2.0], [3.0, 4.0]), STILL, np.zeros((2, 2), np.float32))
    assert found.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert is_there.all()


def test_between_pixels_lies_what_is_between_them_and_outside_the_template():
    # a pixel of the template looks half a pixel to the right and half a pixel down
    warp = STILL + np.array([[0, 0, 0.5], [0, 0, 0.5]])
    found, is_there = registration.apply_warp(picture([0.0, 2.0], [4.0, 10.0]), warp, np.full((2, 3), -1, np.float32))
    # (0, 0): the mean of all four. At 1.5 the last row or column is taken; 2.5 is more than half a pixel beyond it
    assert found.tolist() == [[4.0, 6.0, -1.0], [7.0, 10.0, -1.0]]
    assert is_there.tolist() == [[True, True, False], [True, True, False]]


def test_a_picture_moved_away_shows_nothing():
    far = STILL + np.array([[0, 0, 100.0], [0, 0, 0]])
    found, is_there = registration.apply_warp(picture([1.0, 2.0], [3.0, 4.0]), far, np.full((2, 2), 9, np.float32))
    assert found.tolist() == [[9.0, 9.0], [9.0, 9.0]]
    assert not is_there.any()


@pytest.mark.parametrize(("x_px", "y_px"), [(0.0, 0.0), (1.0, 0.0), (0.0, -1.5), (0.7, 1.2)])
def test_a_shift_is_found_to_a_fraction_of_a_pixel(x_px, y_px):
    warp = STILL.copy()
    assert registration.align(waves(48, 64), waves(48, 64, x_px, y_px), warp, 30, RIM_PX)
    np.testing.assert_allclose(warp, STILL + np.array([[0, 0, x_px], [0, 0, y_px]]), atol=0.03)


def test_what_lies_hardly_over_the_other_is_lost():
    """Less than a quarter of the template's pixels meet one of the picture."""
    warp = STILL + np.array([[0, 0, 60.0], [0, 0, 0]])
    assert not registration.align(waves(48, 64), waves(48, 64), warp, 30, RIM_PX)


def test_plain_pictures_move_nothing():
    warp, plain = STILL.copy(), np.zeros((20, 20), np.float32)
    assert registration.align(plain, plain, warp, 30, RIM_PX)
    np.testing.assert_array_equal(warp, STILL)


# --- agreement, cell by cell


def cells(template: np.ndarray, other: np.ndarray, is_there: np.ndarray | None = None, grid: tuple[int, int] = (1, 1)):
    where = np.ones(template.shape, np.bool_) if is_there is None else is_there
    found = registration.cell_agreements(template.astype(np.float32), other.astype(np.float32), where, *grid, 0.1)
    return [part.tolist() for part in found]


CHECKS = np.array([[1.0, -1.0], [-1.0, 1.0]])


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        pytest.param(CHECKS, 1.0, id="the same"),
        pytest.param(-CHECKS, -1.0, id="its negative"),
        pytest.param(CHECKS / 2, 1.0, id="fainter"),
        pytest.param(np.zeros((2, 2)), 0.0, id="nothing on one side"),
        pytest.param(np.ones((2, 2)), 0.0, id="nothing in common"),
    ],
)
def test_how_a_cell_agrees(other, alike):
    found = cells(CHECKS, other)
    assert found[0] == [[pytest.approx(alike)]]
    assert found[1] == [[0.0]]  # all of four pixels are rim: no slope is taken there


def test_a_cell_without_power_or_hardly_there_says_nothing():
    assert np.isnan(cells(0.1 * CHECKS, 0.1 * CHECKS)).all()  # 0.01 a pixel, of the 0.1 that are asked for
    where = np.array([[True, False], [False, False]])
    assert np.isnan(cells(CHECKS, CHECKS, where)).all()
    where[1, 1] = True  # a half is enough
    assert cells(CHECKS, CHECKS, where)[0] == [[pytest.approx(1.0)]]


def test_cells_part_the_picture_and_an_empty_one_says_nothing():
    wide = np.hstack([CHECKS, -CHECKS])
    assert cells(wide, np.hstack([CHECKS, CHECKS]), grid=(1, 2))[0] == [[pytest.approx(1.0), pytest.approx(-1.0)]]
    assert np.isnan(cells(CHECKS, CHECKS, grid=(1, 4))[0][0]).tolist() == [True, False, True, False]


@pytest.mark.parametrize("shift_px", [0.0, 0.25, 0.5])
def test_how_far_a_cell_is_off_is_the_shift_that_would_mend_it(shift_px):
    (off,) = cells(waves(40, 40), waves(40, 40, shift_px))[1][0]
    assert off == pytest.approx(shift_px, abs=0.03)
