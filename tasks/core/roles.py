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
    """Raise BadInput where what a record says has no role, or both."""
    _check_one_role(label, record_id, column, settings)
    odd = np.flatnonzero(np.asarray(roles(column, settings).is_null()))
    if len(odd):
        got = quoted(whole(column)[odd[0]].as_py())
        raise BadInput(
            f"stages ({label}).roles: expected each record to be of the gallery or a query by its '{settings.by}', got "
            f"{got} in {record_id[odd[0]].as_py()}{and_more(len(odd) - 1)}: say what it is, or leave `query` out, and "
            "all that are not of the gallery are queries"
        )


def _check_one_role(label: str, record_id: pa.ChunkedArray, column: pa.ChunkedArray, settings: RolesByValue) -> None:
    """Raise BadInput where what a record says has both roles: nobody knows which one is meant."""
    if settings.query is None:
        return
    both = np.flatnonzero(where.meets(column, settings.gallery) & where.meets(column, settings.query))
    if len(both):
        got = quoted(whole(column)[both[0]].as_py())
        raise BadInput(
            f"stages ({label}).roles: expected each record to have one role by its '{settings.by}', got both for "
            f"{got} in {record_id[both[0]].as_py()}{and_more(len(both) - 1)}: let `gallery` and `query` not overlap"
        )
