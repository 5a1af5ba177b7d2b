"""The store: an fsspec URL that holds blobs, tables and releases (layout.py says where).

Every file bears the SHA-256 of its bytes in its name, so that it proves itself when it is read. That is the whole
mechanism of caching: a table lies in a folder named after the cache key of what it answers, and whoever needs the
answer reads what is there and intact. Nothing can point at a table that is gone.
"""

import contextlib
import errno
import hashlib
import io
import os
import shutil
import tempfile
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

from schemas.errors import BadInput, DamagedFile
from schemas.manifests import TableRef
from schemas.phrases import quoted
from tasks.io.files import inputs
from tasks.io.store import layout
from tasks.io.store.overlay import FileOverlay

STALE_S = 24 * 3600.0
"""Unfinished files older than this are left over: no build writes one file for a day."""


_NO_FILE = {None, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENXIO}
"""Where there is nothing, a folder, or a link that leads nowhere. Object stores' FileNotFoundError has no number."""


class TableCache(OrderedDict[tuple[str, str], pa.Table | pa.Buffer]):
    """Tables in memory by store and path, the latest last: small ones as they are, large ones as the Parquet file that
    they came from, which has a tenth of their bytes and gives a few columns as quickly.
    """

    # of all; counted along, since adding them up for each new table takes longer the more there are
    nbytes = 0

    def keep(self, key: tuple[str, str], table: pa.Table | pa.Buffer) -> None:
        """Remember a table; where all together are too large, the oldest go."""
        with _CACHE_LOCK:
            self.drop(key)
            self[key] = table
            self.nbytes += _nbytes(table)
            while len(self) > 1 and self.nbytes > _CACHE_BYTES:
                self.drop(next(iter(self)))

    def drop(self, key: tuple[str, str]) -> None:
        """Let go of a table, if it is there."""
        with _CACHE_LOCK:
            if (known := self.pop(key, None)) is not None:
                self.nbytes -= _nbytes(known)


_CACHE = TableCache()
_CACHE_BYTES = 128 * 2**20
_LARGE_BYTES = 256 * 2**10
_MOST_AT_ONCE = 64 * 2**20
"""Of a file that is copied to a store elsewhere."""
"""A table whose file is larger is remembered as that file."""
_CACHE_LOCK = threading.RLock()
_ROWS_PER_GROUP = 131_072
_BUCKETS = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "oci"}


