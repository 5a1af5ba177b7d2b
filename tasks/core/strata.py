"""Strata: the groups in which records are drawn or dealt, by one column or by several together."""

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.split import BALANCED_FIELDS
from tasks.core.columns import whole
from tasks.core.names.spellings import Key, key_of_column, names_of

UNKNOWN = "unknown"
"""The stratum of what a record lacks."""
_JOIN = " / "


class Strata(NamedTuple):
    """Which stratum each record is in."""

    names: list[str]
    """(K,) sorted; each has at least one record."""
    stratum_index: NDArray[np.int64]
    """(N,) the place in `names` of each record's."""
    unknown: frozenset[int] = frozenset()
    """Places of those whose records lack a value."""


def strata(view: pa.Table, columns: Sequence[str], *, is_to_the_letter: bool = False) -> Strata:
    """The strata by string columns of a view; by none of them all records are one, named "all".

    Nulls and empty strings are UNKNOWN. Spellings of one name are one stratum under the most frequent of them, ties by
    text (`key_of_column` says which columns are names); to the letter each is a stratum of its own. With several
    columns the name of a stratum is their values, joined.

    >>> strata(pa.table({"style": ["Cubism", None, "Cubism", "CUBISM"]}), ["style"])
    Strata(names=['Cubism', 'unknown'], stratum_index=array([0, 1, 0, 0]), unknown=frozenset({1}))
    """
    if not view.num_rows:
        return Strata([], np.empty(0, np.int64))
    parts = [_strata_of_column(view[column], str if is_to_the_letter else key_of_column(column)) for column in columns]
    return reduce(_cross, parts) if parts else Strata(["all"], np.zeros(view.num_rows, np.int64))


def stratum_column(field: str) -> str:
    """What a view calls the column of a field of `by`: an attribute may have the name of another column.

    >>> stratum_column("style"), stratum_column("method")
    ('style', 'by.method')
    """
    return field if field in BALANCED_FIELDS else f"by.{field}"


def columns_by(fields: Sequence[str]) -> list[str]:
    """`stratum_column` of each."""
    return [stratum_column(field) for field in fields]


def as_words(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """An attribute as text, as strata are named; lists of text stay lists. Empty texts are null.

    >>> as_words(pa.chunked_array([[1850, None]])).to_pylist(), as_words(pa.chunked_array([[True]])).to_pylist()
    (['1850', None], ['true'])
    """
    if pa.types.is_list(column.type):
        return column
    words = column.cast(pa.string())
    return pc.if_else(pc.equal(words, ""), None, words)


def century(year: pa.ChunkedArray) -> pa.ChunkedArray:
    """Years as the hundred that they lie in, "1800s"; years before the year 0 and nulls are null.

    >>> century(pa.chunked_array([[1799, 1800, -50, None]])).to_pylist()
    ['1700s', '1800s', None, None]
    """
    hundred = pc.cast(pc.multiply(pc.divide(year, 100), 100), pa.string())
    return pc.if_else(pc.greater_equal(year, 0), pc.binary_join_element_wise(hundred, "s", ""), None)


def series_of_artist(artist: pa.ChunkedArray, series: pa.ChunkedArray) -> pa.ChunkedArray:
    r"""(N,) the artist, a line feed and the series, since names of series repeat; null where there is no series.

    >>> artist, series = pa.chunked_array([["Monet", None]]), pa.chunked_array([["Haystacks", "Haystacks"]])
    >>> series_of_artist(artist, series).to_pylist()
    ['Monet\nHaystacks', '\nHaystacks']
    """
    return pc.binary_join_element_wise(pc.fill_null(artist, ""), series, "\n")


def _strata_of_column(column: pa.ChunkedArray, key: Key) -> Strata:
    known = pc.if_else(pc.equal(column, ""), None, column)
    encoded = whole(pc.fill_null(known, UNKNOWN)).dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    name_of = {text: text for text in texts}
    if key is not str:
        for form, name in names_of(encoded, "", key).items():
            # what a record lacks is no spelling: the stratum has its name, whatever sources write for it
            shown = UNKNOWN if form == UNKNOWN else name.text
            name_of |= {text: shown for text, _ in name.spellings}
    names = sorted(set(name_of.values()))
    place = {name: number for number, name in enumerate(names)}
    rank = np.array([place[name_of[text]] for text in texts], np.int64)
    unknown = frozenset(number for number, name in enumerate(names) if name == UNKNOWN)
    return Strata(names, rank[encoded.indices.to_numpy()], unknown)


def _cross(one: Strata, other: Strata) -> Strata:
    codes, of = np.unique(one.stratum_index * len(other.names) + other.stratum_index, return_inverse=True)
    first, second = np.divmod(codes, len(other.names))
    names = [f"{one.names[a]}{_JOIN}{other.names[b]}" for a, b in zip(first, second, strict=True)]
    is_unknown = np.isin(first, list(one.unknown)) | np.isin(second, list(other.unknown))
    return Strata(names, of.astype(np.int64), frozenset(np.flatnonzero(is_unknown).tolist()))


def counts(of: NDArray[np.int64], size: int, is_counted: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """(size,) how many of the (counted) rows are in each of `size` strata."""
    return np.bincount(of if is_counted is None else of[is_counted], minlength=size).astype(np.int64)
