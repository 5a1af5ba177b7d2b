"""Joining and summing up tables that are unique in a key. Arrow's own joins know no lists and keep no order."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.reasons import Reason


def lookup(table: pa.Table, primary_key: str, wanted: pa.ChunkedArray | pa.Array) -> pa.Table:
    """The row for each wanted key, in that order, or nulls. The key is unique in the table, and of the same type."""
    return table.take(pc.index_in(wanted, value_set=table[primary_key]))


def missing(wanted: pa.Array, known: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The wanted values that are not known, in the order in which they come."""
    return pc.filter(wanted, pc.invert(pc.is_in(wanted, value_set=known)))


def kept_rows(outcome: pa.Table) -> pa.Table:
    """The rows of an outcome that no reason dropped."""
    return outcome.filter(pc.is_null(outcome["reason"]))


def dropped_counts(outcome: pa.Table) -> dict[str, int]:
    """How many rows each reason dropped, in the order of the reasons' names."""
    counted = pc.value_counts(outcome["reason"].drop_null()).to_pylist()
    return {row["values"]: row["counts"] for row in sorted(counted, key=lambda row: str(row["values"]))}


def outcome(schema: pa.Schema, record_id: pa.ChunkedArray, **columns: Any) -> pa.Table:
    """A table of that outcome schema, columns that are not given being null."""
    given = {"record_id": record_id, **columns}
    found = []
    for name, kind in zip(schema.names, schema.types, strict=True):
        values = given[name] if name in given else pa.nulls(len(record_id), kind)
        found.append(values.cast(kind) if isinstance(values, pa.Array | pa.ChunkedArray) else values)
    return pa.table(found, schema=schema)


def with_columns(table: pa.Table, columns: Mapping[str, Any]) -> pa.Table:
    """The table with other values in these columns of its own, lists or Arrow's; names, types and places stay."""
    for name, values in columns.items():
        place, field = table.schema.get_field_index(name), table.schema.field(name)
        table = table.set_column(place, field, pa.array(values, field.type) if isinstance(values, list) else values)
    return table


def first_reason(
    rows: int, checks: Sequence[tuple[NDArray[np.bool_], Reason, Sequence[str] | NDArray[Any]]]
) -> tuple[list[str | None], list[str | None]]:
    """Reason and detail of the first check that each row fails; null, null where it passes all.

    Each check: (rows,) bools that are true where it fails, its reason, and (rows,) details.
    """
    reasons: list[str | None] = [None] * rows
    details: list[str | None] = [None] * rows
    for fails, reason, detail in reversed(checks):
        for row in np.flatnonzero(fails):
            reasons[row], details[row] = reason, str(detail[row])
    return reasons, details


def assert_closed(entering: pa.ChunkedArray, outcome: pa.Table) -> None:
    """Raises AssertionError unless what entered a stage is what it kept and dropped, each record once (law 4)."""
    if not entering.combine_chunks().equals(outcome["record_id"].combine_chunks()):
        raise AssertionError(
            f"expected the {len(entering)} records that entered, in order, got {outcome.num_rows} others"
        )


def last_of_each(table: pa.Table, column: str) -> pa.Table:
    """Of rows that are sorted by a key, the last of each; empty in, empty out.

    >>> last_of_each(pa.table({"k": ["a", "a", "b"], "n": [1, 2, 3]}), "k")["n"].to_pylist()
    [2, 3]
    """
    if table.num_rows < 2:
        return table
    keys = table[column].combine_chunks()
    ends = pc.not_equal(keys.slice(0, len(keys) - 1), keys.slice(1))
    return table.filter(pa.concat_arrays([ends, pa.array([True])]))


def as_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table with a schema's columns in its order; those that it has not, as an older one may, are null."""
    rows, known = table.num_rows, table.column_names
    columns = [table[field.name] if field.name in known else pa.nulls(rows, field.type) for field in schema]
    return pa.table(columns, schema=schema)
