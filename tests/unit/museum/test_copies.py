"""Each kind of copy: what it may change, what it must keep, and that it is planned as it is made."""

from typing import get_args

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from examples.museum.borders import Border, bordered
from examples.museum.copies import MOST_CROPPED, figures_of_copy, make_copy, plan_copy
from examples.museum.figures import Figure
from examples.museum.holdings import Relation
from examples.museum.prints import Print, open_print, save_print
from examples.museum.seeds import generator
from examples.museum.tones import Tones, toned, tones

MADE = [relation for relation in get_args(Relation) if relation != "exact"]
SIZES = [(300, 200), (60, 24), (101, 400)]
NEUTRAL = Tones(1.0, 0.0, 1.0, 1.0, 0.0)


def painted(width_px: int, height_px: int, mode: str = "RGB") -> Print:
    """A smooth picture that no mirror, turn or crop leaves as it is, without loss."""
    across, down = np.meshgrid(np.linspace(0, 1, width_px), np.linspace(0, 1, height_px))
    waves = [np.sin(5 * across + 3 * down), np.cos(9 * across * down), across**2 - 0.5 * down]
    pixels = np.stack([127 + 90 * wave for wave in waves], axis=2).astype(np.uint8)
    return save_print(Image.fromarray(pixels).convert(mode), ".png")


def grey(one: Print) -> NDArray[np.float64]:
    return np.asarray(open_print(one).convert("L"), dtype=np.float64)


def plans(relation: Relation, size_px: tuple[int, int], count: int = 40):
    found = [plan_copy(generator(1, "copy", number), relation, ".png", size_px) for number in range(count)]
    return [plan for plan in found if plan is not None]


def correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(np.corrcoef(one.ravel(), other.ravel())[0, 1])


def fitted(plan, original: Print) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Grey pixels of the copy, and of the original where its figures' matrix says that they went."""
    corners = [(x, y) for y in (0.25, 0.75) for x in (0.25, 0.75)]
    spots = np.array([(x * original.width_px, y * original.height_px) for x, y in corners])
    figures = tuple(Figure((x - 1, y - 1, 2.0, 2.0), ((0.0, 0.0, 0),) * 17, False) for x, y in spots)
    went = [
        (one.xywh_px[0] + one.xywh_px[2] / 2, one.xywh_px[1] + one.xywh_px[3] / 2)
        for one in figures_of_copy(plan, original, figures)
    ]
    matrix = cv2.getPerspectiveTransform(np.float32(spots), np.float32(went))
    copy = grey(make_copy(plan, original))
    return copy, cv2.warpPerspective(grey(original), matrix, plan.size_px, borderMode=cv2.BORDER_REPLICATE)


def test_an_exact_copy_needs_no_plan() -> None:
    assert plan_copy(generator(1, "copy", 0), "exact", ".png", (30, 20)) is None


@pytest.mark.parametrize("size_px", SIZES)
@pytest.mark.parametrize("relation", MADE)
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_a_copy_is_as_large_as_planned_and_of_that_kind(
    relation: Relation, size_px: tuple[int, int], mode: str
) -> None:
    original = painted(*size_px, mode=mode)
    for plan in plans(relation, size_px, 6):
        copy = make_copy(plan, original)
        assert (copy.width_px, copy.height_px) == plan.size_px == open_print(copy).size
        assert copy.extension == plan.extension
        assert copy.data != original.data


@pytest.mark.parametrize("relation", MADE)
def test_a_copy_is_the_same_whenever_it_is_made(relation: Relation) -> None:
    original = painted(90, 120)
    both = (*plans(relation, (90, 120), 1), *plans(relation, (90, 120), 1))
    once, again = (make_copy(plan, original) for plan in both)
    assert once.data == again.data


@pytest.mark.parametrize("relation", MADE)
def test_what_the_picture_shows_lies_where_its_figures_do(relation: Relation) -> None:
    original = painted(300, 200)
    for plan in plans(relation, (300, 200), 8):
        copy, wanted = fitted(plan, original)
        edge_px = 0 if plan.border is None else plan.border.width_px + 1
        inner = (slice(edge_px, copy.shape[0] - edge_px), slice(edge_px, copy.shape[1] - edge_px))
        assert correlation(copy[inner], wanted[inner]) > 0.95


@pytest.mark.parametrize("relation", ["reencoded", "recoloured", "mirrored", "resized"])
def test_these_show_the_whole_picture(relation: Relation) -> None:
    whole = Figure((0.0, 0.0, 300.0, 200.0), ((0.0, 0.0, 0),) * 17, False)
    for plan in plans(relation, (300, 200)):
        (found,) = figures_of_copy(plan, painted(300, 200), (whole,))
        np.testing.assert_allclose(found.xywh_px, (0, 0, *plan.size_px), atol=1e-6)


def corners_left(plan, size_px: tuple[int, int]) -> NDArray[np.float64]:
    """The corners of what a copy shows, in shares of the original's sides."""
    rim = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * plan.view_px
    back = np.column_stack([rim, np.ones(4)]) @ np.linalg.inv(plan.view).T
    return back[:, :2] / back[:, 2:] / size_px


