"""Each area of the store cleaned by its rule (tasks/io/store/layout.py): requests and answers, files, measures ..."""

import contextlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import BadInput, DamagedFile
from tasks.core.purge import identifiers, rows
from tasks.core.purge.identifiers import Identifiers
from tasks.io.store import datasets, layout
from tasks.io.store.cleaning import StoreCleaner
from tasks.io.store.layout import PurgeRule, blob_path
from tasks.io.store.store import Store

Row = dict[str, Any]


class Removal(NamedTuple):
    """What goes, and from which store."""

    store: Store
    tombstones: pa.Table  # TOMBSTONES of the dataset
    day: str  # of this purge
    files: frozenset[str]  # SHA-256 of what is removed from the store
    files_ever: frozenset[str]  # of all that the records ever had, also where others use it
    identifiers: Identifiers
    lone_artists: frozenset[str] = frozenset()  # of whom no other record is known
    spared: frozenset[tuple[str, str]] = frozenset()  # (folder, locator) of retrievals that other datasets need
    is_dry: bool = False  # nothing is changed

    @property
    def record_ids(self) -> frozenset[str]:
        """The purged records."""
        return frozenset(self.tombstones["record_id"].to_pylist())

    @property
    def files_array(self) -> pa.Array:
        """`files`, sorted."""
        return pa.array(sorted(self.files), pa.string())


def check_known(store: Store) -> None:
    """Raise BadInput if something lies in the store of which the table of areas says nothing."""
    unknown = layout.unknown_entries(store.list_folder)
    if unknown:
        raise BadInput(
            f"store: expected only what this version of bilderatlas keeps there, got {', '.join(unknown)} in "
            f"'{store.url}', where purged records may remain: remove it, move it elsewhere, or update bilderatlas"
        )


def clean(removal: Removal) -> Iterator[str]:
    """Remove all of it from the store, but for its releases; one line on what was removed, or none."""
    cleaner = StoreCleaner(removal.store, is_dry=removal.is_dry)
    cleaner.absorb_journals()
    counts = [(step.run(removal, cleaner), step.counted) for step in STEPS]
    if any(count for count, _ in counts):
        yield f"store: {', '.join(f'{count} {counted}' for count, counted in counts if count)}"


def _clean_retrievals(removal: Removal, cleaner: StoreCleaner) -> int:
    """Remove rows about the records, and answers that mention them; the answers that are blobs go first."""

    @cache
    def finder(source: str) -> Callable[[bytes], bool]:
        return identifiers.finder(removal.identifiers.within(source))

    count = 0
    for area in (*layout.areas(PurgeRule.DROP_REQUESTS), *layout.areas(PurgeRule.DROP_ANSWERS)):
        for path, table in cleaner.tables(area):
            folder, source, gone = path.rpartition("/")[0], (area.match(path) or {}).get("source", ""), []
            for place, row in enumerate(table.to_pylist()):
                is_gone = _is_about(removal, folder, source, row)
                if area.purge is PurgeRule.DROP_ANSWERS and row["sha256"] is not None:
                    body = _body(removal.store, row)
                    # without a body it is asked for again anyway
                    is_gone = is_gone or body is None or finder(source)(body)
                    if is_gone and row.get("body") is None:
                        cleaner.remove(blob_path(row["sha256"]))
                gone += [place] * is_gone
            if gone:
                count += len(gone)
                cleaner.replace(path, rows.without_rows(table, gone))
    return count


def _is_about(removal: Removal, folder: str, source: str, row: Row) -> bool:
    if "locator" not in row:
        return row["key"] is not None and f"{source}:{row['key']}" in removal.record_ids
    is_its_address = row["locator"] in removal.identifiers.within(source)
    return row["sha256"] in removal.files or (is_its_address and (folder, row["locator"]) not in removal.spared)


def _body(store: Store, row: Row) -> bytes | None:
    """The bytes of a raw answer, those of a Parquet file as text; None where they are gone or can't be read."""
    body: bytes | None = row.get("body")
    with contextlib.suppress(DamagedFile, pa.ArrowException):
        body = store.read_blob(row["sha256"]) if body is None else body
        if not body.startswith(b"PAR1"):
            return body
        batches = pq.ParquetFile(pa.BufferReader(body)).iter_batches()
        values = (str(value) for batch in batches for row in batch.to_pylist() for value in row.values())
        return "\n".join(values).encode()
    return None


