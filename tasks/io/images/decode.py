"""Image bytes to upright 8-bit sRGB pixels, by rules that are the same everywhere.

1. Formats: JPEG (and MPO), PNG, GIF, WebP, TIFF, BMP, PNM, JPEG 2000, AVIF. No format that runs a program (EPS) or has
   no pixels (SVG).
2. The first frame of an animation; the EXIF orientation is applied, and an unreadable EXIF counts as none. Where EXIF
   says nothing of it, an XMP packet's `tiff:Orientation` counts, as in Pillow's exif_transpose.
3. 16-bit grey: the high byte; of 12 bits in a TIFF the high 8. 16-bit colour: as Pillow reads it (the high byte).
   Palettes and transparency: composed on white. Grey and bilevel: the same value in R, G, B.
4. An embedded ICC profile is applied (perceptual intent, to sRGB) before that; a broken one, one for other colours than
   the image's, or one of more than 16 MB in a PNG, is ignored. CMYK without a profile, YCbCr, Lab: Pillow's conversion;
   of Lab in 16 bits the high byte.
   A PNG's cICP comes before its profile; gAMA with cHRM count where it has neither profile nor sRGB, and gAMA of 1/2.2
   is sRGB's (png). PNGs in high dynamic range (PQ, HLG) or in video's narrow range are refused.
5. Floating-point pixels, signed ones, and integers beyond 16 bits have no agreed range: refused, whatever they hold.
6. Texts in a PNG, whatever their size, change nothing. A PNG with fewer rows than its header says is broken, also where
   its zlib stream ends well; so is an uncompressed TIFF without all its strips or tiles, and a JPEG that lacks nothing
   but its end marker: browsers show it, but Pillow and torchvision refuse it, and a release has the bytes as they came.
7. TIFFs in planes: RGB, CMYK, grey, palettes; RGB with alpha. Not Lab nor grey with alpha; YCbCr only if compressed.
"""

import contextlib
import functools
import io
import re
import struct
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms, PngImagePlugin, TiffImagePlugin, UnidentifiedImageError

from schemas.reasons import Reason
from schemas.stand_ins import stand_in
from tasks.io.images import png, tiff, undecoded

try:
    import simplejpeg  # type: ignore[import-untyped]
except ImportError:  # a machine that only detects may lack it: Pillow gives the same pixels, in twice the time
    simplejpeg = None

FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "TIFF", "BMP", "PPM", "JPEG2000", "AVIF")

Image.init()  # registers every format; otherwise Pillow tries the rarer ones only after the common ones have failed
# The recipe's limit is checked below, before a pixel is decoded. This one, which Pillow checks at twice the number, is
# for GIF alone: just opening a GIF reserves its first frame, up to 65535 x 65535 px for a file of 50 bytes
Image.MAX_IMAGE_PIXELS = 500_000_000
# for a colour profile; what all texts of a file may unpack to (64 MB) is as Pillow has it
PngImagePlugin.MAX_TEXT_CHUNK = png.MOST_PROFILE_BYTES
# no warnings about bad EXIF or ICC blocks: the rules above define what happens
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
# JPEG, PNG, GIF, WebP, TIFF, BigTIFF, JPEG 2000 (two kinds), AVIF. A file that begins so and is not identified is
# damaged; the two letters of BMP and PNM are too few to tell
SIGNATURE = re.compile(
    rb"\xff\xd8\xff|\x89PNG\r\n\x1a\n|GIF8[79]a|RIFF.{4}WEBP|II[*+]\0|MM\0[*+]|\0\0\0\x0cjP  \r\n\x87\n|"
    rb"\xff\x4f\xff\x51|.{4}ftypavi[fs]",
    re.DOTALL,
)
_JPEG_END = b"\xff\xd9"
NO_END = "libjpeg: Premature end of JPEG file: its end marker, FF D9, is missing; many programs refuse it"
_TOO_MUCH_TEXT = re.compile("Decompressed data too large|Too much memory used in text chunks")
# Pillow documents no exception classes for malformed bytes; its decoders are known to raise these.
DECODE_ERRORS = (
    *(OSError, SyntaxError, ValueError, TypeError, KeyError, IndexError, EOFError, ZeroDivisionError, OverflowError),
    *(AttributeError, RuntimeError, struct.error),
)


