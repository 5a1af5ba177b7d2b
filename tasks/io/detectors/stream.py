"""The interface of every detector, and blobs through it, batch by batch: while a device works, the next are decoded."""

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from schemas.fetch import HIGHEST_MAX_PIXELS
from tasks.io.detectors.canvases import Size
from tasks.io.images import decode

Pixels = NDArray[np.uint8]
"""One picture: (height, width, 3), RGB, 0..255, upright."""
Floats = NDArray[np.float32]


class PictureDetections(NamedTuple):
    """A detector's boxes in one picture, in its own pixels, in no particular order; they may reach beyond the picture.

    xyxy_px: (N, 4), x_min, y_min, x_max, y_max. scores: (N,), 0..1. labels: (N,), the model's class indices.
    keypoints_xyv: (N, K, 3) x, y, visibility (2: visible, 0: not), or None if the model has no keypoints.
    """

    xyxy_px: Floats
    scores: Floats
    labels: NDArray[np.int64]
    keypoints_xyv: Floats | None = None


class Detector(Protocol):
    """One model, loaded on one device."""

    batch: int
    """Most pictures of one call. On a CPU the detections of a picture never depend on the others of its batch."""

    def detect(self, pictures: Sequence[Pixels]) -> list[PictureDetections]:
        """The detections of each of at most `batch` pictures, in their order."""


Read = Callable[[str], bytes]
"""A blob's bytes, by its SHA-256. Called by several threads."""
AHEAD_BYTES = 256 * 2**20
WAITING_BYTES = 1024 * 2**20
"""Most bytes of pixels, of each part, that are decoded ahead, and that wait for their batch to fill."""

PendingDetections = Callable[[], list[PictureDetections]]
"""Called, waits for the detections of a batch and returns them."""


class BlobDetections(NamedTuple):
    """A blob's upright size and detections; or None and the reason why it can't be decoded."""

    sha256: str
    size_px: tuple[int, int]
    detections: PictureDetections | None
    problem: decode.UnreadableImage | None = None


class DecodedPicture(Protocol):
    """A decoded picture in the form that its detector uses."""

    @property
    def size(self) -> Size:
        """Upright."""

    @property
    def nbytes(self) -> int:
        """Bytes of its pixels."""


@runtime_checkable
class PipelinedDetector(Protocol):
    """A detector on a device of its own: batches of one canvas; neither `stage` nor `start` waits for the device."""

    decoder_threads: int
    """Threads that decode; 0: the calling thread decodes."""
    slots: threading.Semaphore
    """Of parts that decode in threads: two keep a device busy, more would only hold pictures in memory."""

    def decode(self, data: bytes) -> DecodedPicture:
        """Raises UnreadableImage if the bytes can't be decoded. Called by several threads."""

    def canvas_for(self, size: Size) -> Size:
        """The canvas of a picture of that size."""

    def batch_size(self, canvas: Size) -> int:
        """Pictures of a full batch on that canvas; it may change between calls."""

    def stage(self, pictures: Sequence[Any], canvas: Size) -> Any:
        """A batch on its way to the device."""

    def start(self, staged: Any) -> PendingDetections:
        """Start detection in a staged batch."""


def detect_blobs(detector: Detector, blobs: Sequence[str], read: Read) -> Iterator[BlobDetections]:
    """The detections of each blob, in no particular order."""
    if isinstance(detector, PipelinedDetector):
        return _detect_pipelined(detector, blobs, read)
    return _detect_in_turn(detector, blobs, read)


def _detect_in_turn(detector: Detector, blobs: Sequence[str], read: Read) -> Iterator[BlobDetections]:
    for start in range(0, len(blobs), detector.batch):
        pictures = {}
        for sha256 in blobs[start : start + detector.batch]:
            try:
                pictures[sha256] = decode.picture(read(sha256), HIGHEST_MAX_PIXELS).pixels()
            except decode.UnreadableImage as problem:
                yield BlobDetections(sha256, (0, 0), None, problem)
        batch = detector.detect(list(pictures.values())) if pictures else []
        for (sha256, pixels), detections in zip(pictures.items(), batch, strict=True):
            yield BlobDetections(sha256, (pixels.shape[1], pixels.shape[0]), detections)


