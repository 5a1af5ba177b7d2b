"""What the last build of each dataset has looked at: caches that no build has looked at may go (`prune`)."""

import json
from collections.abc import Collection

from schemas.errors import DamagedFile
from tasks.io.store import layout
from tasks.io.store.store import Store


def write_uses(store: Store, name: str, paths: Collection[str]) -> None:
    """Keep what a build has looked at, in place of an earlier build's; the same again changes nothing."""
    data = json.dumps(sorted(paths), indent=0).encode()
    path = layout.uses_path(name)
    if not store.exists(path) or store.read_bytes(path) != data:
        store.write_bytes(path, data)


def read_uses(store: Store, name: str) -> frozenset[str] | None:
    """What the last build of the dataset has looked at; None where nobody knows."""
    try:
        paths = json.loads(store.read_bytes(layout.uses_path(name)))
    except (DamagedFile, ValueError, RecursionError):
        return None
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        return None
    return frozenset(paths)
