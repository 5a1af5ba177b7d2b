"""Chains of copies: a record dropped for another, which a later stage dropped for a third."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def chain_ends(names: pa.Array | pa.ChunkedArray, kept: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    """(N,) for each of these dropped copies the record at the end of its chain: that was dropped for no other.

    names: (N,), no name twice. kept: (N,) for which record each was dropped. Chains may be of any length.

    >>> chain_ends(pa.array(["c", "b"]), pa.array(["b", "a"])).to_pylist()
    ['a', 'a']
    """
    further = np.asarray(pc.fill_null(pc.index_in(kept, value_set=names), -1), np.int64)
    last = np.where(further < 0, np.arange(len(further)), further)
    for _ in range(len(last).bit_length()):  # each turn doubles the links that are passed
        last = last[last]
    return pc.take(kept, pa.array(last))
