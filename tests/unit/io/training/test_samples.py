"""Pictures held ready: decoded once while there is room, in order, a few ahead."""

import io
import threading

import numpy as np
from PIL import Image

from tasks.io.training import samples


def test_pictures_are_decoded_once_as_long_as_there_is_room():
    reads = []

    def one_more(sha256: str) -> bytes:
        reads.append(sha256)
        Image.new("RGB", (40, 20)).save(file := io.BytesIO(), "JPEG")
        return file.getvalue()

    held = samples.PictureCache(one_more, 20 * 10 * 3)
    assert held.load_resized("a", (20, 10)).shape == (10, 20, 3)
    assert held.load_resized("a", (20, 10)).shape == (10, 20, 3)
    held.load_resized("b", (20, 10))
    held.load_resized("b", (20, 10))
    assert reads == ["a", "b", "b"]


def test_samples_come_in_order_and_only_some_are_made_ahead():
    made, lock = [], threading.Lock()

    def make(epoch: int, place: int) -> samples.TrainingSample:
        with lock:
            made.append((epoch, place))
        return samples.TrainingSample(np.full((1, 1, 3), place, np.uint8), np.zeros((0, 4), np.float32))

    groups = samples.prefetch(make, ((0, [n, n + 1]) for n in range(0, 40, 2)))
    first = next(groups)
    assert [int(one.pixels[0, 0, 0]) for one in first] == [0, 1]
    assert len(made) <= 6
    assert [int(one.pixels[0, 0, 0]) for group in groups for one in group] == list(range(2, 40))


def test_a_gpu_gets_more_threads_but_not_a_hundred():
    assert samples.loader_threads(is_gpu=False) <= 2
    assert 1 <= samples.loader_threads(is_gpu=True) <= 8
