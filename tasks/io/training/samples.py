"""Pictures for training: decoded once, kept in memory at reduced size, and prepared by threads ahead of their step."""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from schemas.fetch import HIGHEST_MAX_PIXELS
from tasks.io.images.decode import picture

CACHE_BYTES = min(8 * 2**30, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4)
"""Of reduced pictures in memory: 8 GiB are 200,000 of 100 x 140 px. Others are decoded each time."""
_AHEAD = 2
_LOADERS, _MOST_LOADERS = 2, 8


class TrainingSample(NamedTuple):
    """A training sample: a picture, RGB (H, W, 3), 8-bit, and the corners (N, 4) of its figures in px."""

    pixels: NDArray[np.uint8]
    xyxy_px: NDArray[np.float32]


class PictureCache:
    """Blobs decoded once, reduced, and kept in memory while there is room."""

    def __init__(self, read: Callable[[str], bytes], most_bytes: int = CACHE_BYTES) -> None:
        self._read, self._room = read, most_bytes
        self._pixels: dict[tuple[str, tuple[int, int]], NDArray[np.uint8]] = {}
        self._lock = threading.Lock()

    def load_resized(self, sha256: str, size_px: tuple[int, int]) -> NDArray[np.uint8]:
        """Upright pixels, resized to (width, height). Raises UnreadableImage and DamagedFile."""
        key = (sha256, size_px)
        if (kept := self._pixels.get(key)) is not None:
            return kept
        pixels = picture(self._read(sha256), HIGHEST_MAX_PIXELS).pixels()
        if (pixels.shape[1], pixels.shape[0]) != size_px:
            # as torchvision's models reduce pictures in detection: between four neighbours, even where many px
            # become one
            pixels = np.asarray(cv2.resize(pixels, size_px, interpolation=cv2.INTER_LINEAR), np.uint8)
        with self._lock:
            if key not in self._pixels and pixels.nbytes <= self._room:
                self._room -= pixels.nbytes
                self._pixels[key] = pixels
        return pixels


def loader_threads(*, is_gpu: bool) -> int:
    """Threads that make samples: more with a GPU, since training on a CPU needs the cores itself."""
    return min(_MOST_LOADERS, os.cpu_count() or _LOADERS) if is_gpu else _LOADERS


def prefetch(
    make: Callable[[int, int], TrainingSample], groups: Iterable[tuple[int, Sequence[int]]], threads: int = _LOADERS
) -> Iterator[list[TrainingSample]]:
    """The samples make(epoch, place) of each group (epoch, places), in order; threads make a few groups ahead."""
    waiting: deque[list[Future[TrainingSample]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for epoch, places in groups:
                waiting.append([pool.submit(make, epoch, place) for place in places])
                if len(waiting) > _AHEAD:
                    yield [one.result() for one in waiting.popleft()]
            while waiting:
                yield [one.result() for one in waiting.popleft()]
        finally:
            pool.shutdown(cancel_futures=True)
