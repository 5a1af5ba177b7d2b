"""Parquet files from outside."""

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import BadInput
from schemas.phrases import told


def rows_of_parquet(name: str, data: bytes) -> list[dict[str, Any]]:
    """The rows as mappings. Raises BadInput if the bytes are not a Parquet file; `name` is for that message."""
    try:
        return list(pq.read_table(pa.BufferReader(data)).to_pylist())
    # ValueError: text that is not UTF-8; OverflowError: a time beyond Python's; LookupError: a time zone that is none
    except (pa.ArrowException, OSError, ValueError, OverflowError, LookupError) as problem:
        raise BadInput(f"{name}: expected a Parquet file, got {told(problem)}") from problem
