"""sample (decide): which records of each style are drawn."""

import pyarrow as pa
import pyarrow.compute as pc
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.draw import Sample
from schemas.manifests import Context, State, Step
from schemas.recipe import Recipe
from tasks import caching
from tasks.core import sample as core
from tasks.io.store import Store
from tasks.keys import code_of

CODE = code_of(core)


@task(task_run_name="{settings.label}", cache_policy=NO_CACHE, **caching.ONCE)
def sample(settings: Sample, state: State, recipe: Recipe, context: Context) -> Step:
    """Draw anew if a style, an artist, a setting or the rule is another."""
    store = caching.opened(context)
    return caching.decision(store, settings, state, CODE, lambda: _view(store, state, recipe), core.decide)


def _view(store: Store, state: State, recipe: Recipe) -> pa.Table:
    ids = caching.kept_ids(store, state)
    said = caching.columns(store, state.records, ids, ("style", "artist", "source"))
    nobody = ids if recipe.artists.unknown == "apart" else said["source"]  # no name begins like this
    artist = pc.coalesce(said["artist"], pc.binary_join_element_wise("unknown\n", nobody, ""))
    return pa.table({"record_id": ids, "style": said["style"], "artist": artist})
