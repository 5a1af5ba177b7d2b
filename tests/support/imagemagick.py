"""ImageMagick, of which tests and benchmarks ask pictures in another size: version 6 or 7, one thread."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

COMMAND = shutil.which("magick") or "/usr/bin/convert"
LACKS = f"no ImageMagick at {COMMAND} (Debian, as root: make setup-imagemagick)"

Pixels = NDArray[np.uint8]


def is_installed() -> bool:
    return Path(COMMAND).exists()


def version() -> str:
    """Such as 6.9.11-60."""
    return run(["-version"]).split()[2].decode()


def run(arguments: Sequence[str], given: bytes = b"") -> bytes:
    environment = {**os.environ, "MAGICK_THREAD_LIMIT": "1"}
    return subprocess.run([COMMAND, *arguments], input=given, capture_output=True, check=True, env=environment).stdout


def resizing(size_px: tuple[int, int], is_sharp: bool = False, is_linear: bool = False) -> list[str]:
    """The operations; is_linear: in linear light. size_px: width, height."""
    width_px, height_px = size_px
    name = "RobidouxSharp" if is_sharp else "Robidoux"
    operations = ["-filter", name, "-distort", "Resize", f"{width_px}x{height_px}!"]
    return ["-colorspace", "RGB", *operations, "-colorspace", "sRGB"] if is_linear else operations


def resized(pixels: Pixels, size_px: tuple[int, int], is_sharp: bool = False, is_linear: bool = False) -> Pixels:
    """(height, width, 3), rounded.

    Of 8 bits a level in, and without `-depth`, PPM has 8 bits out: with `-depth 8`, and always as PNG, ImageMagick 6
    would cut its 16 bits off instead of rounding them.
    """
    written = run(["ppm:-", *resizing(size_px, is_sharp, is_linear), "ppm:-"], ppm(pixels))
    width_px, height_px = size_px
    header = b"P6\n%d %d\n255\n" % size_px
    assert written.startswith(header), written[:40]
    return np.frombuffer(written[len(header) :], np.uint8).reshape(height_px, width_px, 3)


def ppm(pixels: Pixels) -> bytes:
    return b"P6\n%d %d\n255\n" % pixels.shape[1::-1] + pixels.tobytes()
