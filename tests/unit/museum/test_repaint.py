"""Works of a series: the motif of another, by the same hand, and yet no copy of it."""

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from examples.museum.holdings import Holding, holding
from examples.museum.paint import Work, paint
from examples.museum.repaint import paint_again, sketch_again, sketch_of, work_of

SEED = 5
PAIRS = [(first, 1000 + first) for first in range(0, 60)]


@pytest.fixture(scope="module")
def pairs() -> list[tuple[Work, Work]]:
    return [(paint(SEED, first), paint_again(SEED, first, number)) for first, number in PAIRS]


def _grey(work: Work, side_px: int = 64) -> NDArray[np.float32]:
    grey = cv2.cvtColor(work.pixels, cv2.COLOR_RGB2GRAY).astype(np.float32)
    return cv2.resize(grey, (side_px, side_px), interpolation=cv2.INTER_AREA)


def _alike(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    return float(np.corrcoef(one.ravel(), other.ravel())[0, 1])


def test_hand_style_and_motif_are_the_same_and_the_year_is_near(pairs: list[tuple[Work, Work]]) -> None:
    for first, again in pairs:
        assert (again.artist, again.style, again.is_grey) == (first.artist, first.style, first.is_grey)
        if first.year is None:
            assert again.date_text == first.date_text
        elif again.year is not None:
            assert -5 <= again.year - first.year <= 4
        height, width = first.pixels.shape[:2]
        aspect = again.pixels.shape[1] / again.pixels.shape[0]
        assert aspect == pytest.approx(width / height, rel=0.08)


def test_they_look_alike_from_afar(pairs: list[tuple[Work, Work]]) -> None:
    own = [_alike(_grey(first, 16), _grey(again, 16)) for first, again in pairs]
    strange = [_alike(_grey(pairs[n][0], 16), _grey(pairs[n - 1][1], 16)) for n in range(len(pairs))]
    assert np.median(own) > 0.75
    assert np.median(strange) < 0.3


def test_none_is_a_copy(pairs: list[tuple[Work, Work]]) -> None:
    """What a copy keeps and a series does not: contours that lie where they lay, once light and tones are left out."""
    for first, again in pairs:
        one, other = (_grey(work, 128) - cv2.GaussianBlur(_grey(work, 128), (0, 0), 4) for work in (first, again))
        smaller = Work(
            cv2.resize(first.pixels, None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA),
            "",
            "",
            "",
            "",
            None,
            (),
            False,
        )
        copy = _grey(smaller, 128) - cv2.GaussianBlur(_grey(smaller, 128), (0, 0), 4)
        assert _alike(one, other) < min(0.8, _alike(one, copy))


def test_two_of_one_series_are_no_copies_of_each_other() -> None:
    works = [paint_again(SEED, 3, number) for number in (40, 41, 42)]
    greys = [_grey(work, 128) - cv2.GaussianBlur(_grey(work, 128), (0, 0), 4) for work in works]
    assert max(_alike(greys[0], greys[1]), _alike(greys[0], greys[2]), _alike(greys[1], greys[2])) < 0.8
    assert len({work.date_text + work.title for work in works}) > 1


def test_a_tiny_work_is_painted_again_in_a_proper_size(pairs: list[tuple[Work, Work]]) -> None:
    tiny = [again for first, again in pairs if max(first.pixels.shape[:2]) <= 60]
    assert tiny
    assert all(max(work.pixels.shape[:2]) >= 160 for work in tiny)


def test_figures_stay_about_where_they_were(pairs: list[tuple[Work, Work]]) -> None:
    moves = []
    for first, again in pairs:
        if len(first.figures) == len(again.figures) > 0:
            size, size_again = (np.array(work.pixels.shape[1::-1]) for work in (first, again))
            for one, other in zip(first.figures, again.figures, strict=True):
                middle = np.array(one.xywh_px[:2]) + np.array(one.xywh_px[2:]) / 2
                middle_again = np.array(other.xywh_px[:2]) + np.array(other.xywh_px[2:]) / 2
                moves.append(np.abs(middle / size - middle_again / size_again).max())
    assert len(moves) > 30
    assert 0.01 < np.median(moves) < 0.08


def test_boxes_lie_inside_and_visible_joints_in_them(pairs: list[tuple[Work, Work]]) -> None:
    for _, work in pairs:
        height, width = work.pixels.shape[:2]
        for figure in work.figures:
            x, y, wide, high = figure.xywh_px
            assert min(x, y) >= 0
            assert x + wide <= width
            assert y + high <= height
            assert all(v == 0 or (x <= jx <= x + wide and y <= jy <= y + high) for jx, jy, v in figure.keypoints)


def test_a_work_of_a_series_is_the_same_in_another_process(pairs: list[tuple[Work, Work]]) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        (painted,) = pool.map(partial(paint_again, SEED, 7), [1007])
    assert np.array_equal(painted.pixels, pairs[7][1].pixels)
    assert (painted.title, painted.figures) == (pairs[7][1].title, pairs[7][1].figures)


def test_a_sketch_says_what_is_painted(pairs: list[tuple[Work, Work]]) -> None:
    for (first, number), (_, again) in zip(PAIRS, pairs, strict=True):
        sketch = sketch_again(SEED, first, number)
        assert (sketch.height, sketch.width) == again.pixels.shape[:2]
        assert (sketch.caption.date_text, sketch.caption.year) == (again.date_text, again.year)
        assert again.title.endswith(sketch.title_end)


def test_a_row_shows_its_own_work_or_the_one_that_it_copies() -> None:
    held = [holding(SEED, row) for row in range(400)]
    again = next(one for one in held if one.first is not None)
    copy_of_plain = Holding(999, "k", original=0, relation="exact")
    copy_of_again = Holding(999, "k", original=again.row, relation="exact")
    assert np.array_equal(work_of(SEED, copy_of_plain).pixels, paint(SEED, 0).pixels)
    assert again.first is not None
    assert np.array_equal(work_of(SEED, copy_of_again).pixels, paint_again(SEED, again.first, again.row).pixels)
    assert sketch_of(SEED, copy_of_again)[:4] == sketch_again(SEED, again.first, again.row)[:4]
