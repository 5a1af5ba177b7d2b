"""Files of a zip or tar archive, read where they are: nothing is unpacked, and nothing outside of it is opened."""

import contextlib
import functools
import io
import tarfile
import threading
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

import fsspec
from fsspec import AbstractFileSystem

from schemas.phrases import quoted

ENDINGS = (".zip", ".tar")
_COMPRESSED = (".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".7z", ".rar")
_DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError)
"""What the libraries raise for members that are damaged, encrypted or packed in a way that they don't know."""


class UnreadableMember(OSError):
    """A member of an archive that can't be read; the message says why."""


class Archive(AbstractFileSystem):  # type: ignore[misc]
    """The files of an archive by their paths, which begin with no `./`; links and devices can be listed, not read."""

    cachable = False

    def __init__(self, url: str) -> None:
        """Raises what the file system and the libraries raise, and ValueError for two members of one name."""
        super().__init__()
        self._file: IO[bytes] = fsspec.open(url, "rb").open()
        self._lock = threading.Lock()
        self._members: dict[str, _Member] = {}
        for name, member in _members(self._file, url):
            if (path := name.removeprefix("./")) in self._members:
                raise ValueError(f"it has {quoted(path)} twice")
            self._members[path] = member

    def find(self, path: str, detail: bool = False, **_: Any) -> Any:
        """All files, whatever the path is."""
        found = {name: self.info(name) for name in self._members}
        return found if detail else [*found]

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Of a file or a folder. Raises FileNotFoundError."""
        name = self._name(path)
        if (member := self._members.get(name)) is not None:
            return {"name": name, "size": member.size, "type": "file", "checksum": member.stamp}
        name = path.strip("/")
        if not name or any(other.startswith(f"{name}/") for other in self._members):
            return {"name": name, "size": 0, "type": "directory"}
        raise FileNotFoundError(path)

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        """What lies in a folder."""
        prefix = f"{path.strip('/')}/".lstrip("/")
        below = {name[len(prefix) :].partition("/")[0] for name in self._members if name.startswith(prefix)}
        names = sorted(f"{prefix}{name}" for name in below)
        return [self.info(name) for name in names] if detail else names

    def _name(self, path: str) -> str:
        return path if path in self._members else path.removeprefix("/")

    def open(self, path: str, mode: str = "rb", **_: Any) -> Any:
        """A file, open for reading. Raises FileNotFoundError, and UnreadableMember here or when it is read."""
        if (member := self._members.get(self._name(path))) is None:
            raise FileNotFoundError(path)
        if member.opened is None:
            raise UnreadableMember("is no regular file")
        with _told():
            return _Guarded(member.opened(), self._lock)


class _Member(NamedTuple):
    size: int
    stamp: str  # changes when it does
    opened: Any  # opens it; None for what is no regular file


class _Guarded(io.RawIOBase):
    """An open member, of which one thread reads at a time: all members share the archive's file."""

    def __init__(self, file: IO[bytes], lock: threading.Lock) -> None:
        self._file, self._lock = file, lock

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        with self._lock, _told():
            return self._file.read(size)


def _members(file: IO[bytes], url: str) -> Iterator[tuple[str, _Member]]:
    if url.lower().endswith(".zip"):
        zipped = zipfile.ZipFile(file)
        for entry in [entry for entry in zipped.infolist() if not entry.is_dir()]:
            opened = functools.partial(zipped.open, entry)
            yield entry.filename, _Member(entry.file_size, f"{entry.CRC:08x}", opened)
        return
    packed = tarfile.open(fileobj=file, mode="r:")  # noqa: SIM115 - as long as the archive
    for found in [found for found in packed.getmembers() if not found.isdir()]:
        extracted = functools.partial(packed.extractfile, found) if found.isreg() else None
        yield found.name, _Member(found.size, f"{found.mtime} {found.chksum}", extracted)


@contextlib.contextmanager
def _told() -> Any:
    try:
        yield
    except _DAMAGE as problem:
        raise UnreadableMember(f"can't be read from its archive ({problem})") from problem


def archive_at(url: str) -> Archive | None:
    """The archive that a path or URL names, or None. Raises as `Archive`; ValueError for one compressed as a whole."""
    name = url.lower().rstrip("/")
    if name.endswith(_COMPRESSED):
        raise ValueError("its files can't be read one by one: unpack it, or pack it as .zip")
    if not name.endswith(ENDINGS):
        return None
    fs, path = fsspec.core.url_to_fs(url)
    return _opened(url, fs.ukey(path)) if fs.isfile(path) else None


@functools.lru_cache(maxsize=4)
def _opened(url: str, _key: str) -> Archive:
    """The archive, opened once in a process as long as its file stays what it is: each part reads some of it."""
    return Archive(url)
