"""Real files: every odd picture has one expected outcome, the eight orientations give the same picture, two hashes are
pinned.
"""

import io
from pathlib import Path

import imagehash
import numpy as np
import pytest
from PIL import Image, ImageCms, ImageOps

from schemas.reasons import Reason
from tasks.core.hash import uint64_from_bits
from tasks.io.images import decode
from tasks.io.images.decode import DecodedImage, UnreadableImage

# as tasks.io.images.decode asks for; pytest forgets it for each test
pytestmark = pytest.mark.filterwarnings("ignore:::PIL")

LIMIT = 50_000_000

REFUSED = {
    "LICENSE": Reason.NOT_AN_IMAGE,
    "NOTES.md": Reason.NOT_AN_IMAGE,
    "broken.png": Reason.BROKEN_IMAGE,
    "broken_data_stream.png": Reason.BROKEN_IMAGE,
    "decompression_bomb.gif": Reason.TOO_MANY_PIXELS,
    "decompression_bomb.ico": Reason.UNSUPPORTED_FORMAT,
    "truncated_end_chunk.png": Reason.BROKEN_IMAGE,
    "truncated_image.png": Reason.BROKEN_IMAGE,
    "truncated_jpeg.jpg": Reason.BROKEN_IMAGE,
}

# Format, size upright, and the means of R, G, B: taken once with another decoder (OpenCV 5, composed on white), except
# where it does not apply a profile or an orientation.
READ = {
    "16bit.cropped.tif": ("TIFF", (64, 64), (1, 1, 1)),
    "background_outside_palette.gif": ("GIF", (1, 1), (0, 0, 0)),
    "broken_exif_dpi.jpg": ("JPEG", (100, 100), (0, 128, 1)),
    "decompression_bomb_extents.gif": ("GIF", (100, 100), (255, 0, 0)),
    "dispose_bgnd.gif": ("GIF", (100, 100), (72, 169, 247)),
    "exif.png": ("PNG", (512, 512), (145, 143, 143)),
    "exif_gps.jpg": ("JPEG", (8, 8), (0, 0, 0)),
    "exif_imagemagick_orientation.png": ("PNG", (512, 512), (145, 143, 143)),
    "exif_typeerror.jpg": ("JPEG", (800, 531), (161, 160, 142)),
    "flower.jpg": ("JPEG", (480, 360), (119, 132, 94)),
    "flower2.jpg": ("JPEG", (300, 225), (116, 79, 77)),
    "frozenpond.mpo": ("JPEG", (640, 480), (108, 104, 101)),
    "hopper.bmp": ("BMP", (128, 128), (90, 80, 95)),
    "hopper.gif": ("GIF", (128, 128), (90, 80, 95)),
    "hopper.jpg": ("JPEG", (128, 128), (90, 80, 95)),
    "hopper.png": ("PNG", (128, 128), (90, 80, 95)),
    "hopper.tif": ("TIFF", (128, 128), (90, 80, 95)),
    "hopper.webp": ("WEBP", (128, 128), (90, 80, 96)),
    "hopper_16bit.pgm": ("PPM", (128, 128), (84, 84, 84)),
    "hopper_16bit_qtables.jpg": ("JPEG", (128, 128), (90, 80, 95)),
    "hopper_bad_exif.jpg": ("JPEG", (500, 500), (125, 125, 125)),
    "hopper_gray.jpg": ("JPEG", (128, 128), (85, 85, 85)),
    **{f"hopper_orientation_{place}.jpg": ("JPEG", (128, 128), (90, 80, 95)) for place in range(2, 9)},
    **{f"hopper_orientation_{place}.webp": ("WEBP", (128, 128), (90, 80, 96)) for place in range(2, 9)},
    "i_trns.png": ("PNG", (64, 64), (35, 35, 35)),
    "icc-after-SOF.jpg": ("JPEG", (10, 10), (0, 0, 0)),
    "icc_profile.png": ("PNG", (57, 57), (201, 182, 171)),
    "icc_profile_big.jpg": ("JPEG", (425, 250), (60, 122, 176)),
    "invalid-exif-without-x-resolution.jpg": ("JPEG", (300, 200), (1, 1, 1)),
    "invalid-exif.jpg": ("JPEG", (200, 200), (92, 92, 92)),
    "iss634.apng": ("PNG", (245, 245), (135, 137, 90)),
    "iss634.webp": ("WEBP", (245, 245), (135, 137, 90)),
    "jpeg_ff00_header.jpg": ("JPEG", (300, 225), (116, 79, 77)),
    "junk_jpeg_header.jpg": ("JPEG", (1024, 768), (117, 116, 117)),
    "l_trns.png": ("PNG", (64, 64), (124, 124, 124)),
    "multiple_exif.jpg": ("JPEG", (1, 1), (0, 0, 0)),
    "no_palette.gif": ("GIF", (1, 1), (0, 0, 0)),
    "orientation_rectangle.jpg": ("JPEG", (1, 2), (254, 0, 0)),
    "p_16.png": ("PNG", (128, 128), (96, 96, 96)),
    "p_trns_single.png": ("PNG", (64, 64), (128, 176, 163)),
    "palette_not_needed_for_second_frame.gif": ("GIF", (128, 128), (90, 80, 95)),
    "pil_sample_cmyk.jpg": ("JPEG", (100, 100), (30, 5, 7)),
    "pil_sample_rgb.jpg": ("JPEG", (100, 100), (28, 4, 3)),
    "rgb.jpg": ("JPEG", (100, 100), (68, 32, 33)),
    "rgb_trns.png": ("PNG", (64, 64), (128, 176, 163)),
    "sugarshack_bad_mpo_header.jpg": ("JPEG", (640, 480), (121, 109, 99)),
    "tiff_16bit_RGB.tiff": ("TIFF", (100, 40), (42, 29, 22)),
    "transparent.png": ("PNG", (200, 150), (211, 203, 204)),
    "xmp_test.jpg": ("JPEG", (2000, 1072), (131, 128, 126)),
}


