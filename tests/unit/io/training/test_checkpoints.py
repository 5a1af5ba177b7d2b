"""Checkpoints: the newest intact one first, damaged ones gone, and never more than two."""

from pathlib import Path

import pytest

from tasks.io.store.store import Store
from tasks.io.training import checkpoints

FOLDER = "training/one"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path))


def files(store: Store) -> list[Path]:
    return sorted((Path(store.full(FOLDER))).glob("*"))


def test_where_nothing_was_written_nothing_is_read_and_nothing_removed(store):
    assert [*checkpoints.read_intact(store, FOLDER)] == []
    checkpoints.clear(store, FOLDER)


def test_the_newest_two_stay_and_come_newest_first(store):
    for step, data in ((5, b"five"), (10, b"ten"), (9_999_999, b"last")):
        checkpoints.write(store, FOLDER, step, data)
    assert [*checkpoints.read_intact(store, FOLDER)] == [b"last", b"ten"]
    assert [path.name[:9] for path in files(store)] == ["000000010", "009999999"]


def test_a_step_that_is_written_again_is_one_file(store):
    for _ in range(2):
        checkpoints.write(store, FOLDER, 5, b"five")
    assert len(files(store)) == 1


def test_an_empty_checkpoint_is_one(store):
    checkpoints.write(store, FOLDER, 0, b"")
    assert [*checkpoints.read_intact(store, FOLDER)] == [b""]


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"\0" + data[1:], lambda data: b""])
def test_a_damaged_one_is_passed_over_and_removed(store, damage):
    checkpoints.write(store, FOLDER, 1, b"one")
    checkpoints.write(store, FOLDER, 2, b"two")
    newest = files(store)[-1]
    newest.write_bytes(damage(newest.read_bytes()))
    assert [*checkpoints.read_intact(store, FOLDER)] == [b"one"]
    assert newest not in files(store)


def test_a_file_under_another_name_is_damaged(store):
    """Its name says what its bytes are: a file that was renamed by hand would be taken for another step's."""
    checkpoints.write(store, FOLDER, 1, b"one")
    (path,) = files(store)
    path.rename(path.with_name(path.name.replace("000000001-", "000000001-0", 1)))
    assert [*checkpoints.read_intact(store, FOLDER)] == []
    assert files(store) == []


def test_other_files_of_the_folder_are_left_alone(store):
    store.write_bytes(f"{FOLDER}/notes.txt", b"mine")
    for step in range(3):
        checkpoints.write(store, FOLDER, step, b"x")
    checkpoints.clear(store, FOLDER)
    assert [path.name for path in files(store)] == ["notes.txt"]
    assert [*checkpoints.read_intact(store, FOLDER)] == []
