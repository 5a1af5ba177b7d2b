"""What classifiers say of images, confusions and scores: by hand, against plain loops, and what is refused."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from schemas.errors import BadInput
from tasks.core.evaluate.classification.predictions import (
    check_predictions,
    refuse_other_images,
    with_all_classes,
)

P = "probabilities"


def table(*rows: tuple[Any, ...], said: str = "predicted_class") -> pa.Table:
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(("image", "true_class", said))})


def test_images_in_the_order_of_their_ids_and_classes_of_their_names():
    got = check_predictions("t", table(("y", "rococo", "baroque"), ("x", "ukiyo-e", "rococo")))
    assert (got.images, got.classes) == (("x", "y"), ("baroque", "rococo", "ukiyo-e"))
    assert (got.true.tolist(), got.predicted.tolist(), got.rank) == ([2, 1], [1, 0], None)


def test_classes_that_nobody_mentions():
    assert check_predictions("t", table(("x", "b", "b")), ["c", "a"]).classes == ("a", "b", "c")


def test_probabilities_are_in_the_order_of_the_classes_given():
    rows = [("2", "a", [0.2, 0.5, 0.3]), ("1", "c", [0.1, 0.6, 0.3])]
    got = check_predictions("t", table(*rows, said="probabilities"), ["c", "b", "a"])
    assert (got.images, got.classes) == (("1", "2"), ("a", "b", "c"))
    assert (got.true.tolist(), got.predicted.tolist()) == ([2, 0], [1, 1])
    assert got.rank is not None
    assert got.rank.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("true", "predicted", "rank"), [("a", 0, 0), ("b", 0, 1), ("c", 0, 2)], ids=["first", "second", "third"]
)
def test_of_equal_probabilities_the_class_whose_name_comes_first(true: str, predicted: int, rank: int):
    third = 1 / 3
    got = check_predictions("t", table(("1", true, [third] * 3), said="probabilities"), ["c", "b", "a"])
    assert got.rank is not None
    assert (got.predicted.tolist(), got.rank.tolist()) == ([predicted], [rank])


def test_the_true_class_is_first_exactly_where_it_is_predicted():
    draw = np.random.default_rng(5)
    values = draw.integers(0, 3, (200, 4)) + 0.5
    names = ["d", "b", "a", "c"]
    rows = [(str(row), names[row % 4], (values[row] / values[row].sum()).tolist()) for row in range(200)]
    got = check_predictions("t", table(*rows, said="probabilities"), names)
    assert got.rank is not None
    assert ((got.rank == 0) == (got.true == got.predicted)).all()


def test_an_empty_table_is_refused_whatever_its_columns():
    empty = pa.table({name: pa.array([], pa.string()) for name in ("image", "true_class", "predicted_class", P)})
    for columns in (empty, empty.drop_columns(P), pa.table({})):
        with pytest.raises(BadInput, match=r"^t: expected a table of predictions, got one without rows$"):
            check_predictions("t", columns, ["a"])


@pytest.mark.parametrize(
    ("rows", "classes", "message"),
    [
        ([("x", "a", "b"), ("x", "a", "a")], (), "t[1]: expected each image once, got 'x' again, as in row 0"),
        ([("x", None, "b")], (), "t[0]: expected a text in true_class, got an empty cell"),
        ([("x", "a", "")], (), "t[0]: expected a text in predicted_class, got ''"),
        (
            [("x", "a", [1.0])],
            (),
            "t: expected the names of the classes that the probabilities are of, in their order "
            "(--set 'classes=[a, b]'), got none",
        ),
        ([("x", "a", [1.0])], ("b",), "t: expected true classes that have a probability, got 'a'"),
        ([("x", "a", [0.5, 0.5])], ("a", "a"), "classes[1]: expected each class once, got 'a' again, as in row 0"),
        ([("x", "a", [1.0])], ("a", "b"), "t[0]: expected 2 probabilities, one for each class, got 1"),
        (
            [("x", "a", [1.0]), ("y", "a", None)],
            ("a",),
            "t[1]: expected 1 probabilities, one for each class, got an empty cell",
        ),
        (
            [("x", "a", [1.5, -0.5])],
            ("a", "b"),
            "t[0]: expected probabilities from 0 to 1 that add up to 1, got [1.5, -0.5]",
        ),
        (
            [("x", "a", [0.5, 0.4])],
            ("a", "b"),
            "t[0]: expected probabilities from 0 to 1 that add up to 1, got [0.5, 0.4]",
        ),
        ([("x", "a", [float("nan"), 1])], ("a", "b"), "t[0]: expected finite numbers in probabilities, got nan"),
        (
            [("x", "a", [1e308, 1e308])],
            ("a", "b"),
            "t[0]: expected probabilities from 0 to 1 that add up to 1, got [1e+308, 1e+308]",
        ),
    ],
)
def test_what_is_refused(rows: list[tuple], classes: tuple[str, ...], message: str):
    said = P if isinstance(rows[0][2], list) else "predicted_class"
    with pytest.raises(BadInput) as problem:
        check_predictions("t", table(*rows, said=said), classes)
    assert str(problem.value) == message


def test_columns_that_are_refused():
    rows = table(("x", "a", "b"))
    for columns, got in ((rows.drop_columns("predicted_class"), "none"), (rows.append_column(P, [[[1.0]]]), "both")):
        with pytest.raises(BadInput) as problem:
            check_predictions("t", columns)
        assert str(problem.value) == f"t: expected a column predicted_class or probabilities, got {got}"


def test_several_classifiers_are_about_the_same_images_and_truths():
    one = check_predictions("one", table(("x", "a", "b"), ("y", "b", "b")))
    same = check_predictions("two", table(("y", "b", "c"), ("x", "a", "c")))
    refuse_other_images({})
    refuse_other_images({"one": one, "two": same})
    with pytest.raises(BadInput, match=r"two: expected the images of one, got others: 'y', 'z'"):
        refuse_other_images({"one": one, "two": check_predictions("two", table(("x", "a", "b"), ("z", "b", "b")))})
    with pytest.raises(BadInput, match=r"two: expected true_class 'b' of 'y', as in one, got 'a'"):
        refuse_other_images({"one": one, "two": check_predictions("two", table(("x", "a", "b"), ("y", "a", "b")))})


def test_classes_of_all_classifiers():
    named = check_predictions("one", table(("x", "c", "a")))
    likely = check_predictions("two", table(("x", "c", [0.6, 0.4]), said=P), ["c", "b"])
    got = with_all_classes({"one": named, "two": likely})
    assert {own.classes for own in got.values()} == {("a", "b", "c")}
    assert [(own.true.tolist(), own.predicted.tolist()) for own in got.values()] == [([2], [0]), ([2], [2])]
    assert (got["one"].rank, got["two"].rank) == (None, likely.rank)
    assert with_all_classes({}) == {}


def test_too_many_classes():
    many = [f"{place:05}" for place in range(20_001)]
    assert len(check_predictions("t", table(("x", many[0], many[1])), many[:-1]).classes) == 20_000
    with pytest.raises(BadInput, match=r"^t: expected at most 20,000 classes, got 20,001$"):
        check_predictions("t", table(("x", many[0], many[1])), many)
    one, other = (
        check_predictions("t", table(("x", name, name)), some) for name, some in ((many[0], many[:-1]), ("b", ["c"]))
    )
    with pytest.raises(BadInput, match=r"^one, two: expected at most 20,000 classes, got 20,002$"):
        with_all_classes({"one": one, "two": other})
