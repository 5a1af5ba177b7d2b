"""TIFFs whose pixels lie in planes, in strips and in tiles: read right, or not at all."""

import struct
import tracemalloc
import zlib
from typing import Any

import numpy as np
import pytest
from PIL import Image

from schemas.reasons import Reason
from tasks.io.images import decode, undecoded
from tests.support.images import encoded, painting

LIMIT = 1_000_000
SIDE = 32
Y, X = np.mgrid[:SIDE, :SIDE]
RAMPS = [20 + X * (band + 1) + Y * (4 - band) for band in range(3)]
HALF = np.full((SIDE, SIDE), 128)
GREY, RGB, CMYK, YCBCR, LAB = 1, 2, 5, 6, 8
Tags = dict[int, list[int]]


def tiff(tags: Tags, pieces: list[bytes], order: str = "<") -> bytes:
    """A TIFF by hand, of these strips, or of tiles where the tags say how wide they are."""
    starts = [8 + sum(map(len, pieces[:number])) for number in range(len(pieces))]
    where, lengths = (324, 325) if 322 in tags else (273, 279)
    tags = {where: starts, lengths: [len(piece) for piece in pieces], **tags}
    body = b"".join(pieces)
    spilled, entries = 8 + len(body), b""
    for tag, values in sorted(tags.items()):
        packed = struct.pack(f"{order}{len(values)}I", *values)
        entries += struct.pack(order + "HHI", tag, 4, len(values))
        entries += packed if len(values) == 1 else struct.pack(order + "I", spilled)
        if len(values) > 1:
            body, spilled = body + packed, spilled + len(packed)
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", spilled)
    return head + body + struct.pack(order + "H", len(tags)) + entries + bytes(4)


def layered(
    bands: list[Any], bits: int, photometric: int, *, planar: int = 2, order: str = "<", rows: int = SIDE, **more: Any
) -> bytes:
    """A TIFF of bands of 0..255, in planes or pixel by pixel. more: tags, is_tiled, is_packed, is_differences."""
    tags = {256: [SIDE], 257: [SIDE], 258: [bits] * len(bands), 259: [8 if more.get("is_packed") else 1]}
    tags |= {262: [photometric], 277: [len(bands)], 284: [planar], **more.get("tags", {})}
    tags |= {322: [16], 323: [16]} if more.get("is_tiled") else {278: [rows]}
    tags |= {317: [2]} if more.get("is_differences") else {}
    planes = [np.asarray(band * (257 if bits == 16 else 1)).astype(f"{order}u{bits // 8}") for band in bands]
    pieces = []
    for plane in planes if planar == 2 else [np.dstack(planes)]:
        if more.get("is_tiled"):
            parts = [plane[y : y + 16, x : x + 16] for y in range(0, SIDE, 16) for x in range(0, SIDE, 16)]
        else:
            parts = [plane[y : y + rows] for y in range(0, SIDE, rows)]
        if more.get("is_differences"):
            parts = [np.concatenate([part[:, :1], part[:, 1:] - part[:, :-1]], axis=1) for part in parts]
        raw = [np.ascontiguousarray(part).tobytes() for part in parts]
        pieces += [zlib.compress(piece) for piece in raw] if more.get("is_packed") else raw
    return tiff(tags, pieces, order)


def pixels(data: bytes) -> list[Any]:
    return decode.picture(data, LIMIT).pixels().tolist()


