"""The release that a build goes on from, and the splits it inherits. Without one to trust, nothing is published."""

from collections.abc import Sequence
from typing import NoReturn

import pyarrow as pa
import pyarrow.compute as pc

from schemas.errors import BadInput, DamagedFile, Overtaken, Refusal
from schemas.manifests import Context, Predecessor
from schemas.phrases import listed, quoted, quoted_name
from schemas.reasons import Reason
from schemas.recipe import Recipe
from schemas.split import SPLITS
from tasks.core import moved_ids, record_ids, tables
from tasks.core.verify import manifest_problems
from tasks.engine import runs
from tasks.engine.cache_keys import is_same_split
from tasks.io.store import layout, releases
from tasks.io.store.releases import Release
from tasks.io.store.store import Store

NOTHING = "none"
"""What a person says in place of a version, for a build that inherits nothing."""
_LEDGER_FILE = "ledger.parquet"
_SPELLINGS = ("record_id", "reason")
_KEPT = ("record_id", "source", "kept", "reason", "sha256")
_LEDGER = pa.schema([(name, pa.string()) for name in ("record_id", "source", "sha256", "kept_record_id", "last_split")])


def choose_predecessor(recipe: Recipe, context: Context) -> Predecessor:
    """The release that a build goes on from: the one that the context names, or else `latest`. A killed publication is
    finished first; a damaged one's predecessor stands in, and the build may only give that damaged one again.

    Raises BadInput for a version that is not there; and Refusal where the store has releases of the dataset but not
    that of `latest`, or that one is of another dataset, does not hold, or is half amended.
    """
    store, name = runs.store_of(context), recipe.name
    if not context.plan:
        releases.finish_publication(store, name)
    known = releases.versions(store, name)
    # of hundreds of releases the recipe of one or two is read
    by_lineage = sorted(known, key=lambda release: -release.manifest.lineage)
    lineage = next((release.manifest.lineage for release in by_lineage if not _is_limited(release)), 0)
    whole, damaged = None if context.previous else _newest(store, name, known), list[str]()
    if context.previous not in {"", NOTHING}:
        whole = next((release for release in known if release.manifest.version == context.previous), None)
        if whole is None:
            raise BadInput(
                f"--previous: expected a version in {store.url}/{layout.releases_folder(name)} ({_choices(known)}) or "
                f"'{NOTHING}', got {quoted(context.previous, 40)}"
            )
    while whole is not None:
        _check(whole, name, known)
        if not whole.damaged_memory():
            _check_ledger(whole)
            break
        damaged.append(whole.manifest.version)
        before, url = whole.manifest.previous, whole.url
        whole = next((other for other in known if other.manifest.version == before), None)
        if before and (whole is None or before in damaged):
            _refuse(f"an intact {layout.release_folder(name, before)}, since {url} is damaged", "none", known)
    version, latest = whole.manifest.version if whole else "", releases.latest_text(store, name) or ""
    return Predecessor(version=version, lineage=lineage, damaged=next(iter(damaged), ""), latest=latest)


def open_predecessor(store: Store, recipe: Recipe, chosen: Predecessor) -> Release | None:
    """The release of that choice; None where the build inherits nothing. Raises DamagedFile if it has gone since."""
    if not chosen.version:
        return None
    if (release := releases.find_release(store, recipe.name, chosen.version)) is None:
        folder = layout.release_folder(recipe.name, chosen.version)
        raise DamagedFile(f"expected {folder} to stay while a build goes on from it")
    return release


def published_spellings(before: Release | None, recipe: Recipe, records: pa.Table) -> dict[str, str]:
    """For each id of these RECORDS that the previous release spells otherwise, that spelling. Paths have but one."""
    numbered = [source.name for source in recipe.sources if not source.are_keys_paths]
    if before is None or not numbered:
        return {}
    ledger = before.read_columns(_LEDGER_FILE, _SPELLINGS, _SPELLINGS)
    mine = records.select(["record_id", "source"])
    mine = mine.filter(pc.is_in(mine["source"], value_set=pa.array(numbered)))
    return record_ids.published_spellings(mine["record_id"], ledger)


