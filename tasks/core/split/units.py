"""What must lie in one split: records that bonds tie, and the split that publication or a source has given them."""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import and_more, counted, quoted
from schemas.split import SPLITS, SplitName
from tasks.core.columns import Column, whole
from tasks.core.components import connected_components

_Rows = NDArray[np.int64]
Ranks = NDArray[np.int8]
"""Splits by rank, or by place among those with seats; -1: none. A byte each, since there are ten million of them."""


def units_of(names: pa.ChunkedArray, bonds: Iterable[Column]) -> _Rows:
    """(N,) for each row the one of smallest name among those that bonds tie to it.

    names: (N,) unique. Bonds: a word per row (null: none), or a list; rows with one word in one are tied; ties chain.

    >>> bonds = pa.chunked_array([["x", None, "x", None]]), pa.chunked_array([[None, "y", "y", None]])
    >>> units_of(pa.chunked_array([["d", "c", "b", "a"]]), bonds).tolist()
    [2, 2, 2, 3]
    """
    unit = np.arange(len(names))
    ties = np.concatenate([np.empty((0, 2), np.int64), *(_ties(bond) for bond in bonds)])
    if not len(ties):
        return unit
    tied = np.unique(ties)
    tied = tied[np.asarray(pc.sort_indices(names.take(pa.array(tied))))]
    number = np.empty(len(names), np.int64)
    number[tied] = np.arange(len(tied))
    unit[tied] = tied[connected_components(len(tied), number[ties])]
    return unit


def firsts(of: _Rows) -> _Rows:
    """(K,) the first row of each of the groups 0..K-1, of which every one has a row."""
    first = np.empty(int(of.max(initial=-1)) + 1, np.int64)
    first[of[::-1]] = np.arange(len(of) - 1, -1, -1)  # written from the last on, so that the first one stays
    return first


def settled_splits(unit: _Rows, published: pa.ChunkedArray, keep: pa.ChunkedArray | None = None) -> tuple[Ranks, Ranks]:
    """(N,) the rank of the split in which each row must lie by itself, and that of the split in which its unit lies.

    What is published outranks the split that a source gives (keep, null where it gives none): a unit lies where any of
    it was published, or else where any of it is by its source, each time in the highest rank. -1: nothing says it.
    """
    own, of_unit = ranks(published), published_of(unit, published)
    if keep is None:
        return own, of_unit
    kept, kept_of_unit = ranks(keep), published_of(unit, keep)
    return np.where(own >= 0, own, kept), np.where(of_unit >= 0, of_unit, kept_of_unit)


def published_of(unit: _Rows, published: pa.ChunkedArray) -> Ranks:
    """(N,) the highest rank in which any of a row's unit was published; -1: none. Raises ValueError as `ranks`."""
    rank = ranks(published)
    highest = np.full(len(unit), -1, np.int8)
    np.maximum.at(highest, unit[rank >= 0], rank[rank >= 0])
    return highest[unit]


def ranks(split: pa.ChunkedArray) -> Ranks:
    """(N,) the rank of each split, -1 where it is null. Raises ValueError for a split of another name."""
    found = pc.index_in(split, value_set=pa.array(SPLITS))
    if found.null_count != split.null_count:
        strangers = [name for name in pc.unique(split).to_pylist() if name is not None and name not in SPLITS]
        raise ValueError(f"expected a split of {', '.join(SPLITS)}, got {strangers[0]!r}")
    return np.asarray(pc.fill_null(found, -1)).astype(np.int8)


def take_rows(column: pa.ChunkedArray, rows: _Rows) -> pa.ChunkedArray:
    """The column's values in these rows; not copied if these are all, in order."""
    is_whole = len(rows) == len(column) and bool(np.all(rows[1:] > rows[:-1]))
    return column if is_whole else column.take(pa.array(rows))


def names_of(rank: Ranks, splits: Sequence[str] = SPLITS) -> pa.Array:
    """The splits of these ranks; null for -1."""
    return pa.array(splits).take(pa.array(rank, mask=rank < 0))


def _ties(bond: Column) -> _Rows:
    """(T, 2) each row with a word, and the first row with that word, where these are two."""
    words = whole(bond)
    row_of_word = np.arange(len(words))
    if pa.types.is_list(words.type):
        words, row_of_word = pc.list_flatten(words), np.asarray(pc.list_parent_indices(words))
    encoded = words.dictionary_encode()
    rows = row_of_word[np.flatnonzero(np.asarray(pc.is_valid(encoded)))]
    of = encoded.indices.drop_null().to_numpy().astype(np.int64)
    first = rows[firsts(of)[of]]
    ties: _Rows = np.stack([rows, first], axis=1)[rows != first]
    return ties


WORDS: dict[str, SplitName] = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("val", "valid", "validation", "dev", "development"), "val"),
    **dict.fromkeys(("test", "testing"), "test"),
}
"""What sources call their splits, in lower case."""


def own_splits(label: str, record_id: pa.ChunkedArray, words: pa.ChunkedArray, attribute: str) -> pa.Array:
    """(N,) the split that each record's word means, in any case; null for none. Raises BadInput for any other word.

    >>> own_splits("split", pa.chunked_array([["a", "b"]]), pa.chunked_array([[" Valid", None]]), "subset").to_pylist()
    ['val', None]
    """
    plain = pc.utf8_lower(pc.utf8_trim_whitespace(whole(words)))
    plain = pc.if_else(pc.equal(plain, ""), None, plain)
    place = pc.index_in(plain, value_set=pa.array(list(WORDS)))
    odd = np.flatnonzero(np.asarray(pc.and_(pc.is_valid(plain), pc.is_null(place))))
    if len(odd):
        raise BadInput(
            f"stages ({label}).keep: expected one of {', '.join(WORDS)}, or nothing, in '{attribute}' of each record, "
            f"got {quoted(words[odd[0]].as_py())} in {record_id[odd[0]].as_py()}{and_more(len(odd) - 1)}"
        )
    return pa.array(list(WORDS.values())).take(place)


def check_complete(label: str, record_id: pa.ChunkedArray, is_without: NDArray[np.bool_], attribute: str) -> None:
    """Raise BadInput where a record has no split of its own and the recipe no ratios to assign one by."""
    lacks = np.flatnonzero(is_without)
    if len(lacks):
        raise BadInput(
            f"stages ({label}).ratios: expected shares of the splits for records without a split of their own, got "
            f"null while '{attribute}' says nothing in {record_id[lacks[0]].as_py()}{and_more(len(lacks) - 1)}"
        )


def check_gallery(label: str, record_id: pa.ChunkedArray, keep: pa.ChunkedArray) -> None:
    """Raise BadInput where a record of the gallery, all of which is train, has another split of its own."""
    odd = np.flatnonzero(np.asarray(pc.fill_null(pc.not_equal(keep, "train"), False)))
    if len(odd):
        raise BadInput(
            f"stages ({label}): expected train or nothing for the gallery, all of which is train, in `keep` and "
            "`hold_out`, got "
            f"{keep[odd[0]].as_py()} for {record_id[odd[0]].as_py()}{and_more(len(odd) - 1)}"
        )


def kept_note(label: str, split: pa.ChunkedArray) -> tuple[str, ...]:
    """A sentence on the images that lie where their sources or `hold_out` have them. split: of these."""
    if not len(split):
        return ()
    sizes = {row["values"]: row["counts"] for row in pc.value_counts(split).to_pylist()}
    shares = ", ".join(f"{name} {sizes[name]}" for name in SPLITS if name in sizes)
    return (f"{label}: {counted(len(split), 'image')} with a split that is given: {shares}",)
