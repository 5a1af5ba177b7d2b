"""Files in a binding's folder (local, any fsspec URL, a .zip or .tar), outside of which nothing is ever opened."""

import contextlib
import errno
import functools
import hashlib
import itertools
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from schemas.errors import BadInput
from schemas.file_names import FileNames, with_slashes
from schemas.phrases import LONGEST_PLACE, quoted
from schemas.reasons import Reason
from schemas.stand_ins import LOOK_BYTES
from tasks.io.files import inputs
from tasks.io.files.archives import UnreadableMember, archive_at
from tasks.io.images.decode import UnreadableImage

_BAD_FILE_NAME = {errno.ENAMETOOLONG, errno.ELOOP}
_PIECE_BYTES = 1 << 20
_FIRST_PATHS = 10_000
_LIKE_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://|data:|www\.", re.IGNORECASE)
_STAMPS = ("mtime", "created", "ino", "ETag", "etag", "LastModified", "last_modified", "checksum", "uuid")


class Folder:
    """The folder of a binding."""

    def __init__(self, name: str, url: str) -> None:
        """Raises BadInput if there is no folder at the URL; `name` is the binding's, for that message."""
        with inputs.reword_errors(f"binding '{name}': expected a folder", url):
            archive = archive_at(url)
            self.fs: Any
            self.root: str
            self.fs, self.root = (archive, "") if archive is not None else fsspec.core.url_to_fs(url)
            is_folder = self.fs.isdir(self.root)
            what = "is no folder" if self.fs.exists(self.root) else "does not exist"
        if not is_folder:
            raise BadInput(f"binding '{name}': expected a folder, got {quoted(url, LONGEST_PLACE)}, which {what}")
        self.name = name
        self._names: dict[str, FileNames] = {}
        self.is_local = isinstance(self.fs, LocalFileSystem)

    def listing(self) -> list[tuple[str, str]]:
        """(path below the folder, validator) of everything that is no folder, sorted by path; of a link to a folder,
        which is not followed, a path that ends with "/". Raises BadInput for a folder that may not be read, since its
        files would be missing without a word, and for two names that are written alike (see `read`).
        """
        files = sorted(self._listed(self._infos()))
        for (path, _), (other, _) in itertools.pairwise(files):
            if path == other:
                expected = f"binding '{self.name}': expected names of files in UTF-8"
                raise BadInput(f"{expected}, got one that is written '{path}', as another file's name is")
        return files

    def first_paths(self) -> list[str]:
        """At most 10,000 paths, as they are listed, the top of a local folder first. Raises as `listing` does."""
        return [path for path, _ in self._listed(itertools.islice(self._infos(), _FIRST_PATHS))]

    def validator(self, path: str) -> str | None:
        """A text that changes when the file does; None if there is no such file in the folder (by `read`'s rule)."""
        if not self.contains(path):
            return None
        try:
            return self._validator(self.fs.info(f"{self.root}/{self._actual_name(path)}"))
        except OSError:
            actual = self._canonically_equal(path)
            return None if actual is None else self.validator(actual)

    def contains(self, path: str) -> bool:
        """Whether the path stays below the folder: no `..`, not absolute, no link that leads out."""
        parts = path.split("/")
        if path.startswith("/") or "\0" in path or ".." in parts or (os.sep == "\\" and "\\" in path):
            return False
        return not self.is_local or self._target(path).is_relative_to(_resolved(self.root))

    def read(self, path: str, max_bytes: int) -> bytes:
        r"""The file's bytes. Raises UnreadableImage with the reason for a drop.

        Where no file is called so, it is that which is canonically equal, in each step of its path, if just one is.
        What is no regular file is never opened. A name that is no UTF-8 is listed with its other bytes written out
        (`caf\xe9.jpg`), since no table can hold it; it is not read, since the same name could be another file's.
        """
        data = next(self._pieces(path, max_bytes + 1), b"")
        if len(data) > max_bytes:
            raise _too_long(max_bytes)
        return data

    def beginning(self, path: str, size: int) -> bytes:
        """The first bytes of a file. Raises as `read` does."""
        return next(self._pieces(path, size), b"")

    def copy(self, path: str, target: IO[bytes], max_bytes: int) -> tuple[str, int]:
        """Write the file into an open one, a piece at a time: SHA-256 and length. Raises as `read` does."""
        digest, length = hashlib.sha256(), 0
        for data in self._pieces(path, _PIECE_BYTES):
            length += len(data)
            if length > max_bytes:
                raise _too_long(max_bytes)
            digest.update(data)
            target.write(data)
        return digest.hexdigest(), length

    def _pieces(self, path: str, size: int) -> Iterator[bytes]:
        if not self.contains(path):
            raise UnreadableImage(Reason.NOT_ALLOWED, f"'{path[:80]}' {self._why_not_below(path)}")
        try:
            with self._open_by_name(path) as file:
                while data := file.read(size) if self.is_local else inputs.read_at_most(file, size):
                    yield bytes(data)
        except inputs.NotRegular as problem:
            raise UnreadableImage(Reason.NOT_FOUND, f"'{path[:80]}' is {problem}") from problem
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as problem:
            raise UnreadableImage(Reason.NOT_FOUND, self._why_absent(path)) from problem
        except PermissionError as problem:
            raise UnreadableImage(Reason.NOT_ALLOWED, f"no permission to read '{path[:80]}'") from problem
        except UnreadableMember as problem:
            raise UnreadableImage(Reason.NOT_FOUND, f"'{path[:80]}' {problem}") from problem
        except OSError as problem:
            reason = Reason.NOT_FOUND if problem.errno in _BAD_FILE_NAME else Reason.UNREACHABLE
            raise UnreadableImage(reason, f"'{path[:80]}': {problem.strerror or problem}") from problem

    def _open_by_name(self, path: str) -> AbstractContextManager[Any]:
        try:
            return self._open(path)
        except FileNotFoundError:
            if (actual := self._canonically_equal(path)) is None:
                raise
            return self._open(actual)

    def _canonically_equal(self, path: str) -> str | None:
        """The path of the one file called so but for the form of its letters; None if it is called exactly so."""
        actual, absent = self._walk(path)
        return actual if absent is None and actual != path and self.contains(actual) else None

    def _walk(self, path: str) -> tuple[str, str | None]:
        """As much of a path, step by step, as is there, and the first step that is not."""
        found = ""
        for step in path.split("/"):
            if (actual := self._names_below(found, step).find(step)) is None:
                return found, step
            found = f"{found}/{actual}".lstrip("/")
        return found, None

    def _names_below(self, folder: str, step: str) -> FileNames:
        """What lies in a folder of it. Elsewhere than on a local disk only names with accents are worth a listing."""
        if not self.is_local and step.isascii():
            return FileNames([step])
        if folder not in self._names:
            try:
                place = f"{self.root}/{folder}".rstrip("/")
                found = [*map(str, Path(place).iterdir())] if self.is_local else self.fs.ls(place, detail=False)
            except Exception:  # file systems raise errors of their own; what can't be listed has no other names
                found = []
            self._names[folder] = FileNames(_as_text(name.rstrip("/").rsplit("/", 1)[-1]) for name in found)
        return self._names[folder]

    def _open(self, path: str) -> AbstractContextManager[Any]:
        if not self.is_local:
            file: AbstractContextManager[Any] = self.fs.open(f"{self.root}/{path}", "rb")
            return file
        if not path or path.endswith("/"):
            raise IsADirectoryError(path)
        return inputs.open_file(str(self._target(path)), follows_link=False)

    def _target(self, path: str) -> Path:
        # realpath, not Path.resolve, which raises RuntimeError (Python < 3.13) where a link leads to itself
        return Path(os.path.realpath(f"{self.root}/{path}"))

    def _actual_name(self, path: str) -> str:
        """The path as the file system has it: that of a listing, unless bytes were written out there."""
        if not self.is_local or os.path.lexists(f"{self.root}/{path}"):
            return path
        raw = re.sub(rb"\\x([89a-f][0-9a-f])", lambda match: bytes.fromhex(match[1].decode()), path.encode())
        actual = os.fsdecode(raw)
        return actual if os.path.lexists(f"{self.root}/{actual}") else path

    def _why_not_below(self, path: str) -> str:
        if "\0" in path:
            return "has a NUL, as no file's name may"
        if self.is_local and (path.startswith("/") or ".." in path.split("/")):
            target = Path(os.path.realpath(Path(self.root) / path))
            if (root := _resolved(self.root)) in target.parents:
                return f"is to be written as it is below the folder: {quoted(str(target.relative_to(root)))}"
        return "leads out of its folder"

    def _why_absent(self, path: str) -> str:
        if self._actual_name(path) != path:
            return f"'{path[:80]}': the bytes of the file's name are not UTF-8; rename the file"
        hint = "; an address begins with https:// or http://" if _LIKE_ADDRESS.match(path) else ""
        return f"no file '{path[:200]}'{hint or self._why_not_called_so(path)}"

    def _why_not_called_so(self, path: str) -> str:
        """In what the first step of a path that is not there differs from one that is; "" where none looks like it."""
        if "\\" in path and self.validator(plain := with_slashes(path)) is not None:
            return f"; there is {quoted(plain)}, with '/' between folders"
        folder, absent = self._walk(path)
        return "" if absent is None else self._names_below(folder, absent).why_absent(absent)

    def _listed(self, infos: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str]]:
        prefix = len(f"{self.root.rstrip('/')}/") if self.root else 0
        for info in infos:
            yield _as_text(info["name"][prefix:]), self._validator(info)

    def _infos(self) -> Iterator[dict[str, Any]]:
        """What the file system says of each file; of a local one also of pipes, links and the like."""
        if not self.is_local:
            yield from self.fs.find(self.root, detail=True).values()
            return
        folders = [self.root]
        while folders:
            folder = folders.pop()
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
                            continue
                        with contextlib.suppress(FileNotFoundError):  # removed meanwhile
                            end = "/" if _leads_to_folder(entry) else ""
                            yield {**self.fs.info(entry), "name": f"{entry.path}{end}"}
            except FileNotFoundError:  # removed meanwhile
                continue
            except OSError as problem:
                shown = _as_text(folder)
                expected = f"binding '{self.name}': expected a folder that can be read"
                raise BadInput(f"{expected}, got '{shown}' ({problem.strerror})") from problem

    def _validator(self, info: dict[str, Any]) -> str:
        """Digest of a file's size and stamps, which a copy changes, and of whether it may be read: later it may."""
        stamps = [f"{key}={info[key]}" for key in _STAMPS if info.get(key) is not None]
        if self.is_local and not os.access(info["name"], os.R_OK):
            stamps.append("unreadable")
        return hashlib.sha256(f"{info.get('size')} {' '.join(stamps)}".encode()).hexdigest()[:24]


def _too_long(max_bytes: int) -> UnreadableImage:
    return UnreadableImage(Reason.TOO_MANY_BYTES, f"more than {max_bytes} bytes")


def _leads_to_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_symlink() and entry.is_dir()
    except OSError:  # a link that goes round, or through a folder that may not be read
        return False


@functools.lru_cache(maxsize=64)
def _resolved(root: str) -> Path:
    return Path(root).resolve()


def _as_text(path: str) -> str:
    """A file name with bytes that are not UTF-8 written out, since no table can hold them."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def file_sha256(name: str, url: str) -> str:
    """SHA-256 of a bound file, such as weights. Raises BadInput if there is none, or something stands in its place."""
    with inputs.reword_errors(f"binding '{name}': expected a file", url), inputs.open_url(url) as file:
        inputs.check_itself(f"binding '{name}'", url, file.read(LOOK_BYTES))
        file.seek(0)
        return hashlib.file_digest(file, "sha256").hexdigest()
