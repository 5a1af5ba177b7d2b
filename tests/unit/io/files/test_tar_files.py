"""Tar files of which the bytes say what is in them, and nothing else."""

import hashlib
import tarfile
from pathlib import Path

import pytest

from tasks.io.files.tar_files import TarFile

MEMBERS = {"a.txt": b"one", "b/浮世絵.png": b"", "c" * 150: b"x" * 20_000}


def written(path: Path, *, is_compressed: bool) -> str:
    with TarFile(str(path), is_compressed=is_compressed) as tar:
        for name, data in MEMBERS.items():
            tar.add(name, data)
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("is_compressed", [False, True])
def test_members_come_back_in_their_order(tmp_path: Path, *, is_compressed: bool):
    written(tmp_path / "x", is_compressed=is_compressed)
    with tarfile.open(tmp_path / "x") as tar:
        found = {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]
        assert all((member.mtime, member.uid, member.mode) == (0, 0, 0o644) for member in tar)
    assert [*found.items()] == [*MEMBERS.items()]


@pytest.mark.parametrize("is_compressed", [False, True])
def test_bytes_are_the_same_wherever_and_whenever(tmp_path: Path, *, is_compressed: bool):
    one = written(tmp_path / "one", is_compressed=is_compressed)
    assert written(tmp_path / "two.gz", is_compressed=is_compressed) == one
