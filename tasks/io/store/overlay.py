"""What a plan would write into a store and remove from it, kept apart from it."""

import functools
import io
import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterator
from typing import IO, NamedTuple

_PIECE_BYTES = 1 << 20


class _Span(NamedTuple):
    start: int
    length: int


class FileOverlay:
    """Files by their paths in one temporary file without a name, of which nothing can be left. For several threads."""

    def __init__(self) -> None:
        self.removed = set[str]()
        """Paths at which there is nothing any more, whatever the store has there."""
        self._spans: dict[str, _Span] = {}
        self._lock = threading.Lock()

    def __contains__(self, path: str) -> bool:
        return path in self._spans

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._spans))

    def size(self, path: str) -> int:
        """Bytes of a file. Raises KeyError where none was written."""
        return self._spans[path].length

    def open(self, path: str) -> IO[bytes]:
        """A file, open for reading. Raises KeyError where none was written."""
        return io.BufferedReader(_SpanReader(self, self._spans[path]), _PIECE_BYTES)

    def write(self, path: str, source: IO[bytes]) -> None:
        """Copy an open file from where it stands to its end, a piece at a time. Raises OSError on a full disk."""
        with self._lock:
            whole = self._whole
            start = whole.seek(0, os.SEEK_END)
            shutil.copyfileobj(source, whole, _PIECE_BYTES)
            whole.flush()
            self._spans[path] = _Span(start, whole.tell() - start)
            self.removed.discard(path)

    def remove(self, path: str) -> None:
        """Forget a file, and hide the store's."""
        with self._lock:
            self._spans.pop(path, None)
            self.removed.add(path)

    def read_into(self, target: memoryview, start: int) -> int:
        """Fill memory from the temporary file, as far as the system gives at once; how many bytes."""
        return os.preadv(self._whole.fileno(), [target], start)

    @functools.cached_property
    def _whole(self) -> IO[bytes]:
        file = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the overlay
        weakref.finalize(self, file.close)
        return file


class _SpanReader(io.RawIOBase):
    """A part of an open file, read at its own pace: others may read and write the file meanwhile."""

    def __init__(self, overlay: FileOverlay, span: _Span) -> None:
        self._overlay, self._span, self._at = overlay, span, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._span.length}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, target: bytearray | memoryview) -> int:  # type: ignore[override]  # what readers hand it
        left = max(0, self._span.length - self._at)
        count = self._overlay.read_into(memoryview(target)[:left], self._span.start + self._at)
        self._at += count
        return count
