"""Files that a person asked for: whole or not at all, in a folder that is made where it is missing."""

import errno
import os
from pathlib import Path

import fsspec
import pytest

from schemas.errors import BadInput
from tasks.io.files import outputs
from tasks.io.files.outputs import check_writable, write, write_file


def test_files_are_written_over_what_was_there_and_nothing_else_is_left(tmp_path: Path):
    folder = tmp_path / "new" / "folder"
    for data in (b"longer than the next", b"next"):
        write("--out", str(folder), {"a.md": data, "b.svg": b""})
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"a.md": b"next", "b.svg": b""}


def test_any_file_system_will_do():
    write("--out", "memory://compared/here", {"a.md": b"1"})
    assert fsspec.filesystem("memory").cat_file("/compared/here/a.md") == b"1"


@pytest.mark.parametrize("url", ["nosuch://a", "{file}", "{file}/below"])
def test_a_place_that_can_not_be_written_is_told(tmp_path: Path, url: str):
    (tmp_path / "f").write_bytes(b"")
    with pytest.raises(BadInput, match="--out: expected a folder that can be written, got"):
        write("--out", url.format(file=tmp_path / "f"), {"a": b""})


@pytest.mark.parametrize("place", ["{tmp}/release", "{tmp}/release/new/sub", "", " "])
def test_a_release_and_no_place_at_all_are_refused(tmp_path: Path, place: str):
    (tmp_path / "release").mkdir()
    for name in ("manifest.json", "ledger.parquet"):
        (tmp_path / "release" / name).write_bytes(b"")
    with pytest.raises(BadInput, match="--out: expected a folder that can be written, got"):
        write("--out", place.format(tmp=tmp_path), {"a": b""})
    assert len(list((tmp_path / "release").iterdir())) == 2


def test_one_file_is_written_whole_over_what_was_there(tmp_path: Path):
    path = tmp_path / "new" / "weights.safetensors"
    check_writable("--out", str(path))
    for data in (b"longer than the next", b"next"):
        write_file("--out", str(path), data)
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == {path.name: b"next"}


@pytest.mark.parametrize("path", ["{folder}", "{folder}/file/below"])
def test_a_file_that_can_not_be_written_is_bad_input_and_leaves_nothing(tmp_path: Path, path: str):
    (tmp_path / "file").write_bytes(b"")
    for attempt in (lambda place: check_writable("--out", place), lambda place: write_file("--out", place, b"a")):
        with pytest.raises(BadInput, match="--out: expected a file that can be written, got"):
            attempt(path.format(folder=tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_where_one_file_can_not_be_written_none_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "a.md").write_bytes(b"before")
    write_bytes = Path.write_bytes

    def fill(path: Path, data: bytes) -> int:
        if data == b"too much":
            write_bytes(path, data[:3])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write_bytes(path, data)

    monkeypatch.setattr(Path, "write_bytes", fill)
    with pytest.raises(BadInput, match="No space left on device"):
        write("--out", str(tmp_path), {"a.md": b"after", "b.md": b"too much"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.md": b"before"}


def test_where_a_folder_has_the_name_of_a_file_none_is_written(tmp_path: Path):
    (tmp_path / "b.md").mkdir()
    with pytest.raises(BadInput, match=r"^--out: expected .* \(a folder: 'b.md'\)$"):
        write("--out", str(tmp_path), {"a.md": b"", "b.md": b""})
    assert [path.name for path in tmp_path.iterdir()] == ["b.md"]


def test_a_folder_that_can_not_be_written_is_told_before_there_are_files(tmp_path: Path, monkeypatch):
    def refuse(**_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(outputs.tempfile, "TemporaryFile", refuse)  # root may write everywhere
    with pytest.raises(BadInput, match=r"--out: expected a folder that can be written, got .*Permission denied"):
        write("--out", str(tmp_path), {})


def test_a_pipe_and_a_device_are_no_files_to_write(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), "/dev/null"):
        with pytest.raises(BadInput, match=r"--out: expected a file that can be written, got .*no regular file"):
            check_writable("--out", path)
