"""Canvases: numbers worked out by hand, and what holds for every picture."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.io.detectors.canvases import Canvases, Size

POPART = Canvases(800, 1333)


@pytest.mark.parametrize(
    ("picture", "scaled", "canvas"),
    [
        pytest.param((600, 800), (800, 1066), (800, 1184), id="the shorter side decides"),
        pytest.param((800, 600), (1066, 800), (1184, 800), id="standing"),
        pytest.param((500, 500), (800, 800), (800, 800), id="square"),
        pytest.param((400, 1000), (533, 1333), (544, 1344), id="the longer side decides"),
        pytest.param((1, 1), (800, 800), (800, 800), id="one px"),
        pytest.param((200, 20_000), (13, 1333), (128, 1344), id="a scroll"),
        pytest.param((20_000, 200), (1333, 13), (1344, 128), id="a scroll that hangs"),
        pytest.param((20_000, 1), (1333, 1), (1344, 128), id="no side is lost"),
    ],
)
def test_a_picture_is_scaled_and_lies_on_the_smallest_canvas_that_holds_it(picture, scaled, canvas):
    assert POPART.scaled_size(Size(*picture)) == scaled
    assert POPART.canvas_for(Size(*picture)) == canvas


def test_a_model_of_one_size_sees_every_picture_in_it():
    fixed = Canvases(800, 1333, Size(320, 320))
    assert fixed.scaled_size(Size(1, 9)) == fixed.canvas_for(Size(1, 9)) == (320, 320)


sides = st.integers(1, 30_000)


@given(sides, sides, st.sampled_from([(800, 1333), (160, 160), (320, 320), (33, 800), (600, 4096)]))
def test_a_canvas_holds_its_picture_and_wastes_little_of_paintings(height, width, model):
    canvases = Canvases(*model)
    scaled, canvas = canvases.scaled_size(Size(height, width)), canvases.canvas_for(Size(height, width))
    assert scaled.height_px <= canvas.height_px
    assert scaled.width_px <= canvas.width_px
    assert canvas.height_px % 32 == canvas.width_px % 32 == 0
    assert min(scaled) >= 1
    assert max(scaled) <= model[1]
    assert canvases.canvas_for(Size(width, height)) == tuple(reversed(canvas))


def test_there_are_few_canvases():
    found = {POPART.canvas_for(Size(100, width)) for width in range(1, 2000)}
    assert len(found) <= 36
