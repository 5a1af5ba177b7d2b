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


def role_of(recipe: Recipe) -> Callable[[str], str | None]:
    """The role of a record by its record_id, which begins with its source's name."""
    settings = recipe.split
    return lambda record_id: settings.role(record_id.partition(":")[0])
