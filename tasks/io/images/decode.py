"""Image bytes to upright 8-bit sRGB pixels, by rules that are the same everywhere.

1. Formats: JPEG (and MPO), PNG, GIF, WebP, TIFF, BMP, PNM, JPEG 2000, AVIF. Nothing that runs a program (EPS) or has no
pixels (SVG). 2. First frame of an animation; the EXIF orientation is applied, and an unreadable EXIF counts as none. 3.
16-bit grey: the high byte. 16-bit colour: as Pillow reads it (the high byte). Palettes and transparency: composed on
   white. Grey and bilevel: the same value in R, G, B.
4. An embedded ICC profile is applied (perceptual intent, to sRGB) before that; one that is broken, or not of the
image's
   colours, is ignored. CMYK without a profile, YCbCr, Lab: Pillow's conversion.
5. Floating-point pixels, and integers beyond 16 bits, have no agreed range: refused.
"""

import functools
import io
import re
import struct
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms, UnidentifiedImageError

from schemas.reasons import Reason

try:
    import simplejpeg  # type: ignore[import-untyped]
except ImportError:  # a machine that only detects can do without: it decodes to the same pixels, in twice the time
    simplejpeg = None

FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "TIFF", "BMP", "PPM", "JPEG2000", "AVIF")

Image.init()  # registers every format; without it the rarer ones are looked for only after the common ones failed
# The limit is the recipe's, checked below before a pixel is decoded. This one, which Pillow checks at twice the number,
# is for GIF alone: merely opening one reserves its first frame, up to 65535 x 65535 px for a file of 50 bytes
Image.MAX_IMAGE_PIXELS = 500_000_000
# a bad EXIF or ICC block is no news here: the rules above say what happens
warnings.filterwarnings("ignore", module="PIL")

_UNDO = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_ORIENTATION = 0x0112
# JPEG, PNG, GIF, WebP, TIFF, JPEG 2000, AVIF. What begins so and is not identified is damaged; two letters (BMP, PNM)
# say too little
_SIGNATURE = re.compile(
    rb"\xff\xd8\xff|\x89PNG\r\n\x1a\n|GIF8[79]a|RIFF.{4}WEBP|II\*\0|MM\0\*|\0\0\0\x0cjP  \r\n\x87\n|.{4}ftypavi[fs]",
    re.DOTALL,
)
# Pillow promises no exception classes for hostile bytes; these are what its decoders are known to raise.
DECODE_ERRORS = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    EOFError,
    ZeroDivisionError,
    OverflowError,
    AttributeError,
    RuntimeError,
    struct.error,
)


class UnreadableImage(Exception):
    """These bytes give no pixels; `reason` and `detail` are for the drop."""

    def __init__(self, reason: Reason, detail: str) -> None:
        """Keep both apart, so that they need no parsing."""
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail


@dataclass(frozen=True, eq=False)
class DecodedImage:
    """A decoded image: RGB, 8-bit, upright."""

    data: Image.Image | NDArray[np.uint8]
    """Its pixels as the decoder left them; whoever wants the other kind pays for the copy."""
    format: str
    orientation: int = 1
    """The EXIF orientation, 1..8, that the file's pixels were turned by."""

    @functools.cached_property
    def rgb(self) -> Image.Image:
        """As Pillow has it."""
        return self.data if isinstance(self.data, Image.Image) else Image.fromarray(self.data)

    @property
    def width_px(self) -> int:
        """Width in the upright frame."""
        return self.data.width if isinstance(self.data, Image.Image) else self.data.shape[1]

    @property
    def height_px(self) -> int:
        """Height in the upright frame."""
        return self.data.height if isinstance(self.data, Image.Image) else self.data.shape[0]

    def pixels(self) -> NDArray[np.uint8]:
        """(height, width, 3), RGB, 0..255."""
        return np.asarray(self.data)


def picture(data: bytes, max_pixels: int) -> DecodedImage:
    """Decode to the end, upright, as 8-bit sRGB. Raises UnreadableImage with the reason for a drop."""
    if not data:
        raise UnreadableImage(Reason.EMPTY_FILE, "0 bytes")
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            refuse_beyond(max_pixels, image)
            name = "JPEG" if image.format == "MPO" else str(image.format)
            if (plain := _decode_plain_jpeg(data, image)) is not None:
                return DecodedImage(plain, name)
            image.load()  # first: reading a PNG's EXIF would load it too, and hide that its stream is broken
            orientation = orientation_of(image)
            return DecodedImage(upright(srgb_of(image), orientation), name, orientation)
    except UnidentifiedImageError as problem:
        reason = Reason.BROKEN_IMAGE if _SIGNATURE.match(data) else Reason.NOT_AN_IMAGE
        raise UnreadableImage(reason, f"{len(data)} bytes beginning with {data[:12]!r}") from problem
    except Image.DecompressionBombError as problem:
        raise UnreadableImage(Reason.TOO_MANY_PIXELS, str(problem)[:200]) from problem
    except DECODE_ERRORS as problem:
        raise UnreadableImage(Reason.BROKEN_IMAGE, f"{type(problem).__name__}: {problem}"[:200]) from problem


