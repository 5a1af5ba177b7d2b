"""prune: old releases leave a store, then what those that stay do not need: killed and run again, it ends the same."""

import contextlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

import pyarrow as pa

from schemas.errors import BadInput, DamagedFile
from schemas.phrases import listed, quoted
from schemas.tables import ANSWERS
from tasks.core import prune as core
from tasks.io.store import layout, leases, releases
from tasks.io.store.cleaning import StoreCleaner, written_at
from tasks.io.store.datasets import read_refusal, read_uses, refused_datasets
from tasks.io.store.layout import Area, PruneRule, PurgeRule
from tasks.io.store.releases import Release
from tasks.io.store.store import Store

ALL = "all"
_SHOWN = 5


class _Dataset(NamedTuple):
    """A dataset of the store. is_chosen: releases of it may go. has_latest: full builds of it have been published.
    reasons: why each stays; None: it goes. remnants: folders without a manifest, of killed publications and prunes.
    """

    name: str
    is_chosen: bool
    has_latest: bool
    releases: dict[str, Release]
    reasons: dict[str, str | None]
    remnants: list[str]


def prune(
    name: str,
    store_url: str,
    keep: int = 2,
    keep_since: str | None = None,
    grace_days: int = 14,
    *,
    is_dry: bool = True,
) -> str:
    """Remove old releases of a dataset (or of `all`), and what nobody needs in the store; what goes, in lines.

    keep: so many of the newest releases stay. keep_since: those since a day (2026-01-31) stay, too. grace_days: what is
    younger stays in any case. is_dry: nothing is removed.

    Raises BadInput where there is no such dataset, and DamagedFile, before anything is removed, where it can't be told
    what a release needs. Raises Refusal if anybody is at work in the store.
    """
    store = Store(store_url, is_overlay=is_dry)
    try:
        since = None if keep_since is None else date.fromisoformat(keep_since)
    except ValueError:
        raise BadInput(f"--keep-since: expected a day such as 2026-01-31, got {quoted(keep_since)}") from None
    store.check_readable()
    names = store.list_folder(layout.RELEASES)
    if not names or name not in {ALL, *names}:
        got = listed(names, _SHOWN) or "none"
        raise BadInput(f"prune: expected '{ALL}' or a dataset in '{store_url}' ({got}), got {quoted(name)}")
    with contextlib.nullcontext() if is_dry else leases.alone(store, "prune"):
        try:
            grace_from = datetime.now(UTC) - timedelta(days=grace_days)
        except OverflowError:  # more days than the calendar has
            grace_from = datetime.min.replace(tzinfo=UTC)
        datasets = [_dataset(store, other, keep, since, grace_from, is_chosen=name in {ALL, other}) for other in names]
        return "\n".join(_prune(store, datasets, grace_from, is_dry=is_dry))


def _dataset(
    store: Store, name: str, keep: int, since: date | None, grace_from: datetime, *, is_chosen: bool
) -> _Dataset:
    if not store.is_overlay:
        releases.finish_publication(store, name)
    found = {release.root.rsplit("/", 1)[-1]: release for release in releases.versions(store, name)}
    remnants = releases.remnants(store, name, found.keys(), "removed", "prune")
    if half := [version for version, release in found.items() if release.is_half_amended()]:
        raise DamagedFile(
            f"expected whole releases of {name}, got {half[0]}, which a purge has left half amended; nothing is "
            "removed yet: run that purge again, then prune"
        )
    facts = []
    for version, release in found.items():
        # a purge writes the manifest again, but never the recipe: its time is that of the build
        written_s = written_at(store, f"{layout.release_folder(name, version)}/recipe.yaml")
        built, is_trial = datetime.fromtimestamp(written_s, UTC), release.recipe().limit is not None
        facts.append(core.ReleaseAge(version, release.manifest.previous, is_trial, built))
    newest = releases.latest_text(store, name)
    if newest not in found and any(not release.is_trial for release in facts):
        raise BadInput(
            f"prune: expected {layout.latest_path(name)} to name the newest release, got {quoted(newest, 40)}: write "
            f"its version into that file ({listed(sorted(found), _SHOWN)}), then prune"
        )
    latest = {newest} if newest is not None and newest in found else set[str]()
    reasons = core.reasons_to_stay(facts, latest, keep, since, grace_from)
    if not is_chosen:
        reasons = dict.fromkeys(reasons, "of another dataset")
    old = [folder for folder in remnants if is_chosen and written_at(store, folder) < grace_from.timestamp()]
    return _Dataset(name, is_chosen, bool(latest), found, reasons, old)


