"""Blobs through a detector: read, decoded, detected in, batch by batch.

While a device works, the next pictures are made ready.
"""

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol, runtime_checkable

from tasks.io.detectors.canvases import Size
from tasks.io.detectors.detector import Detections, Detector
from tasks.io.images import decode

NO_LIMIT = 1_000_000_000
AHEAD_BYTES = 256 * 2**20
WAITING_BYTES = 1024 * 2**20
"""Pixels decoded and not yet asked for; and those that wait for their batch to fill. Of each part that runs at once."""

PendingDetections = Callable[[], list[Detections]]
"""Asked for what was found, waits for it."""


class BlobDetections(NamedTuple):
    """A blob that was looked at: its upright size, and what was found; or why it has no pixels."""

    sha256: str
    size_px: tuple[int, int]
    detections: Detections | None
    problem: decode.UnreadableImage | None = None


class DecodedPicture(Protocol):
    """A picture as a detector holds it."""

    @property
    def size(self) -> Size:
        """Upright."""

    @property
    def nbytes(self) -> int:
        """Bytes of its pixels."""


@runtime_checkable
class PipelinedDetector(Protocol):
    """A detector on a device of its own, which works while this program decodes, copies and writes.

    Pictures that lie on one canvas go through together. `staged` starts to bring them there and `begun` to look at
    them; neither waits.
    """

    decoder_threads: int
    """Threads that decode; 0: the thread that asks does it."""
    slots: threading.Semaphore
    """Whoever has threads that decode takes one: two parts keep a device busy, and more would each hold pictures for
    nothing."""

    def decode(self, data: bytes) -> DecodedPicture:
        """Raises UnreadableImage where the bytes have no pixels. Called by several threads."""

    def canvas_for(self, size: Size) -> Size:
        """The canvas of a picture of that size."""

    def batch_size(self, canvas: Size) -> int:
        """Pictures of a full batch on that canvas, as it stands now."""

    def stage(self, pictures: Sequence[Any], canvas: Size) -> Any:
        """A batch on its way to the device."""

    def start(self, staged: Any) -> PendingDetections:
        """Detection in a batch, started."""


def detect_blobs(detector: Detector, blobs: Sequence[str], read: Callable[[str], bytes]) -> Iterator[BlobDetections]:
    """What the detector finds in each blob, in no particular order. `read` gives a blob's bytes, to several threads at
    once.
    """
    if isinstance(detector, PipelinedDetector):
        return _detect_pipelined(detector, blobs, read)
    return _detect_in_turn(detector, blobs, read)


def _detect_in_turn(detector: Detector, blobs: Sequence[str], read: Callable[[str], bytes]) -> Iterator[BlobDetections]:
    for start in range(0, len(blobs), detector.batch):
        pictures = {}
        for sha256 in blobs[start : start + detector.batch]:
            try:
                pictures[sha256] = decode.picture(read(sha256), NO_LIMIT).pixels()
            except decode.UnreadableImage as problem:
                yield BlobDetections(sha256, (0, 0), None, problem)
        for (sha256, pixels), found in zip(
            pictures.items(), detector.detect(list(pictures.values())) if pictures else [], strict=True
        ):
            yield BlobDetections(sha256, (pixels.shape[1], pixels.shape[0]), found)


class _Batch(NamedTuple):
    canvas: Size
    pictures: list[tuple[str, DecodedPicture]]


def _detect_pipelined(
    detector: PipelinedDetector, blobs: Sequence[str], read: Callable[[str], bytes]
) -> Iterator[BlobDetections]:
    with detector.slots if detector.decoder_threads else contextlib.nullcontext():
        yield from _run_pipeline(detector, blobs, read)


def _run_pipeline(
    detector: PipelinedDetector, blobs: Sequence[str], read: Callable[[str], bytes]
) -> Iterator[BlobDetections]:
    """Of three batches one is on its way, one is looked at and one is read out, each before the next step of the one
    behind it.
    """
    staged: tuple[_Batch, Any] | None = None
    begun: tuple[_Batch, PendingDetections] | None = None
    for entry in _batches(detector, blobs, read):
        if isinstance(entry, BlobDetections):
            yield entry
            continue
        following = (entry, detector.stage([picture for _, picture in entry.pictures], entry.canvas))
        earlier, begun = begun, staged and (staged[0], detector.start(staged[1]))
        staged = following
        yield from _collect(earlier)
    earlier, begun = begun, staged and (staged[0], detector.start(staged[1]))
    yield from _collect(earlier)
    yield from _collect(begun)


def _collect(begun: tuple[_Batch, PendingDetections] | None) -> Iterator[BlobDetections]:
    if begun is not None:
        batch, results = begun
        for (sha256, picture), found in zip(batch.pictures, results(), strict=True):
            yield BlobDetections(sha256, (picture.size.width_px, picture.size.height_px), found)


def _batches(
    detector: PipelinedDetector, blobs: Sequence[str], read: Callable[[str], bytes]
) -> Iterator[_Batch | BlobDetections]:
    """Pictures by canvas, as soon as there are enough for a batch.

    At the end, or where too many wait, as many as there are.
    """
    waiting: dict[Size, list[tuple[str, DecodedPicture]]] = {}
    held = 0
    for sha256, picture in _decode_ahead(detector, blobs, read):
        if isinstance(picture, decode.UnreadableImage):
            yield BlobDetections(sha256, (0, 0), None, picture)
            continue
        canvas = detector.canvas_for(picture.size)
        waiting.setdefault(canvas, []).append((sha256, picture))
        held += picture.nbytes
        if held > WAITING_BYTES:
            canvas = max(waiting, key=lambda size: sum(entry.nbytes for _, entry in waiting[size]))
        if held > WAITING_BYTES or len(waiting[canvas]) >= detector.batch_size(canvas):
            held -= sum(entry.nbytes for _, entry in waiting[canvas])
            yield _Batch(canvas, waiting.pop(canvas))
    for canvas in sorted(waiting):
        yield _Batch(canvas, waiting[canvas])


def _decode_ahead(
    detector: PipelinedDetector, blobs: Sequence[str], read: Callable[[str], bytes]
) -> Iterator[tuple[str, DecodedPicture | decode.UnreadableImage]]:
    """Each blob's picture, in the blobs' order, whatever the number of threads that decode ahead."""

    def one(sha256: str) -> DecodedPicture | decode.UnreadableImage:
        try:
            return detector.decode(read(sha256))
        except decode.UnreadableImage as problem:
            return problem

    threads = detector.decoder_threads  # asked once: a detector that loses its GPU goes on without
    if not threads:
        yield from ((sha256, one(sha256)) for sha256 in blobs)
        return
    pool, todo = ThreadPoolExecutor(threads), deque(blobs)
    ahead: deque[tuple[str, Future[DecodedPicture | decode.UnreadableImage]]] = deque()
    try:
        while todo or ahead:
            while todo and len(ahead) < 3 * threads and _decoded_bytes(ahead) <= AHEAD_BYTES:
                ahead.append((todo[0], pool.submit(one, todo.popleft())))
            sha256, picture = ahead.popleft()
            yield sha256, picture.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _decoded_bytes(ahead: "deque[tuple[str, Future[DecodedPicture | decode.UnreadableImage]]]") -> int:
    """Bytes of what is decoded.

    Of the rest there are at most as many as threads, since what waits longer came later.
    """
    done = (future.result() for _, future in ahead if future.done() and future.exception() is None)
    return sum(0 if isinstance(picture, decode.UnreadableImage) else picture.nbytes for picture in done)
