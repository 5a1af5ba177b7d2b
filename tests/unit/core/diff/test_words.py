"""Columns that are read in words: read anew where the words are the same."""

import pyarrow as pa
import pytest

from tasks.core.diff.words import is_read_anew

SAME = {"date_text": (["1479 BC", None, "1850"], ["1479 BC", None, "1851"])}
ARTISTS = {
    "artist": (["Chinese", "Rubens"], [None, "Peter Paul Rubens"]),
    "artist_text": ([], ["Chinese", "Rubens, P. P."]),
}


@pytest.mark.parametrize(
    ("name", "before", "after", "columns", "expected"),
    [
        ("year", ["date_text"], ["date_text"], SAME, [True, False, False]),
        ("year_first", ["date_text"], ["date_text"], SAME, [True, False, False]),
        ("year", [], ["date_text"], SAME, False),
        ("year", ["date_text"], [], SAME, False),
        ("title", ["title"], ["title"], {}, False),
        ("artist", ["artist"], ["artist", "artist_text"], ARTISTS, [True, False]),
        ("artist_qualifier", ["artist"], ["artist", "artist_text"], ARTISTS, False),
    ],
)
def test_the_same_words_are_read_anew(name, before, after, columns, expected):
    def sides(column: str) -> tuple[pa.Array, pa.Array]:
        return tuple(pa.array(values, pa.string()) for values in columns[column])

    found = is_read_anew(name, before, after, sides)
    assert (found if isinstance(found, bool) else found.tolist()) == expected
