"""Tar files of which the bytes depend on what is in them alone: no owner, no clock."""

import gzip
import io
import tarfile
from collections.abc import Mapping
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
        self._tar = _writer(self._gzip or self._file)

    def add(self, name: str, data: bytes) -> None:
        """Append a file."""
        self._tar.addfile(_member(name, len(data)), io.BytesIO(data))

    def add_file(self, name: str, path: str) -> None:
        """Append a file of this machine, which is read piece by piece."""
        with Path(path).open("rb") as file:
            self._tar.addfile(_member(name, Path(path).stat().st_size), file)

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


class NestedTar:
    """A tar file of tar files, whose files come in any order: each of its tars waits in a file beside until it, and all
    before it, are whole. What waits is open only while something is added: there may be more than a process can open.
    """

    def __init__(self, path: str, sizes: Mapping[str, int]) -> None:
        """Begin it at a place of this machine; what waits lies there as `<path>.<number>`.

        sizes: how many files each of its tars is to have, at least one, in the order in which these are to lie.
        """
        self._tar = TarFile(path)
        self._waiting = {tar: Path(f"{path}.{number}") for number, tar in enumerate(sizes)}
        self._left = {**sizes}
        self._remove_waiting()  # to what another program left there nothing may be added

    def add(self, tar: str, name: str, data: bytes) -> None:
        """Append a file to one of its tars. Raises ValueError where that has all its files, or is none of these."""
        if not self._left.get(tar):
            raise ValueError(f"expected a tar that is not whole yet, got one more file for {tar!r}")
        with self._waiting[tar].open("ab") as file:
            waiting = _writer(file)
            waiting.addfile(_member(name, len(data)), io.BytesIO(data))
            self._left[tar] -= 1
            if not self._left[tar]:
                waiting.close()
        while self._waiting and not self._left[first := next(iter(self._waiting))]:
            self._tar.add_file(first, str(self._waiting[first]))
            self._waiting.pop(first).unlink()

    def close(self) -> None:
        """Write its end, and leave off what is not whole."""
        self._remove_waiting()
        self._tar.close()

    def _remove_waiting(self) -> None:
        for path in self._waiting.values():
            path.unlink(missing_ok=True)


def _writer(file: gzip.GzipFile | io.BufferedWriter) -> tarfile.TarFile:
    """What appends to a file; until it is closed, without the end of a tar."""
    return tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT)


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o644
    return member
