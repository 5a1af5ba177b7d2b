"""Columns that are read in words: read anew where the words are the same."""

from collections.abc import Callable

import pyarrow as pa
import pytest

from tasks.core.diff.words import is_read_anew

SAME = {"date_text": (["1479 BC", None, "1850"], ["1479 BC", None, "1851"])}
ARTISTS = {
    "artist": (["Chinese", "Rubens"], [None, "Peter Paul Rubens"]),
    "artist_text": ([], ["Chinese", "Rubens, P. P."]),
}

OLDER = {**ARTISTS, "artist_text": ([None, None], ["Chinese", "Rubens, P. P."])}
"""Records of an older release, in columns of today."""


@pytest.mark.parametrize(
    ("name", "before", "after", "columns", "expected"),
    [
        ("year", ["date_text"], ["date_text"], SAME, [True, False, False]),
        ("year_first", ["date_text"], ["date_text"], SAME, [True, False, False]),
        ("year", [], ["date_text"], SAME, False),
        ("year", ["date_text"], [], SAME, False),
        ("title", ["title"], ["title"], {}, False),
        ("artist", ["artist"], ["artist", "artist_text"], ARTISTS, [True, False]),
        ("artist", ["artist", "artist_text"], ["artist", "artist_text"], OLDER, [True, False]),
        ("artist_qualifier", ["artist"], ["artist", "artist_text"], ARTISTS, False),
    ],
)
def test_the_same_words_are_read_anew(name, before, after, columns, expected):
    def column_of(place: int, known: list[str]) -> Callable[[str], pa.Array]:
        def read(column: str) -> pa.Array:
            assert column in known, f"{column} is read, which this side has not"
            return pa.array(columns[column][place], pa.string())

        return read

    found = is_read_anew(name, before, after, column_of(0, before), column_of(1, after))
    assert (found if isinstance(found, bool) else found.tolist()) == expected
