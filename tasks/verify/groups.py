"""The check of what a release's recipe keeps together."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import TypeAdapter

from schemas.contract import numbers
from schemas.release import RecipeStage
from schemas.split import Roles, RolesByValue
from tasks.core import roles as core
from tasks.core.split.decide import bond_column
from tasks.core.strata import as_words, series_of_artist
from tasks.core.verify_groups import SPELLINGS_SINCE, together_problems
from tasks.io.store.releases import Release
from tasks.subjects.roles import of_sources
from tasks.verify.rows import columns_of

_ROLES: TypeAdapter[Mapping[str, str] | RolesByValue] = TypeAdapter(Roles)


def kept_together(release: Release, split: RecipeStage) -> Iterator[str]:
    """Works of one artist, series or attribute in two splits, where the recipe keeps these together."""
    if not split.together:
        return
    images = columns_of(release, "images", ["record_id", "split"])
    ids = images["record_id"]
    found = {bond_column(field): _values(release, field, ids) for field in split.together}
    role = _roles(release, split.roles, ids)
    bonds = {name: words for name, words in found.items() if words is not None}
    rows = pa.table({"split": images["split"], "role": role, **bonds})
    is_by_name = numbers(release.manifest.contract_version) >= SPELLINGS_SINCE
    yield from together_problems(rows, is_by_name=is_by_name)


def _values(release: Release, field: str, ids: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """The field of these records; None where no table has it, which another check tells."""
    found = _column(release, field, ids)
    if field != "series" or found is None:
        return None if found is None else as_words(found)
    artist = _column(release, "artist", ids)
    return None if artist is None else series_of_artist(artist, found)


def _roles(release: Release, settings: dict[str, Any] | None, ids: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """(N,) the role of each record; null without roles."""
    if not settings:
        return pa.nulls(len(ids), pa.string())
    roles = _ROLES.validate_python(settings)
    if not isinstance(roles, RolesByValue):
        return of_sources(roles, ids)
    said = _column(release, roles.by, ids)
    return pa.nulls(len(ids), pa.string()) if said is None else pc.fill_null(core.roles(said, roles), "query")


def _column(release: Release, name: str, ids: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """What the images table, or else the one of records, says of these records."""
    for table in ("images", "records"):
        if name in release.column_names(table):
            read = release.column_reader(table)
            return read(name).take(pc.index_in(ids, value_set=read("record_id").combine_chunks()))
    return None
