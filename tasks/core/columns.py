"""Columns of tables, whether they come in one piece or in several."""

from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

Column: TypeAlias = pa.Array | pa.ChunkedArray


def whole(column: Column) -> pa.Array:
    """The column in one piece."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def is_same(one: Column, other: Column) -> Any:
    """(N,) whether the values of two columns are equal, two nulls included.

    >>> is_same(pa.array([1, None, None]), pa.array([1, None, 2])).to_pylist()
    [True, True, False]
    """
    both_null = pc.and_(pc.is_null(one), pc.is_null(other))
    return pc.or_(both_null, pc.fill_null(pc.equal(one, other), False))
