"""Scores of pictures: hand-made ones whose scores are known, odd sizes, and what was done to real paintings."""

import io
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from PIL import Image, ImageFilter, ImageOps

from examples.museum.borders import Border, bordered
from tasks.core import quality
from tasks.core.quality import Margins, QualityScores, scores
from tasks.io.images.colour_thumbnails import rgb
from tasks.io.images.inspection import inspect

Pixels = NDArray[np.uint8]


def flat(colour: tuple[int, int, int], height: int = 60, width: int = 80) -> Pixels:
    return np.full((height, width, 3), colour, np.uint8)


def restless(height: int = 120, width: int = 160, seed: int = 7) -> Pixels:
    """Blocks of 4 px in random colours: no line along a side, and every colour at every lightness."""
    blocks = np.random.default_rng(seed).integers(0, 256, (height // 4, width // 4, 3), np.uint8)
    return blocks.repeat(4, 0).repeat(4, 1)


def painted(share: float, colour: tuple[int, int, int]) -> Pixels:
    """White, but for the upper `share` of the rows."""
    picture = flat((255, 255, 255), 100, 100)
    picture[: round(100 * share)] = colour
    return picture


def published_colourfulness(picture: Pixels) -> float:
    """M(3) as Hasler and Suesstrunk write it down, in floats."""
    red, green, blue = (picture[:, :, channel].astype(float) for channel in range(3))
    sides = (red - green, (red + green) / 2 - blue)
    return math.hypot(*(side.std() for side in sides)) + 0.3 * math.hypot(*(side.mean() for side in sides))


# --- odd input


@pytest.mark.parametrize(
    ("size", "blur"),
    [((1, 1), 0), ((2, 2), 0), ((3, 7), 0), ((10, 10), 0), ((1, 300), 1), ((300, 1), 1), ((11, 256), 1)],
    ids=str,
)
def test_tiny_pictures_and_strips_have_scores(size: tuple[int, int], blur: int):
    green = 0.3 * math.hypot(190, 75)
    assert scores(flat((10, 200, 30), *size)) == QualityScores(
        chroma=0, contrast=0, blur=blur, border=0, object_photo=0, colourfulness=round(green, 3)
    )


@pytest.mark.parametrize("height", [1, 2, 8, 10])
def test_a_sharp_strip_is_not_blurred_for_being_narrow(height: int):
    strip = restless(12, 256)[:1].repeat(height, 0)
    assert 0 < quality.blur(strip) < 0.2
    assert quality.blur(strip.transpose(1, 0, 2)) == quality.blur(strip)


def test_scores_are_those_of_the_picture_however_it_lies_in_memory():
    picture = restless()
    assert scores(np.asfortranarray(picture)) == scores(picture[::-1][::-1]) == scores(picture)


@given(arrays.arrays(np.uint8, st.tuples(st.integers(1, 40), st.integers(1, 40), st.just(3))))
def test_scores_are_shares_whatever_the_picture(picture: Pixels):
    got = scores(picture)
    assert all(0 <= score <= 1 for score in got[1:-1])
    assert 0 <= got.colourfulness < 300
    assert 0 <= got.chroma < 1.2
    assert list(got) == [round(score, 3) for score in got]
    assert scores(np.ascontiguousarray(picture[:, ::-1])).contrast >= 0


@given(arrays.arrays(np.uint8, st.tuples(st.integers(1, 30), st.integers(1, 30), st.just(3))))
def test_a_side_has_margins_that_leave_something(picture: Pixels):
    top, bottom, left, right = quality.margins(picture)
    assert min(top, bottom, left, right) >= 0
    assert top + bottom < picture.shape[0]
    assert left + right < picture.shape[1]


# --- chroma


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        pytest.param(flat((200, 30, 30)), 0, id="one colour is one tone"),
        pytest.param(np.arange(256, dtype=np.uint8)[None, :, None].repeat(64, 0).repeat(3, 2), 0, id="greys"),
        pytest.param(painted(0.5, (120, 60, 20)), 0, id="ink of any colour on white"),
    ],
)
def test_what_lightness_explains_is_no_colour(picture: Pixels, expected: float):
    assert quality.chroma(quality.reduce_to_quarter(picture)) == expected


