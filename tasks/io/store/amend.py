"""A release changed in place, file by file, the manifest last: where a killed purge has ended, the next goes on."""

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.manifests import FileEntry, ReleaseManifest
from tasks.io.store import layout, release_tables
from tasks.io.store.release_parquet import order_in, write_parquet
from tasks.io.store.releases import Release
from tasks.io.store.store import Store

_HEAVY = "image"
TableEdit = Callable[[pa.Table], pa.Table]


class ReleaseEditor:
    """Changes files of one release in place. With `is_dry` it only finds out what would be changed."""

    def __init__(self, store: Store, release: Release, *, is_dry: bool) -> None:
        self._store, self.release, self._is_dry = store, release, is_dry
        self._folder = layout.release_folder(release.manifest.name, release.manifest.version)
        # of each changed file; 0 if no row is lost, only values
        self.lost_rows: dict[str, int] = {}

    def table(self, path: str, change: TableEdit) -> None:
        """Change a table, in the types of a release (`to_release_types`), row group by row group, if anything changes.
        Raises DamagedFile for a file that no release has, before anything of it is written.
        """
        with self.release.open_parquet(path) as parquet, self._damage_if_unreadable(path):
            schema = release_tables.schema_to_write(parquet.schema_arrow, path)
            light = [name for name in parquet.schema_arrow.names if name != _HEAVY]
            before = release_tables.to_release_types(parquet.read(columns=light), path)
            after = change(before)
            if _is_same(before, after):
                return
            self.lost_rows[path] = before.num_rows - after.num_rows
            if not self._is_dry:
                with self._store.scratch() as beside:
                    write_parquet(beside, _groups(parquet, path, schema, change), schema, order_in(parquet))
                    self._store.adopt(beside, f"{self._folder}/{path}")

    @contextlib.contextmanager
    def _damage_if_unreadable(self, path: str) -> Iterator[None]:
        try:
            yield
        except (ValueError, RecursionError) as problem:  # other errors of Arrow's are told by `open_parquet`
            raise self.release.damage(path, "what releases have there", problem) from problem

    def text(self, path: str, change: Callable[[bytes], bytes]) -> None:
        """Change any other file, whole; one that is not there begins empty."""
        before = self.release.read(path) if self.release.fs.exists(f"{self.release.root}/{path}") else b""
        after = change(before)
        if after != before:
            self.lost_rows.setdefault(path, 0)
            if not self._is_dry:
                self._store.write_bytes(f"{self._folder}/{path}", after)

    def json(self, path: str, change: Callable[[Any], Any]) -> None:
        """Change a JSON file. Raises DamagedFile if it is gone or no JSON, and for a ValueError of `change`."""
        value = self.release.read_json(path)
        with self._damage_if_unreadable(path):
            new = change(value)
            if new == value:
                return
            data = json.dumps(new, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
        self.text(path, lambda _: data)

    def remove(self, path: str) -> None:
        """Remove a file, if it is there."""
        if self.release.fs.exists(f"{self.release.root}/{path}"):
            self.lost_rows[path] = 0
            if not self._is_dry:
                self._store.remove(f"{self._folder}/{path}")

    def remove_folder(self, name: str) -> None:
        """Remove a folder, if it is there, with all that lies in it."""
        if self.release.fs.exists(f"{self.release.root}/{name}"):
            self.lost_rows[f"{name}/"] = 0
            if not self._is_dry:
                self._store.fs.rm(self._store.full(f"{self._folder}/{name}"), recursive=True)

    def entries(self) -> dict[str, FileEntry]:
        """Each file of the release as it is now, for the manifest; files that are gone are left out."""
        entries = {}
        for path in sorted({*self.release.manifest.files, *self.release.paths()} - {"manifest.json"}):
            if (entry := self.release.file_entry(path)) is not None:
                entries[path] = entry.model_copy(update={"rows": self._rows(path)})
        return entries

    def close(self, make_manifest: Callable[[], ReleaseManifest]) -> None:
        """Write the manifest that is made now, after which the release is whole again; not in a dry run."""
        if not self._is_dry:
            self._store.write_bytes(f"{self._folder}/manifest.json", make_manifest().model_dump_json(indent=1).encode())

    def _rows(self, path: str) -> int | None:
        known = self.release.manifest.files.get(path)
        if not path.endswith(".parquet") or (known is not None and known.rows is None):
            return None
        return self.release.row_count(path)


def _groups(parquet: pq.ParquetFile, path: str, schema: pa.Schema, change: TableEdit) -> Iterator[pa.Table]:
    for number in range(parquet.num_row_groups):
        group = change(release_tables.to_release_types(parquet.read_row_group(number), path))
        if group.num_rows:
            yield group.cast(schema)  # dictionaries are made anew: of one that is only filtered, all values stay


def _is_same(before: pa.Table, after: pa.Table) -> bool:
    """Whether nothing has changed. To Arrow, what is not a number differs from itself: then the text decides."""
    return before.num_rows == after.num_rows and all(
        one.equals(other) or str(one.to_pylist()) == str(other.to_pylist())
        for one, other in zip(before.columns, after.columns, strict=True)
    )
