"""What must lie in one split, and where any of it was published."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.split.units import firsts, names_of, published_of, ranks, settled_splits, take_rows, units_of

Bonds = list[list[str | None]]


def words(*chunks: list[str | None]) -> pa.ChunkedArray:
    return pa.chunked_array(list(chunks), pa.string())


def units(names: list[str], bonds: Bonds, cut: int = 0) -> list[str]:
    """For each name that of its unit."""
    of = units_of(words(names[:cut], names[cut:]), [words(bond[:cut], bond[cut:]) for bond in bonds])
    return [names[row] for row in of]


@pytest.mark.parametrize(
    ("names", "bonds", "expected"),
    [
        pytest.param([], [], [], id="no records"),
        pytest.param([], [[], []], [], id="no records, two bonds"),
        pytest.param(["b", "a"], [], ["b", "a"], id="no bonds"),
        pytest.param(["b", "a"], [[None, None]], ["b", "a"], id="no word is no bond"),
        pytest.param(["b", "a"], [["", ""]], ["a", "a"], id="an empty word is a word"),
        pytest.param(["b", "a"], [["x", None], [None, "x"]], ["b", "a"], id="one word in two bonds ties nothing"),
        pytest.param(
            ["c", "b", "a"], [["x", "x", None], [None, "y", "y"]], ["a", "a", "a"], id="a chain over two bonds"
        ),
        pytest.param(["c", "b", "a"], [["x", "y", "x"]], ["a", "b", "a"], id="two groups"),
        pytest.param(["b", "a"], [["x", "x"], ["x", "x"]], ["a", "a"], id="tied twice"),
        pytest.param(["ä", "z", "Z"], [["x"] * 3], ["Z"] * 3, id="the smallest by code points"),
        pytest.param(["d", "c", "b", "a"], [[None, "x", "x", None]], ["d", "b", "b", "a"], id="some tied, some not"),
    ],
)
def test_records_that_share_a_word_are_one_unit(names: list[str], bonds: Bonds, expected: list[str]):
    for cut in range(len(names) + 1):
        assert units(names, bonds, cut) == expected


def test_a_long_chain_is_one_unit():
    names = [f"r{number:05}" for number in range(20_000)]
    bonds = [[f"{(number + odd) // 2}" for number in range(20_000)] for odd in (0, 1)]
    assert set(units(names, bonds)) == {"r00000"}


WORD = st.none() | st.sampled_from(["", "x", "y", "z"])


@given(st.lists(st.tuples(WORD, WORD), max_size=12), st.randoms(use_true_random=False))
def test_ties_chain_and_nothing_else_ties_however_rows_come(rows: list[tuple[str | None, str | None]], chance: Any):
    listed = [(f"r{number:02}", *row) for number, row in enumerate(rows)]
    unit = {name: name for name, *_ in listed}
    for _ in listed:  # plainly: the smaller name goes round until nothing changes
        for one, *own in listed:
            for other, *its in listed:
                if any(a is not None and a == b for a, b in zip(own, its, strict=True)):
                    unit[one] = min(unit[one], unit[other])
    for _ in range(2):
        names, *bonds = (list(column) for column in zip(*listed, strict=True)) if listed else ([], [], [])
        assert units(names, bonds, chance.randint(0, len(names))) == [unit[name] for name in names]
        chance.shuffle(listed)


def test_first_rows():
    assert firsts(np.array([2, 0, 0, 1, 2])).tolist() == [1, 3, 0]
    assert firsts(np.empty(0, np.int64)).tolist() == []


@pytest.mark.parametrize(
    ("unit", "published", "expected"),
    [
        pytest.param([], [], [], id="no records"),
        pytest.param([0], [None], [-1], id="in none"),
        pytest.param([0, 0], [None, "train"], [0, 0], id="what is new lies with what is published"),
        pytest.param([2, 2, 2], ["train", "test", "val"], [2, 2, 2], id="the highest rank of the unit"),
        pytest.param([2, 2, 2], ["val", "train", None], [1, 1, 1], id="val before train"),
        pytest.param([0, 1], ["test", "train"], [2, 0], id="other units do not count"),
    ],
)
def test_where_a_unit_was_published(unit: list[int], published: list[str | None], expected: list[int]):
    assert published_of(np.array(unit, np.int64), words(published)).tolist() == expected


@pytest.mark.parametrize("stranger", ["dev", "", "Train"])
def test_a_split_of_another_name_is_refused(stranger: str):
    with pytest.raises(ValueError, match=f"expected a split of train, val, test, ood, got '{stranger}'"):
        published_of(np.arange(3), words([None, "train", stranger]))


def test_ranks_and_names_are_each_others_way_back():
    listed = ["val", None, "train", "test"]
    assert ranks(words(listed[:1], listed[1:])).tolist() == [1, -1, 0, 2]
    assert names_of(ranks(words(listed))).to_pylist() == listed
    assert names_of(np.array([1, -1, 0]), ["train", "test"]).to_pylist() == ["test", None, "train"]


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        pytest.param([["x"], ["x"]], ["a", "a"], id="one word each"),
        pytest.param([["x", "y"], ["y", "z"]], ["a", "a"], id="one of several"),
        pytest.param([["x", "x"], ["y"]], ["b", "a"], id="a word twice in one list"),
        pytest.param([[], []], ["b", "a"], id="no words"),
        pytest.param([None, [None]], ["b", "a"], id="null, and a list of null"),
        pytest.param([["x"], ["y"], ["y", "x"]], ["a", "a", "a"], id="a third joins two"),
        pytest.param([["x"], None, [], ["z", "x"]], ["a", "c", "b", "a"], id="over rows without any"),
        pytest.param([], [], id="no records"),
    ],
)
def test_of_a_list_any_word_ties(lists: list[Any], expected: list[str]):
    names = ["d", "c", "b", "a"][-len(lists) :] if lists else []
    for cut in range(len(names) + 1):
        bond = pa.chunked_array([lists[:cut], lists[cut:]], pa.list_(pa.string()))
        of = units_of(words(names[:cut], names[cut:]), [bond])
        assert [names[row] for row in of] == expected


@pytest.mark.parametrize(
    ("published", "keep", "own", "of_unit"),
    [
        pytest.param([None, None], [None, None], [-1, -1], [-1, -1], id="nothing is known"),
        pytest.param([None, None], ["train", None], [0, -1], [0, 0], id="one says it for both"),
        pytest.param([None, None], ["train", "test"], [0, 2], [2, 2], id="the higher rank"),
        pytest.param(["train", None], [None, "test"], [0, 2], [0, 0], id="what is published outranks a source"),
        pytest.param(["val", None], ["test", None], [1, -1], [1, 1], id="in one record too"),
        pytest.param(["train", "val"], ["test", "train"], [0, 1], [1, 1], id="two published"),
    ],
)
def test_what_is_published_outranks_what_a_source_says(published: Any, keep: Any, own: Any, of_unit: Any):
    found = settled_splits(np.array([0, 0]), words(published), words(keep))
    assert [column.tolist() for column in found] == [own, of_unit]
    without = settled_splits(np.array([0, 0]), words(published))
    assert [column.tolist() for column in without] == [
        ranks(words(published)).tolist(),
        published_of(np.array([0, 0]), words(published)).tolist(),
    ]


def test_rows_are_taken_as_they_are_where_they_are_all():
    column = words(["a", "b"])
    assert take_rows(column, np.array([0, 1])) is column
    assert take_rows(column, np.array([1, 0])).to_pylist() == ["b", "a"]
    assert take_rows(column, np.array([1, 1])).to_pylist() == ["b", "b"]
