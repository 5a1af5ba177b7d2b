"""LMDB files: values by their keys, in pieces, and none without the library."""

import importlib.util
from pathlib import Path

import lmdb
import pytest

from schemas.errors import BadInput
from tasks.io.files import lmdb_files
from tasks.io.files.lmdb_files import LmdbFile, check_lmdb


def test_values_come_back_by_their_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lmdb_files, "_AT_ONCE", 3)
    monkeypatch.setattr(lmdb_files, "_BYTES", 2**14)
    file = LmdbFile(str(tmp_path / "data.mdb"))
    expected = {str(number).encode(): bytes([number]) * 1000 * number for number in range(8)}
    for key, value in expected.items():
        file.add(key, value)
    file.close()
    with lmdb.open(str(tmp_path), readonly=True, lock=False) as found, found.begin() as transaction:
        assert dict(transaction.cursor()) == expected
    assert [path.name for path in tmp_path.iterdir()] == ["data.mdb"]
    assert (tmp_path / "data.mdb").stat().st_size < 200_000


def test_many_files_are_open_at_once(tmp_path: Path):
    files = [LmdbFile(str(tmp_path / f"{number}.mdb")) for number in range(100)]
    for file in files:
        file.add(b"key", b"value")
        file.close()


def test_without_the_library_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch):
    check_lmdb()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match="expected the library lmdb, got none; install"):
        check_lmdb()
