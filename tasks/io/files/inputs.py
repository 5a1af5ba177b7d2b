"""Single files that a user names, by a path or any fsspec URL: read whole, in pieces, or refused in one sentence; local
ones only if they are regular: a pipe would wait for ever, a device may do anything.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any

import fsspec
from fsspec import AbstractFileSystem
from fsspec.implementations.local import LocalFileSystem

from schemas.errors import BadInput
from schemas.phrases import LONGEST_PLACE, error_line, quoted
from schemas.stand_ins import stand_in


def read(name: str, url: str, max_bytes: int) -> bytes:
    """The file's bytes. Raises BadInput if it isn't there, is longer, or something stands in its place."""
    with reword_errors(f"{name}: expected a file", url), open_url(url) as file:
        data = read_at_most(file, max_bytes + 1)
    if len(data) > max_bytes:
        place = quoted(url, LONGEST_PLACE)
        raise BadInput(f"{name}: expected a file of at most {max_bytes} bytes, got {place}, which is longer")
    check_itself(name, url, data)
    return data


def check_itself(name: str, url: str, beginning: bytes) -> None:
    """Raise BadInput where the beginning of a file is that of what stands in its place, such as a Git LFS pointer."""
    if (words := stand_in(beginning)) is not None:
        raise BadInput(f"{name}: expected a file, got {quoted(url, LONGEST_PLACE)}, which is {words}")


def folder_of(url: str) -> str:
    """Path or URL of the folder in which a file lies.

    >>> folder_of("s3://art/coco/train.json"), folder_of("train.json")
    ('s3://art/coco', '.')
    """
    return url.rpartition("/")[0] or ("/" if url.startswith("/") else ".")


@contextmanager
def reword_errors(expected: str, url: str) -> Iterator[None]:
    """Raise BadInput for whatever a file system raises within, of any class: "EXPECTED, got 'URL' (its own words)"."""
    try:
        yield
    except BadInput:
        raise
    except Exception as problem:
        raise BadInput(f"{expected}, got {quoted(url, LONGEST_PLACE)} ({error_line(problem)})") from problem


_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
_KINDS |= dict.fromkeys((stat.S_IFCHR, stat.S_IFBLK), "a device")


class NotRegular(OSError):
    """What is there is no regular file; the message says what it is."""


def open_file(path: str, *, follows_link: bool = True) -> BufferedReader:
    """A local file, open for reading, looked at before and after. Raises NotRegular for a pipe, socket, device or
    folder, other OSErrors as `open` does (for a last link too, unless `follows_link`), ValueError for no file's path.
    """
    _check(Path(path).stat(follow_symlinks=follows_link))
    return open(path, "rb", opener=lambda place, _: _open(place, follows_link)[0])


def read_into(path: str, target: memoryview) -> bool:
    """Fill memory with a local file, looked at only when open; whether it is as long. Raises as `open_file` does."""
    handle, length = _open(path, follows_link=True)
    try:
        is_whole = length == len(target)
        while is_whole and target:
            count = os.readv(handle, [target])
            is_whole, target = count > 0, target[count:]
        return is_whole
    finally:
        os.close(handle)


def open_url(url: str) -> AbstractContextManager[Any]:
    """A file by its path or any fsspec URL, open for reading. Raises as `open_file` and the file system do."""
    return open_on(*fsspec.core.url_to_fs(url))


def open_on(fs: AbstractFileSystem, path: str) -> AbstractContextManager[Any]:
    """A file of a file system, as `open_url` opens it."""
    if isinstance(fs, LocalFileSystem):
        return open_file(path)
    file: AbstractContextManager[Any] = fs.open(path, "rb")
    return file


def read_at_most(file: Any, size: int) -> bytes:
    """The next bytes, fewer only at the end: over HTTP without a length, one `read` gives what has come so far."""
    pieces: list[bytes] = []
    while size > 0 and (piece := bytes(file.read(size))):
        pieces.append(piece)
        size -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def read_from(fs: AbstractFileSystem, path: str) -> bytes:
    """All bytes of a file of a file system: a local one as `open_file` opens it, others in one request."""
    if not isinstance(fs, LocalFileSystem):
        return bytes(fs.cat_file(path))
    with open_file(path) as file:
        return file.read()


def _open(path: str, follows_link: bool) -> tuple[int, int]:
    # without O_NONBLOCK, a pipe that took the file's place meanwhile would wait for ever
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follows_link else os.O_NOFOLLOW))
    try:
        status = os.fstat(handle)
        _check(status)
    except BaseException:
        os.close(handle)
        raise
    return handle, status.st_size


def _check(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode))
        raise NotRegular(f"{kind}, not a file" if kind else "no regular file")
