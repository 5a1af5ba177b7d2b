"""What all tasks of a run share: its store, opened once per process, and the lease that keeps what it reads there."""

import contextlib
import functools
from collections.abc import Iterator

from schemas.manifests import Context
from tasks.io.store import datasets, leases
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


@contextlib.contextmanager
def at_work(context: Context, work: str, dataset: str | None = None) -> Iterator[None]:
    """A lease on the run's store for as long as the block takes: nothing is pruned meanwhile. A plan takes none.
    dataset: if the block ends well, what it has looked at in the store is kept as what the dataset's builds need.
    """
    if context.plan:
        yield
        return
    store = store_of(context)
    with leases.shared(store, work), store.recording() as used:
        yield
    if dataset is not None:
        datasets.write_uses(store, dataset, used)
