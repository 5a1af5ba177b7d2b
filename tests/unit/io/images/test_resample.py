"""Pillow's filters."""

from typing import get_args

import numpy as np
import pytest

from schemas.layouts import FilterWord
from schemas.renditions import EWA
from tasks.io.images.resample import FILTERS, resample


def test_every_word_that_is_not_ours_is_pillows():
    assert {*FILTERS} == {*get_args(FilterWord)} - {*EWA}


@pytest.mark.parametrize("word", FILTERS)
def test_a_constant_stays_and_width_comes_first(word: str):
    levels = np.full((6, 9, 3), (0, 130, 255), np.uint8)
    drawn = resample(levels, (3, 2), word)
    assert (drawn.shape, drawn.dtype) == ((2, 3, 3), np.uint8)
    assert (drawn == (0, 130, 255)).all()


def test_a_box_is_the_mean_of_its_pixels():
    levels = np.array([[10, 20], [30, 40]], np.uint8)[..., None].repeat(3, axis=2)
    assert resample(levels, (1, 1), "box").tolist() == [[[25, 25, 25]]]
