"""Files in the folder of a binding: a local folder or any fsspec URL. Nothing outside the folder is ever opened."""

import errno
import functools
import hashlib
import os
from pathlib import Path
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, quoted, told
from schemas.reasons import Reason
from tasks.io.images.decode import UnreadableImage

_BAD_FILE_NAME = {errno.ENAMETOOLONG, errno.ELOOP}
_STAMPS = ("mtime", "created", "ino", "ETag", "etag", "LastModified", "last_modified", "checksum", "uuid")


class Folder:
    """The folder of a binding."""

    def __init__(self, name: str, url: str) -> None:
        """Raises BadInput if there is no folder at the URL; `name` is the binding's, for that message."""
        try:
            self.fs, self.root = fsspec.core.url_to_fs(url)
            is_there = self.fs.isdir(self.root)
        except Exception as problem:  # file systems raise errors of their own: those of s3 are no OSError
            place = quoted(url, LONGEST_PLACE)
            raise BadInput(f"binding '{name}': expected a folder, got {place} ({told(problem)})") from problem
        if not is_there:
            raise BadInput(
                f"binding '{name}': expected a folder, got {quoted(url, LONGEST_PLACE)}, which does not exist"
            )
        self.is_local = isinstance(self.fs, LocalFileSystem)

    def listing(self) -> list[tuple[str, str]]:
        """(path below the folder, validator) of every file, sorted by path."""
        files: dict[str, Any] = self.fs.find(self.root, detail=True)
        prefix = len(self.root.rstrip("/")) + 1
        return sorted((_as_text(path[prefix:]), _validator(info)) for path, info in files.items())

    def validator(self, path: str) -> str | None:
        """A text that changes when the file does; None if there is no such file in the folder."""
        if not self.contains(path):
            return None
        try:
            return _validator(self.fs.info(f"{self.root}/{path}"))
        except OSError:
            return None

    def contains(self, path: str) -> bool:
        """Whether the path stays below the folder: no `..`, not absolute, no link that leads out."""
        parts = path.split("/")
        if path.startswith("/") or "\\" in path or "\0" in path or ".." in parts:
            return False
        # realpath, not Path.resolve, which raises RuntimeError (Python < 3.13) where a link leads to itself
        return not self.is_local or Path(os.path.realpath(f"{self.root}/{path}")).is_relative_to(_resolved(self.root))

    def read(self, path: str, max_bytes: int) -> bytes:
        """The file's bytes. Raises UnreadableImage with the reason for a drop."""
        if not self.contains(path):
            raise UnreadableImage(Reason.NOT_ALLOWED, f"'{path}' leads out of its folder")
        try:
            with self.fs.open(f"{self.root}/{path}", "rb") as file:
                data = bytes(file.read(max_bytes + 1))
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as problem:
            raise UnreadableImage(Reason.NOT_FOUND, f"no file '{path}'") from problem
        except OSError as problem:
            reason = Reason.NOT_FOUND if problem.errno in _BAD_FILE_NAME else Reason.UNREACHABLE
            raise UnreadableImage(reason, f"'{path[:80]}': {problem.strerror or problem}") from problem
        if len(data) > max_bytes:
            raise UnreadableImage(Reason.TOO_MANY_BYTES, f"more than {max_bytes} bytes")
        return data


@functools.lru_cache(maxsize=64)
def _resolved(root: str) -> Path:
    return Path(root).resolve()


def _validator(info: dict[str, Any]) -> str:
    """Size and stamps of a file.

    A copied folder has other stamps, so that files of equal size and time are told apart.
    """
    stamps = [f"{key}={info[key]}" for key in _STAMPS if info.get(key) is not None]
    return hashlib.sha256(f"{info.get('size')} {' '.join(stamps)}".encode()).hexdigest()[:24]


def _as_text(path: str) -> str:
    """A file name with bytes that are not UTF-8 written out, since no table can hold them; fetch then drops it as
    `not_found`.
    """
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def file_sha256(name: str, url: str) -> str:
    """SHA-256 of a bound file, such as weights. Raises BadInput if there is none."""
    digest = hashlib.sha256()
    try:
        with fsspec.open(url, "rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    except Exception as problem:  # file systems raise errors of their own: those of s3 are no OSError
        place = quoted(url, LONGEST_PLACE)
        raise BadInput(f"binding '{name}': expected a file, got {place} ({told(problem)})") from problem
    return digest.hexdigest()
