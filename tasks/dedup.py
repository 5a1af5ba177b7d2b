"""dedup (decide): which images are copies of each other, and which one stays."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.manifests import Context, State, Step
from schemas.stages import Dedup
from tasks import caching
from tasks.core import dedup as core
from tasks.io.store import Store
from tasks.keys import code_of

CODE = code_of(core)
METADATA = ("source_url", "title", "artist", "style", "date_text", "year", "rights_text")


@task(task_run_name="{settings.label}", cache_policy=NO_CACHE, **caching.ONCE)
def dedup(settings: Dedup, state: State, context: Context) -> Step:
    """Take the decision anew if a hash, what the preference looks at, a setting or the rule is another."""
    store = caching.opened(context)
    return caching.decision(store, settings, state, CODE, lambda: _view(store, state), core.decide)


def _view(store: Store, state: State) -> pa.Table:
    ids = caching.kept_ids(store, state)
    records = caching.columns(store, state.records, ids, ("rights_uri", "is_annotated", *METADATA))
    said = sum(
        (np.asarray(pc.is_valid(records[name])).astype(np.int64) for name in METADATA), np.zeros(len(ids), np.int64)
    )
    fetched = caching.columns(store, state.outcome("fetch"), ids, ("sha256", "bytes"))
    hashed = caching.columns(store, state.outcome("hash"), ids, ("phash", "width_px", "height_px"))
    return pa.table({
        "record_id": ids, "rights_uri": records["rights_uri"], "is_annotated": records["is_annotated"], "metadata": said,
        **{name: fetched[name] for name in fetched.column_names}, **{name: hashed[name] for name in hashed.column_names},
    })  # fmt: skip