@pytest.fixture(scope="module")
def odd(shared_data: Path) -> Path:
    return shared_data / "odd_images"


def picture(path: Path) -> DecodedImage:
    return decode.picture(path.read_bytes(), LIMIT)


def values(path: Path) -> np.ndarray:
    return picture(path).pixels().astype(int)


def bits(path: Path) -> int:
    return uint64_from_bits(imagehash.phash(picture(path).rgb).hash)


def test_every_odd_file_has_an_expected_outcome(odd):
    assert {path.name for path in odd.iterdir()} == REFUSED.keys() | READ.keys()


@pytest.mark.parametrize(("name", "reason"), REFUSED.items(), ids=str)
def test_an_odd_file_is_refused(odd, name, reason):
    with pytest.raises(UnreadableImage) as caught:
        picture(odd / name)

    assert caught.value.reason == reason


@pytest.mark.parametrize(("name", "expected"), READ.items(), ids=str)
def test_an_odd_file_is_read(odd, name, expected):
    found = picture(odd / name)

    assert (found.format, (found.width_px, found.height_px)) == expected[:2]
    assert np.abs(found.pixels().reshape(-1, 3).mean(axis=0) - expected[2]).max() <= 1.5


def test_16_bit_grey_of_a_dark_scan_keeps_its_high_byte(odd):
    """16bit.cropped.tif holds 291..694: dark it is, blank it is not."""
    with Image.open(odd / "16bit.cropped.tif") as image:
        stored = np.asarray(image)
    assert (stored.min(), stored.max()) == (291, 694)

    found = values(odd / "16bit.cropped.tif")

    np.testing.assert_array_equal(found, np.stack([stored // 256] * 3, axis=2))
    assert sorted(np.unique(found)) == [1, 2]


def test_16_bit_grey_with_a_transparent_value_is_not_blank(odd):
    """i_trns.png holds 0..255 of 65535, all black by their high byte, and 255 is the transparent value: white."""
    with Image.open(odd / "i_trns.png") as image:
        stored, clear = np.asarray(image), image.info["transparency"]
    assert (stored.dtype, stored.max(), clear) == (np.uint16, 255, 255)

    found = values(odd / "i_trns.png")

    np.testing.assert_array_equal(found[:, :, 0], np.where(stored == 255, 255, 0))
    assert 0 < (found[:, :, 0] == 255).sum() == (stored == 255).sum() < stored.size


@pytest.mark.parametrize("name", ["hopper_16bit.pgm", "hopper_gray.jpg"])
def test_grey_is_the_grey_of_the_coloured_picture(odd, name):
    with Image.open(odd / "hopper.png") as image:
        grey = np.asarray(image.convert("L")).astype(int)

    assert np.abs(values(odd / name)[:, :, 1] - grey).mean() < 4


@pytest.mark.parametrize("name", ["transparent.png", "p_trns_single.png", "l_trns.png", "rgb_trns.png"])
def test_transparency_lies_on_white(odd, name):
    with Image.open(odd / name) as image:
        rgba = np.asarray(image.convert("RGBA")).astype(float)
    opacity = rgba[:, :, 3:] / 255

    assert np.abs(values(odd / name) - (rgba[:, :, :3] * opacity + 255 * (1 - opacity))).max() <= 1
    assert (opacity < 1).any()


@pytest.mark.parametrize(
    ("name", "frames"),
    [
        ("dispose_bgnd.gif", 5),
        ("iss634.apng", 41),
        ("iss634.webp", 42),
        ("frozenpond.mpo", 2),
        ("palette_not_needed_for_second_frame.gif", 2),
    ],
)
def test_the_first_frame_stands_for_all(odd, name, frames):
    with Image.open(odd / name) as image:
        assert image.n_frames == frames
        first = image.convert("RGBA")
        image.seek(1)
        second = image.convert("RGBA")
    white = Image.new("RGBA", first.size, "white")
    found = values(odd / name)

    assert np.abs(found - np.asarray(Image.alpha_composite(white, first))[:, :, :3]).max() <= 1
    assert name.startswith("palette") or np.abs(found - np.asarray(second)[:, :, :3]).max() > 1


@pytest.mark.parametrize(
    ("name", "most_changed"),
    [("flower2.jpg", 0), ("rgb.jpg", 0), ("icc_profile_big.jpg", 21), ("xmp_test.jpg", 36)],
)
def test_a_profile_is_applied(odd, name, most_changed):
    """flower2 and rgb are sRGB already; xmp_test is Adobe RGB."""
    with Image.open(odd / name) as image:
        profile = ImageCms.ImageCmsProfile(io.BytesIO(image.info["icc_profile"]))
        plain = np.asarray(image).astype(int)
        by_profile = ImageCms.profileToProfile(image, profile, ImageCms.createProfile("sRGB"))
    found = values(odd / name)

    np.testing.assert_array_equal(found, np.asarray(by_profile))
    assert np.abs(found - plain).max() == pytest.approx(most_changed, abs=3 if most_changed else 0)


def test_a_profile_of_seven_bytes_is_ignored(odd):
    with Image.open(odd / "icc-after-SOF.jpg") as image:
        assert len(image.info["icc_profile"]) == 7
        plain = np.asarray(image.convert("RGB"))

    np.testing.assert_array_equal(values(odd / "icc-after-SOF.jpg"), plain)


def test_cmyk_has_the_colours_of_the_same_picture_in_rgb(odd):
    difference = values(odd / "pil_sample_cmyk.jpg") - values(odd / "pil_sample_rgb.jpg")

    assert np.abs(difference).mean() < 12


def test_an_orientation_in_imagemagicks_text_chunk_counts(odd):
    with Image.open(odd / "exif_imagemagick_orientation.png") as image:
        stored, upright = np.asarray(image), np.asarray(ImageOps.exif_transpose(image))
    np.testing.assert_array_equal(upright, stored[::-1, ::-1])

    np.testing.assert_array_equal(values(odd / "exif_imagemagick_orientation.png"), upright)


def test_the_rectangle_of_two_pixels_stands_upright(odd):
    with Image.open(odd / "orientation_rectangle.jpg") as image:
        assert (image.size, image.getexif()[0x0112]) == ((2, 1), 8)

    assert values(odd / "orientation_rectangle.jpg").shape == (2, 1, 3)


# --- orientations


@pytest.mark.parametrize("suffix", ["jpg", "webp"])
@pytest.mark.parametrize("place", range(2, 9))
def test_hopper_is_upright_in_every_orientation(odd, place, suffix):
    plain, turned = odd / "hopper.jpg", odd / f"hopper_orientation_{place}.{suffix}"

    assert np.abs(values(turned) - values(plain)).mean() < 6
    assert (bits(turned) ^ bits(plain)).bit_count() <= (2 if suffix == "jpg" else 4)


@pytest.mark.parametrize("place", range(1, 9))
@pytest.mark.parametrize(("name", "size"), [("Landscape", (1800, 1200)), ("Portrait", (1200, 1800))])
def test_a_photograph_is_upright_in_every_orientation(shared_data, name, size, place):
    folder = shared_data / "exif_orientation"
    plain, turned = folder / f"{name}_0.jpg", folder / f"{name}_{place}.jpg"
    found = picture(turned)

    assert (found.width_px, found.height_px) == size
    assert (uint64_from_bits(imagehash.phash(found.rgb).hash) ^ bits(plain)).bit_count() <= 2
    assert np.abs(found.pixels()[::7, ::7].astype(int) - values(plain)[::7, ::7]).mean() < 6


def test_the_short_way_gives_pillows_pixels_of_real_paintings(shared_data):
    paths = sorted((shared_data / "peopleart/JPEGImages").rglob("*.jpg"))[::20]
    assert paths
    for path in paths:
        with Image.open(path) as image:
            assert np.array_equal(picture(path).pixels(), np.asarray(image.convert("RGB")))
