"""Single files that a person names: read whole, never without a limit, told in one sentence if not to be had."""

import io
import os
from pathlib import Path

import fsspec
import pytest

from schemas.errors import BadInput
from tasks.io.files import inputs
from tasks.io.files.inputs import folder_of, read


def test_a_file_of_just_the_limit_is_read_and_one_byte_more_is_refused(tmp_path: Path):
    (tmp_path / "f").write_bytes(b"12345")
    assert read("truth", str(tmp_path / "f"), 5) == b"12345"
    assert read("truth", f"file://{tmp_path}/f", 5) == b"12345"
    with pytest.raises(BadInput, match="truth: expected a file of at most 4 bytes"):
        read("truth", str(tmp_path / "f"), 4)


@pytest.mark.parametrize("url", ["nowhere.json", "nosuch://a/b.json", "."])
def test_what_is_no_file_is_told(url: str):
    with pytest.raises(BadInput, match="truth: expected a file, got"):
        read("truth", url, 9)


def test_a_pipe_is_told_and_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match=r"truth: expected a file, got '.*pipe' \(a pipe, not a file\)"):
        read("truth", str(tmp_path / "pipe"), 9)


class Locked(fsspec.AbstractFileSystem):
    """Raises what is no OSError, as s3 does where there are no credentials."""

    def _open(self, path: str, **_: object) -> None:
        raise RuntimeError(f"no key to {path}")


def test_a_file_systems_own_errors_are_told_too():
    fsspec.register_implementation("locked", Locked, clobber=True)
    with pytest.raises(BadInput, match=r"truth: expected a file, got 'locked://a.json' \(no key to .*a.json\)"):
        read("truth", "locked://a.json", 9)


@pytest.mark.parametrize(
    ("url", "folder"),
    [("a/b.json", "a"), ("b.json", "."), ("/b.json", "/"), ("/a/b.json", "/a"), ("s3://a/b.json", "s3://a")],
)
def test_the_folder_of_a_file(url: str, folder: str):
    assert folder_of(url) == folder


def test_a_file_of_unknown_length_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch):
    """Over HTTP, a piece of it comes first; the half of a table is a table, too."""

    class Answer(io.BytesIO):
        def read(self, _size: int | None = -1, /) -> bytes:
            return super().read(4)

    monkeypatch.setattr(inputs, "open_url", lambda _: Answer(b"a,b\n1,2\n"))
    assert read("truth", "http://museum.example/f.csv", 9) == b"a,b\n1,2\n"
    with pytest.raises(BadInput, match="of at most 7 bytes"):
        read("truth", "http://museum.example/f.csv", 7)