class Store:
    """Blobs, tables and releases below one fsspec URL. With `is_overlay`, what is written and removed only this object
    knows (overlay.py): so a plan takes the same decisions as a build and leaves no trace.
    """

    def __init__(self, url: str, *, is_overlay: bool = False) -> None:
        """Open, not touch: a store that does not exist yet is an empty one. Raises BadInput on an unusable URL."""
        if not url.strip() or "\0" in url:
            raise BadInput(f"store: expected a folder or an fsspec URL, got {quoted(url)}")
        with inputs.reword_errors("store: expected a folder or an fsspec URL", url):
            self.fs, self.root = fsspec.core.url_to_fs(url)
        self.url = url
        self.is_local = isinstance(self.fs, LocalFileSystem)
        # with these, a folder is a part of a name, and to make one may make the bucket
        protocol = self.fs.protocol
        self._has_buckets = not _BUCKETS.isdisjoint({protocol} if isinstance(protocol, str) else protocol)
        self.is_overlay = is_overlay
        self._overlay = FileOverlay()  # stays empty but for a plan
        self._recorders: list[set[str]] = []
        self._known_as = f"plan {uuid.uuid4().hex}" if is_overlay else url  # no build finds what a plan foresaw

    @contextlib.contextmanager
    def recording(self) -> Iterator[set[str]]:
        """Paths of tables that are read or written by this object meanwhile, and of folders that it lists."""
        used = set[str]()
        self._recorders.append(used)
        try:
            yield used
        finally:
            self._recorders = [other for other in self._recorders if other is not used]

    def _record(self, path: str) -> None:
        for used in self._recorders:
            used.add(path)

    def full(self, path: str) -> str:
        """The path as the file system knows it."""
        return f"{self.root}/{path}"

    def check_lasting(self) -> None:
        """Raise BadInput if all that is written here is gone when the process ends."""
        if isinstance(self.fs, MemoryFileSystem):
            expected = "store: expected a place that lasts"
            raise BadInput(f"{expected}, got {quoted(self.url)}, which is gone when the command ends")

    def check_readable(self) -> None:
        """Raise BadInput if there can be no store here: it can't be listed, or a file is in the way."""
        with inputs.reword_errors("store: expected a folder or an fsspec URL that can be read", self.url):
            if self.is_local:
                there = next(place for place in (Path(self.root), *Path(self.root).parents) if place.exists())
                if not there.is_dir():
                    raise NotADirectoryError(f"{there} is a file")
            self.list_folder(layout.RELEASES)

    def check_writable(self) -> None:
        """Raise BadInput if nothing can be written here; sweep what killed builds left. No bucket is made."""
        probe = layout.scratch_path(uuid.uuid4().hex)
        with inputs.reword_errors("store: expected a place that can be written", self.url):
            self.write_bytes(probe, b"")
            self.fs.rm_file(self.full(probe))
        if self.is_local:
            for left in Path(self.full(layout.SCRATCH)).iterdir():
                with contextlib.suppress(FileNotFoundError):  # its build may finish, or another build sweep, meanwhile
                    if time.time() - left.stat().st_mtime > STALE_S:
                        shutil.rmtree(left) if left.is_dir() else left.unlink()

    def write_bytes(self, path: str, data: bytes) -> None:
        """Write beside, fsync, rename: a reader sees the whole file or none."""
        if self.is_overlay:
            self._overlay.write(path, io.BytesIO(data))
        elif self.is_local:
            with self.scratch() as beside:
                beside.write_bytes(data)
                self.adopt(beside, path)
        else:
            if not self._has_buckets:
                self.fs.makedirs(self.full(path).rsplit("/", 1)[0], exist_ok=True)
            self.fs.pipe_file(self.full(path), data)

    def read_bytes(self, path: str) -> bytes:
        """The file's bytes. Raises DamagedFile where there is none."""
        if path in self._overlay:
            with self._overlay.open(path) as file:
                return file.read()
        if path in self._overlay.removed:
            raise DamagedFile(f"expected {path} in the store {self.url}, got other bytes than it had")
        with self._nothing_there(path):
            return inputs.read_from(self.fs, self.full(path))

    @contextlib.contextmanager
    def _nothing_there(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            if problem.errno not in _NO_FILE and not isinstance(problem, inputs.NotRegular):
                raise
            raise DamagedFile(f"expected {path} in the store {self.url}, got nothing there") from problem

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder at the path."""
        if path in self._overlay.removed:
            return False
        return path in self._overlay or bool(self.fs.exists(self.full(path)))

    def list_folder(self, folder: str) -> list[str]:
        """Names of what lies directly in a folder, sorted; none where there is no folder."""
        self._record(folder)
        listed = []
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            listed = self.fs.ls(self.full(folder), detail=False, **({} if self.is_local else {"refresh": True}))
        mine = [path for path in self._overlay if path.rsplit("/", 1)[0] == folder]
        itself = self.full(folder).rstrip("/")  # as an object store lists it that marks its folders
        hidden = {self.full(path) for path in self._overlay.removed}
        paths = {str(path).rstrip("/") for path in (*listed, *mine)} - {itself} - hidden
        return sorted({path.rsplit("/", 1)[-1] for path in paths})

    def remove(self, path: str) -> None:
        """Remove a file; a plan only hides it from itself. If another process was quicker, nothing happens."""
        if self.is_overlay:
            self._overlay.remove(path)
            return
        with contextlib.suppress(FileNotFoundError):
            self.fs.rm_file(self.full(path))

    def write_table(self, folder: str, table: pa.Table, *, is_remembered: bool = True) -> TableRef:
        """Store a table in a folder under the SHA-256 of its Parquet bytes; writing it again changes nothing."""
        data = parquet_bytes(table)
        ref = TableRef(path=f"{folder}/{hashlib.sha256(data).hexdigest()}.parquet", rows=table.num_rows)
        self._record(ref.path)
        is_intact = False
        with contextlib.suppress(DamagedFile):
            is_intact = self.read_bytes(ref.path) == data
        if not is_intact:
            self.write_bytes(ref.path, data)
        if is_remembered:
            _CACHE.keep((self._known_as, ref.path), table if len(data) <= _LARGE_BYTES else pa.py_buffer(data))
        return ref

    def read_table(
        self, ref: TableRef, columns: Sequence[str] | None = None, *, is_remembered: bool = True
    ) -> pa.Table:
        """The table of the reference, or these columns of it. Raises DamagedFile if it is gone, or other bytes."""
        return _columns_of(self._table_or_file(ref, is_remembered=is_remembered), columns)

    def read_pieces(self, ref: TableRef, rows: int) -> Iterator[pa.Table]:
        """The same table in pieces of at most so many rows, of which one is in memory at a time; raises alike."""
        known = self._table_or_file(ref, is_remembered=True)
        if isinstance(known, pa.Table):
            yield from (known.slice(start, rows) for start in range(0, known.num_rows, rows))
        else:
            for batch in pq.ParquetFile(pa.BufferReader(known)).iter_batches(rows):
                yield pa.Table.from_batches([batch])

    def _table_or_file(self, ref: TableRef, *, is_remembered: bool) -> pa.Table | pa.Buffer:
        self._record(ref.path)
        if (known := _CACHE.get((self._known_as, ref.path))) is not None:
            return known
        data = self.read_bytes(ref.path)
        if hashlib.sha256(data).hexdigest() != ref.sha256:
            self.remove(ref.path)
            raise DamagedFile(f"expected SHA-256 {ref.sha256} of {ref.path}, got other bytes; they were removed")
        file = pa.py_buffer(data)
        known = file if len(data) > _LARGE_BYTES else _columns_of(file, None)
        if is_remembered:
            _CACHE.keep((self._known_as, ref.path), known)
        return known

    def tables(self, folder: str) -> Iterator[tuple[TableRef, pa.Table]]:
        """Every intact table of a folder, in the order of its name. Damaged ones are removed and passed over."""
        for name in self.list_folder(folder):
            if not name.endswith(".parquet"):
                continue
            path = f"{folder}/{name}"
            _CACHE.drop((self._known_as, path))  # what lies on disk is the truth, not what this process remembers
            with contextlib.suppress(DamagedFile):
                table = self.read_table(TableRef(path=path, rows=0))
                yield TableRef(path=path, rows=table.num_rows), table

    def write_blob(self, data: bytes) -> str:
        """Store bytes under their SHA-256 and return it, as 64 hex digits."""
        sha256 = hashlib.sha256(data).hexdigest()
        path = layout.blob_path(sha256)
        if self._size(path) != len(data):
            self.write_bytes(path, data)
        return sha256

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Path]:
        """Path of a new unfinished file; removed at the end, unless it was adopted."""
        is_here = self.is_local and not self.is_overlay
        folder = Path(self.full(layout.SCRATCH) if is_here else tempfile.gettempdir())
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / uuid.uuid4().hex
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)

    def adopt_blob(self, path: Path, sha256: str, length: int) -> None:
        """Make a local file, whose digest and length are known from its writing, the blob of that name."""
        if self._size(layout.blob_path(sha256)) != length:
            self.adopt(path, layout.blob_path(sha256))

    def upload(self, path: Path, target: str) -> None:
        """Copy a local file to a store elsewhere; a large one piece by piece."""
        if path.stat().st_size <= _MOST_AT_ONCE:
            self.write_bytes(target, path.read_bytes())
            return
        if not self._has_buckets:
            self.fs.makedirs(self.full(target).rsplit("/", 1)[0], exist_ok=True)
        self.fs.put_file(str(path), self.full(target))

    def adopt(self, path: Path, target: str) -> None:
        """Make a local file, whole or not at all, the store's file at another path."""
        with path.open("rb") as file:
            if self.is_overlay:
                self._overlay.write(target, file)
            elif not self.is_local:
                self.write_bytes(target, file.read())
            else:
                os.fsync(file.fileno())
                place = Path(self.full(target))
                place.parent.mkdir(parents=True, exist_ok=True)
                path.replace(place)

    def read_blob(self, sha256: str) -> bytes:
        """The blob's bytes, hashed again. Raises DamagedFile, and removes it, if they are not what they were."""
        data = self.read_bytes(layout.blob_path(sha256))
        self._check_blob(sha256, hashlib.sha256(data).hexdigest())
        return data

    def _check_blob(self, sha256: str, found: str) -> None:
        """Raise DamagedFile, and remove the blob, where its bytes have another digest."""
        if found != sha256:
            self.remove(layout.blob_path(sha256))
            raise DamagedFile(f"expected blob {sha256}, got other bytes; they were removed")

    def open_blob(self, sha256: str) -> IO[bytes]:
        """The blob as an open file, hashed again; closed, nothing is left of it here. Raises as `read_blob` does."""
        path = layout.blob_path(sha256)
        file: IO[bytes]
        with contextlib.ExitStack() as opened:
            with self._nothing_there(path):
                if path in self._overlay:
                    file = opened.enter_context(self._overlay.open(path))
                elif path in self._overlay.removed:
                    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
                elif self.is_local:
                    file = opened.enter_context(inputs.open_file(self.full(path)))
                else:
                    file = opened.enter_context(tempfile.TemporaryFile())
                    with inputs.open_on(self.fs, self.full(path)) as source:
                        shutil.copyfileobj(source, file)
                    file.seek(0)
            self._check_blob(sha256, hashlib.file_digest(file, "sha256").hexdigest())  # type: ignore[arg-type]
            file.seek(0)
            opened.pop_all()
        return file

    def read_blob_into(self, sha256: str, target: memoryview) -> None:
        """Fill memory, as long as the blob, with its bytes, hashed again. Raises as `read_blob` does."""
        path = layout.blob_path(sha256)
        if self.is_local and not self.is_overlay:
            with self._nothing_there(path):
                is_whole = inputs.read_into(self.full(path), target)
            digest = hashlib.sha256(target).hexdigest() if is_whole else ""
        else:
            data = self.read_bytes(path)
            digest = hashlib.sha256(data).hexdigest()
            if len(data) == len(target):
                target[:] = data
            elif digest == sha256:
                raise DamagedFile(f"expected {len(target)} bytes of blob {sha256}, got {len(data)}")
        self._check_blob(sha256, digest)

    def blob_sizes(self) -> dict[str, int]:
        """Bytes of every blob by its SHA-256: one listing instead of a question per blob."""
        if self.is_local:  # fsspec's listing takes seven times the memory
            sizes = _sizes_below(self.full(layout.BLOBS))
        else:
            found: dict[str, Any] = {}
            with contextlib.suppress(FileNotFoundError):
                found = self.fs.find(self.full(layout.BLOBS), detail=True)
            sizes = {path.rsplit("/", 1)[-1]: int(info["size"]) for path, info in found.items()}
        for path in self._overlay.removed:
            sizes.pop(path.rsplit("/", 1)[-1], None)
        for path in self._overlay:
            if path.startswith(f"{layout.BLOBS}/"):
                sizes[path.rsplit("/", 1)[-1]] = self._overlay.size(path)
        return sizes

    def _size(self, path: str) -> int | None:
        if path in self._overlay:
            return self._overlay.size(path)
        if path in self._overlay.removed:
            return None
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return int(self.fs.size(self.full(path)))
        return None


def _sizes_below(folder: str) -> dict[str, int]:
    found: dict[str, int] = {}
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as shards:
        for shard in shards:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(shard.path) as blobs:
                for blob in blobs:
                    with contextlib.suppress(FileNotFoundError):  # taken away meanwhile
                        if blob.is_file():
                            found[blob.name] = blob.stat().st_size
    return found


def parquet_bytes(table: pa.Table) -> bytes:
    """The table as Parquet: the same bytes for the same values, whatever chunks and metadata the table had."""
    sink = pa.BufferOutputStream()
    schema = pa.schema([field.remove_metadata() for field in table.schema])
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        # one group at a time is combined, not the whole
        for start in range(0, max(table.num_rows, 1), _ROWS_PER_GROUP):
            group = table.slice(start, _ROWS_PER_GROUP).combine_chunks().cast(schema)
            writer.write_table(group, row_group_size=_ROWS_PER_GROUP)
    return bytes(sink.getvalue())


def _columns_of(known: pa.Table | pa.Buffer, columns: Sequence[str] | None) -> pa.Table:
    """These columns, or all, of a table that is remembered as it is or as its file."""
    if not isinstance(known, pa.Table):
        known = pq.read_table(pa.BufferReader(known), columns=None if columns is None else list(columns))
    return known if columns is None else known.select(list(columns))  # in the order asked for


def _nbytes(known: pa.Table | pa.Buffer) -> int:
    return int(known.nbytes if isinstance(known, pa.Table) else known.size)