def _decode_plain_jpeg(data: bytes, header: Image.Image) -> NDArray[np.uint8] | None:
    """The very pixels that Pillow gives for most JPEGs, by the same library and with fewer copies; None for all others.

    Others: grey, CMYK, turned, with a profile, and any stream that libjpeg warns of, on which Pillow has the last word.
    """
    is_plain = header.format == "JPEG" and header.mode == "RGB" and "icc_profile" not in header.info
    if simplejpeg is None or not is_plain or orientation_of(header) != 1:
        return None
    try:
        pixels: NDArray[np.uint8] = simplejpeg.decode_jpeg(data, "RGB", strict=True)
    except ValueError:
        return None
    return pixels if pixels.shape[:2] == (header.height, header.width) else None


def refuse_beyond(max_pixels: int, image: Image.Image) -> None:
    """Raise Unreadable for an image, opened and not decoded, of more pixels than allowed."""
    if image.width * image.height > max_pixels:
        raise UnreadableImage(
            Reason.TOO_MANY_PIXELS, f"{image.width} x {image.height} px, at most {max_pixels} px allowed"
        )


def orientation_of(image: Image.Image) -> int:
    """The EXIF orientation, 1..8; 1 where there is none that can be read."""
    try:
        value = image.getexif().get(_ORIENTATION, 1)
        return int(value) if isinstance(value, int) and value in _UNDO else 1
    except DECODE_ERRORS:
        return 1


def upright(image: Image.Image, orientation: int) -> Image.Image:
    """Turned and mirrored as the EXIF orientation asks for."""
    turn = _UNDO.get(orientation)
    return image if turn is None else image.transpose(turn)


def srgb_of(image: Image.Image) -> Image.Image:
    """RGB, 8-bit, by rules 3 to 5; the profile and what is transparent are those of `image.info`."""
    if image.mode == "F":
        raise UnreadableImage(Reason.UNSUPPORTED_PIXELS, "floating-point pixels have no agreed range")
    plain, alpha = _grey_from_16_bits(image) if image.mode.startswith("I") else (_without_alpha(image), _alpha(image))
    rgb = _from_profile(plain, image.info.get("icc_profile")) or plain.convert("RGB")
    return rgb if alpha is None else Image.composite(rgb, Image.new("RGB", rgb.size, "white"), alpha)


def _grey_from_16_bits(image: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    """Grey of 16 bits, which Pillow holds in 16 or (PGM, some PNG) 32 bits, by its high byte; and its alpha."""
    values = np.asarray(image).astype(np.int64)
    if values.size and (values.min() < 0 or values.max() > 0xFFFF):
        raise UnreadableImage(Reason.UNSUPPORTED_PIXELS, f"grey of {values.min()}..{values.max()}, expected 0..65535")
    clear = image.info.get("transparency")  # the one value that is transparent
    alpha = Image.fromarray(np.where(values == clear, 0, 255).astype(np.uint8)) if isinstance(clear, int) else None
    return Image.fromarray((values >> 8).astype(np.uint8)), alpha


def _alpha(image: Image.Image) -> Image.Image | None:
    return image.convert("RGBA").getchannel("A") if image.has_transparency_data else None


def _without_alpha(image: Image.Image) -> Image.Image:
    """The colours in a mode that a profile can speak of: grey, CMYK or RGB."""
    if image.mode in {"RGB", "L", "CMYK"}:
        return image
    return image.convert("L" if image.mode in {"1", "LA"} else "RGB")


def _from_profile(image: Image.Image, profile: bytes | None) -> Image.Image | None:
    """The image in sRGB by its ICC profile, or None where it has none that fits its pixels."""
    if not profile:
        return None
    try:
        return ImageCms.applyTransform(image, _transform(bytes(profile), image.mode))
    except (ImageCms.PyCMSError, *DECODE_ERRORS):
        return None


@functools.lru_cache(maxsize=32)
def _transform(profile: bytes, mode: str) -> ImageCms.ImageCmsTransform:
    embedded = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    return ImageCms.buildTransform(embedded, ImageCms.createProfile("sRGB"), mode, "RGB")
