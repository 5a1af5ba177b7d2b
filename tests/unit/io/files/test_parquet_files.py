"""Parquet files from outside."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import BadInput
from tasks.io.files.parquet_files import rows_of_parquet


def parquet(table: pa.Table, **options) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    return sink.getvalue().to_pybytes()


TABLE = pa.table({"key": ["a", "ü", None], "n": [1, 2, 3], "list": [[1.5], [], None]})
NO_UTF8 = pa.table({"key": pa.array([b"\xff\xfe"]).view(pa.string())})


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        pytest.param(parquet(TABLE.slice(0, 0)), [], id="no-rows"),
        pytest.param(parquet(pa.table({})), [], id="no-columns"),
        pytest.param(
            parquet(TABLE, row_group_size=1),
            [
                {"key": "a", "n": 1, "list": [1.5]},
                {"key": "ü", "n": 2, "list": []},
                {"key": None, "n": 3, "list": None},
            ],
            id="row-groups-in-order",
        ),
        pytest.param(
            parquet(pa.table({"s": pa.array(["x", "x"]).dictionary_encode()})),
            [{"s": "x"}, {"s": "x"}],
            id="dictionary",
        ),
    ],
)
def test_rows_are_mappings(data, rows):
    assert list(rows_of_parquet("works", data)) == rows


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"PAR1", id="four-letters"),
        pytest.param(b"PAR1" * 9, id="letters-only"),
        pytest.param(b"key,n\na,1\n", id="csv"),
        pytest.param(parquet(TABLE)[:-1], id="cut-by-a-byte"),
        pytest.param(parquet(TABLE)[: len(parquet(TABLE)) // 2], id="half"),
        pytest.param(parquet(TABLE)[1:], id="first-byte-gone"),
        pytest.param(parquet(NO_UTF8), id="text-that-is-no-text"),
    ],
)
def test_what_is_no_parquet_file_is_bad_input_in_one_sentence(data):
    with pytest.raises(BadInput, match=r"works: expected a Parquet file, got .") as caught:
        list(rows_of_parquet("works", data))

    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_column_that_is_there_twice_is_refused():
    twice = pa.table([pa.array(["a"]), pa.array(["b"]), pa.array(["c"])], names=["key", "key", "file"])
    with pytest.raises(BadInput, match=r"^works: expected .* with one column of each name, got 'key' twice$"):
        list(rows_of_parquet("works", parquet(twice)))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(1, 255)), min_size=1, max_size=4))
def test_flipped_bytes_give_rows_or_bad_input(flips):
    data = np.frombuffer(parquet(TABLE), np.uint8).copy()
    for place, mask in flips:
        data[place % len(data)] ^= mask

    assert outcome(data.tobytes()) in {"rows", "bad input"}


def outcome(data: bytes) -> str:
    try:
        list(rows_of_parquet("works", data))
    except BadInput:
        return "bad input"
    return "rows"


TIMES = [
    pytest.param(pa.array([2**50], pa.timestamp("s")), id="a year that Python can't hold"),
    pytest.param(pa.array([-(2**62)], pa.timestamp("ms")), id="a year before all"),
    pytest.param(pa.array([2**40], pa.timestamp("s", "Nowhere/Land")), id="no time zone"),
    pytest.param(pa.array([2**60], pa.duration("s")), id="a duration that Python can't hold"),
    pytest.param(pa.array([2**31 - 1], pa.int32()).view(pa.date32()), id="a day that Python can't hold"),
]


@pytest.mark.parametrize("times", TIMES)
def test_times_that_python_cannot_hold_are_bad_input(times: pa.Array):
    with pytest.raises(BadInput, match=r"^source 's': expected a Parquet file, got ") as caught:
        list(rows_of_parquet("source 's'", parquet(pa.table({"key": ["a"], "when": times}))))
    assert "\n" not in str(caught.value)
