"""A source's own split: its words, and what can't be."""

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import BadInput
from schemas.split import DEALT
from tasks.core.split import units


def names(count: int) -> pa.ChunkedArray:
    return pa.chunked_array([[f"m:{number}" for number in range(count)]], pa.string())


def texts(*values: str | None) -> pa.ChunkedArray:
    return pa.chunked_array([list(values)], pa.string())


@pytest.mark.parametrize(
    ("word", "split"),
    [
        (" TRAIN\t", "train"),
        ("Training", "train"),
        ("valid", "val"),
        ("Validation", "val"),
        ("dev", "val"),
        ("development", "val"),
        ("Test", "test"),
        ("testing", "test"),
        ("", None),
        ("  ", None),
        (None, None),
    ],
)
def test_words(word: str | None, split: str | None):
    assert units.own_splits("split", names(1), texts(word), "subset").to_pylist() == [split]


def test_each_split_is_called_by_its_own_name():
    assert {units.WORDS[name] for name in DEALT} == set(DEALT) == set(units.WORDS.values())
    assert all(word == word.lower() == word.strip() for word in units.WORDS)


def test_nothing_in_nothing_out():
    assert len(units.own_splits("split", names(0), texts(), "subset")) == 0
    assert units.kept_note("split", texts()) == ()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("train", "holdout", "x"), "in 'subset' of each record, got 'holdout' in m:1 and 1 more"),
        (("train2",), "stages (split).keep: expected one of train, training, val, valid, validation, dev,"),
        (("trainval",), "got 'trainval' in m:0"),
        (("0",), "got '0' in m:0"),
    ],
    ids=str,
)
def test_other_words_are_refused(words: tuple[str, ...], said: str):
    with pytest.raises(BadInput) as refused:
        units.own_splits("split", names(len(words)), texts(*words), "subset")
    assert said in str(refused.value)


def test_without_ratios_each_record_needs_one():
    units.check_complete("split", names(2), np.array([False, False]), "subset")
    with pytest.raises(BadInput, match=r"got null while 'subset' says nothing in m:1 and 1 more"):
        units.check_complete("split", names(3), np.array([False, True, True]), "subset")


def test_a_gallery_is_train():
    units.check_gallery("split", names(2), texts("train", None))
    with pytest.raises(BadInput, match=r"expected train or nothing for the gallery, .* got test for m:1"):
        units.check_gallery("split", names(2), texts("train", "test"))


def test_the_note_counts_by_split():
    assert units.kept_note("split", texts("test", "train", "test")) == (
        "split: 3 images with a split that is given: train 1, test 2",
    )
