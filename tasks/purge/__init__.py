"""purge: what was taken down leaves the store, and every release of its dataset; a tombstone says that it was there.

First all that is needed is read and checked. Then the tombstones are written, the store is cleaned, and each release
amended, its manifest last. A step that was done finds nothing to do: a purge that is killed and started again ends the
same.
"""

import contextlib
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput, DamagedFile
from schemas.phrases import listed, quoted
from schemas.tables import RECORDS
from tasks.core import by_hand, tables
from tasks.core.purge import request
from tasks.core.purge import tombstones as rules
from tasks.core.purge.identifiers import identifiers_of
from tasks.core.purge.request import check_request, known_ids
from tasks.core.purge.rows import lone_texts
from tasks.io.store import layout, leases, releases
from tasks.io.store.datasets import read_tombstones, write_tombstones
from tasks.io.store.releases import Release
from tasks.io.store.store import Store
from tasks.purge.areas import Removal, check_known, clean
from tasks.purge.likeness import look_alikes
from tasks.purge.release_files import amend, check


def purge(
    name: str,
    store_url: str,
    records: Collection[str] = (),
    reason: str = "",
    day: str | None = None,
    *,
    is_dry: bool = False,
    is_alone: bool = False,
) -> str:
    """Remove records of a dataset from a store and all of its releases; returns what was removed, in lines.

    records: these go; if there are none, all that the newest ledger says are taken down. Copies of their works go with
    them: those that any release knows of, and those that the store has a thumbnail of, also if they were screened out
    or not drawn. reason, day (such as 2024-12-31; default: today) and is_alone (no copies go) describe `records`.

    Raises BadInput if the store has no such dataset, or holds what this version does not know, or for a request that is
    none (`check_request`); Refusal if anybody is at work in the store; DamagedFile, before anything is removed, where a
    release could not be amended.
    """
    # a dry run reads damaged files, too: it must not remove them
    store = Store(store_url, is_overlay=is_dry)
    store.check_readable()
    known = _newest_first(store, name)
    with contextlib.nullcontext() if is_dry else leases.alone(store, f"purge of {name}"):
        ledgers = [release.ledger() for release in known]
        records = known_ids(records, ledgers)
        check_request(name, records, reason, day, ledgers, is_alone=is_alone)
        check_known(store)
        today = day or datetime.now(UTC).date().isoformat()
        existing = by_hand.merge_tombstones(read_tombstones(store, name), known[0].tombstones())
        requested, scope = dict.fromkeys(records, reason), "record" if is_alone else "work"
        tombstones = rules.tombstones_for(ledgers, existing, requested, today, scope, known[0].takedowns())
        tombstones = _with_copies(store, known, ledgers, tombstones)
        removal, in_use = _removal(store, name, known, ledgers, tombstones, today, is_dry=is_dry)
        _check_releases(removal, known)
        changes = [*_write_new_tombstones(removal, name), *clean(removal)]
        for release in known:
            changes += amend(removal, release)
    return "\n".join(request.lines(name, removal.tombstones, changes, in_use, is_dry=is_dry))


def _newest_first(store: Store, name: str) -> list[Release]:
    """All releases. Raises BadInput without any, or without the newest, whose ledger says what is taken down."""
    none = BadInput(f"purge: expected a dataset with a release in '{store.url}', got {quoted(name)}")
    if name not in store.list_folder(layout.RELEASES):
        raise none
    newest = releases.latest(store, name)
    found = releases.versions(store, name)
    for release in found:
        _check_place(release, name)
    releases.remnants(store, name, [_folder(release) for release in found], "purged", "purge")
    if not found:
        raise none
    if newest is None and any(release.recipe().limit is None for release in found):
        versions = listed([release.manifest.version for release in found], 5)
        raise BadInput(
            f"purge: expected {layout.latest_path(name)} to name the newest release, got no readable one: write its "
            f"version into that file ({versions}), then purge"
        )
    first = newest.manifest.version if newest else ""
    return sorted(found, key=lambda release: (release.manifest.version != first, release.manifest.version))


