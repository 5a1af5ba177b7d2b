"""hash (measure): size in the upright frame, format and perceptual hash of each blob."""

from typing import Any

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE

from schemas.manifests import Context, State, Step
from schemas.stages import Hash
from schemas.tables import HASH
from tasks import caching
from tasks.core import hash as core
from tasks.io import images
from tasks.io.store import Store
from tasks.keys import code_of, key_of

CODE = code_of(core, images)
NO_LIMIT = 1_000_000_000
"""Pixels; what is a blob has passed the recipe's own limit, and no recipe's can be above this."""


@task(cache_policy=NO_CACHE, **caching.RETRIED)
def hash_part(blobs: pa.Table, _asked: None, into: str, context: Context) -> None:
    """Measure and store one batch of blobs; an unreadable one is a row with a reason."""
    store = caching.opened(context)
    rows = [_row(store, sha256) for sha256 in blobs["sha256"].to_pylist()]
    store.write_table(into, pa.Table.from_pylist(rows, schema=HASH))


def hash_(settings: Hash, state: State, context: Context) -> Step:
    """Each kept record's measurements; only blobs without any are decoded."""
    key = key_of(kind=settings.kind, recipe=images.PHASH, code=CODE)
    return caching.measured(hash_part, settings, state, context, key, HASH)


def _row(store: Store, sha256: str) -> dict[str, Any]:
    try:
        picture = images.picture(store.read_blob(sha256), NO_LIMIT)
    except images.Unreadable as problem:
        return {"sha256": sha256, "reason": problem.reason, "detail": problem.detail}
    return {
        "sha256": sha256, "width_px": picture.width_px, "height_px": picture.height_px, "format": picture.format,
        "phash": core.uint64_from_bits(picture.phash_bits()),
    }  # fmt: skip
