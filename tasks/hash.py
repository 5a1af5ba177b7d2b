"""hash (measure): size in the upright frame, format and perceptual hash of each blob."""

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.manifests import Context, State, Step
from schemas.stages import Hash
from schemas.tables import HASH
from tasks import caching, pictures
from tasks.io import images, looks

NO_LIMIT = 1_000_000_000
"""Pixels; what is a blob has passed the recipe's own limit, and no recipe's can be above this."""


@task(cache_policy=NO_CACHE, **caching.RETRIED)
def hash_part(blobs: pa.Table, _asked: None, _into: str, context: Context) -> None:
    """Measure and store one batch of blobs; an unreadable one is a row with a reason."""
    store = caching.opened(context)
    seen = pictures.Seen()
    for sha256 in blobs["sha256"].to_pylist():
        try:
            seen(sha256, looks.look(store.read_blob(sha256), NO_LIMIT))
        except images.Unreadable as problem:
            seen.unreadable(sha256, problem)
    seen.store(store)


def hash_(settings: Hash, state: State, context: Context) -> Step:
    """Each kept record's measurements; only blobs are decoded that fetch has not looked at already."""
    return caching.measured(hash_part, settings, state, context, pictures.HASHES, HASH, comes_with_fetch=True)