def moved_records(before: Release | None, records: pa.Table, fetched: pa.Table | None = None) -> moved_ids.Moves:
    """What the previous release kept, or people had excluded from it, and now stands under another id. records: of
    RECORDS, record_id, source, reason, locator, image_url. fetched: of FETCH, record_id and sha256; None before that.
    """
    if before is None:
        return moved_ids.Moves()
    ledger = before.read_columns(_LEDGER_FILE, _KEPT, _KEPT)
    kept = ledger.filter(ledger["kept"])
    is_excluded = pc.fill_null(pc.equal(ledger["reason"], str(Reason.EXCLUDED)), False)
    listed = tables.kept_rows(records)
    sha256 = pa.nulls(listed.num_rows, pa.string())
    if fetched is not None:
        sha256 = tables.lookup(fetched, "record_id", listed["record_id"])["sha256"]
    now = tables.as_schema(listed.append_column("sha256", sha256), moved_ids.KNOWN)
    place = ("record_id", "locator", "image_url")
    there = before.read_columns("records.parquet", place[:1], place) if before.parts("records") else pa.table({})
    known = tables.as_schema(there, moved_ids.KNOWN)
    moved = moved_ids.moved_ids(moved_ids.known_records(ledger, known), now)
    of_kept, of_excluded = (
        moved.filter(pc.is_in(moved["record_id"], value_set=rows["record_id"]))
        for rows in (kept, ledger.filter(is_excluded))
    )
    images = {row["values"]: row["counts"] for row in pc.value_counts(kept["source"]).to_pylist()}
    return moved_ids.Moves(of_kept, of_excluded, images)


def predecessor_notes(recipe: Recipe, chosen: Predecessor) -> tuple[str, ...]:
    """A sentence where the newest release is damaged."""
    start = f"from {chosen.version}, which was before it" if chosen.version else "as the first one"
    note = f"release {chosen.damaged} of {recipe.name} is damaged: this build can only give that very release again"
    return (f"{note}, {start}",) if chosen.damaged else ()


def check_not_overtaken(store: Store, recipe: Recipe, chosen: Predecessor, version: str) -> None:
    """Raise Overtaken where another build has published another release: images new in both could differ in split."""
    newest = releases.latest_text(store, recipe.name) or ""
    if newest not in {chosen.latest, version}:
        raise Overtaken(
            f"export: expected {layout.latest_path(recipe.name)} to name {chosen.latest or 'no release'} still, got "
            f"{quoted(newest, 40)}, which another build has published meanwhile; nothing is published: run the same "
            "command again"
        )


def check_restored(recipe: Recipe, chosen: Predecessor, version: str) -> None:
    """Raise Refusal where the newest release, so the memory of the splits, is damaged, and the build gives another."""
    if chosen.damaged and version != chosen.damaged:
        raise Refusal(
            f"export: expected release {chosen.damaged} again, which is damaged in "
            f"{layout.release_folder(recipe.name, chosen.damaged)}, got another one ({version}): images could change "
            "their splits; nothing is published: restore the damaged files, or build with "
            f"--previous {chosen.version or NOTHING}, which forgets the splits that were assigned since"
        )


def _newest(store: Store, name: str, known: Sequence[Release]) -> Release | None:
    if (text := releases.latest_text(store, name)) is not None:
        if (release := releases.find_release(store, name, text)) is None:
            _refuse(f"{layout.latest_path(name)} to name a release with a readable manifest", quoted(text, 40), known)
        return release
    readable = {release.root.rsplit("/", 1)[-1] for release in known}
    # elsewhere than on a local disk, a publication that was killed leaves a folder without a manifest
    unreadable = {entry for entry in releases.version_names(store, name) if entry not in readable and store.is_local}
    # as a folder, or a link that leads nowhere
    is_there = layout.latest_path(name).rsplit("/", 1)[-1] in store.list_folder(layout.releases_folder(name))
    if is_there or unreadable or not all(_is_limited(release) for release in known):
        got = "something there that is no file" if is_there else "no such file"
        _refuse(f"{layout.latest_path(name)} to name the release to go on from", got, known)
    return None


def _is_limited(release: Release) -> bool:
    try:
        return release.recipe().limit is not None
    except DamagedFile:
        return False


def _check(release: Release, name: str, known: Sequence[Release]) -> None:
    manifest, folder = release.manifest, release.root.rsplit("/", 1)[-1]
    if manifest.name != name:
        raise Refusal(
            f"expected a release of {name} in {release.url}, got one of {manifest.name}: it knows nothing of this "
            f"dataset; nothing is published: move it out of {layout.releases_folder(name)}, or give the recipe another "
            "name"
        )
    if release.is_half_amended():
        raise Refusal(
            f"expected release {manifest.version} of '{manifest.name}' to be whole, got one that a purge has left "
            "half amended; nothing is published: run that purge again"
        )
    siblings = {other.manifest.version: other.manifest for other in known}
    if problems := list(manifest_problems(release.manifest_fields, manifest, folder, siblings)):
        others = [other for other in known if other.manifest.version != manifest.version]
        _refuse(f"a manifest that holds in {release.url}", f"this: {problems[0]}", others)


