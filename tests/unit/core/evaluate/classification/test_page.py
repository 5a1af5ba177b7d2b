"""What an evaluation of classifiers writes, from predictions by hand."""

import numpy as np
import pyarrow as pa
import pytest

from schemas.evaluate_images import CLASS_SCORES, CONFUSION
from tasks.core.evaluate.classification import page
from tasks.core.evaluate.classification.predictions import ClassPredictions


def predictions(*pairs: str, classes: str = "abc", has_ranks: bool = False) -> ClassPredictions:
    """Of an image for each pair of letters, the true class and the predicted one."""
    true, predicted = (np.array([classes.index(pair[side]) for pair in pairs], np.int64) for side in (0, 1))
    images = tuple(str(place) for place in range(len(pairs)))
    return ClassPredictions(images, tuple(classes), true, predicted, true if has_ranks else None)


OURS, THEIRS = predictions("aa", "ab", "bb"), predictions("ac", "ac", "bb")


def test_cells_above_0_of_each_classifier():
    got = page.confusion_table({"ours": OURS, "theirs": THEIRS})
    assert got.schema == CONFUSION
    assert [tuple(row.values()) for row in got.to_pylist()] == [
        ("ours", "a", "a", 1),
        ("ours", "a", "b", 1),
        ("ours", "b", "b", 1),
        ("theirs", "a", "c", 2),
        ("theirs", "b", "b", 1),
    ]


def test_classes_of_each_classifier():
    got = page.classes_table({"theirs": THEIRS})
    assert got.schema == CLASS_SCORES
    assert [tuple(row.values()) for row in got.to_pylist()] == [
        ("theirs", "a", None, 0, 0, 2, 0),
        ("theirs", "b", 1, 1, 1, 1, 1),
        ("theirs", "c", 0, None, 0, 0, 2),
    ]


def test_no_classifier():
    assert page.classes_table({}).schema == CLASS_SCORES
    assert page.confusion_table({}).schema == CONFUSION
    assert (page.class_lines(page.classes_table({})), list(page.confusion_charts({}))) == ([], [])
    assert page.tops_shown({}, [1, 5]) == []


def test_lines_of_classes():
    assert page.class_lines(page.classes_table({"a|b": predictions("xy", classes="xyz")})) == [
        "## a\\|b by class",
        "",
        "| class | precision | recall | F1 | images |",
        "|---|---:|---:|---:|---:|",
        "| x |  | 0.000 | 0.000 | 1 |",
        "| y | 0.000 |  | 0.000 | 0 |",
        "| z |  |  |  | 0 |",
    ]


@pytest.mark.parametrize(("count", "lines"), [(200, 204), (201, 3)])
def test_more_classes_than_anybody_reads_are_in_the_file_alone(count: int, lines: int):
    names = "".join(map(chr, range(0x4E00, 0x4E00 + count)))
    got = page.class_lines(page.classes_table({"ours": predictions(names[0] * 2, classes=names)}))
    assert len(got) == lines
    assert ("201 classes: their numbers are in classes.parquet." in got) == (count > 200)


def test_charts_of_up_to_60_classes():
    names = "".join(map(chr, range(0x4E00, 0x4E00 + 61)))
    some = {"a": predictions(names[0] * 2, classes=names), "b": predictions(names[0] * 2, classes=names[:60])}
    assert [bool(chart) for chart in page.confusion_charts(some)] == [False, True]


def test_which_tops_are_shown():
    ranked = predictions("aa", has_ranks=True)
    assert page.tops_shown({"one": ranked, "two": ranked}, [1, 3, 5]) == [1, 3]
    assert page.tops_shown({"one": ranked, "two": OURS}, [1, 3, 5]) == []
    assert list(page.headings([3]).metrics) == ["accuracy", "top_3", "macro_precision", "macro_recall", "macro_F1"]


def test_a_thousand_classes_take_no_matrix():
    some = np.arange(20_000)
    own = ClassPredictions(tuple(map(str, some)), tuple(f"{place:05}" for place in some), some, some[::-1].copy(), None)
    assert page.confusion_table({"a": own}).num_rows == 20_000
    assert pa.compute.sum(page.classes_table({"a": own})["images"]).as_py() == 20_000


def test_the_matrix_of_each_classifier_in_numbers_of_images():
    lines = page.confusion_lines({"ours|": OURS, "theirs": THEIRS})
    assert lines[:6] == [
        "## ours\\|: true classes in rows, predicted classes in columns",
        "",
        "|  | a | b | c |",
        "|---|---:|---:|---:|",
        "| a | 1 | 1 | 0 |",
        "| b | 0 | 1 | 0 |",
    ]
    assert lines[8:10] == ["## theirs: true classes in rows, predicted classes in columns", ""]
    assert lines[-3:] == ["| a | 0 | 0 | 2 |", "| b | 0 | 1 | 0 |", "| c | 0 | 0 | 0 |"]


def test_of_many_classes_the_most_frequent_confusions():
    letters = "abcdefghijklmnopqrstu"
    pairs = [*["ba"] * 3, *["ab"] * 3, "aa", *(f"{one}u" for one in letters[:12])]
    lines = page.confusion_lines({"ours": predictions(*pairs, classes=letters)})
    assert lines[0] == "## ours: the most frequent of 14 confusions (all are in confusion.parquet)"
    assert lines[4:7] == ["| a | b | 3 |", "| b | a | 3 |", "| a | u | 1 |"]
    assert len(lines) == 4 + 10
    right = predictions("aa", classes=letters)
    assert page.confusion_lines({"ours": right}) == ["## ours confuses no classes"]
    assert page.confusion_lines({}) == []
