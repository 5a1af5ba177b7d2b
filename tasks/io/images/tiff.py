"""What Pillow does not say of a TIFF, or refuses in it; only tags are read.

Where its pixels lie: in strips or tiles, pixel by pixel or in planes (TIFF 6.0, PlanarConfiguration), of which Pillow
asks nobody whether all are there, while libtiff, which reads compressed TIFFs, does; what its numbers mean, where the
mode does not say; and kinds of Lab, and single planes, that another tag makes readable.
"""

import struct
from collections.abc import Sequence
from typing import NamedTuple

from PIL import Image, ImageFile, TiffImagePlugin

from tasks.io.images.undecoded import TiffTag, tiff_pixels, tiff_tags

_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC = 256, 257, 258, 259, 262
_STRIP_STARTS, _BANDS, _STRIP_ROWS, _STRIP_LENGTHS, _PLANAR = 273, 277, 278, 279, 284
_TILE_WIDTH, _TILE_HEIGHT, _TILE_STARTS, _TILE_LENGTHS = 322, 323, 324, 325
_EXTRAS, _FORMAT, _COARSENESS = 338, 339, 530
_RGB, _CIELAB, _ICCLAB = 2, 8, 9
_PLAIN_COMPRESSIONS = {1, 5, 8, 32_773, 32_946, 50_000}  # they know nothing of colours, as JPEG does
_TIMES_ALPHA = 1
_HEADER_BYTES = 8  # no piece lies in it

Tiff = TiffImagePlugin.TiffImageFile