class UnreadableImage(Exception):
    """These bytes can't be decoded; `reason` and `detail` are those of the drop."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail


@dataclass(frozen=True, eq=False)
class DecodedImage:
    """A decoded image: RGB, 8-bit, upright."""

    data: Image.Image | NDArray[np.uint8]
    """Its pixels as the decoder returned them; `rgb` and `pixels` convert if need be."""
    format: str
    orientation: int = 1
    """The EXIF orientation, 1..8, by which the file's pixels were turned."""

    @functools.cached_property
    def rgb(self) -> Image.Image:
        """As a Pillow image."""
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
        return _picture(data, max_pixels)
    except Image.DecompressionBombError as problem:
        raise UnreadableImage(Reason.TOO_MANY_PIXELS, str(problem)[:200]) from problem
    except DECODE_ERRORS as problem:
        if (readable := _despite(problem, data, max_pixels)) is not None:
            return readable
        raise UnreadableImage(*_why_not(data, max_pixels, problem)) from problem


def _picture(data: bytes, max_pixels: int, *, is_signed_lab: bool | None = None) -> DecodedImage:
    """As `picture`, for what Pillow reads; else its own errors. is_signed_lab: of `tiff.lab_as_rgb`, for its bytes."""
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        refuse_beyond(max_pixels, image)
        name = "JPEG" if image.format == "MPO" else str(image.format)
        if (plain := _decode_plain_jpeg(data, image)) is not None:
            return DecodedImage(plain, name)
        if isinstance(image, TiffImagePlugin.TiffImageFile):
            if (same := tiff.in_one_plane(image, data)) is not None:
                return _picture(same, max_pixels)
            if (layout := tiff.why_unsupported(image)) is not None:
                raise UnreadableImage(Reason.UNSUPPORTED_PIXELS, layout)
            if (gap := tiff.missing(image)) is not None:
                raise UnreadableImage(Reason.BROKEN_IMAGE, gap)
            tiff.prepare(image)
        image.load()  # first: reading a PNG's EXIF loads it too, but hides that its stream is broken
        _refuse_pixels(data, image)
        _apply_png_colours(data, image)
        orientation = orientation_of(image)
        coloured = image if is_signed_lab is None else tiff.lab_of_rgb(image, is_signed=is_signed_lab)
        return DecodedImage(upright(srgb_of(coloured), orientation), name, orientation)


def _refuse_pixels(data: bytes, image: Image.Image) -> None:
    """Raise UnreadableImage if a loaded image has pixels that Pillow made up, or numbers without an agreed range."""
    if image.format == "PNG" and png.may_be_missing(image) and (gap := png.missing(data)) is not None:
        raise UnreadableImage(Reason.BROKEN_IMAGE, gap)
    if (samples := tiff.why_unsupported_samples(image)) is not None:
        raise UnreadableImage(Reason.UNSUPPORTED_PIXELS, samples)


def _apply_png_colours(data: bytes, image: Image.Image) -> None:
    """Give a PNG the profile of its cICP, gAMA and cHRM. Raises UnreadableImage for colours without a stated way."""
    if image.format != "PNG":
        return
    if (why := png.why_unsupported(data)) is not None:
        raise UnreadableImage(*why)
    is_grey = image.mode in {"1", "L", "LA", "La"} or image.mode.startswith("I")
    if (profile := png.profile(data, is_grey=is_grey)) is not None:
        image.info["icc_profile"] = profile