def why(data: bytes) -> tuple[Reason, str]:
    with pytest.raises(decode.UnreadableImage) as caught:
        decode.picture(data, LIMIT)
    return caught.value.reason, caught.value.detail


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize(
    "laid",
    [
        pytest.param({}, id="one strip a plane"),
        pytest.param({"rows": 8}, id="strips"),
        pytest.param({"rows": 20}, id="a short last strip"),
        pytest.param({"is_tiled": True}, id="tiles"),
        pytest.param({"is_packed": True}, id="deflate"),
        pytest.param({"is_packed": True, "is_differences": True}, id="deflate and differences"),
    ],
)
@pytest.mark.parametrize(
    ("bands", "photometric", "tags"),
    [
        pytest.param(RAMPS, RGB, {}, id="RGB"),
        pytest.param([*RAMPS, HALF], RGB, {338: [2]}, id="RGB with alpha"),
        pytest.param([*RAMPS, HALF], RGB, {338: [1]}, id="RGB times alpha"),
        pytest.param([*RAMPS, HALF], CMYK, {}, id="CMYK"),
        pytest.param(RAMPS[:1], GREY, {}, id="grey"),
        pytest.param(RAMPS[:1], 0, {}, id="grey whose white is 0"),
    ],
)
def test_planes_say_the_same_as_pixels_one_by_one(bands, photometric, tags, laid, bits, order):
    whole = layered(bands, bits, photometric, planar=1, order=order, tags=tags)
    planes = layered(bands, bits, photometric, order=order, tags=tags, **laid)
    if (photometric, bits, order) == (0, 16, ">"):  # Pillow does not read it, however it is laid
        assert why(planes) == why(whole) == (Reason.UNSUPPORTED_PIXELS, "a TIFF of 16 bits, whole numbers, grey")
    else:
        assert pixels(planes) == pixels(whole)


def test_one_band_of_planes_may_have_fewer_bits():
    tags = {256: [16], 257: [1], 258: [1], 259: [1], 262: [0], 277: [1], 278: [1], 284: [2]}
    assert [red for red, _, _ in pixels(tiff(tags, [b"\xf0\x0f"]))[0]] == [0] * 4 + [255] * 8 + [0] * 4


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize(
    ("bands", "photometric", "tags", "detail"),
    [
        ([RAMPS[0], HALF], GREY, {338: [2]}, "a TIFF of 8 + 8 bits, whole numbers, grey, in planes"),
        ([RAMPS[0], HALF], GREY, {338: [1]}, "a TIFF of 8 + 8 bits, whole numbers, grey, in planes"),
        (RAMPS, LAB, {}, "a TIFF of 8 + 8 + 8 bits, whole numbers, CIELab, in planes"),
    ],
)
def test_planes_that_no_decoder_reads_right_are_not_kept(bands, photometric, tags, detail, is_packed):
    data = layered(bands, 8, photometric, tags=tags, is_packed=is_packed)
    assert why(data) == (Reason.UNSUPPORTED_PIXELS, detail)


def test_planes_of_ycbcr_without_compression_are_not_called_broken():
    detail = "a TIFF of 8 + 8 + 8 bits, whole numbers, YCbCr, in planes"
    assert why(layered(RAMPS, 8, YCBCR, tags={530: [1, 1]})) == (Reason.UNSUPPORTED_PIXELS, detail)


