"""A release without the purged records: each file changed in place, the manifest last."""

import re
from collections.abc import Callable, Iterator
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from schemas.contract import ATTRIBUTION, CROISSANT, DATASHEET, SPLIT_TABLES, SUMS, parse_part
from schemas.errors import DamagedFile
from schemas.manifests import Amendment, ReleaseManifest
from schemas.phrases import counted, quoted
from tasks.core.export import digest, ledger
from tasks.core.export.attribution import attribution_page
from tasks.core.export.hub import FileSize
from tasks.core.purge import identifiers, rows
from tasks.core.purge import release as core
from tasks.io.store.amend import ReleaseEditor
from tasks.io.store.layout import FORMATS
from tasks.io.store.releases import Release
from tasks.io.store.store import parquet_bytes
from tasks.purge.areas import Removal
from tasks.subjects.croissant import croissant_of
from tasks.subjects.promises import table_digest

_TOMBSTONES, _LEDGER, _RECORDS = "tombstones.parquet", "ledger.parquet", "records.parquet"
_MANIFEST, _DETECTIONS = "manifest.json", ".detections.json"
_OF_RELEASES = re.compile(
    r"(ledger|records|categories|relations|labels|fingerprints|takedowns|tombstones|coco_files)\.parquet"
    r"|statistics/\w+\.parquet|coco/[^/]+\.json|media/[0-9a-f]{2}/[0-9a-f]{64}\.\w+|evaluation\.json"
    r"|CHANGES\.md|changes\.parquet|opt-outs\.(parquet|txt)|formats/.+|(recipe|contract)\.yaml|contract/(README\.md|[a-z_]+\.(odcs\.yaml|arrow))|README\.md|(ATTRIBUTION|DATASHEET)\.md|SHA256SUMS|report\.html|croissant\.json"
)
"""Paths that releases have, besides those of `parse_part`: what `amend` knows."""
_DIVERSITY, _ATTRIBUTES = "statistics/diversity.parquet", "statistics/attributes.parquet"
_CARD, _REPORT = "README.md", "report.html"
_UNCOUNTED = {_TOMBSTONES, _CARD, ATTRIBUTION, CROISSANT, DATASHEET, SUMS}


def check(removal: Removal, release: Release) -> None:
    """Raise DamagedFile where a file is not as releases have it: all that `amend` will read is read, and changed as it
    will, unwritten. A purge that can't go on in the middle would leave a store in which nobody can build.
    """
    if not any(True for _ in amend(removal._replace(is_dry=True), release)):
        return
    try:
        core.check_counts(release.ledger())
    except ValueError as problem:
        raise release.damage(_LEDGER, "a ledger as releases have it", problem) from problem
    if not release.is_half_amended():  # what a killed purge has changed no manifest knows
        _check_unchanged(release)
    _check_coco_ids(release)
    for table in digest.content_tables(release.manifest.files):
        for path in release.parts(table):
            release.read_columns(path, (digest.PRIMARY_KEYS[table],))
        try:
            found = table_digest(release, table)
        except (ValueError, TypeError) as problem:
            raise release.damage(f"the table {table}", "one that has a digest", problem) from problem
        amended = release.manifest.amended
        promised = (amended.content if amended else release.manifest.content).get(table)
        if found != promised and not release.is_half_amended():
            got = ValueError(f"one whose digest is {found}, not {promised}")
            raise release.damage(f"the table {table}", "as it was published", got)


def _check_unchanged(release: Release) -> None:
    """Raise DamagedFile where a file is not as the manifest has it, which a new one would vouch for, or of another
    kind, of which nobody could say whether the records are in it.
    """
    listed = release.manifest.files
    for path in sorted({*release.paths(), *listed} - {_MANIFEST}):
        if path not in listed or not (parse_part(path) or _OF_RELEASES.fullmatch(path)):
            raise DamagedFile(f"expected {release.url} to hold only files that releases have, got {quoted(path)}")
        found = release.file_entry(path)
        if found is None or found.sha256 != listed[path].sha256:
            raise release.damage(path, "as its manifest says", ValueError("other bytes" if found else "nothing there"))


def _check_coco_ids(release: Release) -> None:
    """Raise DamagedFile where a COCO file numbers its images otherwise than the ledger: others would go."""
    book = release.ledger()
    ids = dict(zip(book["record_id"].to_pylist(), book["image_id"].to_pylist(), strict=True))
    for path in release.manifest.files:
        if path.startswith("coco/") and not path.endswith(_DETECTIONS):
            try:
                core.check_image_ids(release.read_json(path), ids)
            except ValueError as problem:
                raise release.damage(path, "a COCO file with the ledger's image ids", problem) from problem


