"""Image bytes read from the store's blobs straight into the memory that Arrow writes from."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tasks.io.store.store import Store

_READERS_HERE, _READERS_AFAR = 1, 8
"""Threads that read and hash. One keeps up with the writer, and more take turns at Python's lock; on an object store
most of it is waiting."""


class ImageGroup(NamedTuple):
    """The images of one row group, which together have less than 2 GiB. sizes_bytes: (N,)."""

    sha256s: Sequence[str]
    sizes_bytes: NDArray[np.int64]


class _GroupMemory(NamedTuple):
    memory: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    reading: list[Future[None]]

    def array(self) -> pa.Array:
        for one in self.reading:
            one.result()
        buffers = [None, pa.py_buffer(self.offsets), pa.py_buffer(self.memory)]
        return pa.Array.from_buffers(pa.binary(), len(self.offsets) - 1, buffers)


def image_bytes(store: Store, groups: Iterable[ImageGroup]) -> Iterator[pa.Array]:
    """(N,) bytes of each group's images. While one group is in use, the next is read.

    Each array is good until the next is asked for: two pieces of memory serve all groups, since to get new memory from
    the system for every group takes a third of the time that writing it does.

    Raises DamagedFile where a blob is gone, of another size, or not what its name says.
    """
    memories = [np.empty(0, np.uint8), np.empty(0, np.uint8)]
    before: _GroupMemory | None = None
    readers = _READERS_HERE if store.is_local else _READERS_AFAR
    with ThreadPoolExecutor(readers) as pool:
        try:
            for number, group in enumerate(groups):
                length = int(group.sizes_bytes.sum())
                if len(memories[number % 2]) < length:
                    memories[number % 2] = np.empty(length, np.uint8)
                ahead = _begin(store, pool, readers, group, memories[number % 2])
                if before is not None:
                    yield before.array()
                before = ahead
            if before is not None:
                yield before.array()
        finally:
            pool.shutdown(cancel_futures=True)


def _begin(
    store: Store, pool: ThreadPoolExecutor, readers: int, group: ImageGroup, memory: NDArray[np.uint8]
) -> _GroupMemory:
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(group.sizes_bytes, dtype=np.int64)]).astype(np.int32)
    places = list(zip(group.sha256s, offsets[:-1].tolist(), offsets[1:].tolist(), strict=True))
    reading = [pool.submit(_read, store, places[reader::readers], memory.data) for reader in range(readers)]
    return _GroupMemory(memory, offsets, reading)


def _read(store: Store, places: list[tuple[str, int, int]], memory: memoryview) -> None:
    for sha256, start, stop in places:
        store.read_blob_into(sha256, memory[start:stop])
