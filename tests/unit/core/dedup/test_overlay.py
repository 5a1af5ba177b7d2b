"""Where registration leads: from several starts, from coarse to fine."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import ndimage

from tasks.core.dedup.overlay import overlays

Picture = NDArray[np.uint8]


def painted(seed: int, height: int = 96, width: int = 128) -> Picture:
    rng = np.random.default_rng(seed)
    fields = [ndimage.gaussian_filter(rng.normal(size=(height, width)), blur) for blur in (14, 1.5)]
    mixed = sum(weight * field / field.std() for weight, field in zip((50, 18), fields, strict=True))
    return np.clip(np.rint(128 + mixed), 0, 255).astype(np.uint8)


ONE = painted(1)


def whole_box(picture: Picture) -> tuple[float, float, float, float]:
    return 0, 0, picture.shape[1], picture.shape[0]


def first(posed: Picture, whole: Picture, box: tuple[float, float, float, float] | None = None):
    return next(overlays(posed, whole, box or whole_box(posed)))


def test_the_same_picture_lies_where_it_is():
    overlay = first(ONE, ONE)
    np.testing.assert_allclose(overlay.warp, np.eye(3), atol=0.003)
    assert overlay.correlation > 0.99
    assert overlay.is_covered.all()
    assert overlay.template.shape == ONE.shape


@pytest.mark.parametrize(
    ("posed", "whole", "box"),
    [
        pytest.param(ONE, ONE[10:86, 14:118], (14, 10, 118, 86), id="a box of one is the other"),
        pytest.param(ONE, ONE[10:86, 14:118], (10, 7, 121, 90), id="a box nearby"),
        pytest.param(ONE, ONE[6:, 8:], None, id="from the whole"),
        pytest.param(ONE[10:86, 14:118], ONE, None, id="the other is larger"),
    ],
)
def test_a_part_lies_on_its_place(posed: Picture, whole: Picture, box: tuple[float, float, float, float] | None):
    assert first(posed, whole, box).correlation > 0.95


def test_what_lies_at_the_edge_is_found_where_the_middle_is_empty():
    ground = np.full((96, 80), 30, np.uint8)
    ground[3:33, 30:60] = painted(3, 30, 30)
    found = list(overlays(ground[:, 1:-2], ground[2:-1], whole_box(ground[:, 1:-2])))
    assert max(overlay.correlation for overlay in found) > 0.9


def test_two_works_have_one_coarse_overlay_at_most():
    found = list(overlays(ONE, painted(2), whole_box(ONE)))
    assert len(found) <= 1
    assert all(max(overlay.template.shape) == 32 and overlay.correlation < 0.45 for overlay in found)


def test_each_place_comes_once():
    warps = [overlay.warp for overlay in overlays(ONE, ONE, whole_box(ONE))]
    assert len(warps) == 1


@pytest.mark.parametrize("side_px", [1, 2, 5, 9])
def test_tiny_pictures_break_nothing(side_px: int):
    tiny = painted(1, side_px, 2 * side_px)
    for overlay in overlays(tiny, ONE, whole_box(tiny)):
        assert -1 <= overlay.correlation <= 1
