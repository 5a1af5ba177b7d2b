"""Which records are read by which own words of museums."""

import pyarrow as pa
import pytest

from tasks.core.own_words import rows_by_words


@pytest.mark.parametrize(
    ("sources", "own", "expected"),
    [
        ([], {"a": "1"}, []),
        (["a", "b", "a"], {}, [(None, [0, 1, 2])]),
        (["a", "b", "a"], {"a": "1"}, [(None, [1]), ("1", [0, 2])]),
        (["a", "b", "c", "a"], {"a": "1", "b": "2", "c": "1", "d": "3"}, [("1", [0, 2, 3]), ("2", [1])]),
    ],
)
def test_each_row_comes_once_with_the_words_of_its_source(sources, own, expected):
    column = pa.chunked_array([sources[:2], sources[2:]], pa.string())
    assert [(words, rows.tolist()) for words, rows in rows_by_words(column, own)] == expected
