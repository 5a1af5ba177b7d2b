"""The order of rows, and where files and row groups end."""

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.export.row_groups import GroupLimits, ends_of_runs, files, places_in_order

SIZES = [4, 4, 4, 9]
FOOTER = 8_192  # of each group, in a file


def in_order(table: str, key: str, rows: pa.Table) -> list[object]:
    found: list[object] = rows.take(places_in_order(rows, table, "val"))[key].to_pylist()
    return found


def test_images_stand_by_style_those_without_last_then_by_record_id():
    rows = pa.table({"record_id": ["d", "c", "b", "a"], "style": ["x", None, "É", "x"], "split": ["val"] * 4})
    assert in_order("images", "record_id", rows) == ["a", "d", "b", "c"]
    assert in_order("images", "record_id", rows.slice(0, 0)) == []


def test_annotations_stand_by_image():
    rows = pa.table({"annotation_id": [1, 2, 3], "record_id": ["b", "a", "b"], "split": ["val"] * 3})
    assert in_order("annotations", "annotation_id", rows) == [2, 1, 3]


def test_only_the_rows_of_the_split_stand_in_its_files():
    rows = pa.table({"record_id": ["c", "b", "a"], "style": ["x", "x", "x"], "split": ["val", "train", "val"]})
    assert in_order("images", "record_id", rows) == ["a", "c"]


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
