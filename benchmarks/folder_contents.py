"""What lies in a folder, as values that can be compared: files by their bytes, archives also by what is in them."""

import hashlib
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_TARS = (".tar", ".tar.gz")
_LMDB = "data.mdb"
_FOLDER = "folder"


class Entry(NamedTuple):
    """A file. sha256: of its bytes. contents: the digest of an archive's contents; of any other file the same as
    sha256. A folder, a link and anything else that is no file has a word in the place of digests.
    """

    bytes: int
    sha256: str
    contents: str

    @property
    def is_archive(self) -> bool:
        """Whether it is one."""
        return self.sha256 != self.contents

    @property
    def is_folder(self) -> bool:
        """Whether it is one."""
        return self.sha256 == _FOLDER


Contents = dict[str, Entry]


def contents_of(folder: Path) -> Contents:
    """Everything below a folder, by its path there: also folders, and what has a dot before its name."""
    found: Contents = {}
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            found[str(path.relative_to(folder))] = _entry(path)
    return found


def sizes_of(folder: Path) -> dict[str, int]:
    """The sizes of all files below a folder, by their paths there."""
    paths = (Path(place, name) for place, _, files in os.walk(folder) for name in files)
    return {str(path.relative_to(folder)): path.lstat().st_size for path in paths}


def digest_of(contents: Contents) -> str:
    """One digest for what lies in a folder, whatever the bytes of archives that hold the same."""
    lines = sorted(f"{path}\t{entry.contents}\n" for path, entry in contents.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def different(one: Contents, other: Contents) -> list[str]:
    """What lies in one of two folders alone, or is another one there, whatever the bytes of archives."""
    both = ({path: entry.contents for path, entry in of.items()} for of in (one, other))
    return sorted({path for path, _ in frozenset.symmetric_difference(*(frozenset(of.items()) for of in both))})


def _entry(path: Path) -> Entry:
    if path.is_symlink() or not path.is_file():
        word = "link" if path.is_symlink() else _FOLDER if path.is_dir() else "neither file nor folder"
        return Entry(0, word, word)
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    members = _members(path)
    return Entry(path.stat().st_size, sha256, sha256 if members is None else _digest(members))


def _members(path: Path) -> Iterator[tuple[bytes, bytes]] | None:
    """Names and bytes of what is in an archive; None for a file that is none."""
    if path.name.endswith(_TARS):
        return _of_tar(path)
    return _of_lmdb(path) if path.name == _LMDB else None


def _digest(members: Iterator[tuple[bytes, bytes]]) -> str:
    digests = sorted(hashlib.sha256(name).digest() + hashlib.sha256(data).digest() for name, data in members)
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _of_tar(path: Path) -> Iterator[tuple[bytes, bytes]]:
    with tarfile.open(path, "r|*") as tar:
        for member in tar:
            file = tar.extractfile(member)
            yield member.name.encode(), b"" if file is None else file.read()
            tar.members = []  # else all that were read are kept


def _of_lmdb(path: Path) -> Iterator[tuple[bytes, bytes]]:
    import lmdb

    with lmdb.open(str(path), subdir=False, readonly=True, lock=False) as file, file.begin() as transaction:
        yield from transaction.cursor()