def amend(removal: Removal, release: Release) -> Iterator[str]:
    """Amend a release that knows any of the records; one line on what was changed, or none."""
    book = release.ledger()
    mine = removal.tombstones.filter(pc.is_in(removal.tombstones["record_id"], value_set=book["record_id"]))
    if not mine.num_rows:
        return
    editor = ReleaseEditor(removal.store, release, is_dry=removal.is_dry)
    # a release that was published without the records is as it should be
    is_known = set(mine["record_id"].to_pylist()) <= set(release.tombstones()["record_id"].to_pylist())
    if not (is_known and _is_closed(release)):
        # first: no build goes on from a release whose manifest does not know its tombstones
        editor.text(_TOMBSTONES, lambda _: parquet_bytes(mine))
    _amend_files(removal._replace(tombstones=mine), editor, book)
    if editor.lost_rows or not _is_closed(release):
        paths = [path for table in SPLIT_TABLES for path in release.parts(table)]
        left = {path: FileSize(release.row_count(path), release.byte_count(path)) for path in paths}
        kept = "surrogateescape"  # bytes that are no text stay as they are
        editor.text(_CARD, lambda text: core.card_with(text.decode(errors=kept), mine, left).encode(errors=kept))
        if DATASHEET in release.manifest.files:
            editor.text(DATASHEET, lambda text: core.page_with(text.decode(errors=kept), mine).encode(errors=kept))
        entries = editor.entries()
        if CROISSANT in entries:
            now = release.manifest.model_copy(update={"files": entries})
            editor.text(CROISSANT, lambda _: croissant_of(Release(release.url), now, removal.day))
            entries |= {CROISSANT: release.file_entry(CROISSANT) or entries[CROISSANT]}
        if SUMS in release.manifest.files:
            editor.text(SUMS, lambda _: digest.sums(entries).encode())
        editor.close(lambda: _manifest(release, editor, mine, removal.day))
        lost = [count for path, count in editor.lost_rows.items() if path not in _UNCOUNTED]
        rows_and_files = f"{counted(sum(lost), 'row')} removed, {counted(len(lost), 'file')} changed"
        yield f"release {release.manifest.version}: amended; {rows_and_files}"


def _amend_files(removal: Removal, editor: ReleaseEditor, book: pa.Table) -> None:
    """Change all files but the tombstones and the manifest. removal: of the records that this release knows."""
    files, mine = editor.release.manifest.files, removal.tombstones
    _remove_report(removal, editor, book)

    def change(table: pa.Table) -> pa.Table:
        return rows.without_records(table, removal.record_ids, removal.identifiers.addresses)

    for path in files:
        if path.endswith(".parquet") and path not in {_TOMBSTONES, _LEDGER, _RECORDS}:
            editor.table(path, change)
    _amend_coco(removal, editor, book)
    _amend_attribution(editor, change)
    _remove_media(removal, editor, change)
    _remove_formats(removal, editor, book)
    if _DIVERSITY in files:
        editor.table(_DIVERSITY, lambda table: core.diversity_without(table, removal.lone_artists))
    if _ATTRIBUTES in files:
        records, names = editor.release.records(), {*editor.release.attributes}
        lone = {name: rows.lone_texts([records], removal.record_ids, name) for name in names & {*records.column_names}}
        editor.table(_ATTRIBUTES, lambda table: core.values_without(table, lone))
    if _RECORDS in files:
        editor.table(_RECORDS, change)
    editor.table(_LEDGER, lambda table: core.ledger_with(table, mine))


def _remove_report(removal: Removal, editor: ReleaseEditor, book: pa.Table) -> None:
    """The report goes if it shows a record, or may: its pictures can't be told from each other."""
    if _REPORT not in editor.release.manifest.files:
        return
    kept = {*book["record_id"].filter(book["kept"]).to_pylist()}
    is_shown, page = bool(removal.record_ids & kept), core.REMOVED_REPORT.encode()
    # a key alone may be any number of the page, which writes whole record_ids
    keys = {record_id.partition(":")[2] for record_id in removal.record_ids}
    is_mentioned = identifiers.finder((removal.identifiers.all() - keys) | removal.record_ids)
    editor.text(_REPORT, lambda text: page if is_shown or is_mentioned(text) else text)


def _amend_coco(removal: Removal, editor: ReleaseEditor, book: pa.Table) -> None:
    is_mine = pc.is_in(book["record_id"], value_set=removal.tombstones["record_id"])
    image_ids = {*book["image_id"].filter(is_mine).to_pylist()}
    for path in [path for path in editor.release.manifest.files if path.startswith("coco/")]:
        without = core.detections_without if path.endswith(_DETECTIONS) else core.coco_without
        editor.json(path, partial(without, image_ids=image_ids))


def _amend_attribution(editor: ReleaseEditor, change: Callable[[pa.Table], pa.Table]) -> None:
    if ATTRIBUTION in editor.release.manifest.files:
        left = change(editor.release.rows("images", ["record_id", "image_id", "rights_uri", "attribution", "width_px"]))
        editor.text(ATTRIBUTION, lambda _: b"".join(attribution_page(left)))


def _remove_media(removal: Removal, editor: ReleaseEditor, change: Callable[[pa.Table], pa.Table]) -> None:
    """Remove image files that no other image of the release uses."""
    files = [path for path in editor.release.manifest.files if path.startswith("media/")]
    sha256_of = {path: path.rsplit("/", 1)[-1].partition(".")[0] for path in files}
    if gone := removal.files_ever & {*sha256_of.values()}:
        left = change(editor.release.rows("images", ["record_id", "sha256", "width_px"]))
        gone -= {*left["sha256"].to_pylist()}
        for path in [path for path in files if sha256_of[path] in gone]:
            editor.remove(path)


def _remove_formats(removal: Removal, editor: ReleaseEditor, book: pa.Table) -> None:
    """Formats go if one of the records was kept: what is in archives can't be taken out of them."""
    if removal.record_ids & {*book["record_id"].filter(book["kept"]).to_pylist()}:
        editor.remove_folder(FORMATS)


def _is_closed(release: Release) -> bool:
    """Whether it has tombstones, and its manifest, which is written last, knows them as they are."""
    return _TOMBSTONES in release.manifest.files and not release.is_half_amended()


def _manifest(release: Release, editor: ReleaseEditor, mine: pa.Table, day: str) -> ReleaseManifest:
    now = Release(release.url)
    now.manifest = release.manifest.model_copy(update={"files": editor.entries()})
    content = {table: table_digest(now, table) for table in digest.content_tables(now.manifest.files)}
    amended = Amendment(date=day, tombstones=mine.num_rows, content=content)
    return digest.sealed(now.manifest.model_copy(update={"counts": ledger.counts(now.ledger()), "amended": amended}))
