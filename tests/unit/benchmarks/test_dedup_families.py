"""Kinds of copies: each is drawn from the seed alone, of the size and tone that its name says."""

import math

import numpy as np
import pytest
from PIL import Image, ImageOps

from benchmarks import dedup_geometry, dedup_surroundings, dedup_tones
from benchmarks.dedup_families import APART, FAMILIES, ORDINARY, PARTS
from benchmarks.dedup_sheets import SAVED_AGAIN, painted
from benchmarks.dedup_variants import copy_of, opened
from schemas.relations import Relation

BY_NAME = {transform.name: transform for transform in FAMILIES}
WHOLE = painted(np.random.default_rng(3), (200, 160))


def copy(name: str, key: str = "key") -> Image.Image:
    return opened(copy_of(WHOLE, BY_NAME[name], key, 1))


def off(one: Image.Image, other: Image.Image) -> float:
    """Mean difference, in levels."""
    return float(np.abs(np.asarray(one, float) - np.asarray(other, float)).mean())


def test_names_are_unique_relations_known_and_each_is_ordinary_or_apart():
    names = [transform.name for transform in (*FAMILIES, *SAVED_AGAIN)]
    assert len(names) == len(set(names))
    assert (len(ORDINARY), len(APART)) == (66, 11)
    assert {*ORDINARY, *APART} == set(FAMILIES)
    assert set(PARTS) < set(APART)
    assert {transform.relation for transform in FAMILIES} <= {str(relation) for relation in Relation}


@pytest.mark.slow
@pytest.mark.parametrize("transform", [*FAMILIES, *SAVED_AGAIN], ids=lambda transform: transform.name)
def test_every_transform_gives_a_picture_whatever_the_size_and_again_the_same_bytes(transform):
    for size in ((1, 1), (1, 40), (3, 2), (64, 48)):
        whole = painted(np.random.default_rng(1), size)
        once = copy_of(whole, transform, "key", 1)
        assert min(opened(once).size) > 0
        assert once == copy_of(whole, transform, "key", 1)


@pytest.mark.slow
@pytest.mark.parametrize("transform", FAMILIES, ids=lambda transform: transform.name)
def test_every_copy_differs_from_its_original_and_leaves_it_alone(transform):
    before = WHOLE.copy()
    changed = opened(copy_of(WHOLE, transform, "key", 1))
    assert changed.size != WHOLE.size or off(changed, WHOLE) > 0.3
    assert off(before, WHOLE) == 0


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("scale-eighth", (25, 20)),
        ("scale-double", (400, 320)),
        ("squared", (160, 160)),
        ("crop-axis-10", (180, 144)),
        ("crop-axis-15", (170, 136)),
        ("padded-white", (200, 200)),
        ("turned-90", (160, 200)),
        ("turned-180", (200, 160)),
        ("collage", (400, 320)),
        ("mirrored-cropped-10", (180, 144)),
    ],
)
def test_sizes_that_are_not_drawn(name, size):
    assert all(abs(side - wanted) <= 1 for side, wanted in zip(copy(name).size, size, strict=True))


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        # share of the original's area that the copy has
        ("crop-one-side-25", 0.74, 0.86),
        ("crop-axis-25", 0.55, 0.73),
        ("crop-corner-25", 0.55, 0.73),
        ("crop-each-side-25", 0.24, 0.5),
        ("half", 0.49, 0.52),
        ("detail", 0.14, 0.32),
        ("stretched-10", 1.09, 1.11),
        ("turned-5-trimmed", 0.7, 0.95),
        ("border-white", 1.18, 1.5),
        ("mount", 1.6, 2.7),
        ("screenshot", 1.4, 2.2),
    ],
)
def test_areas_stay_within_their_range(name, least, most):
    for key in "abcdef":
        width_px, height_px = copy(name, key).size
        assert least <= width_px * height_px / (WHOLE.width * WHOLE.height) <= most


@pytest.mark.parametrize(
    ("name", "undone"),
    [
        ("negative", ImageOps.invert),
        ("upside-down", ImageOps.flip),
        ("turned-90", lambda found: found.rotate(-90, expand=True)),
        ("turned-270", lambda found: found.rotate(90, expand=True)),
        ("padded-black", lambda found: found.crop((0, 20, 200, 180))),
        ("banner-bottom", lambda found: Image.composite(found, WHOLE, _upper(0.84))),
        ("stretched-5", lambda found: found.resize(WHOLE.size)),
    ],
)
def test_a_transform_undone_leaves_the_picture(name, undone):
    assert off(undone(copy(name)), WHOLE) < 6


def _upper(share: float) -> Image.Image:
    mask = Image.new("L", WHOLE.size, 0)
    mask.paste(255, (0, 0, WHOLE.width, int(WHOLE.height * share)))
    return mask


@pytest.mark.parametrize("name", ["grey", "sepia"])
def test_what_has_no_colour_of_its_own_has_one_hue(name):
    levels = np.asarray(copy(name), float)
    red_less_blue = levels[..., 0] - levels[..., 2]
    assert red_less_blue.std() < 16
    assert red_less_blue.min() > -10  # JPEG's own


def test_fading_and_varnish_lighten_the_dark_and_yellow_the_light():
    two = Image.fromarray(np.array([[[0] * 3, [250] * 3]], np.uint8))
    assert np.asarray(dedup_tones.faded(two, 0.5))[0, 0].min() > 90
    red, _, blue = np.asarray(dedup_tones.varnished(two, 1))[0, 1].tolist()
    assert red - blue > 60


@pytest.mark.parametrize(
    ("width_px", "height_px", "degrees", "share"),
    [(100, 100, 0, 1), (100, 100, 45, math.sqrt(0.5)), (300, 200, 0, 1), (300, 200, 90, 2 / 3)],
)
def test_share_kept_of_a_turned_rectangle(width_px, height_px, degrees, share):
    assert dedup_geometry.share_kept(width_px, height_px, degrees) == pytest.approx(share)


@pytest.mark.parametrize("name", ["turned-5-trimmed", "perspective-strong", "perspective-mild"])
def test_what_is_trimmed_shows_no_ground(name):
    white = Image.new("RGB", (300, 200), "white")
    for key in "abc":
        assert np.asarray(opened(copy_of(white, BY_NAME[name], key, 1))).min() > 240


def test_a_projection_takes_corners_to_corners():
    before = np.array([(0, 0), (10, 0), (10, 20), (0, 20)], float)
    after = np.array([(1, 2), (9, 1), (8, 18), (2, 19)], float)
    a, b, c, d, e, f, g, h = dedup_geometry.projection(before, after)
    for (x, y), wanted in zip(before, after, strict=True):
        below = g * x + h * y + 1
        assert ((a * x + b * y + c) / below, (d * x + e * y + f) / below) == pytest.approx(tuple(wanted))


def test_a_frame_is_black_within_and_gilded_around():
    frame = np.asarray(dedup_surroundings.gilded((120, 90), 20, np.random.default_rng(1)))
    assert frame[20:-20, 20:-20].max() == 0
    assert frame[:18].mean(axis=(0, 1))[0] > frame[:18].mean(axis=(0, 1))[2] > 0
