"""Odd image files, painted here, and how each of them may end."""

import io
import random
import struct
import zlib
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from PIL import Image, ImageCms, PngImagePlugin

from schemas.reasons import Reason

KEPT = "kept"
BROKEN, NO_IMAGE = str(Reason.BROKEN_IMAGE), str(Reason.NOT_AN_IMAGE)
TOO_LARGE, UNSUPPORTED = str(Reason.TOO_MANY_PIXELS), str(Reason.UNSUPPORTED_PIXELS)
OTHER_FORMAT = str(Reason.UNSUPPORTED_FORMAT)
Size = tuple[int, int]


class File(NamedTuple):
    """A file, and how its record may end: KEPT, or with one of these reasons.

    size: width and height that it must have if it is kept; None where nobody can say. whole: the same file undamaged,
    whose pixels it must have if it is kept; None where a damage may be one that nobody can see.
    """

    what: str
    name: str
    data: bytes
    ends: frozenset[str]
    size: Size | None
    whole: bytes | None = None


_WRITTEN: dict[str, tuple[tuple[str, str, dict[str, Any]], ...]] = {
    "jpg": (
        ("JPEG", "L", {}),
        ("JPEG", "RGB", {}),
        ("JPEG", "RGB", {"progressive": True}),
        ("JPEG", "RGB", {"quality": 1, "subsampling": 2}),
        ("JPEG", "RGB", {"quality": 100, "subsampling": 0}),
        ("JPEG", "RGB", {"restart_marker_rows": 1}),
        ("JPEG", "CMYK", {}),
        ("JPEG", "RGB", {"keep_rgb": True}),
    ),
    "png": (
        *(("PNG", mode, {}) for mode in ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "I;16")),
        ("PNG", "L", {"transparency": 7}),
        ("PNG", "P", {"bits": 2}),
        ("PNG", "RGB", {"transparency": (1, 2, 3)}),
    ),
    "gif": (("GIF", "P", {}), ("GIF", "L", {}), ("GIF", "P", {"transparency": 3}), ("GIF", "1", {})),
    "webp": (("WEBP", "RGB", {}), ("WEBP", "RGBA", {"lossless": True}), ("WEBP", "RGB", {"quality": 0})),
    "tif": (
        *(("TIFF", mode, {}) for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr", "LAB", "I;16", "I;16B")),
        *(("TIFF", "RGB", {"compression": name}) for name in ("tiff_lzw", "packbits", "tiff_adobe_deflate", "jpeg")),
        ("TIFF", "1", {"compression": "group4"}),
        ("TIFF", "RGB", {"tiled": True}),
        ("TIFF", "RGB", {"big_tiff": True}),
    ),
    "bmp": tuple(("BMP", mode, {}) for mode in ("1", "L", "P", "RGB", "RGBA")),
    "ppm": tuple(("PPM", mode, {}) for mode in ("1", "L", "RGB", "I;16")),
    "jp2": (
        *(("JPEG2000", mode, {}) for mode in ("L", "LA", "RGB", "RGBA", "I;16")),
        ("JPEG2000", "RGB", {"irreversible": True, "quality_layers": [40]}),
        ("JPEG2000", "RGB", {"no_jp2": True}),
    ),
    "avif": (("AVIF", "RGB", {}), ("AVIF", "RGBA", {}), ("AVIF", "RGB", {"subsampling": "4:4:4"}), ("AVIF", "L", {})),
}
_ALL = tuple((extension, *form) for extension, forms in _WRITTEN.items() for form in forms)
_PLAIN = tuple(form for form in _ALL if form[2] in {"RGB", "L", "P"} and not form[3])


def drawing(size: Size, mode: str, chance: random.Random) -> Image.Image:
    """Soft stains of colour with some noise, another one for each state of the chance."""
    noise = np.random.default_rng(chance.getrandbits(64))
    small = Image.fromarray(noise.integers(0, 255, (5, 5, 3), np.uint8)).resize(size, Image.Resampling.BICUBIC)
    pixels = np.asarray(small).astype(np.int16) + noise.integers(-9, 9, (size[1], size[0], 1))
    rgb = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
    if mode.startswith("I;16"):
        grey = np.asarray(rgb.convert("L")).astype(np.uint16) * 257
        return Image.fromarray(grey.astype(">u2" if mode.endswith("B") else "<u2"))
    if mode in {"I", "F"}:
        return Image.fromarray(np.asarray(rgb.convert("L")).astype(np.int32 if mode == "I" else np.float32) * 70_000)
    if mode == "LAB":
        profiles = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
        return ImageCms.applyTransform(rgb, ImageCms.buildTransform(*profiles, "RGB", "LAB"))
    if mode in {"LA", "PA", "RGBA"}:
        rgb.putalpha(Image.linear_gradient("L").resize(size))
        return rgb.convert("RGBA").convert("P" if mode == "PA" else mode)
    return rgb.convert(mode)


