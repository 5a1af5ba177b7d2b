"""Checkpoints in the store: named after their step and the SHA-256 of their bytes, so that damage is detected."""

import contextlib
import hashlib
from collections.abc import Iterator

from schemas.errors import DamagedFile
from tasks.io.store.layout import CHECKPOINT_SUFFIX
from tasks.io.store.store import Store

KEPT = 2


def write(store: Store, folder: str, step: int, data: bytes) -> None:
    """Store a step's checkpoint, whole or not at all, and remove all but the newest two."""
    store.write_bytes(f"{folder}/{step:09d}-{hashlib.sha256(data).hexdigest()}{CHECKPOINT_SUFFIX}", data)
    for name in _names(store, folder)[KEPT:]:
        store.remove(f"{folder}/{name}")


def read_intact(store: Store, folder: str) -> Iterator[bytes]:
    """Bytes of each intact checkpoint, newest first; damaged ones are removed."""
    for name in _names(store, folder):
        with contextlib.suppress(DamagedFile):
            data = store.read_bytes(f"{folder}/{name}")
            if name == f"{name[:9]}-{hashlib.sha256(data).hexdigest()}{CHECKPOINT_SUFFIX}":
                yield data
            else:
                store.remove(f"{folder}/{name}")


def clear(store: Store, folder: str) -> None:
    """Remove all checkpoints, once the training has ended."""
    for name in _names(store, folder):
        store.remove(f"{folder}/{name}")


def _names(store: Store, folder: str) -> list[str]:
    return [name for name in reversed(store.list_folder(folder)) if name.endswith(CHECKPOINT_SUFFIX)]
