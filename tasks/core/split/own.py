"""The split that a source itself has given a record: which words mean which split."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.errors import BadInput
from schemas.phrases import and_more, counted, quoted
from schemas.split import SPLITS, SplitName
from tasks.core.columns import whole

WORDS: dict[str, SplitName] = {
    "train": "train",
    "training": "train",
    "val": "val",
    "valid": "val",
    "validation": "val",
    "dev": "val",
    "development": "val",
    "test": "test",
    "testing": "test",
}
"""What sources call their splits, in lower case."""


def own_splits(label: str, record_id: pa.ChunkedArray, words: pa.ChunkedArray, attribute: str) -> pa.Array:
    """(N,) the split that each record's word means, null where it has none; case and blanks around it are ignored.

    Raises BadInput for any other word, with the first record that has it.

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
            f"stages ({label}).keep: expected train or nothing for the gallery, all of which is train, got "
            f"{keep[odd[0]].as_py()} for {record_id[odd[0]].as_py()}{and_more(len(odd) - 1)}"
        )


def kept_note(label: str, split: pa.ChunkedArray) -> tuple[str, ...]:
    """A sentence on the images that lie where their sources have them. split: of these."""
    if not len(split):
        return ()
    sizes = {row["values"]: row["counts"] for row in pc.value_counts(split).to_pylist()}
    shares: Sequence[str] = [f"{name} {sizes[name]}" for name in SPLITS if name in sizes]
    return (f"{label}: {counted(len(split), 'image')} in the sources' own splits: {', '.join(shares)}",)
