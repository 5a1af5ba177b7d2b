"""The second look: the same picture in another guise is one work, another picture of the same composition is two."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import ndimage

from schemas.relations import Relation
from tasks.core.dedup import relate
from tasks.core.dedup.beside import Box
from tasks.core.dedup.local import Keypoints
from tasks.core.dedup.relate import NO_AGREEMENT, PixelAgreement
from tasks.core.dedup.sizes import COPY_SCORE
from tasks.core.dedup.views import View

WHOLE = View()
Picture = NDArray[np.uint8]


def painted(seed: int, height: int = 96, width: int = 128) -> Picture:
    """A canvas: broad forms, and brushwork on them."""
    rng = np.random.default_rng(seed)
    return levels(forms(rng, height, width) + brushwork(rng, height, width))


def forms(rng: np.random.Generator, height: int, width: int) -> NDArray[np.float64]:
    return 60 * normal(ndimage.gaussian_filter(rng.normal(size=(height, width)), 14))


def brushwork(rng: np.random.Generator, height: int, width: int) -> NDArray[np.float64]:
    return 18 * normal(ndimage.gaussian_filter(rng.normal(size=(height, width)), 1.5))


def normal(field: NDArray[np.float64]) -> NDArray[np.float64]:
    return (field - field.mean()) / field.std()


def levels(field: NDArray[np.float64]) -> Picture:
    return np.clip(np.rint(128 + field), 0, 255).astype(np.uint8)


def resized(picture: Picture, height: int, width: int) -> Picture:
    zoom = height / picture.shape[0], width / picture.shape[1]
    soft = ndimage.gaussian_filter(picture.astype(float), [max(0, 0.4 / z - 0.3) for z in zoom])
    rows, columns = ((np.arange(n) + 0.5) / z - 0.5 for n, z in zip((height, width), zoom, strict=True))
    return np.rint(
        ndimage.map_coordinates(soft, np.meshgrid(rows, columns, indexing="ij"), order=1, mode="nearest")
    ).astype(np.uint8)


def noisy(picture: Picture, grey_levels: float) -> Picture:
    rng = np.random.default_rng(0)
    return np.clip(np.rint(picture + rng.normal(scale=grey_levels, size=picture.shape)), 0, 255).astype(np.uint8)


def with_gamma(picture: Picture, gamma: float) -> Picture:
    return np.rint(255 * (picture / 255) ** gamma).astype(np.uint8)


def looked(
    a: Picture, b: Picture, view: View = WHOLE, *, has_equal_size: bool = False
) -> tuple[Relation, PixelAgreement]:
    found = relate.measure_agreement(a, b, view)
    return relate.relation_of_agreement(found, view, has_equal_size=has_equal_size), found


ONE = painted(1)
BLACK = np.zeros((96, 128), np.uint8)
SPECK = np.full((96, 128), 250, np.uint8)
SPECK[20:28, 24:32] = painted(5)[:8, :8]


@pytest.mark.parametrize(
    ("a", "b", "view", "expected"),
    [
        pytest.param(BLACK, BLACK, WHOLE, Relation.DIFFERENT, id="two black sheets say nothing"),
        pytest.param(BLACK, noisy(BLACK, 2), WHOLE, Relation.DIFFERENT, id="nor does a scanner's noise"),
        pytest.param(BLACK, ONE, WHOLE, Relation.DIFFERENT, id="a black sheet and a painting"),
        pytest.param(np.full((1, 1), 9, np.uint8), ONE, WHOLE, Relation.DIFFERENT, id="one pixel"),
        pytest.param(SPECK, noisy(SPECK, 1), WHOLE, Relation.UNCERTAIN, id="an almost empty sheet, twice"),
        pytest.param(ONE, ONE, WHOLE, Relation.RESIZED, id="itself, in two sizes"),
        pytest.param(ONE, noisy(ONE, 3), WHOLE, Relation.RESIZED, id="noise"),
        pytest.param(ONE, resized(ONE, 48, 64), WHOLE, Relation.RESIZED, id="half the size"),
        pytest.param(ONE, resized(ONE, 96, 96), WHOLE, Relation.RESIZED, id="another aspect"),
        pytest.param(ONE, with_gamma(ONE, 0.7), WHOLE, Relation.RECOLOURED, id="lighter"),
        pytest.param(ONE, 255 - with_gamma(255 - ONE, 0.7), WHOLE, Relation.RECOLOURED, id="darker"),
        pytest.param(ONE, ONE[8:, 8:], WHOLE, Relation.CROPPED, id="a corner off, found as a whole"),
        pytest.param(ONE[8:, 8:], ONE, WHOLE, Relation.CROPPED, id="and the other way round"),
        pytest.param(ONE, ONE[:82], WHOLE, Relation.CROPPED, id="15 % off at the bottom, found as a whole"),
        pytest.param(ONE[14:82, 19:109], ONE, WHOLE, Relation.CROPPED, id="15 % off at all sides, found as a whole"),
        pytest.param(
            ONE, ONE[10:86, 14:118], View(box=(5, 5, 36, 35)), Relation.CROPPED, id="cropped, found by a box nearby"
        ),
        pytest.param(ONE, ONE[20:76, 30:100], View(box=(9, 8, 31, 32)), Relation.DETAIL, id="a third of it"),
        pytest.param(ONE, ONE[:, :64], View(box=(0, 0, 20, 40)), Relation.DETAIL, id="its left half"),
        pytest.param(ONE, ONE[48:], View(box=(0, 20, 40, 40)), Relation.DETAIL, id="its lower half"),
        pytest.param(ONE, ONE[:, :77], View(box=(0, 0, 24, 40)), Relation.CROPPED, id="two fifths cut off at one side"),
        pytest.param(
            np.pad(ONE, ((0, 0), (80, 80)), constant_values=240),
            ONE,
            View(margins=1),
            Relation.CROPPED,
            id="with wide margins at two sides",
        ),
        pytest.param(ONE, np.pad(ONE, 5, constant_values=40), WHOLE, Relation.CROPPED, id="in a frame"),
        pytest.param(ONE, ONE[:, ::-1], View(is_mirrored=True), Relation.MIRRORED, id="mirrored"),
        pytest.param(ONE, ONE[:, ::-1], WHOLE, Relation.DIFFERENT, id="mirrored, but not looked at so"),
        pytest.param(ONE, np.rot90(ONE), View(turns=1), Relation.TURNED, id="turned"),
        pytest.param(ONE, painted(2), WHOLE, Relation.DIFFERENT, id="another painting"),
    ],
)
def test_what_two_pictures_are_to_each_other(a: Picture, b: Picture, view: View, expected: Relation):
    assert looked(a, b, view)[0] == expected


def test_equal_sizes_make_a_reencoding():
    assert looked(ONE, noisy(ONE, 3), has_equal_size=True)[0] == Relation.REENCODED


@pytest.mark.parametrize("seed", range(6))
def test_a_series_is_not_one_work(seed: int):
    """The same forms and light, painted once more: other brushwork."""
    rng = np.random.default_rng(seed)
    composition = forms(rng, 96, 128)
    first, second = (levels(composition + brushwork(rng, 96, 128)) for _ in range(2))
    relation, found = looked(first, second)
    assert relation == Relation.LOOK_ALIKE
    assert found.likeness > 0.9


def test_a_frame_in_common_is_not_a_picture_in_common():
    """Leaves of one book: the same ornament round another picture."""
    first, second = painted(3), painted(4)
    leaf = second.copy()
    leaf[:18], leaf[-18:], leaf[:, :18], leaf[:, -18:] = first[:18], first[-18:], first[:, :18], first[:, -18:]
    relation, found = looked(first, leaf)
    assert relation not in {Relation.REENCODED, Relation.RESIZED, Relation.RECOLOURED, Relation.CROPPED}
    assert found.score < COPY_SCORE


@pytest.mark.parametrize("seed", range(8))
def test_what_differs_in_its_middle_is_not_one_picture(seed: int):
    """Stamps, playing cards, states of a print: a ninth of the picture is another."""
    first, second = painted(2 * seed), painted(2 * seed + 1)
    card = first.copy()
    card[32:64, 43:85] = second[32:64, 43:85]
    assert looked(first, card)[0] in {Relation.UNCERTAIN, Relation.LOOK_ALIKE, Relation.DIFFERENT}


def in_a_mount(inside: Picture) -> Picture:
    """16 % of a sheet; a rule runs around it."""
    sheet = np.full((96, 128), 225, np.uint8)
    sheet[22:74, 32:96] = 80
    sheet[24:72, 34:94] = 225
    sheet[29:67, 39:90] = inside
    return sheet


@pytest.mark.parametrize("contrast", [1.0, 0.2])
@pytest.mark.parametrize("seed", range(6))
def test_a_mount_in_common_is_not_a_picture_in_common(seed: int, contrast: float):
    one, other = (
        in_a_mount(np.rint(200 + contrast * (painted(number, 38, 51) - 128.0)).clip(0, 255).astype(np.uint8))
        for number in (2 * seed, 2 * seed + 1)
    )
    assert looked(one, other)[0] in {Relation.UNCERTAIN, Relation.LOOK_ALIKE, Relation.DIFFERENT}
    assert looked(one, noisy(one, 1))[0] == Relation.RESIZED
    assert looked(one, one[3:-2, 2:-4])[0] == Relation.CROPPED


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        pytest.param(np.s_[:, 96:], (0, 0, 96 / 128, 1), id="a strip at the right"),
        pytest.param(np.s_[:, :20], (20 / 128, 0, 1, 1), id="at the left"),
        pytest.param(np.s_[:30], (0, 30 / 96, 1, 1), id="at the top"),
        pytest.param(np.s_[70:, :], (0, 0, 1, 70 / 96), id="at the bottom"),
        pytest.param(np.s_[30:60, 40:80], (0, 0, 1, 1), id="in the middle"),
        pytest.param(np.s_[:0], (0, 0, 1, 1), id="nowhere"),
    ],
)
def test_a_strip_that_shows_something_else_is_no_part_of_what_both_show(other: Any, expected: Box):
    a, b = painted(1).astype(np.float32), painted(1).astype(np.float32)
    b[other] = painted(2)[other]
    found = relate.compare_patches(a, b, np.ones(a.shape, bool)).box
    assert found == pytest.approx(expected, abs=5 / 96)
    assert (found == (0, 0, 1, 1)) == (expected == (0, 0, 1, 1))


@pytest.mark.parametrize(("left", "top"), [(6, 4), (30, 3), (20, 60)])
def test_a_small_figure_on_a_dark_ground_is_found_where_it_lies(left: int, top: int):
    """Portraits: what there is to see may lie at the edge, and little of it in the middle."""
    rng = np.random.default_rng(left)
    ground = np.clip(30 + rng.normal(0, 1.5, (96, 80)) + np.linspace(0, 12, 80), 0, 255)
    ground[top : top + 30, left : left + 30] = painted(left, 30, 30)
    picture = np.rint(ground).astype(np.uint8)
    for cropped in (picture[2:-1, 1:-2], picture[1:-4, 3:]):
        for one, other in ((picture, cropped), (cropped, picture)):
            assert looked(one, other)[0] in {Relation.RESIZED, Relation.CROPPED}


def test_a_mount_leaves_nothing_out():
    """A work is whole in its mount, however little of the sheet it takes up."""
    sheet = np.pad(ONE, ((60, 70), (80, 80)), constant_values=230)
    relation, found = looked(sheet, ONE, View(margins=1))
    assert (relation, found.share) == (Relation.CROPPED, pytest.approx(1, abs=0.05))
    assert looked(sheet, painted(2), View(margins=1))[0] == Relation.DIFFERENT


@given(st.floats(0, 0.13), st.floats(0, 0.13), st.floats(0, 0.13), st.floats(0, 0.13))
@settings(max_examples=25, deadline=None)
def test_the_share_is_the_part_that_is_left(left: float, top: float, right: float, bottom: float):
    height, width = ONE.shape
    box = round(left * width), round(top * height), round((1 - right) * width), round((1 - bottom) * height)
    part = ONE[box[1] : box[3], box[0] : box[2]]
    forties = tuple(round(40 * place / side) for place, side in zip(box, (width, height) * 2, strict=True))
    found = relate.measure_agreement(ONE, part, View(box=forties))
    assert found.score > 0.9
    assert found.share == pytest.approx(part.size / ONE.size, abs=0.02)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_any_size_gives_an_agreement_in_its_ranges(height: int, width: int, kind: int):
    rng = np.random.default_rng(height * 41 + width)
    odd = [
        rng.integers(0, 256, (height, width)),
        np.zeros((height, width)),
        np.full((height, width), 255),
        np.indices((height, width)).sum(0) % 2 * 255,
    ]
    for found in (
        relate.measure_agreement(odd[kind].astype(np.uint8), ONE, WHOLE),
        relate.measure_agreement(ONE, odd[kind].astype(np.uint8), WHOLE),
    ):
        assert 0 <= found.score <= 1
        assert 0 <= found.share <= 1
        assert 0 <= found.tone <= 1
        assert -1.001 <= found.likeness <= 1.001


def test_the_same_twice_is_the_same():
    assert relate.measure_agreement(ONE, noisy(ONE, 9), WHOLE) == relate.measure_agreement(ONE, noisy(ONE, 9), WHOLE)


# --- where keypoints say


def corners(*places: tuple[int, int], scale: float = 1.0) -> Keypoints:
    """Keypoints at x, y of a picture of 256 px, each with a code of its own; sizes as the scale has them."""
    level = round(np.log(scale) / np.log(1.2)) + 3
    codes = np.arange(len(places), dtype=np.uint64) * np.uint64(0x0123_4567_89AB_CDEF)
    return Keypoints(codes, np.array([(x, y, level, 0) for x, y in places], np.uint8))


def test_a_detail_is_found_where_its_keypoints_lie_in_either_order():
    whole = painted(5)
    detail = np.ascontiguousarray(whole[20:68, 40:104])  # half of each side: in 256 px, from 80, 40 on
    of_whole = corners((90, 50), (190, 60), (100, 120), (180, 130))
    of_detail = corners((20, 20), (220, 40), (40, 160), (200, 180), scale=2)
    for found in (
        relate.measure_local_agreement(whole, detail, (of_whole, of_detail)),
        relate.measure_local_agreement(detail, whole, (of_detail, of_whole)),
    ):
        assert relate.relation_of_agreement(found, View(is_local=True), has_equal_size=False) == Relation.DETAIL
        assert found.share == pytest.approx(0.25, abs=0.02)


def test_the_same_places_in_another_picture_do_not_make_a_detail():
    places = corners((90, 50), (190, 60), (100, 120), (180, 130))
    found = relate.measure_local_agreement(painted(5), painted(6), (places, places))
    assert relate.relation_of_agreement(found, View(is_local=True), has_equal_size=True) == Relation.DIFFERENT


def test_without_places_in_common_there_is_no_agreement():
    nothing = corners().codes, np.empty((0, 4), np.uint8)
    assert relate.measure_local_agreement(painted(5), painted(5), (Keypoints(*nothing), Keypoints(*nothing))) == (
        NO_AGREEMENT
    )


@pytest.mark.parametrize(
    ("overlap_px", "expected"),
    [
        pytest.param(125, Relation.REENCODED, id="each lost 2 % at another side"),
        pytest.param(108, Relation.CROPPED, id="two copies, each trimmed at another side"),
        pytest.param(92, Relation.DETAIL, id="the next part of a scrolled page"),
    ],
)
def test_pictures_that_each_show_what_the_other_does_not_are_no_copies(overlap_px: int, expected: Relation):
    strip = painted(8, 96, 256 - overlap_px)
    one, other = strip[:, :128], strip[:, -128:]
    starts = View(box=(round(40 * (128 - overlap_px) / 128), 0, round(40 * (256 - overlap_px) / 128), 40))
    found = relate.measure_agreement(np.ascontiguousarray(one), np.ascontiguousarray(other), starts)
    assert relate.relation_of_agreement(found, starts, has_equal_size=True) == expected
    assert found.most_share == pytest.approx(overlap_px / 128, abs=0.03)
