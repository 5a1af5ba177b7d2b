"""Files of a store that a purge removes or rewrites, area by area of the layout."""

import contextlib
from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import DamagedFile
from schemas.manifests import TableRef
from tasks.io.store import journal, layout
from tasks.io.store.layout import Area
from tasks.io.store.store import Store


class StoreCleaner:
    """Removes and rewrites files of one store. With `is_dry` it only finds out what would be changed."""

    def __init__(self, store: Store, *, is_dry: bool) -> None:
        """Nothing is changed yet."""
        # to read a damaged file removes it: what a dry run opens is only hidden
        self._store, self._is_dry = Store(store.url, is_overlay=True) if is_dry else store, is_dry

    def absorb_journals(self) -> None:
        """Make tables of the journals of killed builds; not in a dry run."""
        for area in layout.AREAS if not self._is_dry else ():
            if area.journal is not None:
                paths = [path for path in self.paths(area) if path.endswith(layout.JOURNAL_SUFFIX)]
                for folder in sorted({_folder(path) for path in paths}):
                    journal.absorb(self._store, folder, area.journal)

    def paths(self, area: Area) -> list[str]:
        """Paths of all files in an area, sorted."""
        try:
            found = self._store.fs.find(self._store.full(area.root))
        except FileNotFoundError:
            return []
        start = len(self._store.root.rstrip("/")) + 1
        return sorted(path for path in (str(each)[start:] for each in found) if layout.area_of(path) is area)

    def tables(self, area: Area, is_wanted: Callable[[pa.Table], bool] | None = None) -> Iterator[tuple[str, pa.Table]]:
        """Path and table of each Parquet file in an area. A damaged file is removed and passed over.

        is_wanted: called with the area's `columns` and `hash_column` alone; other tables are not read whole.
        """
        for path in self.paths(area):
            if path.endswith(".parquet") and (is_wanted is None or self._is_wanted(area, path, is_wanted)):
                with contextlib.suppress(DamagedFile):
                    yield path, self._store.read_table(TableRef(path=path, rows=0), is_remembered=False)

    def _is_wanted(self, area: Area, path: str, is_wanted: Callable[[pa.Table], bool]) -> bool:
        columns = [name for name in (*area.columns, area.hash_column) if name]
        try:
            with self._store.fs.open(self._store.full(path), "rb") as file:
                return is_wanted(pq.ParquetFile(file).read(columns=columns))
        except (pa.ArrowException, OSError):
            return True  # damaged: to read it whole removes it

    def write(self, path: str, table: pa.Table) -> str | None:
        """Store a table beside the one at the path; its own path, or None for an empty one and in a dry run."""
        if self._is_dry or not table.num_rows:
            return None
        return self._store.write_table(_folder(path), table, is_remembered=False).path

    def replace(self, path: str, table: pa.Table) -> None:
        """Put a table in the place of another, which goes last: a reader finds too much rather than too little."""
        if self.write(path, table) != path:
            self.remove(path)

    def remove(self, path: str) -> bool:
        """Remove a file, if it is there; whether it was."""
        is_there = self._store.exists(path)
        if is_there and not self._is_dry:
            self._store.remove(path)
        return is_there

    def empty(self, area: Area) -> int:
        """Remove all that is in an area's folder; how many files and folders lay in it."""
        names = self._store.list_folder(area.root)
        for name in names if not self._is_dry else ():
            self._store.fs.rm(self._store.full(f"{area.root}/{name}"), recursive=True)
        return len(names)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
