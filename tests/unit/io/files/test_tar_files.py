"""Tar files of which the bytes say what is in them, and nothing else."""

import hashlib
import io
import resource
import tarfile
import tracemalloc
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tasks.io.files.tar_files import NestedTar, TarFile

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


def test_a_file_of_this_machine_is_appended(tmp_path: Path):
    (tmp_path / "long").write_bytes(b"abc" * 100_000)
    (tmp_path / "empty").touch()
    with TarFile(str(tmp_path / "x")) as tar, TarFile(str(tmp_path / "y")) as other:
        for name in ("long", "empty"):
            tar.add_file(f"a/{name}", str(tmp_path / name))
            other.add(f"a/{name}", (tmp_path / name).read_bytes())
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()


TARS: dict[str, dict[str, bytes]] = {
    "b.tar": {"b_1": b"one", "浮世絵": b"", "c" * 150: b"x" * 20_000},
    "a.tar": {"b_1": b"two"},
    "c.tar": {"c_1": b"y" * 10_240, "c_2": b"z" * 512},
}
SIZES = {tar: len(files) for tar, files in TARS.items()}
ARRIVALS = {
    "by tar": [(tar, name) for tar, files in TARS.items() for name in files],
    "the last first": [(tar, name) for tar, files in reversed(TARS.items()) for name in files],
    "in turn": [(tar, [*files][turn]) for turn in range(3) for tar, files in TARS.items() if turn < len(files)],
}


def nested(path: Path, arrivals: list[tuple[str, str]], sizes: Mapping[str, int] = SIZES) -> bytes:
    tar = NestedTar(str(path), sizes)
    for name, file in arrivals:
        tar.add(name, file, TARS[name][file])
    tar.close()
    return path.read_bytes()


def members_of(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        assert all((member.mtime, member.uid, member.mode) == (0, 0, 0o644) for member in tar)
        return {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]


@pytest.mark.parametrize("how", ARRIVALS)
def test_a_tar_of_tars_is_the_same_in_whatever_order_its_files_come(tmp_path: Path, how: str):
    found = members_of(nested(tmp_path / "x", ARRIVALS[how]))
    assert [*found] == [*TARS]
    for name, files in TARS.items():
        assert [*members_of(found[name]).items()] == [*files.items()]
        with TarFile(str(tmp_path / name)) as alone:
            for file, data in files.items():
                alone.add(file, data)
        assert found[name] == (tmp_path / name).read_bytes()
    assert nested(tmp_path / "y", ARRIVALS["by tar"]) == (tmp_path / "x").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"x", "y", *TARS}  # nothing waits


def test_a_tar_of_no_tars_is_an_empty_one(tmp_path: Path):
    assert members_of(nested(tmp_path / "x", [], {})) == {}


def test_what_is_not_whole_is_left_off(tmp_path: Path):
    data = nested(tmp_path / "x", [arrival for arrival in ARRIVALS["in turn"] if arrival != ("a.tar", "b_1")])
    assert [*members_of(data)] == ["b.tar"]  # c.tar is whole, too, but the one before it is not
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_nothing_is_added_to_what_lay_there(tmp_path: Path):
    expected = nested(tmp_path / "x", ARRIVALS["by tar"])
    for number in range(3):
        (tmp_path / f"x.{number}").write_bytes(b"left by a program that was killed")
    assert nested(tmp_path / "x", ARRIVALS["by tar"]) == expected


@pytest.mark.parametrize("tar", ["a.tar", "other.tar"])
def test_a_file_too_many_is_refused(tmp_path: Path, tar: str):
    x = NestedTar(str(tmp_path / "x"), SIZES)
    x.add("a.tar", "b_1", b"two")  # whole, and waits for b.tar
    with pytest.raises(ValueError, match=f"expected a tar that is not whole yet, got one more file for '{tar}'"):
        x.add(tar, "b_2", b"three")
    x.close()


@pytest.fixture
def few_files() -> Iterator[None]:
    """A process that can open 200 files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("few_files")
def test_neither_open_files_nor_memory_grow_with_what_waits(tmp_path: Path):
    """300 tars of two files each, and one of 20 MB, of which none is whole before all have begun."""
    sizes = {"large.tar": 400, **{f"{number}.tar": 2 for number in range(300)}}
    tar, data = NestedTar(str(tmp_path / "x"), sizes), bytes(50_000)
    tracemalloc.start()
    for turn in range(max(sizes.values())):
        for name in [name for name, size in sizes.items() if turn < size]:
            tar.add(name, str(turn), data)
    tar.close()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000
    with tarfile.open(tmp_path / "x") as found:
        assert [member.name for member in found] == [*sizes]
    assert (tmp_path / "x").stat().st_size > 50_000_000
