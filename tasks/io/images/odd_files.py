"""Files that Pillow refuses, and that a rule makes readable for it without touching their pixels."""

import struct
import zlib
from collections.abc import Iterator

from PIL import Image

from tasks.io.images.undecoded import tiff_tags

MOST_PROFILE_BYTES = 16 * 2**20
"""A larger colour profile of a PNG is not applied. The largest that printers have are some 4 MB."""
_PNG_SIGNATURE_BYTES = 8
_TEXTS = {b"tEXt", b"zTXt", b"iTXt"}
# of a PNG's texts only these can say how the picture is turned
_ORIENTATION_TEXTS = (b"Raw profile type exif\0", b"Raw profile type APP1\0", b"XML:com.adobe.xmp\0")
_MOST_TEXT_BYTES = 2**20

_PHOTOMETRIC, _BITS, _SAMPLES, _COMPRESSION, _PLANAR, _FORMAT = 262, 258, 277, 259, 284, 339
_RGB, _CIELAB, _ICCLAB = 2, 8, 9
_PLAIN_COMPRESSIONS = {1, 5, 8, 32_773, 32_946, 50_000}  # they know nothing of colours, as JPEG does


def png_without_large_texts(data: bytes) -> bytes:
    """A PNG without its texts, but for those that can say how it is turned, and without a colour profile that is too
    large.

    Pillow takes large ones for decompression bombs. Texts change no pixel.
    """
    return data[:_PNG_SIGNATURE_BYTES] + b"".join(
        chunk for name, chunk in png_chunks(data) if not _is_left_out(name, chunk)
    )


def png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Name and whole bytes of each chunk of a PNG; the last is all that is left of a file that is cut short."""
    place = _PNG_SIGNATURE_BYTES
    while place < len(data):
        length = int.from_bytes(data[place : place + 4], "big")
        yield data[place + 4 : place + 8], data[place : place + 12 + length]
        place += 12 + length


def _is_left_out(name: bytes, chunk: bytes) -> bool:
    body = chunk[8:-4]
    if name == b"iCCP":
        return not _unpacks_within(body.partition(b"\0")[2][1:], MOST_PROFILE_BYTES)
    if name not in _TEXTS:
        return False
    if not body.startswith(_ORIENTATION_TEXTS):
        return True
    rest = body.partition(b"\0")[2]
    if name == b"zTXt":
        return not _unpacks_within(rest[1:], _MOST_TEXT_BYTES)
    if name == b"iTXt" and rest[:1] == b"\1":
        return not _unpacks_within(rest[2:].split(b"\0", 2)[-1], _MOST_TEXT_BYTES)
    return len(rest) > _MOST_TEXT_BYTES


def _unpacks_within(packed: bytes, most_bytes: int) -> bool:
    unpacker = zlib.decompressobj()
    try:
        unpacker.decompress(packed, most_bytes)
    except zlib.error:
        return True  # broken, not large: the decoder decides
    return not unpacker.unconsumed_tail


def lab_tiff_as_rgb(data: bytes) -> tuple[bytes, bool] | None:
    """A TIFF in CIELab (of 16 bits) or ICCLab with its colours declared as RGB, so that Pillow opens it.

    And whether a and b are signed. None for any other file.
    """
    if data[:4] not in {b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"}:
        return None
    try:
        order, tags = tiff_tags(data)
    except struct.error:
        return None
    values = {tag: found.values for tag, found in tags.items()}
    is_lab = values.get(_PHOTOMETRIC) in {(_CIELAB,), (_ICCLAB,)} and values.get(_SAMPLES) == (3,)
    is_whole = set(values.get(_BITS, ())) in ({8}, {16}) and set(values.get(_FORMAT, (1,))) <= {1, 2}
    if not is_lab or not is_whole or values.get(_COMPRESSION, (1,))[0] not in _PLAIN_COMPRESSIONS:
        return None
    changed = bytearray(data)
    _put(changed, order, tags[_PHOTOMETRIC].place, tags[_PHOTOMETRIC].size, _RGB)
    if _FORMAT in tags:
        for number in range(len(values[_FORMAT])):
            _put(changed, order, tags[_FORMAT].place + number * tags[_FORMAT].size, tags[_FORMAT].size, 1)
    return bytes(changed), values[_PHOTOMETRIC] == (_CIELAB,)


def tiff_in_one_plane(data: bytes) -> bytes | None:
    """A TIFF of one band that says it has planes, declared as pixel by pixel, which for one band is the same.

    None if it does not say so where `undecoded.tiff_tags` looks.
    """
    order, tags = tiff_tags(data)
    if _PLANAR not in tags or tags[_PLANAR].values != (2,):
        return None
    changed = bytearray(data)
    _put(changed, order, tags[_PLANAR].place, tags[_PLANAR].size, 1)
    return bytes(changed)


def _put(data: bytearray, order: str, place: int, size: int, value: int) -> None:
    data[place : place + size] = value.to_bytes(size, "little" if order == "<" else "big")


def lab_of_rgb(image: Image.Image, *, is_signed: bool) -> Image.Image:
    """The picture whose L, a and b Pillow took for R, G and B, as Lab: a and b lie 128 above their values.

    Of 16 bits Pillow has taken the high byte, as of 16 bits of any colour.
    """
    light, *others = image.split()
    moved = [each.point([value ^ 128 for value in range(256)]) if is_signed else each for each in others]
    lab = Image.merge("LAB", [light, *moved])
    lab.info = {name: value for name, value in image.info.items() if name not in {"icc_profile", "transparency"}}
    return lab
