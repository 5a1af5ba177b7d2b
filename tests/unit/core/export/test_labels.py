"""Numbers of styles, which stay from release to release."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.tables import LABELS
from tasks.core.export.labels import labels_of, names_of, numbered

NONE = LABELS.empty_table()


def words(*values: str | None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, pa.string())])


@pytest.mark.parametrize(
    ("releases", "expected"),
    [
        pytest.param([()], [], id="nothing in, nothing out"),
        pytest.param([(None, None)], [], id="no style has no number"),
        pytest.param([("Ukiyo-e", "Cubism", "Ukiyo-e")], ["Cubism", "Ukiyo-e"], id="sorted, each once"),
        pytest.param([("B", "C"), ("A", "B", "C")], ["B", "C", "A"], id="what comes later has a later number"),
        pytest.param([("A", "B"), ("B",), ("C", "B")], ["A", "B", "C"], id="what went keeps its number"),
        pytest.param([("a", "A", "é")], ["A", "a", "é"], id="each spelling is a word, in the order of bytes"),
    ],
)
def test_numbers_from_release_to_release(releases: list[tuple[str | None, ...]], expected: list[str]):
    known = NONE
    for said in releases:
        known = numbered(known, "style", words(*said))
        assert known.schema == LABELS
        assert numbered(known, "style", words(*said)).equals(known)
    assert names_of(known, "style") == expected


def test_of_several_columns_each_has_numbers_of_its_own():
    known = pa.concat_tables([numbered(NONE, "style", words("B")), numbered(NONE, "school", words("A", "B"))])
    assert names_of(numbered(known, "style", words("A")), "style") == ["B", "A"]
    assert labels_of(known, "school", words("B", None)).to_pylist() == [1, None]


@given(st.lists(st.lists(st.none() | st.text(max_size=2), max_size=6), max_size=4))
def test_no_word_ever_changes_its_number(releases: list[list[str | None]]):
    known, seen = NONE, dict[str, int]()
    for said in releases:
        known = numbered(known, "style", words(*said))
        got = labels_of(known, "style", words(*said))
        assert got.type == pa.int64()
        assert [value is None for value in got.to_pylist()] == [word is None for word in said]
        for word, number in zip(said, got.to_pylist(), strict=True):
            if word is not None:
                assert seen.setdefault(word, number) == number
                assert names_of(known, "style")[number] == word