def _remove_files(removal: Removal, cleaner: StoreCleaner) -> int:
    keys = removal.store.list_folder(layout.RENDITIONS)
    renditions = [layout.rendition_path(key, sha256) for key in keys for sha256 in sorted(removal.files)]
    return sum(map(cleaner.remove, [*map(blob_path, sorted(removal.files)), *renditions]))


def _remove_by_hash(removal: Removal, cleaner: StoreCleaner) -> int:
    """Remove tables with a hash of the files: before the measures go, which say what these hashes are."""
    files = removal.files_array
    hashes = [
        rows.hashes_of(table, files, area.hash_column)
        for area in layout.AREAS
        if area.hash_column
        for _, table in cleaner.tables(area, partial(rows.has_files, columns=("sha256",), files=files))
    ]
    wanted = np.unique(np.concatenate([np.empty(0, np.uint64), *hashes]))
    count = 0
    for area in layout.areas(PurgeRule.REMOVE_BY_HASH) if len(wanted) else ():
        for path, _ in cleaner.tables(area, partial(rows.has_hash, columns=area.columns, hashes=wanted)):
            count += cleaner.remove(path)
    return count


def _drop_rows(removal: Removal, cleaner: StoreCleaner) -> int:
    """Drop rows about the files. Old tables go last, when all that pointed to them points to the new ones."""
    files, count = removal.files_array, 0
    moved: dict[str, str | None] = {}
    for area in layout.areas(PurgeRule.DROP_ROWS):
        for path, table in cleaner.tables(area, partial(rows.has_files, columns=area.columns, files=files)):
            left = rows.without_files(table, area.columns, files)
            count += table.num_rows - left.num_rows
            moved[path] = cleaner.write(path, left)
    for area in layout.areas(PurgeRule.DROP_POINTERS):
        for path, table in cleaner.tables(area):
            left = rows.without_files(table, area.columns, files)
            count += table.num_rows - left.num_rows
            cleaner.replace(path, rows.with_new_paths(left, moved))
    for path in [path for path, new_path in moved.items() if new_path != path]:
        cleaner.remove(path)
    return count


def _remove_mentions(removal: Removal, cleaner: StoreCleaner) -> int:
    """Remove tables of earlier builds that mention the records: later builds make them again."""
    count, texts = 0, removal.identifiers.all()
    for area in layout.areas(PurgeRule.REMOVE_MENTIONS):
        for path, table in cleaner.tables(area):
            if rows.mentions(table, removal.record_ids, texts):
                count += cleaner.remove(path)
    return count


def _remove_refused_ledgers(removal: Removal, cleaner: StoreCleaner) -> int:
    """Remove the ledgers of refused builds in which one of the records stands, and those that can't be read."""
    count = 0
    for name in datasets.refused_datasets(removal.store):
        with contextlib.suppress(BadInput):
            refused = datasets.read_refusal(removal.store, name)
            if refused is None or not rows.stands_in(refused.ledger, removal.record_ids):
                continue
        count += cleaner.remove(layout.refusal_path(name))
    return count


def _empty(_: Removal, cleaner: StoreCleaner) -> int:
    """Remove what killed builds left: nobody builds meanwhile."""
    return sum(cleaner.empty(area) for area in layout.areas(PurgeRule.REMOVE_ALL))


class CleaningStep(NamedTuple):
    """One step of the cleaning: the rules that it carries out, what it counts, and how."""

    rules: tuple[PurgeRule, ...]
    counted: str
    run: Callable[[Removal, StoreCleaner], int]


STEPS = (
    CleaningStep((PurgeRule.DROP_REQUESTS, PurgeRule.DROP_ANSWERS), "rows of requests and answers", _clean_retrievals),
    CleaningStep((PurgeRule.REMOVE_FILES,), "files", _remove_files),
    CleaningStep((PurgeRule.REMOVE_BY_HASH,), "tables of searches", _remove_by_hash),
    CleaningStep((PurgeRule.DROP_ROWS, PurgeRule.DROP_POINTERS), "rows of measures", _drop_rows),
    CleaningStep((PurgeRule.REMOVE_MENTIONS,), "tables of decisions, which are taken anew", _remove_mentions),
    CleaningStep((PurgeRule.REMOVE_LEDGERS,), "ledgers of refused builds", _remove_refused_ledgers),
    CleaningStep((PurgeRule.REMOVE_ALL,), "leftovers of killed builds", _empty),
)
"""In this order. The other rules: a release is amended by tasks/purge/release_files.py, tombstones come before all."""
