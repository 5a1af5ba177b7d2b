"""Blobs through detectors: the same for each, one by one or overlapping, in any number of threads."""

import hashlib
import io
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from schemas.reasons import Reason
from tasks.io.detectors import stream
from tasks.io.detectors.canvases import Size
from tasks.io.detectors.decoding import PicturePixels, decode_on_cpu
from tasks.io.detectors.stream import PictureDetections
from tasks.io.detectors.torchvision_detector import InferenceOptions, TorchvisionDetector
from tests.support.models import SETTINGS, small


def blob(number: int) -> bytes:
    rng, file = np.random.default_rng(number), io.BytesIO()
    size = (40 + 7 * (number % 5), 60, 3)
    Image.fromarray(rng.integers(0, 256, size, dtype=np.uint8)).save(file, "PNG")
    return file.getvalue()


BLOBS = {hashlib.sha256(data).hexdigest(): data for data in [*map(blob, range(23)), b"no picture", b""]}


def counted(sha256: str) -> PictureDetections:
    """What no detector but these tests' finds: a box that says whose picture it is."""
    return PictureDetections(
        np.full((1, 4), int(sha256[:5], 16), np.float32), np.ones(1, np.float32), np.ones(1, np.int64)
    )


def name_of(picture: PicturePixels) -> str:
    pixels = picture.pixels.numpy()
    return next(
        sha for sha, data in BLOBS.items() if len(data) > 20 and np.array_equal(decode_on_cpu(data).pixels, pixels)
    )


class Slow:
    """A pipelined detector that keeps a diary."""

    def __init__(self, threads: int, pictures: int) -> None:
        self.decoder_threads, self._pictures, self.diary = threads, pictures, []
        self.slots = threading.Semaphore(2)

    def decode(self, data: bytes) -> PicturePixels:
        return decode_on_cpu(data)

    def canvas_for(self, size: Size) -> Size:
        return Size(size.height_px // 50, 0)

    def batch_size(self, _canvas: Size) -> int:
        return self._pictures

    def stage(self, pictures: Sequence[PicturePixels], canvas: Size) -> Any:
        assert {self.canvas_for(one.size) for one in pictures} == {canvas}
        self.diary.append(("staged", len(pictures)))
        return [name_of(one) for one in pictures]

    def start(self, staged: list[str]) -> Callable[[], list[PictureDetections]]:
        self.diary.append(("started", len(staged)))

        def results() -> list[PictureDetections]:
            self.diary.append(("asked", len(staged)))
            return [counted(name) for name in staged]

        return results


@pytest.mark.parametrize("threads", [0, 1, 3])
@pytest.mark.parametrize("pictures", [1, 4, 100])
def test_every_blob_is_seen_once_with_its_own_boxes(threads, pictures):
    seen = list(stream.detect_blobs(Slow(threads, pictures), list(BLOBS), BLOBS.__getitem__))
    assert sorted(one.sha256 for one in seen) == sorted(BLOBS)
    for one in seen:
        if one.detections is None:
            assert one.problem.reason in {Reason.NOT_AN_IMAGE, Reason.EMPTY_FILE}
            continue
        assert one.detections.xyxy_px[0, 0] == int(one.sha256[:5], 16)
        assert one.size_px == Image.open(io.BytesIO(BLOBS[one.sha256])).size


def test_the_next_batch_is_on_its_way_and_the_one_before_started_when_results_are_asked_for():
    detector, blobs = Slow(0, 5), [sha for sha, data in BLOBS.items() if data[:4] == b"\x89PNG"][:20]
    list(stream.detect_blobs(detector, blobs, BLOBS.__getitem__))
    words = [word for word, _ in detector.diary]
    assert words[:5] == ["staged", "staged", "started", "staged", "started"]
    assert words.index("asked") == 5
    assert words[-2:] == ["asked", "asked"]
    assert words.count("staged") == words.count("started") == words.count("asked") == 5


def test_pictures_that_wait_for_their_batch_are_bounded_in_bytes(monkeypatch):
    monkeypatch.setattr(stream, "WAITING_BYTES", 5 * 60 * 60 * 3)
    detector = Slow(0, 100)
    list(stream.detect_blobs(detector, list(BLOBS), BLOBS.__getitem__))
    staged = [count for word, count in detector.diary if word == "staged"]
    assert len(staged) > 3
    assert sum(staged) == 23
    assert max(staged) <= 8


def test_few_are_decoded_ahead_and_none_once_nobody_asks():
    lock, read = threading.Lock(), []

    def reading(sha256: str) -> bytes:
        with lock:
            read.append(sha256)
        return BLOBS[sha256]

    before = {*threading.enumerate()}  # other tests of this process may have left some
    seen = stream.detect_blobs(Slow(2, 1), list(BLOBS), reading)
    next(seen)
    assert len(read) <= 3 + 6
    seen.close()
    assert {*threading.enumerate()} <= before


def test_a_fault_of_the_store_ends_it():
    def broken(_sha256: str) -> bytes:
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        list(stream.detect_blobs(Slow(2, 4), list(BLOBS), broken))


class Plain:
    """A detector that takes what it is given."""

    batch = 3

    def detect(self, pictures: Sequence[np.ndarray]) -> list[PictureDetections]:
        assert 1 <= len(pictures) <= 3
        return [counted(name_of(PicturePixels(torch.from_numpy(one.copy())))) for one in pictures]


def test_a_plain_detector_is_given_batches():
    seen = list(stream.detect_blobs(Plain(), list(BLOBS), BLOBS.__getitem__))
    assert sorted(one.sha256 for one in seen) == sorted(BLOBS)
    assert all(one.detections is None or one.detections.xyxy_px[0, 0] == int(one.sha256[:5], 16) for one in seen)


def test_a_model_sees_the_same_in_any_number_of_threads_and_parts():
    detectors = [
        TorchvisionDetector(small(), SETTINGS, torch.device("cpu"), InferenceOptions(decoder_threads=count))
        for count in (0, 3)
    ]
    found = []
    for detector in detectors:
        assert isinstance(detector, stream.PipelinedDetector)
        for parts in (1, 4):
            names = list(BLOBS)
            rows = [
                one
                for part in range(parts)
                for one in stream.detect_blobs(detector, names[part::parts], BLOBS.__getitem__)
            ]
            found.append({one.sha256: one.detections and one.detections.xyxy_px.tobytes() for one in rows})
    assert found[0] == found[1] == found[2] == found[3]


@pytest.mark.parametrize(("decoder_threads", "together"), [(1, 2), (0, 4)])
def test_two_parts_at_once_have_a_device_and_give_it_back_when_they_end_early(decoder_threads, together):
    detector, inside, most = Slow(decoder_threads, 1), [], []
    all_in = threading.Barrier(together, timeout=30)

    def part() -> None:
        seen = stream.detect_blobs(detector, list(BLOBS), BLOBS.__getitem__)
        next(seen)
        inside.append(seen)
        most.append(len(inside))
        all_in.wait()  # opens only if so many are inside
        inside.remove(seen)
        seen.close()

    threads = [threading.Thread(target=part) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(most), max(most)) == (4, together)
