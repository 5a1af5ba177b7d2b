"""Releases that are being written: beside, then moved into place, with their manifest or not at all. On a local store
that is one rename; elsewhere (s3) the manifest is copied last: without it, a folder is no release.
"""

import contextlib
import errno
import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import pyarrow as pa

from schemas.contract import DataContract, parse_part
from schemas.errors import BadInput
from schemas.manifests import FileEntry, ReleaseManifest
from tasks.io.files import contracts
from tasks.io.store import layout, release_parquet
from tasks.io.store.releases import Release, release_url
from tasks.io.store.store import Store


class Draft:
    """A release that is being written, out of sight. `publish` shows it whole, leaving the block removes it."""

    def __init__(self, store: Store, promised: Mapping[str, DataContract] | None = None) -> None:
        """promised: the release's contracts; by default the program's own."""
        self._contracts = contracts.contracts() if promised is None else promised
        self._store = store
        local = Path(store.full(layout.SCRATCH)) if store.is_local else Path(os.environ.get("TMPDIR", "/tmp"))
        self.folder = local / f"draft-{uuid.uuid4().hex}"
        self.files: dict[str, FileEntry] = {}

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, path: str, data: bytes) -> None:
        """A whole file."""
        self.write_chunks(path, [data])

    def write_json(self, path: str, value: Any) -> None:
        """JSON with sorted keys, in UTF-8."""
        self.write(path, json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode())

    def write_chunks(self, path: str, chunks: Iterable[Any]) -> None:
        """A file of which only a piece at a time is in memory: bytes, or buffers of them."""
        target = self._place(path)
        digest, length = hashlib.sha256(), 0
        with target.open("wb") as file:
            for chunk in chunks:
                length += file.write(chunk)
                digest.update(chunk)
        self.files[path] = FileEntry(sha256=digest.hexdigest(), bytes=length, rows=None)

    def as_release(self, manifest: ReleaseManifest) -> Release:
        """What is written so far, to be read as a release is. manifest: of these files."""
        self._place("manifest.json").write_text(manifest.model_dump_json(), encoding="utf-8")
        return Release(str(self.folder))

    @contextlib.contextmanager
    def folder_of(self, path: str) -> Iterator[Path]:
        """A folder to be filled in the block; all files that lie there at its end are the release's."""
        (self.folder / path).mkdir(parents=True)
        yield self.folder / path
        for place in sorted((self.folder / path).rglob("*")):
            if place.is_file():
                with place.open("rb") as file:
                    sha256 = hashlib.file_digest(file, "sha256").hexdigest()
                name = place.relative_to(self.folder).as_posix()
                self.files[name] = FileEntry(sha256=sha256, bytes=place.stat().st_size, rows=None)

    def _place(self, path: str) -> Path:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        return self.folder / path

    def write_parquet(
        self, path: str, groups: Iterable[pa.Table], schema: pa.Schema, order: Sequence[str] = ()
    ) -> None:
        """A Parquet file as `write_parquet_files` writes it."""
        self.write_parquet_files({path: release_parquet.ParquetRows(groups, schema, order)})

    def write_parquet_files(self, files: Mapping[str, release_parquet.ParquetRows]) -> None:
        """Parquet files as `release_parquet` writes them, with what the contract says of each column."""
        described = {}
        for path, rows in files.items():
            part = parse_part(path)
            table = part.table if part else Path(path).stem
            if table in self._contracts:
                rows = rows._replace(schema=contracts.with_descriptions(rows.schema, table, self._contracts))
            described[self._place(path)] = rows
        entries = release_parquet.write_parquet_files(described)
        self.files |= dict(zip(files, entries.values(), strict=True))

    def write_table(self, path: str, table: pa.Table, schema: pa.Schema, order: Sequence[str] = ()) -> None:
        """A table without image bytes as a Parquet file. order: columns by which it is sorted."""
        self.write_parquet(path, release_parquet.groups_of(table, schema), schema, order)

    def publish(self, manifest: ReleaseManifest) -> str:
        """Show it under its version and return its URL. A damaged version of that name gives way to it."""
        self.write("manifest.json", manifest.model_dump_json(indent=1).encode())
        target = layout.release_folder(manifest.name, manifest.version)
        if self._store.is_local:
            self._publish_by_rename(Path(self._store.full(target)))
        else:
            for path in [*sorted(self.files.keys() - {"manifest.json"}), "manifest.json"]:
                self._store.upload(self.folder / path, f"{target}/{path}")
        return release_url(self._store, manifest.name, manifest.version)

    def _publish_by_rename(self, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sync(self.folder)
        asides = []
        # each turn moves into place, or finds a whole release there, or takes something broken out of the way: what is
        # whole never moves, since somebody may be reading it
        while True:
            try:
                self.folder.rename(target)
                break
            except OSError as problem:
                if problem.errno not in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
                    raise
            with contextlib.suppress(BadInput):
                if Release(str(target)).is_intact():
                    break  # another build was quicker with the same release: same content
            asides.append(self.folder.with_name(f"replaced-{uuid.uuid4().hex}"))
            with contextlib.suppress(FileNotFoundError):  # another build was quicker to move it aside
                target.rename(asides[-1])
        _sync_one(target.parent)
        for aside in asides:
            aside.unlink() if aside.is_file() else shutil.rmtree(aside, ignore_errors=True)


def _sync(top: Path) -> None:
    for path in (*sorted(top.rglob("*")), top):
        _sync_one(path)


def _sync_one(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
