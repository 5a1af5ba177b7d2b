"""What the report's page says of groups: strata with an empty split, and names in several spellings."""

import pyarrow as pa
import pyarrow.compute as pc

from schemas.manifests import State
from schemas.recipe import Recipe
from schemas.sample import Sample
from tasks.core import sample
from tasks.core.names.spellings import Name, field_of_column, joined_names
from tasks.core.report import groups
from tasks.core.split import decide as split
from tasks.core.split import drift
from tasks.core.strata import stratum_column
from tasks.engine.views import grouping_values
from tasks.export.statistics import ids_before_the_draw
from tasks.io.store.store import Store
from tasks.subjects.roles import roles_of


def section(store: Store, state: State, recipe: Recipe, images: pa.Table) -> str:
    """The page's HTML. images: record_id and split of the release."""
    ids = images["record_id"]
    known = grouping_values(store, state, recipe, ids, recipe.split.by)
    strata = {stratum_column(field): values for field, values in known.items()}
    is_query = pc.fill_null(pc.not_equal(roles_of(store, recipe, state, ids), "gallery"), True)
    view = pa.table({"record_id": ids, **strata}).filter(is_query)
    found, _ = drift.gaps(view, images["split"].filter(is_query), recipe.split)
    return f"{groups.empty_splits(found)}\n{groups.spellings(_names(store, state, recipe))}"


def _names(store: Store, state: State, recipe: Recipe) -> list[Name]:
    """Names in several spellings, of fields by which the recipe draws or divides, in what the draw chose from."""
    draws = (sample.name_columns(stage) for stage in recipe.stages_of(Sample))
    columns = {column: field_of_column(column) for of in (*draws, split.name_columns(recipe.split)) for column in of}
    known = grouping_values(store, state, recipe, ids_before_the_draw(store, state), set(columns.values()))
    return joined_names(pa.table({column: known[field] for column, field in columns.items()}), [*columns])