def _prune(store: Store, datasets: Sequence[_Dataset], grace_from: datetime, *, is_dry: bool) -> Iterator[str]:
    cleaner, grace_from_s = StoreCleaner(store, is_dry=is_dry), grace_from.timestamp()
    # first all that is needed is read: what can't be read ends the work before anything is removed
    needed = core.seen_files(_ledgers(store, datasets))
    cleaner.absorb_journals()
    needed |= _newest_answers(cleaner)
    uses, notes = _uses(store, datasets)
    blobs = (file for _, file in _files(cleaner, PruneRule.BLOBS))
    old = [file for file in blobs if file.written_s < grace_from_s and file.path.rpartition("/")[2] not in needed]
    groups = {"images and answers": old}
    if uses is not None:
        by_key: defaultdict[str, list[core.StoredFile]] = defaultdict(list)  # caches without a key by their path
        for area, file in _files(cleaner, PruneRule.UNUSED):
            by_key[(area.match(file.path) or {}).get("cache key", file.path)].append(file)
        groups["measures, decisions and outcomes"] = list(core.unused_files(by_key, uses, grace_from_s))
    shown = {dataset.name: dataset.reasons for dataset in datasets if dataset.is_chosen}
    sizes = {
        (dataset.name, version): sum(entry.bytes for entry in release.manifest.files.values())
        for dataset in datasets
        for version, release in dataset.releases.items()
    }
    if not is_dry:
        _remove(store, cleaner, datasets, [file.path for files in reversed(groups.values()) for file in files])
    freed = {what: (len(files), sum(file.bytes for file in files)) for what, files in groups.items() if files}
    yield from core.report(shown, sizes, freed, notes, is_dry=is_dry)


def _files(cleaner: StoreCleaner, rule: PruneRule) -> Iterator[tuple[Area, core.StoredFile]]:
    for area in (area for area in layout.AREAS if area.prune is rule):
        for file in cleaner.files(area):
            yield area, core.StoredFile(*file)


def _remove(store: Store, cleaner: StoreCleaner, datasets: Sequence[_Dataset], paths: Sequence[str]) -> None:
    cleaner.remove_pruned()
    for dataset in datasets:
        for version, reason in dataset.reasons.items():
            if reason is None:
                cleaner.remove_release(dataset.name, version)
        for folder in dataset.remnants:
            store.fs.rm(store.full(folder), recursive=True)
    for path in paths:
        cleaner.remove(path)
    for area in layout.AREAS:
        if area.prune is PruneRule.UNUSED:
            cleaner.remove_empty_folders(area)
    leases.remove_stale(store)


def _ledgers(store: Store, datasets: Sequence[_Dataset]) -> Iterator[pa.Table]:
    """Of all releases that stay, and of refused builds, which may go on tomorrow."""
    for dataset in datasets:
        for version, release in dataset.releases.items():
            if dataset.reasons[version]:
                yield release.ledger()
    for name in refused_datasets(store):
        with contextlib.suppress(BadInput):
            if (refused := read_refusal(store, name)) is not None:
                yield refused.ledger


def _newest_answers(cleaner: StoreCleaner) -> set[str]:
    found = set[str]()
    for area in layout.areas(PurgeRule.DROP_ANSWERS):
        request = "url" if area.journal is ANSWERS else "locator"
        columns = cleaner.columns(area, (request, "sha256", "retrieved_at"))
        tables = [table.rename_columns(["request", "sha256", "retrieved_at"]) for table in columns]
        if tables:
            found |= core.newest_answers(pa.concat_tables(tables))
    return found


def _uses(store: Store, datasets: Sequence[_Dataset]) -> tuple[frozenset[str] | None, list[str]]:
    """What the last builds of all datasets have looked at; None, and why, where that is not known of one."""
    found = {dataset.name: read_uses(store, dataset.name) for dataset in datasets if dataset.has_latest}
    if unknown := sorted(name for name, uses in found.items() if uses is None):
        note = f"measures, decisions and outcomes stay: nobody knows what {listed(unknown, _SHOWN)} needs"
        return None, [f"{note}; build once more, then prune"]
    return frozenset().union(*(uses for uses in found.values() if uses)), []
