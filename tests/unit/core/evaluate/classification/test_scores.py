"""A classifier's scores, against loops over images and classes."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tasks.core.evaluate.classification.confusion import class_scores
from tasks.core.evaluate.classification.predictions import Predictions, check_predictions
from tasks.core.evaluate.classification.scores import classification_scorer

NAMES = ("a", "b", "c")


def read(truth: list[str], probabilities: list[list[float]]) -> Predictions:
    rows = {"image": [f"{place:03}" for place in range(len(truth))], "true_class": truth}
    lists = pa.array(probabilities, pa.list_(pa.float64()))
    names = pa.schema([("image", pa.string()), ("true_class", pa.string()), ("probabilities", lists.type)])
    return check_predictions("t", pa.table({**rows, "probabilities": lists}, schema=names), NAMES)


def scores(predictions: Predictions, times: list[int] | None = None) -> dict[str, float]:
    counts = np.ones(len(predictions.true), np.int64) if times is None else np.array(times, np.int64)
    return classification_scorer(predictions, (1, 2, 5))(counts)


HAND = read(
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
    assert scores(HAND)[name] == pytest.approx(expected, nan_ok=True)


def test_there_are_no_keys_of_classes_so_that_a_resample_of_many_classes_stays_small():
    assert list(scores(HAND)) == [
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
    got = scores(HAND, [0] * 5)
    assert list(got) == list(scores(HAND))
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
