"""What was purged from a store, for each dataset: so that nothing of it is ever fetched or published again.

This is no cache: it can't be computed again, and a build stops if it can't be read.
"""

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import BrokenPromise
from schemas.tables import TOMBSTONES
from tasks.io.store.layout import tombstones_path
from tasks.io.store.store import Store, parquet_bytes


def read_tombstones(store: Store, name: str) -> pa.Table:
    """TOMBSTONES of a dataset, sorted by record_id; empty where nothing was purged.

    Raises BrokenPromise if they can't be read.
    """
    if not store.exists(tombstones_path(name)):
        return TOMBSTONES.empty_table()
    try:
        return pq.read_table(pa.BufferReader(store.read_bytes(tombstones_path(name)))).select(TOMBSTONES.names)
    except (pa.ArrowException, KeyError) as problem:
        raise BrokenPromise(
            f"expected the tombstones of '{name}' in {tombstones_path(name)}, got a file that can't be read: copy "
            "tombstones.parquet of its newest release there"
        ) from problem


def write_tombstones(store: Store, name: str, stones: pa.Table) -> None:
    """Write them, whole or not at all."""
    store.write_bytes(tombstones_path(name), parquet_bytes(stones))
