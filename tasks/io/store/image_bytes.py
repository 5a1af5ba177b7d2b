"""Image bytes read from the store's blobs straight into the memory that Arrow writes from."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tasks.io.store.store import Store

_READERS_AFAR = 8
"""Threads that read from an object store, where most of it is waiting. Of a local one the thread that writes reads."""


class ImageGroup(NamedTuple):
    """The images of one row group, which together have less than 2 GiB. sizes_bytes: (N,)."""

    sha256s: Sequence[str]
    sizes_bytes: NDArray[np.int64]


def image_bytes(store: Store, groups: Iterable[ImageGroup]) -> Iterator[pa.Array]:
    """(N,) bytes of each group's images.

    Each array is good until the next is asked for: one piece of memory serves all groups, since to get new memory from
    the system for every group takes a third of the time that writing it does.

    Raises DamagedFile where a blob is gone, of another size, or not what its name says.
    """
    memory = np.empty(0, np.uint8)
    with ThreadPoolExecutor(_READERS_AFAR) as pool:
        for group in groups:
            offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(group.sizes_bytes, dtype=np.int64)])
            if len(memory) < offsets[-1]:
                memory = np.empty(1 << int(offsets[-1]).bit_length(), np.uint8)  # none of it is there before it is used
            starts, stops = offsets[:-1].tolist(), offsets[1:].tolist()
            targets = [memory.data[start:stop] for start, stop in zip(starts, stops, strict=True)]
            for _ in (map if store.is_local else pool.map)(store.read_blob_into, group.sha256s, targets):
                pass
            buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(memory)]
            yield pa.Array.from_buffers(pa.binary(), len(targets), buffers)