def test_two_colours_of_one_lightness_are_colour():
    # red and blue whose luma is 60: (200, 0, 0) is 77 * 200 = 15400, (0, 52, 262) no; equal levels of 64 are enough
    red, blue = (190, 0, 10), (0, 60, 198)
    # 14.5 and 14.25 of 64: one level
    assert [int(quality.luma(flat(colour))[0, 0]) for colour in (red, blue)] == [
        58,
        57,
    ]
    picture = flat(red, 80, 80)
    picture[:, 40:] = blue
    # (R - G, (R + G) / 2 - B) = (190, 85) and (-60, -168): half their distance from the mean, of 255
    assert quality.chroma(quality.reduce_to_quarter(picture)) == pytest.approx(np.hypot(250, 253) / 2 / 255)


def test_a_seal_on_an_ink_drawing_does_not_make_it_a_picture_in_colour():
    ink = np.random.default_rng(1).integers(0, 250, (32, 32, 1), np.uint8).repeat(3, 2).repeat(4, 0).repeat(4, 1)
    ink[100:120, 100:120] = (200, 30, 30)  # 2.4 % of the area
    assert quality.chroma(quality.reduce_to_quarter(ink)) == 0
    ink[60:120, 60:120] = (200, 30, 30)  # 22 %: more than a twentieth
    assert quality.chroma(quality.reduce_to_quarter(ink)) > 0.025


# --- contrast, blur


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        pytest.param(flat((255, 255, 255)), 0, id="an empty sheet"),
        pytest.param(flat((9, 9, 9)), 0, id="black"),
        pytest.param(painted(0.01, (0, 0, 0)), 0, id="a line on a hundredth is next to nothing"),
        pytest.param(
            painted(0.03, (55, 255, 255)), 200 / 255, id="a stroke on three hundredths, in its strongest channel"
        ),
        pytest.param(painted(0.995, (0, 0, 0)), 0, id="nearly all black"),
    ],
)
def test_contrast(picture: Pixels, expected: float):
    assert quality.contrast(picture) == expected


def test_blur_by_hand():
    """A step from 0 to 90 across 9 px averages to steps of 10: of the one difference of 90, 80 is lost on being
    blurred.
    """
    picture = flat((0, 0, 0), 40, 40)
    picture[20:] = 90
    assert quality.blur(picture) == 1  # across the rows nothing differs, and the worse direction counts
    steps = np.zeros((40, 40), np.uint8)
    steps[20:] = 90
    assert quality._blur_down(steps) == pytest.approx(1 - (90 - 10) / 90)


def test_sums_beyond_16_bits_are_right():
    tall = np.zeros((1000, 300), np.uint8)
    tall[500:] = 255  # 9 * 255 * 300 = 688,500 are lost and kept
    assert quality._blur_down(tall) == pytest.approx(1 / 9)


# --- border


@pytest.mark.parametrize(
    ("sides", "colour", "expected"),
    [
        pytest.param((12, 12, 12, 12), (244, 240, 228), Margins(12, 12, 12, 12), id="a passe-partout"),
        pytest.param((0, 0, 0, 20), (0, 0, 0), Margins(0, 0, 0, 20), id="a strip at one side"),
        pytest.param((20, 20, 0, 0), (0, 0, 0), Margins(20, 20, 0, 0), id="bars above and below"),
        pytest.param((0, 0, 0, 0), (0, 0, 0), Margins(0, 0, 0, 0), id="none"),
    ],
)
def test_plain_borders_are_found_to_a_pixel(sides: tuple[int, ...], colour: tuple[int, int, int], expected: Margins):
    top, bottom, left, right = sides
    whole = flat(colour, 120 + top + bottom, 160 + left + right)
    whole[top : top + 120, left : left + 160] = restless()
    found = quality.margins(whole)
    assert np.abs(np.array(found) - np.array(expected)).max() <= 1
    inner = (found.top + found.bottom, found.left + found.right)
    height, width = whole.shape[:2]
    assert scores(whole).border == round(1 - (height - inner[0]) * (width - inner[1]) / (height * width), 3)


