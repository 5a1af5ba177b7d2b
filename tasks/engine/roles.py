"""The role of a record in a recipe that parts a gallery from its queries: its source says it."""

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from schemas.recipe import Recipe


def roles_of(recipe: Recipe, source: pa.ChunkedArray) -> pa.ChunkedArray:
    """The role of each record, by its source; null where the recipe has no roles."""
    names = pc.unique(source).drop_null()
    of = pa.array([recipe.split.role(name) for name in names.to_pylist()], pa.string())
    return pa.chunked_array([of.take(pc.index_in(source, value_set=names).combine_chunks())])


def roles_by_id(recipe: Recipe) -> Callable[[pa.Array | pa.ChunkedArray], pa.Array | pa.ChunkedArray] | None:
    """The role of records by their record_ids, which begin with their source's name; None without roles."""
    if not recipe.split.roles:
        return None

    def by_id(record_id: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
        source = pc.struct_field(pc.extract_regex(record_id, "^(?P<source>[^:]*)"), "source")
        return roles_of(recipe, source)

    return by_id
