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
from tasks.io.detectors.detector import Detector, Found
from tasks.io.images import decode

NO_LIMIT = 1_000_000_000
AHEAD_BYTES = 256 * 2**20
WAITING_BYTES = 1024 * 2**20
"""Pixels decoded and not yet asked for; and those that wait for their batch to fill. Of each part that runs at once."""

Results = Callable[[], list[Found]]
"""Asked for what was found, waits for it."""


class Seen(NamedTuple):
    """A blob that was looked at: its upright size, and what was found; or why it has no pixels."""

    sha256: str
    size_px: tuple[int, int]
    found: Found | None
    problem: decode.UnreadableImage | None = None


class Decoded(Protocol):
    """A picture as a detector holds it."""

    @property
    def size(self) -> Size:
        """Upright."""

    @property
    def nbytes(self) -> int:
        """Bytes of its pixels."""


@runtime_checkable
class Overlapping(Protocol):
    """A detector on a device of its own, which works while this program decodes, copies and writes.

    Pictures that lie on one canvas go through together. `staged` starts to bring them there and `begun` to look at
    them; neither waits.
    """

    decoders: int
    """Threads that decode; 0: the thread that asks does it."""
    seats: threading.Semaphore
    """Whoever has threads that decode takes one: two parts keep a device busy, and more would each hold pictures for
    nothing."""

    def decoded(self, data: bytes) -> Decoded:
        """Raises UnreadableImage where the bytes have no pixels. Called by several threads."""

    def canvas(self, size: Size) -> Size:
        """The canvas of a picture of that size."""

    def at_once(self, canvas: Size) -> int:
        """Pictures of a full batch on that canvas, as it stands now."""

    def staged(self, pictures: Sequence[Any], canvas: Size) -> Any:
        """A batch on its way to the device."""

    def begun(self, staged: Any) -> Results:
        """Detection in a batch, started."""


def seen(detector: Detector, blobs: Sequence[str], read: Callable[[str], bytes]) -> Iterator[Seen]:
    """What the detector finds in each blob, in no particular order. `read` gives a blob's bytes, to several threads at
    once.
    """
    if isinstance(detector, Overlapping):
        return _overlapping(detector, blobs, read)
    return _one_by_one(detector, blobs, read)


def _one_by_one(detector: Detector, blobs: Sequence[str], read: Callable[[str], bytes]) -> Iterator[Seen]:
    for start in range(0, len(blobs), detector.batch):
        pictures = {}
        for sha256 in blobs[start : start + detector.batch]:
            try:
                pictures[sha256] = decode.picture(read(sha256), NO_LIMIT).pixels()
            except decode.UnreadableImage as problem:
                yield Seen(sha256, (0, 0), None, problem)
        for (sha256, pixels), found in zip(
            pictures.items(), detector.found(list(pictures.values())) if pictures else [], strict=True
        ):
            yield Seen(sha256, (pixels.shape[1], pixels.shape[0]), found)


class _Batch(NamedTuple):
    canvas: Size
    pictures: list[tuple[str, Decoded]]


def _overlapping(detector: Overlapping, blobs: Sequence[str], read: Callable[[str], bytes]) -> Iterator[Seen]:
    with detector.seats if detector.decoders else contextlib.nullcontext():
        yield from _seated(detector, blobs, read)


def _seated(detector: Overlapping, blobs: Sequence[str], read: Callable[[str], bytes]) -> Iterator[Seen]:
    """Of three batches one is on its way, one is looked at and one is read out, each before the next step of the one
    behind it.
    """
    staged: tuple[_Batch, Any] | None = None
    begun: tuple[_Batch, Results] | None = None
    for entry in _batches(detector, blobs, read):
        if isinstance(entry, Seen):
            yield entry
            continue
        following = (entry, detector.staged([picture for _, picture in entry.pictures], entry.canvas))
        earlier, begun = begun, staged and (staged[0], detector.begun(staged[1]))
        staged = following
        yield from _read_out(earlier)
    earlier, begun = begun, staged and (staged[0], detector.begun(staged[1]))
    yield from _read_out(earlier)
    yield from _read_out(begun)


def _read_out(begun: tuple[_Batch, Results] | None) -> Iterator[Seen]:
    if begun is not None:
        batch, results = begun
        for (sha256, picture), found in zip(batch.pictures, results(), strict=True):
            yield Seen(sha256, (picture.size.width_px, picture.size.height_px), found)


def _batches(detector: Overlapping, blobs: Sequence[str], read: Callable[[str], bytes]) -> Iterator[_Batch | Seen]:
    """Pictures by canvas, as soon as there are enough for a batch.

    At the end, or where too many wait, as many as there are.
    """
    waiting: dict[Size, list[tuple[str, Decoded]]] = {}
    held = 0
    for sha256, picture in _decoded(detector, blobs, read):
        if isinstance(picture, decode.UnreadableImage):
            yield Seen(sha256, (0, 0), None, picture)
            continue
        canvas = detector.canvas(picture.size)
        waiting.setdefault(canvas, []).append((sha256, picture))
        held += picture.nbytes
        if held > WAITING_BYTES:
            canvas = max(waiting, key=lambda size: sum(entry.nbytes for _, entry in waiting[size]))
        if held > WAITING_BYTES or len(waiting[canvas]) >= detector.at_once(canvas):
            held -= sum(entry.nbytes for _, entry in waiting[canvas])
            yield _Batch(canvas, waiting.pop(canvas))
    for canvas in sorted(waiting):
        yield _Batch(canvas, waiting[canvas])


def _decoded(
    detector: Overlapping, blobs: Sequence[str], read: Callable[[str], bytes]
) -> Iterator[tuple[str, Decoded | decode.UnreadableImage]]:
    """Each blob's picture, in the blobs' order, whatever the number of threads that decode ahead."""

    def one(sha256: str) -> Decoded | decode.UnreadableImage:
        try:
            return detector.decoded(read(sha256))
        except decode.UnreadableImage as problem:
            return problem

    threads = detector.decoders  # asked once: a detector that loses its GPU goes on without
    if not threads:
        yield from ((sha256, one(sha256)) for sha256 in blobs)
        return
    pool, todo = ThreadPoolExecutor(threads), deque(blobs)
    ahead: deque[tuple[str, Future[Decoded | decode.UnreadableImage]]] = deque()
    try:
        while todo or ahead:
            while todo and len(ahead) < 3 * threads and _held(ahead) <= AHEAD_BYTES:
                ahead.append((todo[0], pool.submit(one, todo.popleft())))
            sha256, picture = ahead.popleft()
            yield sha256, picture.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _held(ahead: "deque[tuple[str, Future[Decoded | decode.UnreadableImage]]]") -> int:
    """Bytes of what is decoded.

    Of the rest there are at most as many as threads, since what waits longer came later.
    """
    done = (future.result() for _, future in ahead if future.done() and future.exception() is None)
    return sum(0 if isinstance(picture, decode.UnreadableImage) else picture.nbytes for picture in done)
