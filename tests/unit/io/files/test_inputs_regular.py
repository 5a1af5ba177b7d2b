"""What is no regular file is never opened, so that nothing waits for a pipe's other end."""

import io
import os
import socket
import uuid
from pathlib import Path

import fsspec
import pytest

from tasks.io.files.inputs import NotRegular, open_file, open_url, read_at_most, read_into


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder of what is no regular file, each under the name of its kind, and of a file with links to it."""
    (tmp_path / "file").write_bytes(b"text")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "to-pipe").symlink_to("pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as plug:
        plug.bind("socket")
        yield tmp_path


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("pipe", "a pipe, not a file"),
        ("to-pipe", "a pipe, not a file"),
        ("socket", "a socket, not a file"),
        ("device", "a device, not a file"),
        ("folder", "a folder, not a file"),
    ],
)
def test_what_is_no_file_is_never_opened(odd: Path, name: str, says: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("opened"))
    for attempt in (lambda: open_file(str(odd / name)), lambda: open_url(f"file://{odd}/{name}")):
        with pytest.raises(NotRegular, match=f"^{says}$"):
            attempt()


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(odd: Path, monkeypatch: pytest.MonkeyPatch):
    status = (odd / "file").stat()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", lambda *_, **__: status)
        with pytest.raises(NotRegular, match="a pipe"):
            open_file(str(odd / "pipe"))


@pytest.mark.parametrize(
    ("name", "problem"), [("nowhere", FileNotFoundError), ("dangling", FileNotFoundError), ("loop", OSError)]
)
def test_what_is_not_there_raises_as_open_does(odd: Path, name: str, problem: type[OSError]):
    with pytest.raises(problem):
        open_file(str(odd / name))


def test_a_file_and_a_link_to_it_are_read(odd: Path):
    for name in ("file", "link"):
        with open_file(str(odd / name)) as file:
            assert file.read() == b"text"
    with pytest.raises(NotRegular):
        open_file(str(odd / "link"), follows_link=False)


@pytest.mark.parametrize(("length", "is_whole"), [(0, False), (3, False), (4, True), (5, False)])
def test_memory_is_filled_with_a_file_of_its_own_length_alone(odd: Path, length: int, is_whole: bool):
    memory = bytearray(length)
    assert read_into(str(odd / "link"), memoryview(memory)) is is_whole
    assert bytes(memory) == (b"text" if is_whole else bytes(length))
    (odd / "empty").write_bytes(b"")
    assert read_into(str(odd / "empty"), memoryview(b""))


@pytest.mark.parametrize("name", ["pipe", "to-pipe", "socket", "device", "folder", "nowhere", "dangling", "loop"])
def test_no_memory_is_filled_with_what_is_no_file(odd: Path, name: str):
    memory = bytearray(4)
    with pytest.raises(OSError, match=r"not a file|No such|symbolic links"):
        read_into(str(odd / name), memoryview(memory))
    assert memory == bytes(4)


def test_any_file_system_will_do():
    url = f"memory://{uuid.uuid4().hex}/a"
    with fsspec.open(url, "wb") as file:
        file.write(b"text")
    with open_url(url) as file:
        assert file.read() == b"text"


class Dribble(io.BytesIO):
    """A file that gives less than is asked for, as a server's answer does whose length is not known before."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size, 2) if size is not None and size >= 0 else 2)


@pytest.mark.parametrize(("most", "expected"), [(9, b"12345"), (5, b"12345"), (3, b"123"), (0, b"")])
def test_a_file_that_comes_bit_by_bit_is_read_to_its_end_or_the_limit(most, expected):
    assert read_at_most(Dribble(b"12345"), most) == expected