def encoded(image: Image.Image, form: str, **options: Any) -> bytes:
    """The file. form: as Pillow calls it."""
    sink = io.BytesIO()
    image.save(sink, form, **options)
    return sink.getvalue()


def some_size(chance: random.Random) -> Size:
    """Mostly small, now and then one pixel wide, or long and thin."""
    width, height = (chance.choice((1, 2, 3, 7, 16, 33, 64, 90, 128, 200, 257)) for _ in "wh")
    return (chance.choice((1800, 2400)), min(height, 40)) if chance.random() < 0.05 else (width, height)


def _painted(chance: random.Random, forms: tuple[Any, ...], least_px: int = 1) -> tuple[str, str, bytes, Size]:
    """What, extension, bytes and size of a good file."""
    extension, form, mode, options = chance.choice(forms)
    size = tuple(max(side, least_px) for side in some_size(chance))
    options = dict(options)
    if options.pop("tiled", False):
        options["tile"] = (16, 16)
        options["compression"] = "tiff_adobe_deflate"
    data = encoded(drawing(size, mode, chance), form, **options)
    return f"{form} {mode} {options or ''} {size[0]} x {size[1]}", extension, data, size


def _good(chance: random.Random) -> File:
    what, extension, data, size = _painted(chance, _ALL)
    may_be_refused = {UNSUPPORTED} if " LAB " in what else set()
    return File(what, f"x.{extension}", data, frozenset({KEPT, *may_be_refused}), size, data)


def _unsupported(chance: random.Random) -> File:
    mode = chance.choice(("F", "I"))
    size = some_size(chance)
    image = drawing(size, mode, chance)
    data = encoded(image, "TIFF")
    # whole numbers of 32 bits that would also fit into 16 are grey of 16 bits
    fits = mode == "I" and np.asarray(image).max() <= 0xFFFF
    return File(f"TIFF {mode}", "x.tif", data, frozenset({KEPT if fits else UNSUPPORTED}), size)


def _turned(chance: random.Random) -> File:
    extension, form = chance.choice(
        (("jpg", "JPEG"), ("png", "PNG"), ("webp", "WEBP"), ("tif", "TIFF"), ("avif", "AVIF"))
    )
    value = chance.choice((1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 77, 65535))
    size = some_size(chance)
    image, exif = drawing(size, "RGB", chance), Image.Exif()
    exif[0x0112] = value
    data = encoded(image, form, exif=exif)
    upright = size[::-1] if value in {5, 6, 7, 8} else size
    return File(f"{form} with EXIF orientation {value}, {size}", f"x.{extension}", data, frozenset({KEPT}), upright)


def _turned_by_xmp(chance: random.Random) -> File:
    extension, form = chance.choice((("jpg", "JPEG"), ("png", "PNG"), ("webp", "WEBP"), ("tif", "TIFF")))
    value, in_exif = chance.choice((1, 3, 6, 8, 0, 9)), chance.choice((None, None, 1, 6))
    size, packet = some_size(chance), f'<rdf:Description tiff:Orientation="{value}"/>'
    options: dict[str, Any] = {"xmp": packet.encode()}
    if form == "PNG":
        options = {"pnginfo": PngImagePlugin.PngInfo()}
        options["pnginfo"].add_itxt("XML:com.adobe.xmp", packet)
    elif form == "TIFF":
        options = {"tiffinfo": {700: packet.encode()}}
    if in_exif is not None and form != "TIFF":
        options["exif"] = Image.Exif()
        options["exif"][0x0112] = in_exif
    else:
        in_exif = None
    data = encoded(drawing(size, "RGB", chance), form, **options)
    upright = size[::-1] if (in_exif or value) in {6, 8} else size
    what = f"{form} with orientation {value} in XMP and {in_exif} in EXIF, {size}"
    return File(what, f"x.{extension}", data, frozenset({KEPT}), upright)