def test_a_wooden_frame_is_found_and_what_it_holds_is_scored():
    held = np.random.default_rng(3).integers(90, 160, (30, 40, 1), np.uint8).repeat(3, 2).repeat(4, 0).repeat(4, 1)
    whole = bordered(held, Border(12, (58, 39, 22), grain=5))
    got = scores(whole)
    assert got.border == pytest.approx(1 - 120 * 160 / (144 * 184), abs=0.03)
    assert got.chroma == 0


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(np.linspace(30, 220, 120).astype(np.uint8)[:, None, None].repeat(160, 1).repeat(3, 2), id="a sky"),
        pytest.param(restless(), id="a restless picture"),
        pytest.param(
            restless()[:, :, :1].repeat(3, 2).repeat(2, 0).repeat(2, 1)[:240, :240], id="a pattern of squares"
        ),
        pytest.param(flat((20, 15, 10)), id="a dark ground without an end"),
    ],
)
def test_what_ends_in_no_straight_edge_is_no_border(picture: Pixels):
    assert quality.margins(picture) == Margins(0, 0, 0, 0)


# --- objects


def thing(
    ground: tuple[int, int], is_inside: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
) -> Pixels:
    """A brown thing before a ground that is shaded from the upper to the lower of two greys, 200 x 160 px."""
    y, x = np.mgrid[:200, :160]
    grey = np.linspace(*ground, 200)[:, None, None].repeat(160, 1).repeat(3, 2)
    brown = np.array([150, 90, 50]) * (0.4 + 0.6 * x / 160)[..., None]
    return np.where(is_inside(y, x)[..., None], brown, grey).astype(np.uint8)


@pytest.mark.parametrize(
    ("ground", "is_inside", "least", "most"),
    [
        pytest.param((235, 235), lambda y, x: np.hypot(y - 100, x - 80) < 50, 0.95, 1, id="a coin"),
        pytest.param(
            (90, 210), lambda y, x: np.hypot((y - 100) / 1.5, x - 80) < 50, 0.95, 1, id="a vase, the ground shaded"
        ),
        pytest.param((235, 235), lambda y, x: np.hypot(y - 100, x - 80) < 10, 0, 0, id="a dot"),
        pytest.param(
            (235, 235), lambda y, x: (abs(y - 100) < 60) & (abs(x - 80) < 40), 0, 0, id="a print on its sheet"
        ),
        pytest.param((235, 235), lambda y, x: (y + x) % 40 < 8, 0, 0.75, id="hatching over all"),
        pytest.param((235, 235), lambda y, x: y > 100, 0, 0.75, id="land and sky"),
        pytest.param((235, 235), lambda y, x: y < 0, 0, 0, id="nothing"),
    ],
)
def test_things_before_a_plain_ground(
    ground: tuple[int, int], is_inside: Callable[..., NDArray[np.bool_]], least: float, most: float
):
    assert least <= quality.object_photo(quality.reduce_to_quarter(thing(ground, is_inside))) <= most


# --- real paintings


def of_image(image: Image.Image) -> QualityScores:
    """Scores as a build takes them: of the thumbnail that is kept of a file."""
    file = io.BytesIO()
    image.save(file, "JPEG", quality=90)
    return scores(rgb(inspect(file.getvalue(), 10**9).thumbnail))


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "peopleart" / "JPEGImages"


@pytest.fixture(scope="module")
def paintings(folder: Path) -> list[Image.Image]:
    return [Image.open(path).convert("RGB") for path in sorted(folder.glob("*/*.jpg"))[::21]]


# drawings, prints, and photographs of paintings in greys
def test_no_ordinary_painting_is_beyond_the_limits_that_the_docs_give(folder: Path):
    """A fifth of the 636; docs/screening.md has the figures of all."""
    every = [scores(rgb(inspect(path.read_bytes(), 10**9).thumbnail)) for path in sorted(folder.glob("*/*.jpg"))[::5]]
    assert len(every) == 128
    assert min(found.contrast for found in every) > 0.25
    assert max(found.blur for found in every) < 0.45
    assert sum(found.border > 0.2 for found in every) <= 3
    assert sum(found.object_photo > 0.75 for found in every) <= 5
    assert 5 <= sum(found.chroma < 0.025 for found in every) <= 15


