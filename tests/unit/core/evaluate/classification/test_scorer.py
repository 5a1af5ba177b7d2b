"""Confusions and scores of classifiers: by hand, against plain loops."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tasks.core.evaluate.classification.predictions import ClassPredictions, check_predictions
from tasks.core.evaluate.classification.scorer import (
    class_scores,
    classification_scorer,
    confusion_cells,
    divide,
    row_shares,
)

P = "probabilities"


def table(*rows: tuple[Any, ...], said: str = "predicted_class") -> pa.Table:
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(("image", "true_class", said))})


def predictions(true: list[int], predicted: list[int], classes: str = "abc") -> ClassPredictions:
    """Of an image for each pair of places in the classes, which are letters."""
    images = tuple(str(place) for place in range(len(true)))
    return ClassPredictions(images, tuple(classes), np.array(true, np.int64), np.array(predicted, np.int64), None)


HAND = predictions([0, 0, 0, 1, 1], [0, 0, 1, 1, 2])


def test_rows_are_true_classes_and_columns_predicted_ones_and_empty_cells_are_left_out():
    cells = confusion_cells(HAND)
    assert [column.tolist() for column in cells] == [[0, 0, 1, 1], [0, 1, 1, 2], [2, 1, 1, 1]]


def test_no_images_and_no_classes():
    for classes in ("ab", ""):
        none = predictions([], [], classes)
        assert [len(column) for column in confusion_cells(none)] == [0] * 3
        assert row_shares(none).shape == (len(classes),) * 2
        assert class_scores(none).images.tolist() == [0] * len(classes)


def test_shares_of_rows_add_up_to_1_where_there_are_images():
    shares = row_shares(HAND)
    assert shares[:2].tolist() == [[2 / 3, 1 / 3, 0], [0, 0.5, 0.5]]
    assert np.isnan(shares[2]).all()


def test_scores_of_classes():
    got = class_scores(HAND)
    assert got.precision.tolist() == [1, 0.5, 0]
    assert got.recall.tolist() == pytest.approx([2 / 3, 0.5, np.nan], nan_ok=True)
    assert got.f1.tolist() == pytest.approx([0.8, 0.5, 0])
    assert (got.images.tolist(), got.predictions.tolist(), got.right.tolist()) == ([3, 2, 0], [2, 2, 1], [2, 1, 0])


def test_an_image_counts_as_often_as_it_is_said():
    got = class_scores(HAND, np.array([0, 3, 1, 0, 2]))
    assert (got.images.tolist(), got.predictions.tolist(), got.right.tolist()) == ([4, 2, 0], [3, 1, 2], [3, 0, 0])


@pytest.mark.parametrize(
    ("of", "precision", "recall", "f1"),
    [
        pytest.param(predictions([0, 1], [1, 1], "ab"), np.nan, 0.0, 0.0, id="never predicted"),
        pytest.param(predictions([1, 1], [0, 1], "ab"), 0.0, np.nan, 0.0, id="never there"),
        pytest.param(predictions([1], [1], "ab"), np.nan, np.nan, np.nan, id="neither"),
    ],
)
def test_a_class_without_images_or_without_predictions(
    of: ClassPredictions, precision: float, recall: float, f1: float
):
    got = class_scores(of)
    assert [got.precision[0], got.recall[0], got.f1[0]] == pytest.approx([precision, recall, f1], nan_ok=True)


def test_nothing_divided_by_nothing_is_not_defined():
    assert divide(np.array([1, 0]), np.array([2, 0])).tolist() == pytest.approx([0.5, np.nan], nan_ok=True)


NAMES = ("a", "b", "c")


def read(truth: list[str], probabilities: list[list[float]]) -> ClassPredictions:
    rows = {"image": [f"{place:03}" for place in range(len(truth))], "true_class": truth}
    lists = pa.array(probabilities, pa.list_(pa.float64()))
    names = pa.schema([("image", pa.string()), ("true_class", pa.string()), ("probabilities", lists.type)])
    return check_predictions("t", pa.table({**rows, "probabilities": lists}, schema=names), NAMES)


def scores(predictions: ClassPredictions, times: list[int] | None = None) -> dict[str, float]:
    counts = np.ones(len(predictions.true), np.int64) if times is None else np.array(times, np.int64)
    return classification_scorer(predictions, (1, 2, 5))(counts)


LIKELY = read(
    ["a", "a", "b", "b", "b"],
    [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.5, 0.4, 0.1], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]],
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("images", 5),
        ("accuracy", 0.4),
        ("top_1", 0.4),
        ("top_2", 0.8),
        ("top_5", 1.0),
        ("macro_precision", 1 / 3),
        ("macro_recall", 5 / 12),
        ("macro_F1", 0.3),
    ],
)
def test_five_images_by_hand(name: str, expected: float):
    assert scores(LIKELY)[name] == pytest.approx(expected, nan_ok=True)


def test_there_are_no_keys_of_classes_so_that_a_resample_of_many_classes_stays_small():
    assert list(scores(LIKELY)) == [
        "images",
        "accuracy",
        *(f"top_{k}" for k in (1, 2, 5)),
        *(f"macro_{name}" for name in ("precision", "recall", "F1")),
    ]


def test_without_probabilities_there_is_no_top():
    rows = pa.table({"image": ["x"], "true_class": ["a"], "predicted_class": ["a"]})
    got = scores(check_predictions("t", rows))
    assert got["accuracy"] == 1
    assert math.isnan(got["top_5"])


def test_no_image_that_counts_has_the_same_names():
    got = scores(LIKELY, [0] * 5)
    assert list(got) == list(scores(LIKELY))
    assert got.pop("images") == 0
    assert all(math.isnan(value) for value in got.values())


def by_loops(truth: list[str], guesses: list[str]) -> dict[str, float]:
    """Image by image, class by class."""
    pairs = list(zip(truth, guesses, strict=True))
    values: dict[str, float] = {"accuracy": sum(one == other for one, other in pairs) / len(pairs)}
    for name in NAMES:
        right = sum(one == other == name for one, other in pairs)
        wrong = sum(other == name != one for one, other in pairs)
        missed = sum(one == name != other for one, other in pairs)
        values[f"precision_{name}"] = right / (right + wrong) if right + wrong else math.nan
        values[f"recall_{name}"] = right / (right + missed) if right + missed else math.nan
        some = 2 * right + wrong + missed
        values[f"F1_{name}"] = 2 * right / some if some else math.nan
    for score in ("precision", "recall", "F1"):
        defined = [values[f"{score}_{name}"] for name in NAMES if not math.isnan(values[f"{score}_{name}"])]
        values[f"macro_{score}"] = sum(defined) / len(defined)
    return values


images = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(0, 3)), min_size=1, max_size=12)


@given(images)
def test_the_plain_definitions(rows: list[tuple[str, str, int]]):
    truth, guesses = [row[0] for row in rows], [row[1] for row in rows]
    own = read(truth, [[float(name == guess) for name in NAMES] for guess in guesses])
    got, each = scores(own), class_scores(own)
    for score, values in (("precision", each.precision), ("recall", each.recall), ("F1", each.f1)):
        got |= {f"{score}_{name}": value for name, value in zip(NAMES, values.tolist(), strict=True)}
    for name, value in by_loops(truth, guesses).items():
        assert got[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name
    assert got["top_1"] == got["accuracy"]


@given(images, st.data())
def test_an_image_that_counts_twice_is_an_image_that_is_there_twice(rows: list, data: st.DataObject):
    weights = [data.draw(st.lists(st.integers(0, 3), min_size=3, max_size=3)) for _ in rows]
    probabilities = [[(value + 0.5) / (sum(some) + 1.5) for value in some] for some in weights]
    every = [row for row, (*_, times) in enumerate(rows) for _ in range(times)]
    assume(every)
    plain = scores(read([rows[row][0] for row in every], [probabilities[row] for row in every]))
    got = scores(read([row[0] for row in rows], probabilities), [row[2] for row in rows])
    assert got == pytest.approx(plain, abs=1e-12, nan_ok=True)