@pytest.mark.parametrize("behind", [b"", b"\x55" * 9000])
@pytest.mark.parametrize("tags", [{530: [2, 2]}, {}, {530: [2, 1]}])
def test_coarser_colours_without_compression_are_not_called_broken_and_never_noise(tags, behind):
    """OpenCV reads them. Pillow takes whatever lies behind them for pixels."""
    sampled = tags.get(530, [2, 2])
    strip = bytes(SIDE * SIDE + 2 * SIDE * SIDE // (sampled[0] * sampled[1]))
    tags = {256: [SIDE], 257: [SIDE], 258: [8] * 3, 259: [1], 262: [YCBCR], 277: [3], 278: [SIDE], 284: [1], **tags}
    detail = "a TIFF of 8 + 8 + 8 bits, whole numbers, YCbCr of coarser colours, without compression"
    assert why(tiff(tags, [strip]) + behind) == (Reason.UNSUPPORTED_PIXELS, detail)


def test_ycbcr_of_whole_pixels_is_read():
    assert decode.picture(encoded(painting("YCbCr"), "TIFF"), LIMIT).width_px == 48
    assert pixels(layered(RAMPS, 8, YCBCR, planar=1)) == pixels(layered(RAMPS, 8, YCBCR, planar=1, tags={530: [1, 1]}))


def test_grey_times_alpha_is_divided_by_it_and_laid_on_white():
    half_black = layered([HALF * 0, HALF], 8, GREY, planar=1, tags={338: [1]})
    clear = layered([HALF * 0, HALF * 0], 8, GREY, planar=1, tags={338: [1]})
    solid = layered([RAMPS[0], HALF * 0 + 255], 8, GREY, planar=1, tags={338: [1]})
    assert pixels(half_black)[0][0] == [127] * 3
    assert pixels(clear)[0][0] == [255] * 3
    assert [[red for red, _, _ in row] for row in pixels(solid)] == RAMPS[0].tolist()
    assert pixels(half_black) == pixels(layered([HALF * 0, HALF], 8, GREY, planar=1, tags={338: [2]}))


def changed(data: bytes, tag: int, number: int, value: int) -> bytes:
    """With another value for one strip or tile, and enough bytes behind the file to be taken for pixels."""
    found = undecoded.tiff_tags(data)[1][tag]
    place = found.place + number * found.size
    return data[:place] + struct.pack("<I", value) + data[place + 4 :] + b"\x55" * 9000


def without_last(tags: Tags, pieces: list[bytes]) -> bytes:
    return tiff(tags, pieces[:-1]) + b"\x55" * 9000


STRIP_TAGS = {256: [SIDE], 257: [SIDE], 258: [8], 259: [1], 262: [GREY], 277: [1], 278: [8]}
STRIPS = [RAMPS[0][y : y + 8].astype("u1").tobytes() for y in range(0, SIDE, 8)]
TILE_TAGS = {tag: values for tag, values in STRIP_TAGS.items() if tag != 278} | {322: [16], 323: [16]}
TILES = [b"\x80" * 256] * 4
PLANE_TAGS = STRIP_TAGS | {258: [8] * 3, 262: [RGB], 277: [3], 278: [SIDE], 284: [2]}
PLANES = [ramp.astype("u1").tobytes() for ramp in RAMPS]
DEEP_TAGS, DEEP = PLANE_TAGS | {258: [16] * 3}, [plane * 2 for plane in PLANES]
STRIPPED, TILED, ALONE = tiff(STRIP_TAGS, STRIPS), tiff(TILE_TAGS, TILES), tiff(STRIP_TAGS | {278: [SIDE]}, PLANES[:1])


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        pytest.param(without_last(STRIP_TAGS, STRIPS), "truncated: 3 of 4 strips", id="strips"),
        pytest.param(tiff(STRIP_TAGS, STRIPS[:1]), "truncated: 1 of 4 strips", id="all strips but one"),
        pytest.param(tiff(STRIP_TAGS, PLANES[:1]), "truncated: 1 of 4 strips", id="rows that the header denies"),
        pytest.param(without_last(TILE_TAGS, TILES), "truncated: 3 of 4 tiles", id="tiles"),
        pytest.param(without_last(PLANE_TAGS, PLANES), "truncated: 2 of 3 strips", id="a plane"),
        pytest.param(without_last(DEEP_TAGS, DEEP), "truncated: 2 of 3 strips", id="a plane of 16 bits"),
        pytest.param(changed(STRIPPED, 273, 2, 0), "truncated: strip 3 lies nowhere", id="a strip at 0"),
        pytest.param(changed(ALONE, 273, 0, 0), "truncated: strip 1 lies nowhere", id="the one strip at 0"),
        pytest.param(changed(TILED, 324, 1, 0), "truncated: tile 2 lies nowhere", id="a tile at 0"),
        pytest.param(changed(STRIPPED, 279, 2, 0), "truncated: strip 3 has 0 bytes, expected 256", id="0 bytes"),
        pytest.param(changed(STRIPPED, 279, 0, 0), "truncated: strip 1 has 0 bytes, expected 256", id="0 bytes first"),
        pytest.param(changed(STRIPPED, 279, 2, 99), "truncated: strip 3 has 99 bytes, expected 256", id="99 bytes"),
        pytest.param(changed(STRIPPED, 279, 3, 255), "truncated: strip 4 has 255 bytes, expected 256", id="1 less"),
        pytest.param(changed(TILED, 325, 3, 99), "truncated: tile 4 has 99 bytes, expected 256", id="a tile's bytes"),
    ],
)
def test_a_picture_without_all_its_strips_or_tiles_is_broken(data: bytes, detail: str):
    assert why(data) == (Reason.BROKEN_IMAGE, detail)


