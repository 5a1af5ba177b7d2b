"""Image bytes to pixels for a GPU: decoded by Pillow into pinned memory, or by the GPU itself if the JPEG is plain."""

import struct
import threading
import warnings
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from schemas.fetch import HIGHEST_MAX_PIXELS
from tasks.io.detectors import devices
from tasks.io.detectors.canvases import Size
from tasks.io.images import decode

warnings.filterwarnings("ignore", "The image decoding and encoding capabilities of TorchVision", DeprecationWarning)
_THREAD_LOCAL = threading.local()
"""Each thread's CUDA streams by device, so that decoding need not wait for the model."""


class PicturePixels(NamedTuple):
    """A decoded picture: (h, w, 3) uint8, upright RGB, on the CPU or on a GPU."""

    pixels: Tensor

    @property
    def size(self) -> Size:
        """Upright."""
        return Size(*self.pixels.shape[:2])

    @property
    def nbytes(self) -> int:
        """Bytes of its pixels."""
        return int(self.pixels.numel())


def decode_on_cpu(data: bytes, *, is_pinned: bool = False) -> PicturePixels:
    """A picture by the rules of `decode`; `is_pinned`: in memory that a GPU reads by itself. Raises UnreadableImage."""
    pixels = decode.picture(data, HIGHEST_MAX_PIXELS).pixels()
    copy = torch.empty(pixels.shape, dtype=torch.uint8, pin_memory=is_pinned)
    np.copyto(copy.numpy(), pixels)  # releases the interpreter's lock, which the thread that feeds the device needs
    return PicturePixels(copy)


def decode_on_gpu(data: bytes, device: torch.device) -> PicturePixels | None:
    """A plain JPEG decoded by nvJPEG, whose pixels differ from libjpeg's by a few of 255 levels at edges of colour.
    None for any other file, for one that nvJPEG can't read, and if torchvision has no nvJPEG.
    """
    if size_of(data) is None:
        return None
    try:
        from torchvision.io import decode_jpeg
    except ImportError:  # in later versions
        return None
    streams = _THREAD_LOCAL.__dict__.setdefault("streams", {})
    if device not in streams:
        streams[device] = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    with torch.cuda.stream(streams[device]):
        try:
            pixels = decode_jpeg(torch.frombuffer(bytearray(data), dtype=torch.uint8), mode="RGB", device=device)
            streams[device].synchronize()
        except RuntimeError as problem:
            if devices.is_device_failure(problem):
                raise
            return None
    return PicturePixels(pixels.permute(1, 2, 0))


# baseline, extended, progressive; the others are arithmetic, lossless, hierarchical
_FRAMES = frozenset({0xC0, 0xC1, 0xC2})
_SCAN, _ICC_OR_MPO, _ADOBE, _EXIF = 0xDA, 0xE2, 0xEE, 0xE1


def size_of(data: bytes) -> Size | None:
    """Size of a plain JPEG; None for one with EXIF, a colour profile, Adobe's colours or a missing end, and for others
    (ITU-T T.81, annex B: 0xFFD8, then segments of 0xFF, a marker and a length of two bytes that counts itself).
    """
    if data[:2] != b"\xff\xd8" or data[-2:] != b"\xff\xd9":
        return None
    at, size = 2, None
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == _SCAN:
            return size
        if marker in {_ICC_OR_MPO, _ADOBE, _EXIF}:
            return None
        is_frame = 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}
        if is_frame and (size := _of_frame(marker, data[at + 4 : at + 2 + length])) is None:
            return None
        at += 2 + length
    return None


def _of_frame(marker: int, frame: bytes) -> Size | None:
    if marker not in _FRAMES or len(frame) < 6:
        return None
    bits, height, width, components = struct.unpack(">BHHB", frame[:6])
    is_rgb = bytes(frame[6::3][:3]) == b"RGB"  # without Adobe's marker, libjpeg goes by the components' names
    is_plain = bits == 8 and components in {1, 3} and height and width and not is_rgb
    return Size(height, width) if is_plain else None