def _check_ledger(release: Release) -> None:
    """Raise DamagedFile for a ledger with splits or ids that no release has: a build inherits both."""
    ledger = release.ledger()
    expected = f"a ledger with the splits {', '.join(SPLITS)} and ids of 53 bits"
    if odd := sorted(set(pc.unique(ledger["last_split"]).drop_null().to_pylist()) - set(SPLITS)):
        raise release.damage(_LEDGER_FILE, expected, ValueError(quoted(odd[0])))
    for number in pc.min_max(ledger["image_id"]).as_py().values():
        if number is not None and not 0 < number < 2**53:
            raise release.damage(_LEDGER_FILE, expected, ValueError(f"the image_id {number}"))


def _refuse(expected: str, got: str, others: Sequence[Release]) -> NoReturn:
    others = [release for release in others if not release.damaged_memory()]
    raise Refusal(
        f"expected {expected}, got {got}; without the memory of the splits nothing is published: restore it, or build "
        f"with --previous VERSION to go on from another release ({_choices(others)}), or with --previous {NOTHING} to "
        "assign all splits anew"
    )


def _choices(known: Sequence[Release]) -> str:
    return listed(sorted(release.manifest.version for release in known), 5) if known else "there is none"


def published_splits(
    store: Store, recipe: Recipe, chosen: Predecessor, ids: pa.ChunkedArray, sha256: pa.ChunkedArray
) -> pa.ChunkedArray:
    """(N,) the split in which each record was last published, or null; a dropped copy has that of the kept one while
    its file (sha256: (N,) now) is the same. Raises Refusal where the previous release is of another dataset.
    """
    was = tables.lookup(_inherited_ledger(store, recipe, chosen), "record_id", ids)
    is_other_file = pc.and_(pc.is_valid(was["kept_record_id"]), pc.fill_null(pc.not_equal(was["sha256"], sha256), True))
    return pc.if_else(is_other_file, pa.scalar(None, pa.string()), was["last_split"])


def renamed_records(
    store: Store, recipe: Recipe, chosen: Predecessor, ids: pa.ChunkedArray, sha256: pa.ChunkedArray
) -> pa.Table:
    """record_id, source, sha256, published of other records that had these files, whose splits must not change."""
    ledger = _inherited_ledger(store, recipe, chosen)
    is_same = pc.and_(pc.is_in(ledger["sha256"], value_set=pc.unique(sha256)), pc.is_valid(ledger["sha256"]))
    is_absent = pc.invert(pc.is_in(ledger["record_id"], value_set=ids))
    rows = ledger.filter(pc.and_(pc.and_(is_same, is_absent), pc.is_valid(ledger["last_split"])))
    return rows.select(["record_id", "source", "sha256", "last_split"]).rename_columns({"last_split": "published"})


def known_column(
    store: Store, recipe: Recipe, chosen: Predecessor, ids: pa.ChunkedArray, name: str, kind: pa.DataType
) -> pa.ChunkedArray:
    """(N,) what the previous release knew of records in a column of `records`; null where it has none of that type."""
    previous = open_predecessor(store, recipe, chosen)
    if previous is not None and name in previous.column_names("records"):
        read = previous.column_reader("records")
        if (values := read(name)).type == kind:
            return values.take(pc.index_in(ids, value_set=read("record_id")))
    return pa.chunked_array([pa.nulls(len(ids), kind)])


def lineage_notes(store: Store, recipe: Recipe, chosen: Predecessor) -> tuple[str, ...]:
    """A sentence where there is a previous release, but its splits are not inherited."""
    settings, previous = recipe.split, open_predecessor(store, recipe, chosen)
    if previous is None or is_same_split(settings, previous.manifest.split_sha256):
        return ()
    differ = f"its settings differ from those of release {previous.manifest.version}"
    return (f"{settings.label}: {differ}, so all images are assigned anew, as lineage {chosen.lineage + 1}",)


def _inherited_ledger(store: Store, recipe: Recipe, chosen: Predecessor) -> pa.Table:
    """What a build may inherit of the previous ledger: nothing without one, or where the split's settings changed."""
    settings, previous = recipe.split, open_predecessor(store, recipe, chosen)
    if previous is None or not is_same_split(settings, previous.manifest.split_sha256):
        return _LEDGER.empty_table()
    ledger = previous.ledger()
    sources = pc.unique(ledger["source"]).drop_null().to_pylist()
    if not set(sources) & {source.name for source in recipe.sources}:
        got = f"one with other sources ({listed([*map(quoted_name, sorted(sources))], 5)})"
        raise Refusal(
            f"{settings.label}: expected the previous release, {previous.manifest.version}, to be of the same dataset, "
            f"got {got}; nothing is published: give the recipe another name"
        )
    return ledger.select(_LEDGER.names)
