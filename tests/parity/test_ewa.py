"""Pictures in another size beside ImageMagick's own, `-filter Robidoux -distort Resize WxH!`."""

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tasks.core.ewa import centre_crop, resize
from tests.support import imagemagick
from tests.support.imagemagick import Pixels

MOST, MOST_ON_AVERAGE = 2, 0.1
"""Of 255: how far any level may lie from ImageMagick's, and all of them on average."""
MOST_OF_LIGHT = 6
"""Near black, a level of sRGB is thirteen times as little light."""
PAINTINGS = 20
FILTERS = pytest.mark.parametrize("is_sharp", [pytest.param(False, id="Robidoux"), pytest.param(True, id="Sharp")])
SIDES_PX = pytest.mark.parametrize("side_px", [32, 256])


@pytest.fixture(scope="module", autouse=True)
def its_command() -> None:
    if not imagemagick.is_installed():
        pytest.fail(imagemagick.LACKS) if os.environ.get("CI") else pytest.skip(imagemagick.LACKS)


def gradient(width: int, height: int) -> Pixels:
    across, down = np.linspace(0, 255, width), np.linspace(0, 255, height)[:, None]
    return np.stack(np.broadcast_arrays(across, down, (across + down) / 2), axis=2).astype(np.uint8)


def noise(width: int, height: int) -> Pixels:
    return np.random.default_rng(1).integers(0, 256, (height, width, 3), np.uint8)


def checks(width: int, height: int) -> Pixels:
    is_white = (np.indices((height, width)) // 23).sum(axis=0) % 2
    return np.repeat(is_white[:, :, None] * 255, 3, axis=2).astype(np.uint8)


def disc(width: int, height: int) -> Pixels:
    rows, columns = np.indices((height, width))
    is_inside = np.hypot(rows - height / 3, columns - width / 2) < min(width, height) / 4
    return np.where(is_inside[:, :, None], [250, 20, 90], [15, 220, 90]).astype(np.uint8)


MADE = {
    **{f"{make.__name__} of 300x300": make(300, 300) for make in (gradient, noise, checks, disc)},
    "noise that grows": noise(20, 20),
    "noise that keeps its size, or is an eighth": noise(256, 256),
    "noise that is wide": noise(500, 90),
    "one pixel": noise(1, 1),
    "one row": noise(700, 1),
    "three columns": noise(3, 700),
}


def is_near(ours: Pixels, theirs: Pixels, most: int = MOST) -> None:
    apart = np.abs(ours.astype(int) - theirs)
    assert apart.max() <= most
    assert apart.mean() <= MOST_ON_AVERAGE


@FILTERS
@SIDES_PX
@pytest.mark.parametrize("name", MADE)
def test_made_pictures(name: str, side_px: int, is_sharp: bool):
    size_px = (side_px, side_px)
    is_near(resize(MADE[name], size_px, is_sharp=is_sharp), imagemagick.resized(MADE[name], size_px, is_sharp))


@FILTERS
@pytest.mark.parametrize("size_px", [(32, 200), (431, 31), (1, 1), (2, 300)])
def test_other_shapes(size_px: tuple[int, int], is_sharp: bool):
    pixels = disc(310, 190)
    is_near(resize(pixels, size_px, is_sharp=is_sharp), imagemagick.resized(pixels, size_px, is_sharp))


@FILTERS
@SIDES_PX
@pytest.mark.parametrize("name", ["gradient of 300x300", "checks of 300x300", "disc of 300x300"])
def test_linear_light(name: str, side_px: int, is_sharp: bool):
    size_px = (side_px, side_px)
    ours = resize(MADE[name], size_px, is_sharp=is_sharp, is_linear=True)
    is_near(ours, imagemagick.resized(MADE[name], size_px, is_sharp, is_linear=True), MOST_OF_LIGHT)


@FILTERS
@SIDES_PX
def test_real_paintings(shared_data: Path, side_px: int, is_sharp: bool):
    files = sorted((shared_data / "peopleart/JPEGImages").rglob("*.jpg"))
    if not files:
        pytest.skip(f"real data: no paintings in {shared_data / 'peopleart/JPEGImages'}")
    for path in files[:: max(1, len(files) // PAINTINGS)][:PAINTINGS]:
        with Image.open(path) as image:
            pixels = np.ascontiguousarray(centre_crop(np.asarray(image.convert("RGB"))))
        size_px = (side_px, side_px)
        is_near(resize(pixels, size_px, is_sharp=is_sharp), imagemagick.resized(pixels, size_px, is_sharp))