def _check_place(release: Release, name: str) -> None:
    """Raise DamagedFile where a folder holds another release than its name says: it would be amended."""
    folder, manifest = _folder(release), release.manifest
    if (manifest.name, manifest.version) != (name, folder):
        raise DamagedFile(
            f"expected release {folder} of {name} in {release.url}, got {quoted(manifest.version)} of "
            f"{quoted(manifest.name)}; nothing is purged yet: restore its manifest.json, or remove that folder, then "
            "purge again"
        )


def _folder(release: Release) -> str:
    return str(release.root).rsplit("/", 1)[-1]


def _with_copies(store: Store, known: list[Release], ledgers: list[pa.Table], tombstones: pa.Table) -> pa.Table:
    """The tombstones, and those of all copies: by what the releases say, then by the thumbnails that are there."""
    edges = [release.relations() for release in known]
    tombstones = rules.with_copies(ledgers, edges, tombstones)
    works = tombstones.filter(pc.not_equal(tombstones["scope"], "record"))
    if not (mine := rules.all_files_of(ledgers, works)):
        return tombstones
    everything = {sha256 for ledger in ledgers for sha256 in pc.unique(ledger["sha256"].drop_null()).to_pylist()}
    purged, others = (pa.array(sorted(files), pa.string()) for files in (mine, everything - mine))
    return rules.with_copies(ledgers, edges, tombstones, look_alikes(store, purged, others))


def _check_releases(removal: Removal, known: Sequence[Release]) -> None:
    for release in known:
        try:
            check(removal, release)
        except DamagedFile as problem:
            raise DamagedFile(
                f"{problem}; nothing is purged yet: put it right, or remove {release.url}, then purge again"
            ) from problem


def _removal(
    store: Store, name: str, known: list[Release], ledgers: list[pa.Table], stones: pa.Table, day: str, *, is_dry: bool
) -> tuple[Removal, dict[str, str]]:
    """What goes; and of the files of the purged records those that stay, to a record that uses them."""
    records = [_records(release) for release in known]
    # the files of the newest release of each other dataset stay
    newest = (releases.latest(store, other) for other in store.list_folder(layout.RELEASES) if other != name)
    others = [release for release in newest if release is not None]
    record_ids = frozenset(stones["record_id"].to_pylist())
    ever = rules.all_files_of(ledgers, stones)
    here = rules.files_in_use(ledgers[:1], record_ids, ever)
    elsewhere = rules.files_in_use([release.ledger() for release in others], (), ever)
    removal = Removal(
        store=store,
        tombstones=rules.without_shared_files(stones, here),
        day=day,
        files=frozenset(ever - here.keys() - elsewhere.keys()),
        files_ever=frozenset(ever),
        identifiers=identifiers_of(records, record_ids),
        lone_artists=frozenset(lone_texts(records, record_ids, "artist")),
        spared=_retrievals_of_other_datasets(others, elsewhere),
        is_dry=is_dry,
    )
    return removal, elsewhere | here


def _records(release: Release) -> pa.Table:
    """RECORDS of a release, which may be older than some of their columns."""
    return tables.as_schema(release.records(), RECORDS)


def _retrievals_of_other_datasets(others: list[Release], files: Collection[str]) -> frozenset[tuple[str, str]]:
    """(folder, locator) of the retrievals by which other datasets keep these files."""
    spared = set[tuple[str, str]]()
    for release in others if files else []:
        keepers, records = rules.keepers_of(release.ledger(), files), _records(release)
        rows = records.filter(pc.is_in(records["record_id"], value_set=keepers["record_id"]))
        for row in rows.select(["source", "locator"]).to_pylist():
            spared |= {(folder, row["locator"]) for folder in (layout.images_folder(row["source"]), layout.DOWNLOADS)}
    return frozenset(spared)


def _write_new_tombstones(removal: Removal, name: str) -> Iterator[str]:
    if not removal.tombstones.equals(read_tombstones(removal.store, name)):
        if not removal.is_dry:
            write_tombstones(removal.store, name, removal.tombstones)
        yield f"tombstones: {removal.tombstones.num_rows}"
