"""The role of each record by what it says: of the gallery, or a query."""

import numpy as np
import pyarrow as pa

from schemas.errors import BadInput
from schemas.phrases import and_more, quoted
from schemas.split import ROLES, RolesByValue
from tasks.core import where
from tasks.core.columns import whole


def roles(column: pa.ChunkedArray, settings: RolesByValue) -> pa.Array:
    """(N,) the role of each record. Null where what it says has none: only if the settings say what queries are.

    >>> said = pa.chunked_array([["exhibit", "visitor", None]])
    >>> roles(said, RolesByValue.model_validate({"by": "kind", "gallery": "Exhibit"})).to_pylist()
    ['gallery', 'query', 'query']
    """
    is_gallery = where.meets(column, settings.gallery)
    is_query = ~is_gallery if settings.query is None else where.meets(column, settings.query)
    return pa.array(ROLES).take(pa.array(np.where(is_gallery, 0, 1), mask=~(is_gallery | is_query)))


def check_roles(label: str, record_id: pa.ChunkedArray, column: pa.ChunkedArray, settings: RolesByValue) -> None:
    """Raise BadInput where what a record says has no role, or both: nobody knows which one is meant."""
    is_gallery = where.meets(column, settings.gallery)
    is_query = ~is_gallery if settings.query is None else where.meets(column, settings.query)
    for odd, expected, got, remedy in (
        (is_gallery & is_query, "to have one role", "both for ", "let `gallery` and `query` not overlap"),
        (
            ~is_gallery & ~is_query,
            "to be of the gallery or a query",
            "",
            "say what it is, or leave `query` out, and all that are not of the gallery are queries",
        ),
    ):
        rows = np.flatnonzero(odd)
        if len(rows):
            said = f"{quoted(whole(column)[rows[0]].as_py())} in {record_id[rows[0]].as_py()}"
            raise BadInput(
                f"stages ({label}).roles: expected each record {expected} by its '{settings.by}', got {got}{said}"
                f"{and_more(len(rows) - 1)}: {remedy}"
            )
