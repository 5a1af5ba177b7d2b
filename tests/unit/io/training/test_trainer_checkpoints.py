"""Checkpoints: which ones stay, and what becomes of a damaged one, of none, and of files that are none."""

import hashlib

import pytest

from tasks.io.store.store import Store
from tasks.io.training import trainer


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(str(tmp_path))


def test_where_nothing_was_written_there_is_nothing_to_read_or_clear(store):
    assert list(trainer.intact_checkpoints(store, "t")) == []
    trainer.clear_checkpoints(store, "t")
    assert store.list_folder("t") == []


@pytest.mark.parametrize("data", [b"", b"state"], ids=["empty", "short"])
def test_the_only_one_is_read_back_under_its_step_and_digest(store, data):
    trainer.write_checkpoint(store, "t", 7, data)
    assert store.list_folder("t") == [f"000000007-{hashlib.sha256(data).hexdigest()}.safetensors"]
    assert list(trainer.intact_checkpoints(store, "t")) == [data]


def test_the_newest_two_checkpoints_stay_and_a_damaged_one_is_passed_over(tmp_path):
    store = Store(str(tmp_path))
    for step in (1, 2, 3):
        trainer.write_checkpoint(store, "t", step, f"state {step}".encode())
    names = store.list_folder("t")
    assert [name[:9] for name in names] == ["000000002", "000000003"]
    (tmp_path / "t" / names[-1]).write_bytes(b"state 3, but hal")
    assert list(trainer.intact_checkpoints(store, "t")) == [b"state 2"]
    assert store.list_folder("t") == names[:1]
    trainer.clear_checkpoints(store, "t")
    assert store.list_folder("t") == list(trainer.intact_checkpoints(store, "t")) == []


def test_newest_is_by_step_and_not_by_digits_or_time(store):
    for step in (10, 9, 100):
        trainer.write_checkpoint(store, "t", step, f"{step}".encode())
    assert list(trainer.intact_checkpoints(store, "t")) == [b"100", b"10"]


def test_the_same_step_written_again_is_one_checkpoint(store):
    trainer.write_checkpoint(store, "t", 5, b"state")
    trainer.write_checkpoint(store, "t", 5, b"state")
    assert list(trainer.intact_checkpoints(store, "t")) == [b"state"]


def test_where_every_checkpoint_is_damaged_none_is_read_and_none_stays(store):
    for step in (1, 2):
        trainer.write_checkpoint(store, "t", step, b"%d" % step)
    for name in store.list_folder("t"):
        store.write_bytes(f"t/{name}", b"")
    assert list(trainer.intact_checkpoints(store, "t")) == []
    assert store.list_folder("t") == []


def test_intact_bytes_under_another_ones_name_are_damaged(store):
    trainer.write_checkpoint(store, "t", 1, b"one")
    (name,) = store.list_folder("t")
    store.write_bytes(f"t/000000009{name[9:]}", b"two")
    assert list(trainer.intact_checkpoints(store, "t")) == [b"one"]
    assert store.list_folder("t") == [name]


def test_one_that_another_process_removed_meanwhile_is_passed_over(store):
    trainer.write_checkpoint(store, "t", 1, b"one")
    trainer.write_checkpoint(store, "t", 2, b"two")
    reading = trainer.intact_checkpoints(store, "t")
    assert next(reading) == b"two"
    trainer.clear_checkpoints(store, "t")
    assert list(reading) == []


def test_other_files_and_other_trainings_are_left_alone(store):
    store.write_bytes("t/notes.txt", b"mine")
    store.write_bytes("t/other/state.txt", b"theirs")
    trainer.write_checkpoint(store, "u", 1, b"another training")
    for step in (1, 2, 3):
        trainer.write_checkpoint(store, "t", step, b"%d" % step)
    assert list(trainer.intact_checkpoints(store, "t")) == [b"3", b"2"]
    trainer.clear_checkpoints(store, "t")
    assert store.list_folder("t") == ["notes.txt", "other"]
    assert list(trainer.intact_checkpoints(store, "u")) == [b"another training"]


def test_a_plan_writes_nothing_to_the_store_and_reads_what_is_there(tmp_path):
    trainer.write_checkpoint(Store(str(tmp_path)), "t", 1, b"one")
    plan = Store(str(tmp_path), is_overlay=True)
    trainer.write_checkpoint(plan, "t", 2, b"two")
    assert list(trainer.intact_checkpoints(plan, "t")) == [b"two", b"one"]
    trainer.clear_checkpoints(plan, "t")
    assert list(trainer.intact_checkpoints(Store(str(tmp_path)), "t")) == [b"one"]
