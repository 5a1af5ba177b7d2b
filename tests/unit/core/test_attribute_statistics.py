"""How often which values are: counted by hand, then against a plain count, and however many there are."""

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.attributes import ARROW_TYPES, Attribute
from tasks.core.attribute_statistics import MOST_BINS, MOST_VALUES, attribute_statistics, summaries

SPLITS = ("train", "val", "test")


def counted(kind: Any, values: list[Any], splits: list[str] | None = None) -> pa.Table:
    images = {
        "a": pa.array(values, ARROW_TYPES[kind]),
        "split": pa.array(splits or ["train"] * len(values), pa.string()),
    }
    return attribute_statistics(pa.table(images), ["a"], SPLITS)


def of_all(table: pa.Table) -> list[tuple[Any, ...]]:
    """kind, value, least, images, distinct of all images together."""
    return [
        (row["kind"], row["value"], row["least"], row["images"], row["distinct"])
        for row in table.to_pylist()
        if row["split"] is None
    ]


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        pytest.param("string", [], [], id="no images"),
        pytest.param("string", [None, None], [("none", None, None, 2, None)], id="nothing is known"),
        pytest.param("string", ["b"], [("others", None, None, 1, 1)], id="a word of one image is not listed"),
        pytest.param(
            "string",
            ["b", "a", "c", "b", "a", None, "d"],
            [
                ("value", "a", None, 2, None),
                ("value", "b", None, 2, None),
                ("others", None, None, 2, 2),
                ("none", None, None, 1, None),
            ],
            id="equal ones by name",
        ),
        pytest.param(
            "strings",
            [["x", "x", "y"], ["x"], [], None, ["z"]],
            [("value", "x", None, 2, None), ("others", None, None, 2, 2), ("none", None, None, 1, None)],
            id="an image counts once for each word, and once for all others",
        ),
        pytest.param("boolean", [True], [("value", "true", None, 1, None)], id="a truth value names nobody"),
        pytest.param(
            "integer",
            [3, 1, 3, None],
            [("bin", None, 1.0, 1, None), ("bin", None, 3.0, 2, None), ("none", None, None, 1, None)],
            id="few numbers, a bin each",
        ),
        pytest.param("number", [-0.5], [("bin", None, -0.5, 1, None)], id="one number"),
        pytest.param("integer", [2**63 - 1], [("bin", None, 2.0**63, 1, None)], id="the largest"),
    ],
)
def test_values_and_how_many_images_have_them(kind: Any, values: list[Any], expected: list[Any]):
    assert of_all(counted(kind, values)) == expected


def test_splits_stand_in_their_order_below_all_together():
    found = counted("string", ["a", "a", "b", "b"], ["test", "train", "test", "train"]).to_pylist()
    assert [(row["split"], row["value"], row["images"]) for row in found] == [
        (None, "a", 2),
        (None, "b", 2),
        ("train", "a", 1),
        ("train", "b", 1),
        ("test", "a", 1),
        ("test", "b", 1),
    ]


words = st.sampled_from([None, "a", "b", "c", "d", "\u00e9", ""])


@given(
    st.lists(
        st.tuples(
            st.none() | st.lists(words.filter(lambda word: word is not None), max_size=4), st.sampled_from(SPLITS)
        )
    )
)
def test_words_of_lists_are_counted_as_one_would_by_hand(rows: list[tuple[Any, str]]):
    found = counted("strings", [value for value, _ in rows], [split for _, split in rows]).to_pylist()
    plain = Counter((split, word) for value, of in rows for word in set(value or ()) for split in (None, of))
    listed = {word for (split, word), count in plain.items() if split is None and count > 1}
    got = {(row["split"], row["value"]): row["images"] for row in found if row["kind"] == "value"}
    assert got == {key: count for key, count in plain.items() if key[1] in listed}
    others = sum(bool(set(value or ()) - listed) for value, _ in rows)
    assert sum(row["images"] for row in found if row["kind"] == "others" and row["split"] is None) == others


@given(st.lists(st.floats(-1e9, 1e9) | st.none(), max_size=80))
def test_bins_hold_every_number_once(values: list[float | None]):
    rows = [row for row in counted("number", values).to_pylist() if row["split"] is None and row["kind"] == "bin"]
    assert sum(row["images"] for row in rows) == sum(value is not None for value in values)
    assert len(rows) <= MOST_BINS
    for row in rows:
        inside = [value for value in values if value is not None and row["least"] <= value < row["below"]]
        assert len(inside) == row["images"]


def test_a_hundred_thousand_values_are_a_bounded_table():
    numbers = np.arange(100_000)
    images = pa.table(
        {
            "distinct": pa.array(numbers.astype(str)),
            "often": pa.array((numbers // 2).astype(str)),
            "number": pa.array(numbers),
            "split": pa.array(np.array(SPLITS)[numbers % 3]),
        }
    )
    found = attribute_statistics(images, ["distinct", "often", "number"], SPLITS)
    assert found.num_rows <= 4 * (1 + MOST_VALUES + 1 + MOST_BINS)
    assert of_all(found)[0] == ("others", None, None, 100_000, 100_000)
    assert of_all(found)[1:3] == [("value", "0", None, 2, None), ("value", "1", None, 2, None)]


def test_what_people_see_of_them():
    attributes = {
        "room": Attribute(type="string", description="Where it\nhangs"),
        "year": Attribute(type="integer"),
        "none": Attribute(type="boolean"),
        "once": Attribute(type="string"),
    }
    images = pa.table(
        {
            "room": ["N" * 70, "N" * 70, "S", None],
            "year": pa.array([1900, 1901, None, None], pa.int64()),
            "none": pa.nulls(4, pa.bool_()),
            "once": ["a", None, None, None],
            "split": ["train"] * 4,
        }
    )
    found = summaries(attribute_statistics(images, list(attributes), SPLITS), attributes, 4)
    assert [tuple(entry) for entry in found] == [
        ("room", "string", 3, (f"{'N' * 60}... (2)", "1 other"), "Where it hangs"),
        ("year", "integer", 2, ("1900 to 1901",), ""),
        ("none", "boolean", 0, (), ""),
        ("once", "string", 1, ("1 different value",), ""),
    ]