def _despite(problem: Exception, data: bytes, max_pixels: int) -> DecodedImage | None:
    """A PNG with large texts, or a TIFF in a kind of Lab that Pillow does not know; None for all else that fails."""
    with contextlib.suppress(*DECODE_ERRORS):
        if _TOO_MUCH_TEXT.search(str(problem)):
            return _picture(png.without_large_texts(data), max_pixels)
        if (lab := tiff.lab_as_rgb(data)) is not None:
            return _picture(lab[0], max_pixels, is_signed_lab=lab[1])
    return None


def _why_not(data: bytes, max_pixels: int, problem: Exception) -> tuple[Reason, str]:
    is_opened = not isinstance(problem, UnidentifiedImageError)
    if (why := undecoded.why_not_decoded(data, max_pixels, is_opened=is_opened)) is not None:
        return why
    if is_opened and lacks_only_its_end(data):  # else nothing is known of its pixels, which may be too many
        return Reason.BROKEN_IMAGE, NO_END
    if is_opened:
        words = f"{type(problem).__name__}: {problem}"[:200]
        is_known = str(problem).lower().startswith("unsupported")
        return (Reason.UNSUPPORTED_PIXELS if is_known else Reason.BROKEN_IMAGE), words
    if (name := undecoded.format_that_is_not_read(data)) is not None:
        return Reason.UNSUPPORTED_FORMAT, name
    reason = Reason.BROKEN_IMAGE if SIGNATURE.match(data) else Reason.NOT_AN_IMAGE
    return reason, stand_in(data) or f"{len(data)} bytes beginning with {data[:12]!r}"


def _decode_plain_jpeg(data: bytes, header: Image.Image) -> NDArray[np.uint8] | None:
    """The same pixels as Pillow's, decoded by the same library with fewer copies; None if the JPEG is not plain: grey,
    CMYK, turned, with a colour profile, or a stream that libjpeg warns of. Pillow decides on these.
    """
    is_plain = header.format == "JPEG" and header.mode == "RGB" and "icc_profile" not in header.info
    if simplejpeg is None or not is_plain or orientation_of(header) != 1:
        return None
    with contextlib.suppress(ValueError):
        pixels: NDArray[np.uint8] = simplejpeg.decode_jpeg(data, "RGB", strict=True)
        return pixels if pixels.shape[:2] == (header.height, header.width) else None
    return None


def lacks_only_its_end(data: bytes) -> bool:
    """Whether a JPEG without its end marker decodes without a warning once it has one."""
    if simplejpeg is None or data[:3] != b"\xff\xd8\xff" or data.endswith(_JPEG_END):
        return False
    with contextlib.suppress(ValueError):
        simplejpeg.decode_jpeg(data.removesuffix(_JPEG_END[:1]) + _JPEG_END, "RGB", strict=True)
        return True
    return False


def refuse_beyond(max_pixels: int, image: Image.Image) -> None:
    """Raise UnreadableImage if an image, opened but not decoded, has more pixels than allowed."""
    if image.width * image.height > max_pixels:
        words = f"{image.width} x {image.height} px, at most {max_pixels} px allowed"
        raise UnreadableImage(Reason.TOO_MANY_PIXELS, words)


def orientation_of(image: Image.Image) -> int:
    """The EXIF orientation, 1..8; 1 where there is none that can be read."""
    with contextlib.suppress(*DECODE_ERRORS):
        value = image.getexif().get(_ORIENTATION, 1)
        return int(value) if isinstance(value, int) and value in _UNDO else 1
    return 1


def upright(image: Image.Image, orientation: int) -> Image.Image:
    """The image turned and mirrored by its EXIF orientation."""
    turn = _UNDO.get(orientation)
    return image if turn is None else image.transpose(turn)