def _coloured(chance: random.Random) -> File:
    """PNGs that say their colours in chunks, in part nonsense."""
    size, mode = some_size(chance), chance.choice(("RGB", "L", "P", "RGBA", "LA", "I;16", "1"))
    data = encoded(drawing(size, mode, chance), "PNG")
    cicp = bytes((chance.choice((1, 9, 12, 2, 99)), chance.choice((1, 8, 13, 16, 18, 2)), chance.choice((0, 0, 1)), 1))
    gamma = struct.pack(">I", chance.choice((45455, 100_000, 55_556, 0, 1, 2**31 - 1)))
    places = struct.pack(">8I", *(chance.choice((0, 31_270, 32_900, 64_000, 15_000, 99_999_999)) for _ in range(8)))
    chunks = [
        _png_chunk(name, body)
        for name, body in ((b"cICP", cicp), (b"gAMA", gamma), (b"cHRM", places), (b"sRGB", b"\0"))
        if chance.random() < 0.5
    ]
    is_hdr = any(chunk[4:8] == b"cICP" for chunk in chunks) and cicp[1] in {16, 18} and not cicp[2]
    ends = frozenset({UNSUPPORTED if is_hdr else KEPT})
    names = " ".join(chunk[4:8].decode() for chunk in chunks)
    return File(f"PNG {mode} with {names}, {cicp!r}", "x.png", data[:33] + b"".join(chunks) + data[33:], ends, size)


def _endless(chance: random.Random) -> File:
    size = tuple(max(side, 16) for side in some_size(chance))
    data = encoded(drawing(size, chance.choice(("RGB", "L")), chance), "JPEG", progressive=chance.random() < 0.5)
    return File("JPEG without its end marker", "x.jpg", data[: -chance.randint(1, 2)], frozenset({BROKEN}), size)


def _odd_exif(chance: random.Random) -> File:
    size = some_size(chance)
    exif = chance.choice(
        (b"", b"Exif\0\0", b"Exif\0\0MM\0*" + b"\xff" * 60, chance.randbytes(200), b"Exif\0\0II*\0\x08\0\0\0\xff\xff")
    )
    data = encoded(drawing(size, "RGB", chance), "JPEG", exif=exif)
    return File(f"JPEG with an odd EXIF block of {len(exif)} bytes", "x.jpg", data, frozenset({KEPT}), size)


def _cut(chance: random.Random) -> File:
    what, extension, data, size = _painted(chance, _PLAIN, 16)
    at = chance.choice(
        (chance.randrange(len(data)), chance.randrange(min(40, len(data))), len(data) - 1 - chance.randrange(12))
    )
    part = data[:at]
    if not part:
        return File(f"{what}, all of it cut", f"x.{extension}", part, frozenset({str(Reason.EMPTY_FILE)}), None)
    ends = {KEPT, BROKEN} | ({NO_IMAGE} if at < 40 or extension in {"bmp", "ppm", "jp2"} else set())
    return File(f"{what}, cut at byte {at} of {len(data)}", f"x.{extension}", part, frozenset(ends), size, data)


def _flipped(chance: random.Random) -> File:
    what, extension, data, _ = _painted(chance, _PLAIN, 16)
    damaged = bytearray(data)
    places = sorted(chance.randrange(len(data)) for _ in range(chance.choice((1, 1, 2, 8, 50))))
    for place in places:
        damaged[place] ^= 1 << chance.randrange(8)
    ends = frozenset({KEPT, BROKEN, NO_IMAGE, TOO_LARGE, UNSUPPORTED})
    return File(f"{what}, bits of bytes {places[:5]} flipped", f"x.{extension}", bytes(damaged), ends, None)


def _png_chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _claimed(chance: random.Random) -> File:
    """Headers that claim far more pixels than there are."""
    claim = (chance.choice((20_000, 60_000, 65_000)), chance.choice((10_000, 60_000, 65_000)))
    form, extension, claimed = chance.choice(
        (
            (
                "PNG",
                "png",
                lambda data: data[:8] + _png_chunk(b"IHDR", struct.pack(">II", *claim) + data[24:29]) + data[33:],
            ),
            ("JPEG", "jpg", _with_jpeg_size(claim)),
            ("GIF", "gif", lambda data: data[:6] + struct.pack("<HH", *claim) + data[10:]),
            ("BMP", "bmp", lambda data: data[:18] + struct.pack("<ii", *claim) + data[26:]),
            ("PPM", "ppm", lambda data: data.replace(b"64 48", f"{claim[0]} {claim[1]}".encode(), 1)),
            ("TIFF", "tif", _with_tiff_size(claim)),
            ("WEBP", "webp", _with_webp_size((min(claim[0], 16_383), min(claim[1], 16_383)))),
        )
    )
    data = claimed(encoded(drawing((64, 48), "RGB", chance), form))
    return File(
        f"{form} that claims {claim[0]} x {claim[1]} px", f"x.{extension}", data, frozenset({TOO_LARGE, BROKEN}), None
    )


