"""What a store keeps of each dataset beside releases: tombstones (no cache: a build stops if they can't be read), a
refused build, what its last build looked at.
"""

import json
from collections.abc import Collection
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import BadInput, BrokenPromise, DamagedFile
from schemas.tables import LEDGER, TOMBSTONES
from tasks.io.store import layout
from tasks.io.store.store import Store, parquet_bytes


def read_tombstones(store: Store, name: str) -> pa.Table:
    """TOMBSTONES of a dataset, by record_id; empty where nothing was purged. Raises BrokenPromise for an odd file."""
    if not store.exists(layout.tombstones_path(name)):
        return TOMBSTONES.empty_table()
    try:
        return pq.read_table(pa.BufferReader(store.read_bytes(layout.tombstones_path(name)))).select(TOMBSTONES.names)
    except (pa.ArrowException, KeyError) as problem:
        got = "a file that can't be read: copy tombstones.parquet of its newest release there"
        expected = f"expected the tombstones of '{name}' in {layout.tombstones_path(name)}"
        raise BrokenPromise(f"{expected}, got {got}") from problem


def write_tombstones(store: Store, name: str, stones: pa.Table) -> None:
    """Write them, whole or not at all."""
    store.write_bytes(layout.tombstones_path(name), parquet_bytes(stones))


_WORDS = b"refusal"
_SUFFIX = ".parquet"


class RefusedBuild(NamedTuple):
    """A build that published nothing: its LEDGER so far, the gate's sentence, labels of stages done, and the day."""

    ledger: pa.Table
    sentence: str
    labels: tuple[str, ...]
    day: str


def write_refusal(store: Store, name: str, build: RefusedBuild) -> None:
    """Keep a refused build, in place of an earlier one."""
    words = {"sentence": build.sentence, "labels": build.labels, "day": build.day}
    sink = pa.BufferOutputStream()
    pq.write_table(build.ledger.replace_schema_metadata({_WORDS: json.dumps(words)}), sink, compression="zstd")
    store.write_bytes(layout.refusal_path(name), bytes(sink.getvalue()))


def read_refusal(store: Store, name: str) -> RefusedBuild | None:
    """The dataset's last build, if it was refused; else None. Raises BadInput if the file can't be read."""
    if not store.exists(layout.refusal_path(name)):
        return None
    try:
        table = pq.read_table(pa.BufferReader(store.read_bytes(layout.refusal_path(name))))
        words = json.loads((table.schema.metadata or {})[_WORDS])
        ledger = table.select(LEDGER.names).replace_schema_metadata(None)
        return RefusedBuild(ledger, str(words["sentence"]), tuple(map(str, words["labels"])), str(words["day"]))
    except (pa.ArrowException, KeyError, TypeError, ValueError) as problem:
        expected = f"expected the ledger of a refused build in {layout.refusal_path(name)}"
        raise BadInput(f"{expected}, got a file that can't be read: build again") from problem


def remove_refusal(store: Store, name: str) -> None:
    """Forget a refused build, if there is one."""
    if store.exists(layout.refusal_path(name)):
        store.remove(layout.refusal_path(name))


def refused_datasets(store: Store) -> list[str]:
    """Names of the datasets whose last build was refused, sorted."""
    return [name.removesuffix(_SUFFIX) for name in store.list_folder(layout.REFUSALS) if name.endswith(_SUFFIX)]


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
    is_list = isinstance(paths, list) and all(isinstance(path, str) for path in paths)
    return frozenset(paths) if is_list else None
