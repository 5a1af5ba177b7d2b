"""Names of the files of images and annotations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.contract import SPLIT_TABLES, FilePart, parse_part, part_path


@given(
    st.sampled_from(SPLIT_TABLES), st.sampled_from(["train", "val", "a-b"]), st.integers(0, 99_999), st.integers(0, 9)
)
def test_a_name_says_what_it_was_made_of(table: str, split: str, number: int, count: int):
    assert parse_part(part_path(table, split, number, count)) == FilePart(table, split, number, count)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("images/split=val/part-00012.parquet", None),
        ("images/val-00000-of-00001.parquet", FilePart("images", "val", 0, 1)),
        ("images/val-00000-of-00001.parquet.bak", None),
        ("images/val-0-of-1.parquet", None),
        ("images/x/val-00000-of-00001.parquet", None),
        ("images/-00000-of-00001.parquet", None),
        ("ledger/val-00000-of-00001.parquet", None),
        ("ledger.parquet", None),
    ],
)
def test_what_is_no_name_of_a_part_says_nothing(path: str, expected: FilePart | None):
    assert parse_part(path) == expected
