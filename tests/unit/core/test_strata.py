"""What records are grouped by: one key or several, and what is unknown."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.core.strata import UNKNOWN, as_words, century, columns_by, counts, strata

Words = list[str | None]


def found(**columns: Words) -> tuple[list[str], list[int]]:
    names, of, _ = strata(
        pa.table({name: pa.array(words, pa.string()) for name, words in columns.items()}), tuple(columns)
    )
    return names, of.tolist()


@pytest.mark.parametrize(
    ("columns", "names", "of"),
    [
        pytest.param({"style": []}, [], [], id="no records"),
        pytest.param({"style": [], "source": []}, [], [], id="no records, two keys"),
        pytest.param({"style": [None]}, [UNKNOWN], [0], id="one of no style"),
        pytest.param(
            {"style": ["", None, UNKNOWN]}, [UNKNOWN], [0, 0, 0], id="null, nothing and the word itself are one"
        ),
        pytest.param({"style": ["Cubism", "CUBISM", "Cubism."]}, ["CUBISM"], [0, 0, 0], id="spellings of one name"),
        pytest.param({"style": ["b", "B", "b"]}, ["b"], [0, 0, 0], id="under the most frequent"),
        pytest.param({"style": ["Unknown", "UNKNOWN", None]}, [UNKNOWN], [0, 0, 0], id="unknown in any case"),
        pytest.param({"object": ["12-3a", "12-3A"]}, ["12-3A", "12-3a"], [1, 0], id="identifiers"),
        pytest.param({"by.number": ["12-3a", "12-3A"]}, ["12-3A", "12-3a"], [1, 0], id="an attribute with digits"),
        pytest.param({"by.method": ["Oil", "oil"]}, ["Oil"], [0, 0], id="an attribute without"),
        pytest.param({"style": [" ", "b"]}, [" ", "b"], [0, 1], id="a blank is a word"),
        pytest.param({"style": ["b", "a", "b"]}, ["a", "b"], [1, 0, 1], id="by name, not by arrival"),
        pytest.param({"style": ["z", "ä", "Y"]}, ["Y", "z", "ä"], [1, 2, 0], id="by code points"),
        pytest.param(
            {"style": ["b", "a"], "source": ["x", "y"]}, ["a / y", "b / x"], [1, 0], id="two keys, only what there is"
        ),
        pytest.param(
            {"style": ["b", None], "source": [None, "y"]},
            ["b / unknown", "unknown / y"],
            [0, 1],
            id="one of two unknown",
        ),
        pytest.param(
            {"style": ["a", "a"], "source": ["x", "x"], "artist": ["p", "o"]},
            ["a / x / o", "a / x / p"],
            [1, 0],
            id="three keys",
        ),
    ],
)
def test_strata(columns: dict[str, Words], names: list[str], of: list[int]):
    assert found(**columns) == (names, of)


def test_by_nothing_all_is_one_stratum():
    assert strata(pa.table({"style": ["a", "b"]}), ()).names == ["all"]
    assert strata(pa.table({"style": pa.array([], pa.string())}), ()).names == []


def test_chunks_change_nothing():
    column = pa.chunked_array([["b"], [], ["a", None], ["b"]], pa.string())
    names, of, _ = strata(pa.table({"style": column}), ["style"])
    assert (names, of.tolist()) == (["a", "b", UNKNOWN], [1, 0, 2, 1])
    names, of, _ = strata(pa.table({"style": column.slice(1)}), ["style"])
    assert (names, of.tolist()) == (["a", "b", UNKNOWN], [0, 2, 1])


KEY = st.none() | st.sampled_from(["", "a", "b", "c"])


@given(st.lists(st.tuples(KEY, KEY), max_size=12))
def test_records_share_a_stratum_where_they_share_all_keys(rows: list[tuple[str | None, str | None]]):
    names, of = found(one=[row[0] for row in rows], other=[row[1] for row in rows])
    assert [names[place] for place in of] == [f"{one or UNKNOWN} / {other or UNKNOWN}" for one, other in rows]
    assert sorted(set(of)) == list(range(len(names)))
    assert names == sorted(names)


@pytest.mark.parametrize(
    ("year", "expected"),
    [
        pytest.param(None, None, id="no year"),
        pytest.param(-1, None, id="before the year 0"),
        pytest.param(0, "0s", id="the year 0"),
        pytest.param(99, "0s", id="the first hundred"),
        pytest.param(100, "100s", id="the next"),
        pytest.param(1899, "1800s", id="its last year"),
        pytest.param(1900, "1900s", id="its first year"),
        pytest.param(2**31 - 1, "2147483600s", id="a number and no year"),
    ],
)
def test_century(year: int | None, expected: str | None):
    assert century(pa.chunked_array([pa.array([year], pa.int32())])).to_pylist() == [expected]


def test_no_years_no_centuries():
    assert century(pa.chunked_array([], pa.int32())).to_pylist() == []


def test_counts():
    of = np.array([2, 0, 2, 2])
    assert counts(of, 4).tolist() == [1, 0, 3, 0]
    assert counts(of, 4, np.array([True, False, False, True])).tolist() == [0, 0, 2, 0]
    assert counts(of[:0], 0).tolist() == []


def test_which_strata_lack_a_key_is_not_read_off_their_names():
    view = pa.table({"style": ["Art / unknown", None, "Art"], "source": ["x", "x", "y"]})
    assert strata(view, ["style"]).unknown == {2}
    found = strata(view, ["style", "source"])
    assert [found.names[place] for place in found.unknown] == ["unknown / x"]


def test_an_attribute_may_be_called_like_another_column():
    assert columns_by(["style", "styles", "published", "century"]) == ["style", "styles", "by.published", "century"]


@pytest.mark.parametrize(
    ("values", "kind", "texts"),
    [
        pytest.param([1850, -3, None], pa.int64(), ["1850", "-3", None], id="whole numbers"),
        pytest.param([True, False, None], pa.bool_(), ["true", "false", None], id="truth values"),
        pytest.param(["a", "", None], pa.string(), ["a", None, None], id="texts; an empty one is none"),
        pytest.param([["a"], [], None], pa.list_(pa.string()), [["a"], [], None], id="lists stay"),
    ],
)
def test_attributes_as_words(values: list[object], kind: pa.DataType, texts: list[object]):
    assert as_words(pa.chunked_array([values], kind)).to_pylist() == texts
