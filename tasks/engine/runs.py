"""What all tasks of a run share: its store, opened once per process."""

import functools

from schemas.manifests import Context
from tasks.io.store.store import Store


@functools.lru_cache(maxsize=16)
def _opened(url: str, plan: str) -> Store:
    return Store(url, is_overlay=bool(plan))


def store_of(context: Context) -> Store:
    """The build's store, opened once per process."""
    return _opened(context.store, context.plan)