class _Pieces(NamedTuple):
    """The strips or tiles that a TIFF should have, and those that its directory lists. columns, down: how many lie side
    by side, and one below another. last_rows: of the lowest. planes_bits: bits of a pixel in each plane.
    """

    name: str
    width_px: int
    rows: int
    columns: int
    down: int
    last_rows: int
    planes_bits: Sequence[int]
    starts: Sequence[int]
    lengths: Sequence[int] | None

    @property
    def total(self) -> int:
        """How many there should be."""
        return self.columns * self.down * len(self.planes_bits)

    def expected_bytes(self, number: int) -> int:
        """Of the piece with this number, from 0. Not a list of all: a header can ask for millions."""
        plane, place = divmod(number, self.columns * self.down)
        rows = self.last_rows if place // self.columns == self.down - 1 else self.rows
        return -(-self.width_px * self.planes_bits[plane] // 8) * rows


def why_unsupported(image: Tiff) -> str | None:
    """What of an opened TIFF's layout neither Pillow nor its libtiff reads right, if anything: planes of grey and
    alpha, of a palette and alpha, and of Lab; without compression also those of YCbCr, and coarser colours.
    """
    tags, is_plain = image.tag_v2, _is_uncompressed(image)
    pixels = tiff_pixels(tags.get(_BITS, (1,)), tags.get(_FORMAT, (1,)), tags.get(_PHOTOMETRIC, -1))
    if _has_planes(image):
        is_misread = image.mode in {"LA", "La", "PA", "LAB"} or (is_plain and image.mode not in {"RGB", "RGBA", "CMYK"})
        return f"{pixels}, in planes" if is_misread else None
    if is_plain and image.mode == "YCbCr" and tuple(tags.get(_COARSENESS, (2, 2))) != (1, 1):
        # many writers leave the tag out and mean 1 x 1, so the bytes decide
        lengths = tags.get(_STRIP_LENGTHS, tags.get(_TILE_LENGTHS))
        if lengths is not None and sum(lengths) < 3 * image.width * image.height:
            return f"{pixels} of coarser colours, without compression"
    return None


def missing(image: Tiff) -> str | None:
    """Which strips or tiles an opened, uncompressed TIFF lacks; None if it has all.

    As libtiff has it: the length of a single piece does not count, nor do lengths of which the first differs from the
    second, in more than two pieces pixel by pixel; without lengths, starts are enough.
    """
    pieces = _pieces(image) if _is_uncompressed(image) else None
    if pieces is None:
        return None
    starts = pieces.starts[-1:] if pieces.total == 1 else pieces.starts[: pieces.total]  # of one Pillow reads the last
    if len(starts) < pieces.total:
        return f"truncated: {len(starts)} of {pieces.total} {pieces.name}s"
    for number, start in enumerate(starts, 1):
        if start < _HEADER_BYTES:
            return f"truncated: {pieces.name} {number} lies nowhere"
    return _too_short(pieces, is_in_planes=_has_planes(image))


def _too_short(pieces: _Pieces, *, is_in_planes: bool) -> str | None:
    lengths = pieces.lengths
    if pieces.total == 1 or not lengths:
        return None
    if pieces.total > 2 and not is_in_planes and lengths[0] and lengths[1:2] not in {lengths[:1], (0,)}:
        return None  # libtiff counts them anew
    for number, length in enumerate(lengths[: pieces.total]):
        if length < (expected := pieces.expected_bytes(number)):
            return f"truncated: {pieces.name} {number + 1} has {length} bytes, expected {expected}"
    return None


def prepare(image: Tiff) -> None:
    """Have an opened, uncompressed TIFF's planes read by libtiff, where Pillow would take them for noise; and leave out
    pieces more than the picture has, with which Pillow would begin anew at the top.
    """
    if not _is_uncompressed(image):
        return
    if _has_planes(image):
        bits = image.tag_v2.get(_BITS, (8,))[0]
        if bits == 16 or _TIMES_ALPHA in image.tag_v2.get(_EXTRAS, ()):
            layout = image.mode if bits == 8 else f"{image.mode};16N"  # libtiff gives the machine's own byte order
            whole = (0, 0, image.tag_v2[_WIDTH], image.tag_v2[_HEIGHT])
            image.use_load_libtiff = True
            image.tile = [ImageFile._Tile("libtiff", whole, 0, (layout, False, image.tag_v2.offset))]
    elif (pieces := _pieces(image)) is not None:
        del image.tile[pieces.total :]


def _is_uncompressed(image: Tiff) -> bool:
    return bool(image.tag_v2.get(_COMPRESSION, 1) == 1)


def _has_planes(image: Tiff) -> bool:
    return bool(image.tag_v2.get(_PLANAR, 1) == 2 and image.tag_v2.get(_BANDS, 1) > 1)


def _pieces(image: Tiff) -> _Pieces | None:
    """By the tags; None where they make no sense, which the decoder says."""
    tags = image.tag_v2
    width_px, height_px, bands = tags[_WIDTH], tags[_HEIGHT], tags.get(_BANDS, 1)
    bits = tags.get(_BITS, (1,))
    bits = bits[:bands] if len(bits) >= bands else bits[:1] * bands
    if _STRIP_STARTS in tags:
        name, starts, lengths = "strip", tags[_STRIP_STARTS], tags.get(_STRIP_LENGTHS)
        across_px, down_px = width_px, min(tags.get(_STRIP_ROWS, height_px), height_px)
    else:
        name, starts, lengths = "tile", tags.get(_TILE_STARTS, ()), tags.get(_TILE_LENGTHS)
        across_px, down_px = tags.get(_TILE_WIDTH, 0), tags.get(_TILE_HEIGHT, 0)
    if across_px < 1 or down_px < 1:
        return None
    if _has_planes(image):
        extras = tags.get(_EXTRAS, ())
        planes = bits[: bands - len(extras)] if extras and max(extras) == 0 else bits  # Pillow leaves these out
    else:
        planes = (sum(bits),)
    columns, down = -(-width_px // across_px), -(-height_px // down_px)
    last_rows = height_px - (down - 1) * down_px if name == "strip" else down_px
    return _Pieces(name, across_px, down_px, columns, down, last_rows, planes, starts, lengths)


_WHITE_IS_ZERO = 0
_SIGNED, _FLOATING = 2, 3
_MOST_BITS = 16


def why_unsupported_samples(image: Image.Image) -> str | None:
    """What is wrong with a TIFF's samples: signed, or beyond 16 bits; None for others, and for floating point."""
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        return None
    bits, formats = image.tag_v2.get(_BITS, (1,)), image.tag_v2.get(_FORMAT, (1,))
    photometric = image.tag_v2.get(_PHOTOMETRIC, -1)
    is_signed = _SIGNED in formats and photometric not in {_CIELAB, _ICCLAB}  # whose a and b are, by definition
    is_beyond = max(bits) > _MOST_BITS and _FLOATING not in formats
    return tiff_pixels(bits, formats, photometric) if is_signed or is_beyond else None


def grey_samples(image: Image.Image) -> tuple[int, bool]:
    """The bits of grey, and whether 0 is white. Of a TIFF, whose numbers Pillow gives as they are, its tags say it."""
    tags = image.tag_v2 if isinstance(image, TiffImagePlugin.TiffImageFile) else {}
    return tags.get(_BITS, (16,))[0], tags.get(_PHOTOMETRIC) == _WHITE_IS_ZERO


def lab_as_rgb(data: bytes) -> tuple[bytes, bool] | None:
    """A TIFF in CIELab (of 16 bits) or ICCLab, declared as RGB for Pillow, and whether a and b are signed."""
    if data[:4] not in {b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"}:
        return None
    try:
        order, tags = tiff_tags(data)
    except struct.error:
        return None
    values = {tag: found.values for tag, found in tags.items()}
    is_lab = values.get(_PHOTOMETRIC) in {(_CIELAB,), (_ICCLAB,)} and values.get(_BANDS) == (3,)
    is_whole = set(values.get(_BITS, ())) in ({8}, {16}) and set(values.get(_FORMAT, (1,))) <= {1, 2}
    if not is_lab or not is_whole or values.get(_COMPRESSION, (1,))[0] not in _PLAIN_COMPRESSIONS:
        return None
    changed = _with_value(data, order, tags[_PHOTOMETRIC], _RGB)
    changed = _with_value(changed, order, tags[_FORMAT], 1) if _FORMAT in tags else changed
    return changed, values[_PHOTOMETRIC] == (_CIELAB,)


def in_one_plane(image: Tiff, data: bytes) -> bytes | None:
    """An opened, uncompressed TIFF of one band that says it has planes, declared as pixel by pixel, which is the same.

    Pillow takes the first letter of its own name for the pixels of such planes ("I;16" and "L;I" lose their meaning).
    None for others, and if it does not say so where `undecoded.tiff_tags` looks.
    """
    if image.tag_v2.get(_BANDS, 1) != 1 or image.tag_v2.get(_PLANAR, 1) != 2 or not _is_uncompressed(image):
        return None
    order, tags = tiff_tags(data)
    is_so = _PLANAR in tags and tags[_PLANAR].values == (2,)
    return _with_value(data, order, tags[_PLANAR], 1) if is_so else None


def _with_value(data: bytes, order: str, tag: TiffTag, value: int) -> bytes:
    """The file with this value for all of a tag's."""
    values = value.to_bytes(tag.size, "little" if order == "<" else "big") * len(tag.values)
    return data[: tag.place] + values + data[tag.place + len(values) :]


def lab_of_rgb(image: Image.Image, *, is_signed: bool) -> Image.Image:
    """The picture whose L, a and b Pillow took for R, G and B, as Lab: a and b lie 128 above their values."""
    light, *others = image.split()
    moved = [each.point([value ^ 128 for value in range(256)]) if is_signed else each for each in others]
    lab = Image.merge("LAB", [light, *moved])
    lab.info = {name: value for name, value in image.info.items() if name not in {"icc_profile", "transparency"}}
    return lab