def upright_png(data: bytes, max_pixels: int) -> bytes | None:
    """The picture of a file that lies on its side, turned by its EXIF orientation: as a PNG, of a JPEG in RGB or grey
    with the same pixels and colour profile, of others as `picture` has them. None where the file is upright, or can't
    be opened. Raises UnreadableImage for one on its side that can't be decoded.
    """
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            orientation = orientation_of(image)
            if orientation == 1:
                return None
            refuse_beyond(max_pixels, image)
            is_plain = image.format in {"JPEG", "MPO"} and image.mode in {"RGB", "L"}
            turned = upright(image, orientation) if is_plain else picture(data, max_pixels).rgb
            png = io.BytesIO()
            turned.save(png, "PNG", icc_profile=image.info.get("icc_profile") if is_plain else None, exif=b"")
            return png.getvalue()
    except Image.DecompressionBombError as problem:
        raise UnreadableImage(Reason.TOO_MANY_PIXELS, str(problem)[:200]) from problem
    except DECODE_ERRORS:
        return None


def png_bytes(pixels: NDArray[np.uint8]) -> bytes:
    """A PNG of (height, width, 3) RGB pixels."""
    png = io.BytesIO()
    Image.fromarray(pixels).save(png, "PNG")
    return png.getvalue()


def jpeg_bytes(pixels: NDArray[np.uint8], quality: int) -> bytes:
    """A JPEG of (height, width, 3) RGB pixels, its colours at full resolution."""
    jpeg = io.BytesIO()
    Image.fromarray(pixels).save(jpeg, "JPEG", quality=quality, subsampling=0)
    return jpeg.getvalue()


def srgb_of(image: Image.Image) -> Image.Image:
    """The image as 8-bit RGB by rules 3 to 5, with the profile and the transparency of `image.info`."""
    if image.mode == "F":
        raise UnreadableImage(Reason.UNSUPPORTED_PIXELS, "floating-point pixels have no agreed range")
    if image.mode == "La":
        image = image.convert("LA")  # grey that was multiplied by its alpha
    if image.mode.startswith("I"):
        plain, alpha = _grey_from_16_bits(image)
    else:
        alpha = image.convert("RGBA").getchannel("A") if image.has_transparency_data else None
        plain = image  # in a mode that a profile can have
        if image.mode not in {"RGB", "L", "CMYK"}:
            plain = image.convert("L" if image.mode in {"1", "LA"} else "RGB")
    rgb = _from_profile(plain, image.info.get("icc_profile")) or plain.convert("RGB")
    return rgb if alpha is None else Image.composite(rgb, Image.new("RGB", rgb.size, "white"), alpha)


def _grey_from_16_bits(image: Image.Image) -> tuple[Image.Image, Image.Image | None]:
    """The high 8 of 16 or 12 bits of grey, which Pillow stores in 16 or (PGM, some PNG) 32 bits; and its alpha."""
    values = np.asarray(image).astype(np.int64)
    if values.size and (values.min() < 0 or values.max() > 0xFFFF):
        raise UnreadableImage(Reason.UNSUPPORTED_PIXELS, f"grey of {values.min()}..{values.max()}, expected 0..65535")
    clear = image.info.get("transparency")  # the one value that is transparent
    alpha = Image.fromarray(np.where(values == clear, 0, 255).astype(np.uint8)) if isinstance(clear, int) else None
    bits, is_white_zero = tiff.grey_samples(image)
    grey = (values >> (bits - 8)).astype(np.uint8)
    return Image.fromarray(255 - grey if is_white_zero else grey), alpha


def _from_profile(image: Image.Image, profile: bytes | None) -> Image.Image | None:
    """The image in sRGB by its ICC profile, or None if it has none that fits its pixels."""
    if not profile:
        return None
    with contextlib.suppress(ImageCms.PyCMSError, *DECODE_ERRORS):
        return ImageCms.applyTransform(image, _transform(bytes(profile), image.mode))
    return None


@functools.lru_cache(maxsize=32)
def _transform(profile: bytes, mode: str) -> ImageCms.ImageCmsTransform:
    embedded = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    return ImageCms.buildTransform(embedded, ImageCms.createProfile("sRGB"), mode, "RGB")
