"""The order of rows, and where files and row groups end."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.export.row_groups import (
    BY_STYLE,
    ORDER,
    GroupLimits,
    ends_of_runs,
    files,
    places_in_order,
    shard_count,
    shard_ends,
    shards,
)

SIZES = [4, 4, 4, 9]
FOOTER = 8_192  # of each group, in a file


def in_order(order: Sequence[str], key: str, rows: pa.Table) -> list[object]:
    found: list[object] = rows.take(places_in_order(rows, order, "val"))[key].to_pylist()
    return found


def test_images_stand_by_style_those_without_last_where_a_recipe_asks_for_it():
    rows = pa.table({"image_id": [4, 3, 2, 1], "style": ["x", None, "É", "x"], "split": ["val"] * 4})
    assert in_order(BY_STYLE, "image_id", rows) == [1, 4, 2, 3]
    assert in_order(BY_STYLE, "image_id", rows.slice(0, 0)) == []


def test_all_tables_stand_by_image():
    rows = pa.table({"annotation_id": [3, 2, 1], "image_id": [8, 7, 8], "split": ["val"] * 3})
    assert in_order(ORDER["annotations"], "annotation_id", rows) == [2, 1, 3]
    assert {order[0] for order in ORDER.values()} == {"image_id"}


def test_only_the_rows_of_the_split_stand_in_its_files():
    rows = pa.table({"image_id": [3, 2, 1], "split": ["val", "train", "val"]})
    assert in_order(ORDER["images"], "image_id", rows) == [1, 3]


WHOLE = 2**53
EVEN = np.arange(1024, dtype=np.int64) * (WHOLE // 1024)


@pytest.mark.parametrize(
    ("ids", "sizes", "most_bytes", "expected"),
    [
        pytest.param([], [], 1, 1, id="no images: one file"),
        pytest.param(EVEN[:999], np.ones(999), 10**6, 1, id="fewer than 1,000"),
        pytest.param(EVEN[:1000], np.ones(1000), 10**6, 8, id="1,000, however they lie"),
        pytest.param(EVEN, np.full(1024, 10), 1280, 8, id="an eighth that just fits"),
        pytest.param(EVEN, np.full(1024, 10), 1279, 16, id="an eighth that doesn't"),
        pytest.param([1, 2], [9, 9], 9, 8, id="ids that never part: four times what their bytes ask for"),
        pytest.param([1, WHOLE - 1], [9, 9], 1, 2, id="images larger than a file stand alone"),
        pytest.param(EVEN, np.full(1024, 60), 500, 128, id="eight images a file"),
    ],
)
def test_a_split_has_a_power_of_two_of_files(ids: Any, sizes: Any, most_bytes: int, expected: int):
    assert shard_count(np.array(ids, np.int64), np.array(sizes, np.int64), most_bytes) == expected


@given(st.lists(st.integers(1, WHOLE - 1), unique=True, max_size=40), st.sampled_from([1, 2, 8, 64]), st.integers(1, 5))
def test_a_shard_has_the_images_whose_ids_begin_alike(ids: list[int], count: int, most_rows: int):
    ids.sort()
    sizes, ends = np.ones(len(ids), np.int64), shard_ends(np.array(ids, np.int64), count)
    found = shards(sizes, ends, GroupLimits(most_rows, 10**6, 0))
    assert len(found) == count
    rows = [[row for start, stop in groups for row in range(start, stop)] for groups in found]
    assert [row for of in rows for row in of] == list(range(len(ids)))
    assert all(ids[row] * count // WHOLE == number for number, of in enumerate(rows) for row in of)
    assert all(0 < stop - start <= most_rows for groups in found for start, stop in groups)
    # as many again, and each is parted in two
    twice = shards(sizes, shard_ends(np.array(ids, np.int64), 2 * count), GroupLimits(most_rows, 10**6, 0))
    pairs = [
        [row for half in twice[2 * n : 2 * n + 2] for start, stop in half for row in range(start, stop)]
        for n in range(count)
    ]
    assert pairs == rows


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], []),
        ([None], [1]),
        (["a", "a", "b", None, None], [2, 3, 5]),
        (["a", None, "a"], [1, 2, 3]),
    ],
)
def test_runs_of_equal_values(words: list[str | None], expected: list[int]):
    assert ends_of_runs(pa.array(words, pa.string())).tolist() == expected
    assert ends_of_runs(pa.chunked_array([words[:1], words[1:]], pa.string())).tolist() == expected


@pytest.mark.parametrize(
    ("sizes", "ends", "limits", "expected"),
    [
        pytest.param([], [], GroupLimits(8, 8, 12), [[]], id="no rows: one file without a group"),
        pytest.param([0] * 3, [3], GroupLimits(2, 8, FOOTER * 9), [[(0, 2), (2, 3)]], id="so many rows"),
        pytest.param(SIZES, [4], GroupLimits(9, 8, FOOTER * 9), [[(0, 2), (2, 3), (3, 4)]], id="so many bytes"),
        pytest.param(SIZES, [1, 4], GroupLimits(9, 100, FOOTER * 9), [[(0, 1), (1, 4)]], id="where a style ends"),
        pytest.param(
            SIZES, [4], GroupLimits(9, 12, FOOTER * 9), [[(0, 3), (3, 4)]], id="limits are reached, not passed"
        ),
        pytest.param(
            SIZES, [4], GroupLimits(9, 1, 1), [[(0, 1)], [(1, 2)], [(2, 3)], [(3, 4)]], id="each row too large"
        ),
        pytest.param(
            [0, 50, 0], [3], GroupLimits(9, 8, FOOTER * 9), [[(0, 1), (1, 2), (2, 3)]], id="one row too large"
        ),
        pytest.param(
            SIZES,
            [2, 4],
            GroupLimits(9, 12, 2 * FOOTER + 12),
            [[(0, 2), (2, 3)], [(3, 4)]],
            id="a file before too large",
        ),
        pytest.param(
            [1] * 3, [1, 2, 3], GroupLimits(9, 9, 10**6, 2), [[(0, 1), (1, 2)], [(2, 3)]], id="so many groups"
        ),
    ],
)
def test_row_groups_and_files(
    sizes: list[int], ends: list[int], limits: GroupLimits, expected: list[list[tuple[int, int]]]
):
    assert files(np.array(sizes, np.int64), np.array(ends, np.int64), limits) == expected


@given(
    st.lists(st.tuples(st.integers(0, 40), st.booleans()), min_size=1, max_size=40),
    st.integers(1, 9),
    st.integers(1, 60),
    st.integers(1, 4),
)
def test_every_row_lies_in_one_group_and_no_group_ends_sooner_than_it_must(
    rows: list[tuple[int, bool]], most_rows: int, most_bytes: int, groups_per_file: int
):
    sizes = [size for size, _ in rows]
    ends = [place + 1 for place, (_, is_last) in enumerate(rows[:-1]) if is_last] + [len(rows)]
    limits = GroupLimits(most_rows, most_bytes, groups_per_file * (FOOTER + 60))
    found = files(np.array(sizes, np.int64), np.array(ends, np.int64), limits)
    groups = list(itertools.chain(*found))

    assert [groups[0][0], *(stop for _, stop in groups)] == [*(start for start, _ in groups), len(sizes)]
    for start, stop in groups:
        assert 0 < stop - start <= most_rows
        assert stop - start == 1 or sum(sizes[start:stop]) <= most_bytes
        assert not any(start < end < stop for end in ends)
        assert stop in ends or stop - start == most_rows or sum(sizes[start : stop + 1]) > most_bytes
    for file in found:
        assert len(file) == 1 or sum(FOOTER + sum(sizes[start:stop]) for start, stop in file) <= limits.file_bytes
