"""Alterations of pictures: by hand where the numbers are few, and what none of them may do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.io.training.augment import CHANGES, apply_change

NUMBERS = {
    "brightness_contrast": (0.1, 0.2),
    "clahe": (2.0,),
    "rgb_shift": (10.0, -10.0, 0.0),
    "hue_saturation_value": (20.0, 30.0, -20.0),
    "jpeg": (85.0,),
    "channel_shuffle": (2.0, 0.0, 1.0),
    "blur": (),
    "median_blur": (),
    "flip": (),
}


def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(height * 1000 + width).integers(0, 256, (height, width, 3), np.uint8)


def test_each_alteration_has_numbers_here():
    assert set(NUMBERS) == set(CHANGES)


@given(st.sampled_from(sorted(NUMBERS)), st.integers(1, 40), st.integers(1, 40))
def test_a_picture_keeps_its_size_its_kind_and_itself(name, height, width):
    pixels = noise(height, width)
    before = pixels.copy()
    pixels.flags.writeable = False  # as those held ready are
    after = apply_change(pixels, name, NUMBERS[name])
    assert (after.shape, after.dtype) == (before.shape, np.uint8)
    assert (pixels == before).all()
    assert (apply_change(pixels, name, NUMBERS[name]) == after).all()


BY_HAND = [
    # x 1.5 + 25.5, to the next whole number, at most 255
    ("brightness_contrast", (0.1, 0.5), [10, 100, 250], [40, 176, 255]),
    ("rgb_shift", (10.0, -20.0, 3.4), [10, 10, 10], [20, 0, 13]),
    ("channel_shuffle", (2.0, 0.0, 1.0), [1, 2, 3], [3, 1, 2]),
    ("hue_saturation_value", (60.0, 0.0, 0.0), [255, 0, 0], [0, 255, 0]),  # 60 steps of two degrees: red to green
    ("hue_saturation_value", (-60.0, 0.0, 0.0), [255, 0, 0], [0, 0, 255]),  # and back around the circle
    ("hue_saturation_value", (0.0, 0.0, -55.0), [255, 255, 255], [200, 200, 200]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "numbers", "before", "after"), BY_HAND)
def test_one_pixel(name, numbers, before, after):
    assert apply_change(np.array([[before]], np.uint8), name, numbers)[0, 0].tolist() == after


def test_neighbours_are_averaged_ranked_and_mirrored():
    pixels = np.zeros((3, 3, 3), np.uint8)
    pixels[1, 1] = 90
    assert apply_change(pixels, "blur")[1, 1].tolist() == [10, 10, 10]
    assert apply_change(pixels, "median_blur")[1, 1].tolist() == [0, 0, 0]
    pixels[1, 2] = 7
    assert apply_change(pixels, "flip")[1].tolist() == [[7] * 3, [90] * 3, [0] * 3]


def test_clahe_evens_out_and_jpeg_loses_a_little():
    dark = (noise(64, 64) // 8).astype(np.uint8)
    assert apply_change(dark, "clahe", (4.0,)).std() > 1.5 * dark.std()
    loss = np.abs(apply_change(noise(64, 64), "jpeg", (95.0,)).astype(int) - noise(64, 64)).mean()
    assert 0 < loss < np.abs(apply_change(noise(64, 64), "jpeg", (85.0,)).astype(int) - noise(64, 64)).mean()


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="expected one of brightness_contrast"):
        apply_change(noise(2, 2), "solarize")
