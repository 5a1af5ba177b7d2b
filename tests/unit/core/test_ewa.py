"""Pictures in another size, beside the formula written out, and by what must not change."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tasks.core.ewa import ROBIDOUX, ROBIDOUX_SHARP, centre_crop, resize

SIDES_PX = st.integers(1, 24)
SIZES_PX = st.tuples(SIDES_PX, SIDES_PX)
WAYS = st.fixed_dictionaries({"is_sharp": st.booleans(), "is_linear": st.booleans()})
Size = tuple[int, int]


def noise(width: int, height: int, dtype: type = np.float64, seed: int = 0) -> NDArray[Any]:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3)).astype(dtype)


def weight(squared: float, is_sharp: bool = False) -> float:
    """k of a squared distance, as ImageMagick looks it up."""
    b, c = ROBIDOUX_SHARP if is_sharp else ROBIDOUX
    r = math.sqrt(math.floor(256 * squared) / 256)
    if r < 1:
        return ((12 - 9 * b - 6 * c) * r**3 + (-18 + 12 * b + 6 * c) * r**2 + 6 - 2 * b) / 6
    if r < 2:
        return ((-b - 6 * c) * r**3 + (6 * b + 30 * c) * r**2 + (-12 * b - 48 * c) * r + 8 * b + 24 * c) / 6
    return 0.0


def written_out(pixels: NDArray[Any], size_px: Size, is_sharp: bool = False) -> NDArray[Any]:
    """Each pixel of the result: every pixel of the picture, times its weight."""
    (height, width), (wide, high) = pixels.shape[:2], size_px
    across, down = max(1.0, width / wide), max(1.0, height / high)
    result = np.empty((high, wide, 3))
    for y, x in np.ndindex(high, wide):
        middle_y, middle_x = (y + 0.5) * height / high, (x + 0.5) * width / wide
        weights = np.array(
            [
                [
                    weight(((v + 0.5 - middle_y) / down) ** 2 + ((u + 0.5 - middle_x) / across) ** 2, is_sharp)
                    for u in range(width)
                ]
                for v in range(height)
            ]
        )
        result[y, x] = np.tensordot(weights / weights.sum(), pixels, 2)
    return result


@pytest.mark.parametrize("is_sharp", [False, True])
@pytest.mark.parametrize(
    ("width", "height", "size_px", "most"),
    [
        (30, 30, (7, 7), 0.6),
        (23, 17, (9, 16), 1.2),
        (9, 9, (9, 9), 0.3),
        (16, 8, (8, 8), 0.3),  # halved across alone
        (7, 5, (14, 11), 0.8),
        (1, 40, (6, 6), 0.6),
        (40, 1, (6, 6), 0.6),
        (1, 1, (3, 2), 1e-9),
        (3, 2, (1, 1), 0.8),
    ],
)
def test_it_is_the_formula(width: int, height: int, size_px: Size, most: float, is_sharp: bool):
    pixels = noise(width, height)
    apart = np.abs(resize(pixels, size_px, is_sharp=is_sharp) - written_out(pixels, size_px, is_sharp))
    assert apart.max() < most
    assert apart.mean() < most / 3


@given(SIZES_PX, SIZES_PX, st.floats(-1e3, 1e3), WAYS)
def test_a_constant_stays_constant(size: Size, size_px: Size, value: float, ways: dict[str, bool]):
    constant = np.full((size[1], size[0], 3), value)
    resized = resize(constant, size_px, **ways)
    assert resized == pytest.approx(value, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("is_linear", [False, True])
@pytest.mark.parametrize("level", range(256))
def test_so_does_each_level(level: int, is_linear: bool):
    constant = np.full((40, 3, 3), level, np.uint8)
    assert (resize(constant, (5, 7), is_linear=is_linear) == level).all()


@pytest.mark.parametrize("size_px", [(5, 5), (11, 11), (33, 20)])
def test_a_white_pixel_spreads_with_weights_that_sum_to_1(size_px: Size):
    spread = np.zeros((*size_px[::-1], 11, 11))
    for y, x in np.ndindex(11, 11):
        black = np.zeros((11, 11, 3))
        black[y, x] = 1
        spread[:, :, y, x] = resize(black, size_px)[:, :, 1]
    assert spread.sum(axis=(2, 3)) == pytest.approx(1, abs=1e-9)
    assert spread.min() < 0 < spread.max()


def test_nothing_comes_from_beyond_the_ellipse():
    black = np.zeros((40, 40, 3))
    black[20, 20] = 1
    rows, columns, _ = np.nonzero(np.abs(resize(black, (40, 40))) > 1e-3)
    assert max(np.hypot(rows - 20, columns - 20)) < 2


def test_at_its_own_size_lines_stay_and_points_shrink():
    black = np.zeros((9, 9, 3))
    line, point = black.copy(), black.copy()
    line[:, 4] = point[4, 4] = 1
    assert resize(line, (9, 9))[4, 4, 0] == pytest.approx(1, abs=0.002)
    assert resize(point, (9, 9))[4, 4, 0] == pytest.approx(0.87, abs=0.01)


@given(SIZES_PX, SIZES_PX, WAYS)
def test_mirrored_pictures_give_mirrored_results(size: Size, size_px: Size, ways: dict[str, bool]):
    pixels = noise(*size)
    resized = resize(pixels, size_px, **ways)
    for turn in (np.s_[::-1], np.s_[:, ::-1]):
        mirrored = resize(pixels[turn], size_px, **ways)
        assert mirrored[turn] == pytest.approx(resized, abs=1e-9)


@given(SIZES_PX, SIZES_PX, st.booleans())
def test_transposed_pictures_give_transposed_results(size: Size, size_px: Size, is_sharp: bool):
    pixels = noise(*size)
    resized = resize(pixels, size_px, is_sharp=is_sharp)
    turned = resize(pixels.transpose(1, 0, 2), size_px[::-1], is_sharp=is_sharp)
    assert turned.transpose(1, 0, 2) == pytest.approx(resized, abs=1e-9)


@given(SIZES_PX, SIZES_PX)
def test_colours_do_not_mix(size: Size, size_px: Size):
    pixels = noise(*size)
    assert np.array_equal(resize(pixels[:, :, [2, 0, 1]], size_px), resize(pixels, size_px)[:, :, [2, 0, 1]])


@given(SIZES_PX, SIZES_PX, st.booleans(), st.integers(0, 99))
def test_whole_levels_are_rounded_and_cut(size: Size, size_px: Size, is_linear: bool, seed: int):
    pixels = noise(*size, np.uint8, seed)
    exact = np.clip(resize(pixels.astype(np.float64), size_px, is_linear=is_linear), 0, 255)
    resized = resize(pixels, size_px, is_linear=is_linear)
    assert resized.dtype == np.uint8
    assert np.abs(resized - exact).max() < 0.5 + 1e-3


def test_halves_are_rounded_up():
    pixels = np.array([[[7, 0, 254]], [[8, 1, 255]]], np.uint8)
    assert resize(pixels, (1, 1)).tolist() == [[[8, 1, 255]]]


def test_floats_go_beyond_the_levels_beside_an_edge():
    edge = np.repeat(np.array([0.0, 255.0]), 8)[None, :, None].repeat(16, axis=0).repeat(3, axis=2)
    resized = resize(edge, (11, 11), is_sharp=True)
    assert resized.min() < -5
    assert resized.max() > 260
    cut = resize(edge.astype(np.uint8), (11, 11), is_sharp=True)
    assert (cut.min(), cut.max()) == (0, 255)


def test_floats_of_32_bits_stay_so():
    pixels = noise(20, 10, np.float32)
    resized = resize(pixels, (6, 7))
    assert resized.dtype == np.float32
    assert np.array_equal(resized, resize(pixels.astype(np.float64), (6, 7)).astype(np.float32))


def test_light_is_averaged_as_light():
    checks = np.indices((64, 64)).sum(axis=0)[:, :, None].repeat(3, axis=2) % 2 * 255
    assert abs(resize(checks.astype(np.uint8), (8, 8))[4, 4, 0] - 127.5) < 1
    assert resize(checks.astype(np.uint8), (8, 8), is_linear=True)[4, 4, 0] == 188


@pytest.mark.parametrize(("size", "size_px"), [((1, 3000), (32, 32)), ((3000, 1), (32, 32)), ((40_000, 2), (3, 5))])
def test_thin_pictures(size: Size, size_px: Size):
    ramp = np.linspace(0, 255, size[0] * size[1]).reshape(size[1], size[0], 1).repeat(3, axis=2)
    resized = resize(ramp, size_px)
    assert resized.shape == (*size_px[::-1], 3)
    assert resized.mean() == pytest.approx(127.5, abs=0.5)


def test_what_it_is_given_may_be_of_any_layout_and_stays_as_it_is():
    pixels = noise(20, 30, np.uint8)
    resized = resize(pixels, (8, 9))
    kept = pixels.copy()
    pixels.setflags(write=False)
    assert np.array_equal(resize(pixels, (8, 9)), resized)
    assert np.array_equal(resize(np.asfortranarray(pixels), (8, 9)), resized)
    assert np.array_equal(resize(np.dstack([pixels, pixels])[:, :, :3], (8, 9)), resized)
    assert np.array_equal(pixels, kept)


@pytest.mark.parametrize(
    ("pixels", "size_px", "message"),
    [
        (
            np.zeros((4, 4), np.uint8),
            (2, 2),
            r"expected pixels of shape \(height, width, 3\), at least 1 px each, got \(4, 4\)",
        ),
        (
            np.zeros((4, 4, 4), np.uint8),
            (2, 2),
            r"expected pixels of shape \(height, width, 3\), at least 1 px each, got \(4, 4, 4\)",
        ),
        (
            np.zeros((0, 4, 3), np.uint8),
            (2, 2),
            r"expected pixels of shape \(height, width, 3\), at least 1 px each, got \(0, 4, 3\)",
        ),
        (np.zeros((4, 4, 3), np.int64), (2, 2), "expected pixels of dtype uint8, float32 or float64, got int64"),
        (np.zeros((4, 4, 3), np.uint8), (0, 2), "expected a width and height of at least 1 px, got 0 and 2"),
        (np.zeros((4, 4, 3), np.uint8), (2, -1), "expected a width and height of at least 1 px, got 2 and -1"),
    ],
)
def test_what_is_refused(pixels: NDArray[Any], size_px: Size, message: str):
    with pytest.raises(ValueError, match=message):
        resize(pixels, size_px)


@pytest.mark.parametrize(
    ("size", "columns", "rows"),
    [
        pytest.param((4, 2), [1, 2], [0, 1], id="one goes on either side"),
        pytest.param((5, 2), [1, 2], [0, 1], id="one goes on the left, two on the right"),
        pytest.param((2, 5), [0, 1], [1, 2], id="one goes above, two below"),
        pytest.param((3, 3), [0, 1, 2], [0, 1, 2], id="a square stays"),
        pytest.param((1, 4), [0], [1], id="one column"),
    ],
)
def test_what_stays_of_the_middle(size: Size, columns: list[int], rows: list[int]):
    pixels = noise(*size, np.uint8)
    assert np.array_equal(centre_crop(pixels), pixels[np.ix_(rows, columns)])
