"""Checkpoints in the store: named after their step and the SHA-256 of their bytes, so that a damaged one shows."""

import contextlib
import hashlib
from collections.abc import Iterator

from schemas.errors import DamagedFile
from tasks.io.store.layout import CHECKPOINT_SUFFIX
from tasks.io.store.store import Store

KEPT = 2


def write(store: Store, folder: str, step: int, data: bytes) -> None:
    """Store a step's checkpoint, whole or not at all; of those before it, one stays."""
    store.write_bytes(f"{folder}/{step:09d}-{hashlib.sha256(data).hexdigest()}{CHECKPOINT_SUFFIX}", data)
    for name in _names(store, folder)[KEPT:]:
        store.remove(f"{folder}/{name}")


def read_intact(store: Store, folder: str) -> Iterator[bytes]:
    """Bytes of those that are whole, the newest first; one that is damaged is removed and passed over."""
    for name in _names(store, folder):
        with contextlib.suppress(DamagedFile):
            data = store.read_bytes(f"{folder}/{name}")
            if name == f"{name[:9]}-{hashlib.sha256(data).hexdigest()}{CHECKPOINT_SUFFIX}":
                yield data
            else:
                store.remove(f"{folder}/{name}")


def clear(store: Store, folder: str) -> None:
    """Remove all: what they led to is there."""
    for name in _names(store, folder):
        store.remove(f"{folder}/{name}")


def _names(store: Store, folder: str) -> list[str]:
    return [name for name in reversed(store.list_folder(folder)) if name.endswith(CHECKPOINT_SUFFIX)]