def _with_jpeg_size(claim: Size) -> Callable[[bytes], bytes]:
    def patched(data: bytes) -> bytes:
        at = data.index(b"\xff\xc0") + 5
        return data[:at] + struct.pack(">HH", *claim[::-1]) + data[at + 4 :]

    return patched


def _with_tiff_size(claim: Size) -> Callable[[bytes], bytes]:
    def patched(data: bytes) -> bytes:
        (at,) = struct.unpack_from("<I", data, 4)
        (count,) = struct.unpack_from("<H", data, at)
        changed = bytearray(data)
        for entry in range(at + 2, at + 2 + 12 * count, 12):
            (tag,) = struct.unpack_from("<H", data, entry)
            if tag in {256, 257}:
                changed[entry + 2 : entry + 12] = struct.pack("<HII", 4, 1, claim[tag - 256])
        return bytes(changed)

    return patched


def _with_webp_size(claim: Size) -> Callable[[bytes], bytes]:
    def patched(data: bytes) -> bytes:
        at = data.index(b"VP8 ") + 14
        return data[:at] + struct.pack("<HH", *claim) + data[at + 4 :]

    return patched


def _bomb(chance: random.Random) -> File:
    """Files of some kilobytes that are honest about their many pixels."""
    side = chance.choice((8_000, 12_000, 20_000))
    kind = chance.choice(("png", "gif", "tif", "webp", "jpg", "bmp", "jp2"))
    if kind == "png":
        rows = zlib.compress(b"\0" * (side * (side // 8 + 1)), 9)
        head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
        data = b"\x89PNG\r\n\x1a\n" + _png_chunk(b"IHDR", head) + _png_chunk(b"IDAT", rows) + _png_chunk(b"IEND", b"")
    elif kind == "bmp":  # run lengths: a few bytes for as many rows as one likes
        head = struct.pack("<IiiHHIIiiII", 40, side, side, 1, 8, 1, 4, 0, 0, 256, 0)
        data = (
            b"BM"
            + struct.pack("<IHHI", 0, 0, 0, 14 + 40 + 1024)
            + head
            + bytes(range(256)) * 4
            + b"\0\2\0\1" * 9
            + b"\0\1"
        )
    elif kind == "gif":
        data = b"GIF89a" + struct.pack("<HHBBB", side, side, 0x80, 0, 0) + b"\0" * 6
        data += b"," + struct.pack("<HHHHB", 0, 0, side, side, 0) + b"\2\2\x4c\1\0;"
    else:
        form = {"tif": "TIFF", "webp": "WEBP", "jpg": "JPEG", "jp2": "JPEG2000"}[kind]
        size = (8_000, 6_500) if form in {"TIFF", "JPEG"} else (7_200, 7_000)
        image = Image.new("1" if form == "TIFF" else "L", size)
        data = encoded(image, form, **({"compression": "group4"} if form == "TIFF" else {}))
    return File(f"a bomb as {kind}", f"x.{kind}", data, frozenset({TOO_LARGE}), None)


def _chunky(chance: random.Random) -> File:
    """PNGs with much in chunks that are no pixels."""
    size, info = some_size(chance), PngImagePlugin.PngInfo()
    kind = chance.choice(("zTXt", "iTXt", "tEXt", "many"))
    if kind == "many":
        for number in range(3000):
            info.add_text(f"key {number}", "x" * 50)
    elif kind == "iTXt":
        info.add_itxt("Comment", "x" * chance.choice((1_000, 1_500_000, 90_000_000)), zip=True)
    else:
        info.add_text("Comment", "x" * chance.choice((1_000, 1_500_000, 3_500_000)), zip=kind == "zTXt")
    data = encoded(drawing(size, "RGB", chance), "PNG", pnginfo=info)
    return File(f"PNG with {kind} chunks", "x.png", data, frozenset({KEPT}), size)


def _animated(chance: random.Random) -> File:
    extension, form = chance.choice(
        (("gif", "GIF"), ("webp", "WEBP"), ("png", "PNG"), ("tif", "TIFF"), ("avif", "AVIF"), ("mpo", "MPO"))
    )
    size = tuple(max(side, 8) for side in some_size(chance))
    frames = [drawing(size, "RGB", chance) for _ in range(chance.randint(2, 6))]
    if form == "TIFF":
        frames[1:] = [drawing(some_size(chance), chance.choice(("L", "RGB", "1")), chance) for _ in frames[1:]]
    if form == "GIF":
        frames = [frame.convert("P") for frame in frames]
    more: dict[str, Any] = {} if form in {"TIFF", "MPO"} else {"duration": 40}
    data = encoded(frames[0], form, save_all=True, append_images=frames[1:], **more)
    return File(f"{len(frames)} frames as {form}", f"x.{extension}", data, frozenset({KEPT}), size)


def _profiled(chance: random.Random) -> File:
    extension, form = chance.choice(
        (("jpg", "JPEG"), ("png", "PNG"), ("webp", "WEBP"), ("tif", "TIFF"), ("avif", "AVIF"))
    )
    good, lab = _profile("sRGB"), _profile("LAB")
    name, profile = chance.choice(
        (
            ("good", good),
            ("of LAB", lab),
            ("cut", good[: chance.randrange(1, len(good))]),
            ("of noise", chance.randbytes(700)),
            ("of 300 kB", good + chance.randbytes(300_000)),
            ("with zeros", good[:128] + bytes(len(good) - 128)),
            ("of one byte", b"x"),
        )
    )
    mode = chance.choice(("RGB", "L"))
    size = tuple(max(side, 4) for side in some_size(chance))
    data = encoded(drawing(size, mode, chance), form, icc_profile=profile)
    return File(f"{form} {mode} with a profile {name}", f"x.{extension}", data, frozenset({KEPT}), size)


def _profile(space: Literal["sRGB", "LAB"]) -> bytes:
    """An ICC profile, without the time at which it was made: bytes 24 to 35 of the header."""
    made = ImageCms.ImageCmsProfile(ImageCms.createProfile(space)).tobytes()
    return made[:24] + bytes(12) + made[36:]


def _misnamed(chance: random.Random) -> File:
    what, _, data, size = _painted(chance, _PLAIN)
    other = chance.choice(("jpg", "png", "txt", "exe", "tar.gz", "svg", "JPEG", "gif", "csv", "pdf", "heic"))
    return File(f"{what} named .{other}", f"x.{other}", data, frozenset({KEPT}), size, data)


def _with_tail(chance: random.Random) -> File:
    """Two files in one: what comes first decides."""
    what, extension, data, size = _painted(chance, tuple(form for form in _PLAIN if form[1] != "AVIF"))
    tail = chance.choice(
        (b"PK\x03\x04" + chance.randbytes(90), b"<html><script>alert(1)</script>", data, b"\0" * 1000, b"\n")
    )
    # behind the boxes of a JPEG 2000 file its library reads on, and stops at what is none
    ends = frozenset({KEPT, BROKEN}) if extension == "jp2" else frozenset({KEPT})
    return File(f"{what} with {len(tail)} bytes behind", f"x.{extension}", data + tail, ends, size, data)


def _with_head(chance: random.Random) -> File:
    what, extension, data, _ = _painted(chance, tuple(form for form in _PLAIN if form[1] not in {"PPM", "JPEG2000"}))
    head = chance.choice((b"\n", b"<!-- ", b"HTTP/1.1 200 OK\r\n\r\n", b"\xef\xbb\xbf", chance.randbytes(12)))
    return File(f"{what} behind {head[:12]!r}", f"x.{extension}", head + data, frozenset({NO_IMAGE}), None)


_TEXTS: tuple[tuple[str, bytes], ...] = (
    ("HTML", b"<!doctype html><html><body>not found</body></html>"),
    ("JSON", b'{"error": "no such image"}'),
    ("SVG", b'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"/>'),
    ("PDF", b"%PDF-1.7\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF"),
    ("EPS", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage\n"),
    ("a zip", b"PK\x03\x04" + bytes(40)),
    ("plain text", b"BMW cars are no bitmaps, and this is a text\n"),
    ("a list of P6", b"P6 is a format, and this line is none\n"),
    ("XPM", b'/* XPM */\nstatic char *x[] = {"1 1 1 1", "a c #fff", "a"};'),
    ("XBM", b"#define x_width 8\n#define x_height 1\nstatic char x_bits[] = {0x01};"),
    ("FITS", b"SIMPLE  =                    T" + b" " * 2850),
    ("one byte", b"x"),
    ("blanks", b" \n" * 200),
    ("zeros", bytes(3000)),
)
_SIGNATURES = (
    *(b"\xff\xd8\xff", b"\xff\xd8\xff\xe0\0\x10JFIF\0", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"GIF87a\1\0\1\0"),
    *(b"RIFF\x24\0\0\0WEBP", b"II*\0", b"MM\0*\0\0\0\x08", b"\0\0\0\x0cjP  \r\n\x87\n", b"\0\0\0\x20ftypavif"),
)


def _text(chance: random.Random) -> File:
    what, data = chance.choice((*_TEXTS, ("noise", bytes([7]) + chance.randbytes(chance.randrange(1, 5000)))))
    name = chance.choice(("jpg", "png", "gif", "tif", "webp"))
    # the two letters of BMP and PPM are how such an image begins
    is_known = what in {"SVG", "EPS"}
    ends = frozenset({OTHER_FORMAT if is_known else NO_IMAGE, *({BROKEN} if data[:2] in {b"BM", b"P6"} else ())})
    # unlike each other, so that no two are one file
    return File(f"{what} named .{name}", f"x.{name}", data + chance.randbytes(4).hex().encode(), ends, None)


def _signature(chance: random.Random) -> File:
    start, tail = chance.choice(_SIGNATURES), chance.choice((b"", bytes(200), chance.randbytes(300), b"text " * 40))
    # of noise and text behind a signature anything may be read, such as a size
    ends = frozenset({BROKEN, *({TOO_LARGE} if tail.strip(b"\0") else ())})
    return File(f"{start!r} and {len(tail)} bytes", "x.jpg", start + tail, ends, None)


def _other_format(chance: random.Random) -> File:
    form, extension = chance.choice(
        (
            ("ICO", "ico"),
            ("TGA", "tga"),
            ("PCX", "pcx"),
            ("DDS", "dds"),
            ("SGI", "sgi"),
            ("IM", "im"),
            ("PDF", "pdf"),
            ("EPS", "eps"),
        )
    )
    data = encoded(drawing((48, 40), "RGB", chance), form)
    # of the others no signature is known
    ends = frozenset({NO_IMAGE if form in {"PCX", "IM", "PDF"} else OTHER_FORMAT})
    return File(f"{form}, which is not read", f"x.{extension}", data, ends, None)


def _empty(chance: random.Random) -> File:
    name = chance.choice(("jpg", "png", "tif", "txt"))
    return File("no bytes", f"x.{name}", b"", frozenset({str(Reason.EMPTY_FILE)}), None)


def _heavy(chance: random.Random) -> File:
    size = (chance.randint(1300, 1500), chance.randint(1100, 1300))
    data = encoded(drawing(size, "RGB", chance), "BMP")
    return File(f"{len(data)} bytes", "x.bmp", data, frozenset({str(Reason.TOO_MANY_BYTES)}), None)


def _large(chance: random.Random) -> File:
    side = chance.choice((7071, 7072, 7300))
    data = encoded(Image.new("1", (side, side)), "PNG")
    is_beyond = side * side > 50_000_000
    return File(f"{side} x {side} px", "x.png", data, frozenset({TOO_LARGE if is_beyond else KEPT}), (side, side))


KINDS: tuple[tuple[int, Callable[[random.Random], File]], ...] = (
    (24, _good),
    (3, _unsupported),
    (8, _turned),
    (4, _turned_by_xmp),
    (5, _coloured),
    (2, _endless),
    (4, _odd_exif),
    (16, _cut),
    (18, _flipped),
    (8, _claimed),
    (4, _bomb),
    (3, _chunky),
    (5, _animated),
    (6, _profiled),
    (5, _misnamed),
    (5, _with_tail),
    (4, _with_head),
    (6, _text),
    (5, _signature),
    (3, _other_format),
    (1, _empty),
    (1, _heavy),
    (1, _large),
)
"""Kinds of files, each with its share."""


def some_file(chance: random.Random) -> File:
    """A file of a kind that is drawn by the shares."""
    shares = [share for share, _ in KINDS]
    (kind,) = chance.choices([kind for _, kind in KINDS], shares)
    return kind(chance)
