"""screen (decide): which records pass, by what was measured of them."""

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.manifests import Context, State, Step
from schemas.screen import Screen
from tasks import caching
from tasks.core import screen as core
from tasks.io.store import Store
from tasks.keys import code_of

CODE = code_of(core)


@task(task_run_name="{settings.label}", cache_policy=NO_CACHE, **caching.ONCE)
def screen(settings: Screen, state: State, context: Context) -> Step:
    """Take the decision anew if a size, a count, a setting or the rule is another."""
    store = caching.opened(context)
    return caching.decision(store, settings, state, CODE, lambda: _view(store, settings, state), core.decide)


def _view(store: Store, settings: Screen, state: State) -> pa.Table:
    """Only what this screen asks for, so that nothing else makes it decide again."""
    ids = caching.kept_ids(store, state)
    columns: dict[str, object] = {"record_id": ids}
    if settings.rights is not None:
        columns["rights_uri"] = caching.column(store, state.records, ids, "rights_uri")
    if settings.least_side_px is not None or settings.aspect is not None:
        columns |= {name: caching.column(store, state.outcome("hash"), ids, name) for name in ("width_px", "height_px")}
    if (wanted := settings.figures) is not None:
        columns["figures"] = caching.figure_counts(
            store, state, ids, wanted.category, wanted.score, by_detector=wanted.counted_by == "detector"
        )
    return pa.table(columns)