@pytest.mark.parametrize("compression", [8, 32_773])
@pytest.mark.parametrize(("tags", "pieces"), [(STRIP_TAGS, STRIPS), (TILE_TAGS, TILES), (PLANE_TAGS, PLANES)])
def test_compressed_ones_too(tags, pieces, compression):
    packed = [zlib.compress(piece) for piece in pieces]
    if compression != 8:  # PackBits: 128 bytes as they are behind a 127
        packed = [b"".join(b"\x7f" + each[at : at + 128] for at in range(0, len(each), 128)) for each in pieces]
    tags = tags | {259: [compression]}
    assert decode.picture(tiff(tags, packed), LIMIT).width_px == SIDE
    for cut in (packed[:-1], [*packed[:-1], b""]):
        assert why(tiff(tags, cut))[0] == Reason.BROKEN_IMAGE


def without(tag: int) -> bytes:
    return tiff({number: values for number, values in STRIP_TAGS.items() if number != tag}, PLANES[:1])


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(STRIPPED, id="strips"),
        pytest.param(without(278), id="without rows a strip"),
        pytest.param(tiff(STRIP_TAGS | {278: [2**32 - 1]}, PLANES[:1]), id="rows without end"),
        pytest.param(tiff(STRIP_TAGS | {278: [100]}, PLANES[:1]), id="more rows than there are"),
        pytest.param(changed(ALONE, 279, 0, 0), id="one strip of 0 bytes"),
        pytest.param(changed(ALONE, 279, 0, 99), id="one strip of too few bytes"),
        pytest.param(changed(STRIPPED, 279, 0, 99), id="lengths that libtiff counts anew"),
        pytest.param(tiff(STRIP_TAGS, [*STRIPS, b"\0"]), id="a strip too many"),
        pytest.param(tiff(STRIP_TAGS | {278: [24]}, [PLANES[0][:768], PLANES[0][768:]]), id="a short last strip"),
    ],
)
def test_a_whole_picture_may_be_laid_oddly(data: bytes):
    assert [[red for red, _, _ in row] for row in pixels(data)] == RAMPS[0].tolist()


def test_a_file_that_does_not_say_how_long_its_strips_are_is_read():
    data = bytearray(STRIPPED)
    entry = data.rindex(struct.pack("<HHI", 279, 4, 4))
    data[entry : entry + 2] = struct.pack("<H", 280)  # another tag
    assert pixels(bytes(data)) == pixels(STRIPPED)


@pytest.mark.parametrize("compression", ["jpeg", "tiff_lzw", "tiff_deflate", "packbits", "group4"])
def test_compressed_strips_are_as_short_as_they_are(compression: str):
    image = Image.new("1" if compression == "group4" else "L", (400, 400), 1)
    data = encoded(image, "TIFF", compression=compression, tiffinfo={278: 16})
    assert decode.picture(data, LIMIT).width_px == 400


def test_a_header_that_asks_for_millions_of_strips_costs_nothing():
    data = tiff(STRIP_TAGS | {256: [1], 257: [400_000_000], 278: [1]}, STRIPS[:1])
    tracemalloc.start()
    with pytest.raises(decode.UnreadableImage) as caught:
        decode.picture(data, 10**9)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert caught.value.detail == "truncated: 1 of 400000000 strips"
    assert peak_bytes < 1_000_000


def test_planes_of_one_band_are_said_once():
    """A directory that says it twice, once in a way that only Pillow reads, is decoded once more, not forever."""
    data = bytearray(layered(RAMPS[:1], 8, GREY))
    entry = data.rindex(struct.pack("<HHI", 284, 4, 1))
    data[entry + 2 : entry + 4] = struct.pack("<H", 9)  # a signed number
    assert decode.picture(bytes(data), LIMIT).width_px == SIDE
