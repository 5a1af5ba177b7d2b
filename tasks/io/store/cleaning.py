"""Files of a store that a purge or a prune removes or rewrites, area by area of the layout."""

import contextlib
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import DamagedFile
from schemas.manifests import TableRef
from tasks.io.store import journal, layout
from tasks.io.store.store import Store


class StoreCleaner:
    """Removes and rewrites files of one store. With `is_dry` it only finds out what would be changed."""

    def __init__(self, store: Store, *, is_dry: bool) -> None:
        # to read a damaged file removes it: what a dry run opens is only hidden
        self._store, self._is_dry = Store(store.url, is_overlay=True) if is_dry else store, is_dry

    def absorb_journals(self) -> None:
        """Make tables of the journals of killed builds; not in a dry run."""
        for area in layout.AREAS if not self._is_dry else ():
            if area.journal is not None:
                paths = [path for path in self.paths(area) if path.endswith(layout.JOURNAL_SUFFIX)]
                for folder in sorted({_folder(path) for path in paths}):
                    journal.absorb(self._store, folder, area.journal)

    def paths(self, area: layout.Area) -> list[str]:
        """Paths of all files in an area, sorted."""
        return sorted(path for path, _, _ in self.files(area))

    def tables(
        self, area: layout.Area, is_wanted: Callable[[pa.Table], bool] | None = None
    ) -> Iterator[tuple[str, pa.Table]]:
        """Path and table of each Parquet file, read whole if wanted by its hashes alone; a damaged one is removed."""
        columns = [name for name in (*area.columns, area.hash_column) if name]
        for path in self.paths(area):
            if not path.endswith(".parquet"):
                continue
            with contextlib.suppress(pa.ArrowException, OSError):  # damaged: to read it whole removes it
                if is_wanted is not None and not is_wanted(self._read(path, columns)):
                    continue
            with contextlib.suppress(DamagedFile):
                yield path, self._store.read_table(TableRef(path=path, rows=0), is_remembered=False)

    def _read(self, path: str, columns: list[str]) -> pa.Table:
        with self._store.fs.open(self._store.full(path), "rb") as file:
            return pq.ParquetFile(file).read(columns=columns)

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

    def empty(self, area: layout.Area) -> int:
        """Remove all that is in an area's folder; how many files and folders lay in it."""
        names = self._store.list_folder(area.root)
        for name in names if not self._is_dry else ():
            self._store.fs.rm(self._store.full(f"{area.root}/{name}"), recursive=True)
        return len(names)

    def columns(self, area: layout.Area, names: Sequence[str]) -> Iterator[pa.Table]:
        """These columns of each Parquet file in an area that can be read and has them."""
        for path in self.paths(area):
            if path.endswith(".parquet"):
                with contextlib.suppress(pa.ArrowException, OSError, KeyError):
                    yield self._read(path, [*names]).select(names)

    def files(self, area: layout.Area) -> Iterator[tuple[str, int, float]]:
        """Path, bytes and time of writing (seconds since 1970) of each file in an area, none twice."""
        for path, length, written_s in _files_below(self._store, area.root):
            if layout.area_of(path) is area:
                yield path, length, written_s

    def remove_release(self, name: str, version: str) -> None:
        """Remove a release so that no reader sees a part of it: moved away whole, or elsewhere its manifest first."""
        if self._is_dry:
            return
        folder = layout.release_folder(name, version)
        if self._store.is_local:
            aside = Path(self._store.full(layout.scratch_path(f"{_PRUNED}{uuid.uuid4().hex}")))
            aside.parent.mkdir(exist_ok=True)
            Path(self._store.full(folder)).rename(aside)
            shutil.rmtree(aside)
        else:
            self._store.remove(f"{folder}/manifest.json")
            self._store.fs.rm(self._store.full(folder), recursive=True)

    def remove_pruned(self) -> None:
        """Remove releases that a killed prune has moved out of sight; not in a dry run."""
        if self._is_dry or not self._store.is_local:
            return
        for left in Path(self._store.full(layout.SCRATCH)).glob(f"{_PRUNED}*"):
            shutil.rmtree(left)

    def remove_empty_folders(self, area: layout.Area) -> None:
        """Remove folders of an area in which nothing lies, on a local store; not in a dry run."""
        if self._is_dry or not self._store.is_local:
            return
        for folder, _, _ in os.walk(self._store.full(area.root), topdown=False):
            with contextlib.suppress(OSError):  # it holds something
                Path(folder).rmdir()


_PRUNED = "pruned-"


def written_at(store: Store, path: str) -> float:
    """When a file, or the newest one below a folder, was written, in seconds since 1970; 0 where there is none."""
    if store.fs.isfile(store.full(path)):
        return _written_s(store.fs.info(store.full(path)))
    return max((written_s for _, _, written_s in _files_below(store, path)), default=0.0)


def _files_below(store: Store, folder: str) -> Iterator[tuple[str, int, float]]:
    if not store.is_local:
        with contextlib.suppress(FileNotFoundError):
            start = len(store.root.rstrip("/")) + 1
            for path, info in store.fs.find(store.full(folder), detail=True).items():
                yield str(path)[start:], int(info["size"]), _written_s(info)
        return
    for place, _, names in os.walk(store.full(folder)):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # taken away meanwhile
                status = Path(place, name).stat(follow_symlinks=False)
                path = Path(place, name).relative_to(store.root).as_posix()
                yield path, status.st_size, status.st_mtime


def _written_s(info: dict[str, Any]) -> float:
    """What object stores and other file systems say of a file; now, if they don't say when it was written."""
    for name in ("mtime", "LastModified", "last_modified", "updated", "created"):
        value = info.get(name)
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        if isinstance(value, datetime):
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
        if isinstance(value, int | float):
            return float(value)
    return time.time()


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
