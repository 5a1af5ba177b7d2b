"""What one purge removes: the value that all its steps share."""

from typing import NamedTuple

import pyarrow as pa

from tasks.core.purge.identifiers import Identifiers
from tasks.io.store.store import Store


class Removal(NamedTuple):
    """What goes, and from which store.

    tombstones: TOMBSTONES of the dataset. day: of this purge. files: SHA-256 of what is removed from the store;
    files_ever: of all that the records ever had, also where others use it. lone_artists: of whom no other record is
    known. spared: (folder, locator) of retrievals that other datasets need. is_dry: nothing is changed.
    """

    store: Store
    tombstones: pa.Table
    day: str
    files: frozenset[str]
    files_ever: frozenset[str]
    identifiers: Identifiers
    lone_artists: frozenset[str] = frozenset()
    spared: frozenset[tuple[str, str]] = frozenset()
    is_dry: bool = False

    @property
    def record_ids(self) -> frozenset[str]:
        """The purged records."""
        return frozenset(self.tombstones["record_id"].to_pylist())

    def with_tombstones(self, tombstones: pa.Table) -> "Removal":
        """The removal of only those records."""
        return self._replace(tombstones=tombstones)

    @property
    def files_array(self) -> pa.Array:
        """`files`, sorted."""
        return pa.array(sorted(self.files), pa.string())
