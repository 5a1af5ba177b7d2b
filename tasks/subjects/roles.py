"""The role of a record in a recipe that parts a gallery from its queries: its source says it, or its own words."""

from collections.abc import Callable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from schemas.manifests import State
from schemas.recipe import Recipe
from schemas.split import RolesByValue
from tasks.core import roles as core
from tasks.engine.views import column_of
from tasks.io.store.store import Store
from tasks.subjects import previous


def roles_of(store: Store, recipe: Recipe, state: State, record_id: pa.ChunkedArray) -> pa.ChunkedArray:
    """(N,) the role of each record of this build; null where the recipe has no roles."""
    roles = recipe.split.roles
    if not roles:
        return pa.chunked_array([pa.nulls(len(record_id), pa.string())])
    if not isinstance(roles, RolesByValue):
        return pa.chunked_array([of_sources(roles, record_id)])
    said = column_of(store, state.records, record_id, roles.by)
    return pa.chunked_array([pc.fill_null(core.roles(said, roles), "query")])


def roles_by_id(store: Store, recipe: Recipe, state: State) -> Callable[[pa.ChunkedArray], pa.ChunkedArray] | None:
    """What gives the roles of records of this build; None without roles."""
    return (lambda record_id: roles_of(store, recipe, state, record_id)) if recipe.split.roles else None


def check_roles(store: Store, recipe: Recipe, state: State, record_id: pa.ChunkedArray) -> None:
    """Raise BadInput where a record of this build says nothing that has a role."""
    roles = recipe.split.roles
    if isinstance(roles, RolesByValue):
        said = column_of(store, state.records, record_id, roles.by)
        core.check_roles(recipe.split.label, record_id, said, roles)


def roles_of_renamed(store: Store, recipe: Recipe, state: State, renamed: pa.Table) -> pa.ChunkedArray:
    """(N,) roles of `previous.renamed_records`: as this build, or the last, knows them; else by their splits."""
    settings, record_id = recipe.split, renamed["record_id"]
    if not isinstance(roles := settings.roles, RolesByValue):
        return roles_of(store, recipe, state, record_id)
    said = column_of(store, state.records, record_id, roles.by)
    said = pc.coalesce(said, previous.known_column(store, recipe, state.previous, record_id, roles.by, said.type))
    is_query = pc.is_in(renamed["published"], value_set=pa.array(settings.splits_of_queries, pa.string()))
    by_split = pc.if_else(is_query, "query", "gallery")
    return pc.if_else(pc.is_valid(said), pc.fill_null(core.roles(said, roles), "query"), by_split)


def of_sources(roles: Mapping[str, str], record_id: pa.ChunkedArray) -> pa.Array:
    """(N,) roles by the names of the sources, with which record_ids begin."""
    source = pc.struct_field(pc.extract_regex(record_id, "^(?P<source>[^:]*)"), "source")
    names = pc.unique(source).drop_null()
    of = pa.array([roles.get(name, "query") for name in names.to_pylist()], pa.string())
    return of.take(pc.index_in(source, value_set=names).combine_chunks())
