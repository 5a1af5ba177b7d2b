"""What a picture becomes that is drawn anew."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.renditions import Fit, Rendition
from tasks.core.ewa import resize
from tasks.core.renditions import fitted, render

SIDES_PX = st.integers(1, 30_000)


@pytest.mark.parametrize(
    ("size_px", "side_px", "fit", "expected"),
    [
        pytest.param((1, 1), 500, "longest_side", (1, 1), id="a dot stays"),
        pytest.param((30_000, 1), 500, "longest_side", (500, 1), id="a line keeps a pixel"),
        pytest.param((500, 500), 500, "longest_side", (500, 500), id="as long as asked"),
        pytest.param((1000, 401), 500, "longest_side", (500, 201), id="a half goes up"),
        pytest.param((401, 1000), 500, "longest_side", (201, 500), id="and upright"),
        pytest.param((499, 20), 500, "longest_side", (499, 20), id="a smaller one stays"),
        pytest.param((1, 1), 32, "centre_crop", (32, 32), id="a crop grows"),
        pytest.param((600, 300), 32, "stretched", (32, 32), id="a square whatever it was"),
    ],
)
def test_sizes_by_hand(size_px: tuple[int, int], side_px: int, fit: Fit, expected: tuple[int, int]):
    assert fitted(size_px, side_px, fit) == expected


@given(SIDES_PX, SIDES_PX, st.integers(1, 10_000))
def test_the_longest_side_is_at_most_as_asked_and_proportions_stay(width_px: int, height_px: int, side_px: int):
    wide, high = fitted((width_px, height_px), side_px, "longest_side")
    assert max(wide, high) == min(side_px, max(width_px, height_px))
    assert min(wide, high) >= 1
    # to within half a pixel of the shorter side, but for the one that it keeps
    longest = max(width_px, height_px)
    exact = min(width_px, height_px) * max(wide, high) / longest
    assert abs(min(wide, high) - exact) <= 0.5 or min(wide, high) == 1


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        pytest.param({"fit": "longest_side", "side_px": 9}, "itself", id="none is made larger"),
        pytest.param({"fit": "stretched", "side_px": 4}, (4, 4, 3), id="stretched"),
        pytest.param({"fit": "longest_side", "side_px": 4}, (3, 4, 3), id="6 x 8 to 3 x 4"),
        pytest.param({"fit": "centre_crop", "side_px": 6}, "its middle", id="a crop of its own size is filtered, too"),
        pytest.param({"fit": "stretched", "side_px": 2, "filter": "box"}, "asked of another", id="pillow's"),
    ],
)
def test_a_picture_drawn_anew(settings: dict[str, object], expected: object):
    levels = np.random.default_rng(7).integers(0, 256, (6, 8, 3)).astype(np.uint8)
    asked = list[tuple[object, ...]]()

    def resample(pixels: np.ndarray, size_px: tuple[int, int], word: str) -> np.ndarray:
        asked.append((pixels.shape, size_px, word))
        return pixels

    drawn = render(levels, Rendition.model_validate(settings), resample)
    if expected == "itself":
        assert drawn is levels
    elif expected == "its middle":
        assert np.array_equal(drawn, resize(np.ascontiguousarray(levels[:, 1:7]), (6, 6)))
    elif expected == "asked of another":
        assert asked == [((6, 8, 3), (2, 2), "box")]
    else:
        assert drawn.shape == expected
    assert bool(asked) is (settings.get("filter") == "box")


def test_both_filters_and_light_differ():
    levels = np.random.default_rng(7).integers(0, 256, (64, 64, 3)).astype(np.uint8)
    forms = [{}, {"filter": "robidoux_sharp"}, {"light": "linear"}]
    drawn = [render(levels, Rendition(side_px=8, **form), lambda *_: levels) for form in forms]  # type: ignore[arg-type]
    assert not any(np.array_equal(drawn[a], drawn[b]) for a, b in ((0, 1), (0, 2), (1, 2)))
