"""CIFAR's batches, as ArtBench-10 has them (A.1; cs.toronto.edu/~kriz/cifar.html): Python's form and the binary one.

A picture is 3,072 bytes: 32 x 32 px of red, then of green, then of blue, each row by row. Python's batches are pickled
dictionaries of `data` (N, 3072) uint8 and `labels`, a list of N; ArtBench's `meta` has the classes under `styles`. In
the binary form a picture follows on its label in one byte.
"""

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIDE_PX = 32
TRAIN_BATCHES = 5
MOST_CLASSES = 256
"""A label has one byte in the binary form."""
_PROTOCOL = 4
"""Of pickle: the same bytes from every Python that runs this."""


def batch_sizes(images: int, batches: int) -> list[int]:
    """How many images each batch has: as even as they can be, the larger ones first.

    >>> batch_sizes(12, 5)
    [3, 3, 2, 2, 2]
    """
    least, more = divmod(images, batches)
    return [least + (number < more) for number in range(batches)]


def planes(pixels: NDArray[Any]) -> bytes:
    """A picture's 3,072 bytes, of (32, 32, 3) uint8, RGB."""
    if pixels.shape != (SIDE_PX, SIDE_PX, 3) or pixels.dtype != np.uint8:
        raise ValueError(f"expected (32, 32, 3) uint8, got {pixels.shape} {pixels.dtype}")
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)).tobytes()


def python_batch(pictures: Sequence[bytes], labels: Sequence[int]) -> bytes:
    """A pickled batch of pictures (`planes`) and their labels."""
    data = np.frombuffer(b"".join(pictures), np.uint8).reshape(-1, 3 * SIDE_PX**2)
    return pickle.dumps({"data": data, "labels": [*labels]}, protocol=_PROTOCOL)


def binary_batch(pictures: Sequence[bytes], labels: Sequence[int]) -> bytes:
    """The same in the binary form."""
    return b"".join(bytes([label]) + picture for picture, label in zip(pictures, labels, strict=True))


def python_meta(styles: Sequence[str], batch: int) -> bytes:
    """The pickled `meta`. batch: how many images the largest batch of train has."""
    meta = {"num_cases_per_batch": batch, "styles": [*styles], "num_vis": 3 * SIDE_PX**2}
    return pickle.dumps(meta, protocol=_PROTOCOL)
