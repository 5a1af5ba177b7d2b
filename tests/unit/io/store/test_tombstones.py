"""Tombstones: written whole, read back, and never taken for none."""

import pyarrow as pa
import pytest

from schemas.errors import BrokenPromise
from schemas.tables import TOMBSTONES
from tasks.io.store import tombstones
from tasks.io.store.layout import tombstones_path
from tasks.io.store.store import Store

STONES = pa.Table.from_pylist(
    [{"record_id": "s:1", "date": "2024-05-01", "reason": "heirs", "sha256": None, "scope": "work"}], schema=TOMBSTONES
)


@pytest.mark.parametrize("url", ["{}", "memory://tombstones"])
def test_what_is_buried_is_read_back(tmp_path, url):
    store = Store(url.format(tmp_path))
    assert tombstones.read_tombstones(store, "small").equals(TOMBSTONES.empty_table())
    tombstones.write_tombstones(store, "small", STONES)
    assert tombstones.read_tombstones(Store(url.format(tmp_path)), "small").equals(STONES)
    assert tombstones.read_tombstones(store, "other").num_rows == 0


@pytest.mark.parametrize("data", [b"", b"PAR1 and no more"])
def test_a_file_that_can_not_be_read_stops_the_build(tmp_path, data):
    store = Store(str(tmp_path))
    store.write_bytes(tombstones_path("small"), data)
    with pytest.raises(BrokenPromise, match="expected the tombstones of 'small'"):
        tombstones.read_tombstones(store, "small")
