"""What a plan keeps to itself."""

import gc
import io
import os
import subprocess
import sys
import threading

import pytest

from tasks.io.store.overlay import FileOverlay


def test_nothing_is_there_at_first_and_what_was_written_is():
    overlay = FileOverlay()
    assert (list(overlay), overlay.removed, "a" in overlay) == ([], set(), False)
    for path, data in (("empty", b""), ("k/a", b"abc"), ("k/b", bytes(3_000_000)), ("k/a", b"newer")):
        overlay.write(path, io.BytesIO(data))
    assert list(overlay) == ["empty", "k/a", "k/b"]
    assert [overlay.size(path) for path in overlay] == [0, 5, 3_000_000]
    assert [overlay.open(path).read() for path in overlay] == [b"", b"newer", bytes(3_000_000)]


def test_a_file_is_copied_from_where_it_stands():
    overlay, source = FileOverlay(), io.BytesIO(b"head and rest")
    source.seek(5)
    overlay.write("a", source)
    assert overlay.open("a").read() == b"and rest"


@pytest.mark.parametrize("ask", [FileOverlay.size, FileOverlay.open])
def test_what_was_never_written_or_is_removed_is_not_known(ask):
    overlay = FileOverlay()
    overlay.write("gone", io.BytesIO(b"1"))
    overlay.remove("gone")
    for path in ("gone", "never"):
        with pytest.raises(KeyError):
            ask(overlay, path)


def test_what_is_written_again_is_hidden_no_more():
    overlay = FileOverlay()
    overlay.remove("a")
    assert overlay.removed == {"a"}
    overlay.write("a", io.BytesIO(b"1"))
    assert (overlay.removed, list(overlay)) == (set(), ["a"])


def test_files_are_read_at_any_place_and_never_beyond_their_end():
    overlay = FileOverlay()
    for path, data in (("a", b"0123456789"), ("b", b"neighbour")):
        overlay.write(path, io.BytesIO(data))
    with overlay.open("a") as file, overlay.open("b") as other:
        assert (file.seek(-3, os.SEEK_END), file.read(2), other.read(2), file.read(), file.read(1)) == (
            7,
            b"78",
            b"ne",
            b"9",
            b"",
        )
        assert (file.seek(20), file.read(5)) == (20, b"")
        file.seek(4)
        assert (file.seek(2, os.SEEK_CUR), file.tell(), file.read()) == (6, 6, b"6789")


def test_a_file_that_is_read_outlives_its_overlay():
    overlay = FileOverlay()
    overlay.write("a", io.BytesIO(b"pixels"))
    file = overlay.open("a")
    del overlay
    gc.collect()
    assert file.read() == b"pixels"


def test_threads_write_and_read_at_once():
    overlay, wrong = FileOverlay(), list[str]()

    def work(number: int) -> None:
        data = bytes([number]) * (number * 10_000)
        for time in range(5):
            overlay.write(f"{number}/{time}", io.BytesIO(data))
            if overlay.open(f"{number}/{time}").read() != data:
                wrong.append(f"{number}/{time}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(list(overlay)) == 40


def test_nothing_is_left_of_a_plan_that_was_killed(tmp_path):
    code = (
        "import io, os, signal\n"
        "from tasks.io.store.overlay import FileOverlay\n"
        "overlay = FileOverlay()\n"
        "overlay.write('a', io.BytesIO(bytes(5_000_000)))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)}, check=False)
    assert ended.returncode == -9
    assert list(tmp_path.iterdir()) == []