@pytest.mark.parametrize(
    ("name", "is_right"),
    [
        pytest.param("Cubism/juan-gris_the-open-book-1925.jpg", lambda found: found.border > 0.5, id="framed"),
        pytest.param(
            "HighRenaissance/michelangelo_bust-of-brutus.jpg", lambda found: found.object_photo > 0.75, id="a sculpture"
        ),
        pytest.param(
            "HighRenaissance/michelangelo_bacchus-1497.jpg", lambda found: found.object_photo > 0.75, id="another"
        ),
        pytest.param(
            "NorthernRenaissance/albrecht-durer_great-piece-of-turf-study-of-weeds-1503.jpg",
            lambda found: found.chroma < 0.02,
            id="grey",
        ),
    ],
)
def test_what_eyes_have_found_among_them(folder: Path, name: str, is_right: Callable[[QualityScores], bool]):
    if not (folder / name).exists():
        pytest.skip(f"real data: no {name}")
    assert is_right(scores(rgb(inspect((folder / name).read_bytes(), 10**9).thumbnail)))


def toned(dark: str, light: str) -> Callable[[Image.Image], Image.Image]:
    return lambda image: ImageOps.colorize(image.convert("L"), dark, light)


def mounted(image: Image.Image) -> Image.Image:
    return ImageOps.expand(image, min(image.size) // 8, (244, 240, 228))


def blurred(thumbnail_px: float) -> Callable[[Image.Image], Image.Image]:
    return lambda image: image.filter(ImageFilter.GaussianBlur(thumbnail_px * max(image.size) / 256))


@pytest.mark.parametrize(
    ("done", "is_found"),
    [
        pytest.param(lambda image: image.convert("L"), lambda found: found.chroma < 0.025, id="made grey"),
        pytest.param(toned("#28140a", "#ebd7aa"), lambda found: found.chroma < 0.025, id="made sepia"),
        pytest.param(toned("#0a1e50", "#dcebf0"), lambda found: found.chroma < 0.025, id="a blueprint"),
        pytest.param(blurred(2), lambda found: found.blur > 0.5, id="blurred by 2 px of the thumbnail"),
        pytest.param(mounted, lambda found: found.border > 0.2, id="in a passe-partout"),
    ],
)
def test_what_is_done_to_paintings_is_seen(
    paintings: list[Image.Image], done: Callable[[Image.Image], Image.Image], is_found: Callable[[QualityScores], bool]
):
    found = sum(is_found(of_image(done(image))) for image in paintings)
    assert found >= 0.9 * len(paintings)


# --- colourfulness


@pytest.mark.parametrize(
    ("colour", "expected"),
    [((0, 0, 0), 0.0), ((90, 90, 90), 0.0), ((255, 0, 0), 85.53), ((0, 0, 255), 76.5), ((255, 255, 0), 76.5)],
)
def test_one_colour_is_as_colourful_as_it_is_far_from_grey(colour: tuple[int, int, int], expected: float):
    assert scores(flat(colour)).colourfulness == expected


def test_two_colours_count_by_their_spread():
    """Half red, half green: R - G is 255 or -255, and (R + G) / 2 - B is 127.5 in both."""
    picture = flat((0, 255, 0), 96, 96)
    picture[:48] = (255, 0, 0)
    assert quality.colourfulness(quality.reduce_to_quarter(picture)) == 255 + 0.3 * 127.5


@pytest.mark.parametrize("seed", range(4))
def test_colourfulness_is_the_published_measure(seed: int):
    picture = restless(seed=seed)  # blocks of 4 px, which a quarter of the size shows as they are
    assert quality.colourfulness(quality.reduce_to_quarter(picture)) == pytest.approx(published_colourfulness(picture))