class _Batch(NamedTuple):
    canvas: Size
    pictures: list[tuple[str, DecodedPicture]]


def _detect_pipelined(detector: PipelinedDetector, blobs: Sequence[str], read: Read) -> Iterator[BlobDetections]:
    """Three batches at once: one is copied to the device, one goes through the model, the results of one are read."""
    staged: tuple[_Batch, Any] | None = None
    running: tuple[_Batch, PendingDetections] | None = None
    with detector.slots if detector.decoder_threads else contextlib.nullcontext():
        for entry in _batches(detector, blobs, read):
            if isinstance(entry, BlobDetections):
                yield entry
                continue
            following = (entry, detector.stage([picture for _, picture in entry.pictures], entry.canvas))
            finished, running = running, staged and (staged[0], detector.start(staged[1]))
            staged = following
            yield from _collect(finished)
        finished, running = running, staged and (staged[0], detector.start(staged[1]))
        yield from _collect(finished)
        yield from _collect(running)


def _collect(running: tuple[_Batch, PendingDetections] | None) -> Iterator[BlobDetections]:
    if running is not None:
        batch, pending = running
        for (sha256, picture), detections in zip(batch.pictures, pending(), strict=True):
            yield BlobDetections(sha256, (picture.size.width_px, picture.size.height_px), detections)


def _batches(detector: PipelinedDetector, blobs: Sequence[str], read: Read) -> Iterator[_Batch | BlobDetections]:
    """Pictures by canvas, once they fill a batch, at the end, or if too many bytes wait. Unreadable blobs at once."""
    waiting: dict[Size, list[tuple[str, DecodedPicture]]] = {}
    waiting_bytes = 0
    for sha256, picture in _decode_ahead(detector, blobs, read):
        if isinstance(picture, decode.UnreadableImage):
            yield BlobDetections(sha256, (0, 0), None, picture)
            continue
        canvas = detector.canvas_for(picture.size)
        waiting.setdefault(canvas, []).append((sha256, picture))
        waiting_bytes += picture.nbytes
        if waiting_bytes > WAITING_BYTES:
            canvas = max(waiting, key=lambda size: sum(entry.nbytes for _, entry in waiting[size]))
        if waiting_bytes > WAITING_BYTES or len(waiting[canvas]) >= detector.batch_size(canvas):
            waiting_bytes -= sum(entry.nbytes for _, entry in waiting[canvas])
            yield _Batch(canvas, waiting.pop(canvas))
    for canvas in sorted(waiting):
        yield _Batch(canvas, waiting[canvas])


_Decoded = DecodedPicture | decode.UnreadableImage


def _decode_ahead(detector: PipelinedDetector, blobs: Sequence[str], read: Read) -> Iterator[tuple[str, _Decoded]]:
    """Each blob's picture, in the order of the blobs, whatever the number of threads that decode ahead."""

    def decoded(sha256: str) -> _Decoded:
        try:
            return detector.decode(read(sha256))
        except decode.UnreadableImage as problem:
            return problem

    if not (threads := detector.decoder_threads):  # read once: a detector that loses its GPU goes on without threads
        yield from ((sha256, decoded(sha256)) for sha256 in blobs)
        return
    pool, todo = ThreadPoolExecutor(threads), deque(blobs)
    ahead: deque[tuple[str, Future[_Decoded]]] = deque()
    try:
        while todo or ahead:
            while todo and len(ahead) < 3 * threads and _decoded_bytes(ahead) <= AHEAD_BYTES:
                ahead.append((todo[0], pool.submit(decoded, todo.popleft())))
            sha256, picture = ahead.popleft()
            yield sha256, picture.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _decoded_bytes(ahead: deque[tuple[str, Future[_Decoded]]]) -> int:
    """Bytes of the pictures that are decoded; those being decoded are at most as many as there are threads."""
    done = (future.result() for _, future in ahead if future.done() and future.exception() is None)
    return sum(0 if isinstance(picture, decode.UnreadableImage) else picture.nbytes for picture in done)
