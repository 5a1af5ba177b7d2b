"""Tar files of which the bytes depend on what is in them alone: no owner, no clock."""

import gzip
import io
import tarfile
from pathlib import Path
from types import TracebackType
from typing import Self


class TarFile:
    """A tar file, written member by member, compressed where its place is to end in .gz; a context manager."""

    def __init__(self, path: str, *, is_compressed: bool = False) -> None:
        """Begin it at a place of this machine."""
        self._file = Path(path).open("wb")  # noqa: SIM115 - `close` closes all three
        # without the file's name and the clock, which gzip writes otherwise
        self._gzip = gzip.GzipFile("", "wb", fileobj=self._file, mtime=0) if is_compressed else None
        self._tar = tarfile.open(fileobj=self._gzip or self._file, mode="w", format=tarfile.PAX_FORMAT)  # noqa: SIM115

    def add(self, name: str, data: bytes) -> None:
        """Append a file."""
        member = tarfile.TarInfo(name)
        member.size, member.mode = len(data), 0o644
        self._tar.addfile(member, io.BytesIO(data))

    def close(self) -> None:
        """Write its end."""
        for each in (self._tar, self._gzip, self._file):
            if each is not None:
                each.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
