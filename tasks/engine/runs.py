"""What all tasks of a run share: its store, opened once per process."""

import functools

from schemas.manifests import Context
from tasks.io.store.store import Store


@functools.lru_cache(maxsize=16)
def _opened(url: str, plan: str) -> Store:
    return Store(url, is_overlay=bool(plan))


def check_store(context: Context) -> None:
    """Raise BadInput for a store that a build can't write and keep, or that a plan can't read."""
    store = store_of(context)
    store.check_lasting()
    if context.plan:
        store.check_readable()
    else:
        store.check_writable()


def store_of(context: Context) -> Store:
    """The build's store, opened once per process."""
    return _opened(context.store, context.plan)