@pytest.mark.parametrize("size_px", SIZES)
@pytest.mark.parametrize("relation", ["cropped", "rephotographed"])
def test_no_axis_loses_more_than_a_crop_may(relation: Relation, size_px: tuple[int, int]) -> None:
    for plan in plans(relation, size_px, 200):
        corners = corners_left(plan, size_px)
        assert corners.min() > -1e-6
        assert corners.max() < 1 + 1e-6
        shown = (np.abs(corners[1] - corners[0])[0], np.abs(corners[3] - corners[0])[1])
        assert min(shown) >= 1 - MOST_CROPPED - 1.5 / min(size_px) - (0.02 if relation == "rephotographed" else 0)


def test_crops_lose_something_on_some_side() -> None:
    found = plans("cropped", (300, 200), 200)
    assert all(plan.view_px != (300, 200) for plan in found)
    assert {tuple(int(v) for v in np.sign(plan.view[:2, 2])) for plan in found} >= {(-1, -1)}


def test_a_rephotographed_picture_is_turned_a_little() -> None:
    turns = []
    for plan in plans("rephotographed", (300, 200), 100):
        (left, top), (right, below) = (corners_left(plan, (1, 1)))[:2]
        turns.append(np.rad2deg(np.arctan2(below - top, right - left)))
    assert np.std(turns) > 0.3
    assert np.abs(turns).max() < 3.0


def test_a_mirrored_picture_is_the_mirror_image_to_the_pixel() -> None:
    original = painted(90, 120)
    plan = plans("mirrored", (90, 120), 1)[0]._replace(size_px=(90, 120), quality=None, extension=".png")
    assert np.array_equal(np.asarray(open_print(make_copy(plan, original))), np.asarray(open_print(original))[:, ::-1])


def test_a_cropped_picture_is_a_part_to_the_pixel() -> None:
    original, plan = painted(90, 120), plans("cropped", (90, 120), 1)[0]
    left, top = -plan.view[:2, 2].astype(int)
    plan = plan._replace(size_px=plan.view_px, quality=None, extension=".png")
    wanted = np.asarray(open_print(original))[top : top + plan.view_px[1], left : left + plan.view_px[0]]
    assert np.array_equal(np.asarray(open_print(make_copy(plan, original))), wanted)


@pytest.mark.parametrize("grain", [None, 5])
def test_a_border_is_as_wide_on_all_sides_and_leaves_the_picture_alone(grain: int | None) -> None:
    picture = np.full((20, 30, 3), 7, dtype=np.uint8)
    found = bordered(picture, Border(4, (200, 180, 160), grain))
    assert found.shape == (28, 38, 3)
    assert np.array_equal(found[4:-4, 4:-4], picture)
    rim = np.ones((28, 38), dtype=bool)
    rim[4:-4, 4:-4] = False
    assert (found[rim] > 30).all()
    assert (len(np.unique(found[rim][:, 0])) == 1) == (grain is None)


def test_borders_are_a_few_percent() -> None:
    widths = [plan.border.width_px / 200 for plan in plans("framed", (300, 200), 200)]
    assert 0.02 <= min(widths) < 0.03
    assert 0.05 < max(widths) <= 0.06


def test_tones_stay_in_their_ranges() -> None:
    found = np.array([tones(generator(2, "tones", number)) for number in range(300)])
    assert 0.7 <= found[:, 0].min() < 0.75
    assert 1.3 < found[:, 0].max() <= 1.4
    assert 12 < np.abs(found[:, 1]).max() <= 15


@pytest.mark.parametrize(
    ("how", "colour", "wanted"),
    [
        (NEUTRAL, (200, 100, 50), (200, 100, 50)),
        (NEUTRAL._replace(saturation=0.0), (200, 100, 50), (124, 124, 124)),
        (NEUTRAL._replace(gamma=1.4), (0, 255, 128), (0, 255, 97)),
        (NEUTRAL._replace(contrast=0.5), (0, 255, 128), (64, 191, 128)),
        (NEUTRAL._replace(warmth=0.1), (100, 100, 100), (110, 100, 90)),
        (NEUTRAL._replace(hue_degrees=15.0), (90, 90, 90), (90, 90, 90)),
    ],
)
def test_tones_change_colours(how: Tones, colour: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    picture = np.full((2, 3, 3), colour, dtype=np.uint8)
    np.testing.assert_allclose(toned(picture, how)[0, 0], wanted, atol=2)


@given(st.sampled_from(MADE), st.integers(24, 500), st.integers(24, 500), st.integers(0, 10**6))
def test_every_plan_keeps_a_picture_of_some_size(
    relation: Relation, width_px: int, height_px: int, number: int
) -> None:
    plan = plan_copy(generator(3, "copy", number), relation, ".jpg", (width_px, height_px))
    assert plan is not None
    assert min(plan.size_px) >= 0.84 * min(40, width_px, height_px) - 1
    assert max(plan.size_px) <= 1.13 * max(width_px, height_px)
    assert plan.quality is None or 40 <= plan.quality <= 95
