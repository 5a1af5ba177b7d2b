"""Columns of tables, whether they come in one piece or in several."""

from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Column: TypeAlias = pa.Array | pa.ChunkedArray


def whole(column: Column) -> pa.Array:
    """The column in one piece."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def bools(column: Column) -> NDArray[np.bool_]:
    """(N,) the column's truth values, False where it is null."""
    return np.asarray(pc.fill_null(column, False), np.bool_)


def floats(column: Column) -> NDArray[np.float64]:
    """(N,) the column's numbers, NaN where it is null.

    >>> floats(pa.array([1, None])).tolist()
    [1.0, nan]
    """
    return np.asarray(column.cast(pa.float64()), np.float64)


def is_same(one: Column, other: Column) -> Any:
    """(N,) whether the values of two columns are equal, two nulls included.

    >>> is_same(pa.array([1, None, None]), pa.array([1, None, 2])).to_pylist()
    [True, True, False]
    """
    both_null = pc.and_(pc.is_null(one), pc.is_null(other))
    return pc.or_(both_null, pc.fill_null(pc.equal(one, other), False))
