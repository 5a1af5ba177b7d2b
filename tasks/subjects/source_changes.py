"""What has changed of the sources since the release that a build goes on from."""

from collections.abc import Iterator

import pyarrow.compute as pc

from schemas.contract import numbers
from schemas.manifests import Predecessor, TableRef
from schemas.reasons import Reason
from schemas.recipe import Recipe
from schemas.tables import UNREAD
from tasks.core.passed_over import shrunk_sources
from tasks.core.shifts import Shift, shares, shifts
from tasks.io.store.store import Store
from tasks.subjects import previous

_ASKED_OF_RECORDS = ("source", "reason", "artist", "year", "year_first", "year_last", "rights_uri")
_UNREAD, _UNREAD_SINCE = "statistics/unread.parquet", (2, 2)


def find_shrunk(store: Store, recipe: Recipe, chosen: Predecessor, records: TableRef) -> list[tuple[str, int, int]]:
    """Each source that lists fewer works: works before and now. None without a release before, and with a limit."""
    release = previous.open_predecessor(store, recipe, chosen)
    if release is None or recipe.limit is not None:
        return []
    before = release.ledger().select(["source", "reason"])
    was_listed = pc.invert(pc.fill_null(pc.equal(before["reason"], str(Reason.GONE)), False))
    counts = [
        {str(entry["values"]): int(entry["counts"]) for entry in pc.value_counts(names).to_pylist()}
        for names in (before.filter(was_listed)["source"], store.read_table(records, ["source"])["source"])
    ]
    return shrunk_sources([source.name for source in recipe.sources], *counts)


def find_shifts(
    store: Store, recipe: Recipe, chosen: Predecessor, records: TableRef, unread: TableRef
) -> Iterator[Shift]:
    """What sources say clearly more or less often than before. None without a release before, and with a limit."""
    release = previous.open_predecessor(store, recipe, chosen)
    if release is None or recipe.limit is not None or not release.parts("records"):
        return
    was = release.read_columns("records.parquet", ("source",), _ASKED_OF_RECORDS)
    is_known = numbers(release.manifest.contract_version) >= _UNREAD_SINCE
    unread_before = UNREAD.empty_table() if is_known else None  # no file: all was understood
    if _UNREAD in release.manifest.files:
        unread_before = release.table(_UNREAD)
    now = shares(store.read_table(records, list(_ASKED_OF_RECORDS)), store.read_table(unread))
    yield from shifts([source.name for source in recipe.sources], shares(was, unread_before), now)
