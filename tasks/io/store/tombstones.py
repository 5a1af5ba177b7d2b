"""What was purged from a store, for each dataset: so that nothing of it is ever fetched or published again.

`tombstones/<name>.parquet` is no cache: unlike all else in the store it can't be had again, and a build stops where it
can't be read.
"""

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import BrokenPromise
from schemas.tables import TOMBSTONES
from tasks.io.store.store import Store, parquet_bytes


def path_of(name: str) -> str:
    """Where a dataset's tombstones are, below the store."""
    return f"tombstones/{name}.parquet"


def tombstones(store: Store, name: str) -> pa.Table:
    """TOMBSTONES of a dataset, sorted by record_id; empty where nothing was purged.

    Raises BrokenPromise if they can't be read.
    """
    if not store.exists(path_of(name)):
        return TOMBSTONES.empty_table()
    try:
        return pq.read_table(pa.BufferReader(store.read_bytes(path_of(name)))).select(TOMBSTONES.names)
    except (pa.ArrowException, KeyError) as problem:
        raise BrokenPromise(
            f"expected the tombstones of '{name}' in {path_of(name)}, got a file that can't be read: copy "
            "tombstones.parquet "
            "of its newest release there"
        ) from problem


def bury(store: Store, name: str, stones: pa.Table) -> None:
    """Write them, whole or not at all."""
    store.write_bytes(path_of(name), parquet_bytes(stones))
